"""The keys of a review, one set for the page and the terminal; reviewers may change their own.

Digits are not among them: the n-th judges a record not relevant for the n-th reason of the list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from likewise.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping


class Action(NamedTuple):
    """What a key does: the usual key, and the action in a few words."""

    key: str
    says: str


ACTIONS = {
    "relevant": Action("y", "relevant"),
    "not": Action("n", "not relevant"),
    "unsure": Action("u", "unsure"),
    "reasons": Action("r", "not relevant, with reasons"),
    "note": Action("m", "write a note"),
    "tags": Action("t", "set tags"),
    "undo": Action("z", "undo"),
    "redo": Action("Z", "redo"),
    "next": Action("j", "next record"),
    "previous": Action("k", "previous record"),
    "why": Action("w", "why it is here"),
    "open": Action("o", "open the whole record"),
    "list": Action("l", "one record, or a list"),
    "highlight": Action("h", "words to highlight"),
    "skip": Action("s", "skip the record"),
    "page": Action("g", "go on to the next page"),
    "again": Action("a", "records that were skipped"),
    "random": Action("x", "a random page"),
    "progress": Action("p", "progress"),
    "help": Action("?", "the keys"),
    "quit": Action("q", "quit the terminal"),
}
USUAL = {name: action.key for name, action in ACTIONS.items()}
DIGITS = "123456789"


def all_keys(own: Mapping[str, str]) -> dict[str, str]:
    """Every action's key: a reviewer's own, or the usual one."""
    return {name: own.get(name, usual) for name, usual in USUAL.items()}


def checked(own: Mapping[str, str]) -> dict[str, str]:
    """Keys that differ from the usual ones, if no two actions have the same."""
    for name, key in own.items():
        if name not in ACTIONS:
            raise UsageError(f"no action {name!r}: there are {', '.join(ACTIONS)}")
        if not isinstance(key, str) or len(key) != 1 or not key.isprintable() or key.isspace():
            raise UsageError(f"{key!r} is no key for {name!r}: give one character")
        if key.isdigit():
            raise UsageError(f"{key!r} cannot be the key for {name!r}: digits choose reasons")
    taken: dict[str, str] = {}
    for name, key in all_keys(own).items():
        if key in taken:
            raise UsageError(
                f"the key {key!r} would be for both {taken[key]!r} and {name!r}: change one of them"
            )
        taken[key] = name
    return {name: key for name, key in own.items() if key != USUAL[name]}
