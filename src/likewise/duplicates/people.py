"""Authors as they are compared: by surname, whichever way a name is written."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple

from likewise.duplicates.titles import dice, fold, grams

MOST = 40  # authors that are looked at
LONGEST = 600  # characters kept of all of them
APART = re.compile(r"[\s.]+")
ALIKE = 0.6  # of two spellings of a surname


def as_names(value: Any) -> str:
    """A record's authors as text that `people` reads: one a line."""
    if isinstance(value, str):
        value = _split(value)
    if not isinstance(value, (list, tuple)):
        return ""
    names = [name.strip() for one in value[:MOST] if (name := _name(one))]
    return "\n".join(names)[:LONGEST]


def _split(text: str) -> list[str]:
    for mark in (";", "\n", " and ", "|"):
        if mark in text:
            return text.split(mark)
    parts = text.split(",")  # "Doe J, Roe R" lists people; "Doe, Jane" is one
    one = len(parts) == 2 and len(parts[0].split()) == 1
    return [text] if one else parts


def _name(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        family = value.get("family") or value.get("last") or value.get("name") or ""
        return f"{family}, {value.get('given') or ''}" if isinstance(family, str) else ""
    return ""


class Name(NamedTuple):
    """A surname, folded, and the first letter of the given name, if it is known."""

    family: str
    initial: str


@lru_cache(maxsize=1 << 14)
def people(names: str) -> tuple[Name, ...]:
    """Each author: of "Doe, Jane", "Jane Doe", "J. Doe" and "Doe J", doe and j."""
    found = [_parsed(name) for name in names.split("\n") if name]
    return tuple(name for name in found if name.family not in ("", "et al", "al"))


def _parsed(name: str) -> Name:
    family, comma, given = name.partition(",")
    if comma:
        return Name(_folded(family), _folded(given)[:1])
    words = _folded(name).split()
    capitals = {word for word in APART.split(name) if len(word) <= 3 and word.isupper()}
    short = {word.lower() for word in capitals}
    initials = [len(word) == 1 or word in short for word in words]
    if not words or all(initials):
        return Name(" ".join(words), "")
    if initials[-1] and not initials[0]:  # Doe J
        at = initials.index(True)
        return Name(" ".join(words[:at]), words[at][0])
    return Name(words[-1], words[0][0] if len(words) > 1 else "")


def _folded(name: str) -> str:
    return fold([name.replace("-", "").replace("'", "").replace("’", "")])[0]


def same_people(a: tuple[Name, ...], b: tuple[Name, ...]) -> bool | None:
    """True or False; None if one side says nothing, or only some are the same."""
    if not a or not b:
        return None
    if _alike(a[0], b[0]):
        return True
    shared = sum(any(_alike(x, y) for y in b) for x in a)
    if not shared:
        return False
    return True if shared * 2 > min(len(a), len(b)) and len(a) > 1 and len(b) > 1 else None


@lru_cache(maxsize=1 << 14)
def _alike(a: Name, b: Name) -> bool:
    if a.initial and b.initial and a.initial != b.initial:
        return False
    one, other = a.family, b.family
    if one == other or one.endswith(f" {other}") or other.endswith(f" {one}"):
        return True
    one, other = one.replace(" ", ""), other.replace(" ", "")
    return one == other or (
        min(len(one), len(other)) > 4 and dice(grams(one), grams(other)) >= ALIKE
    )
