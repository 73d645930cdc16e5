"""Which column holds the id, the title and the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.document import NAMES
from likewise.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from likewise.readers.options import ReadOptions


def find_columns(header: Sequence[str], options: ReadOptions, source: str) -> dict[str, str]:
    """Column by role, found by name whatever its case; options decide where they are given."""
    by_name = {_plain(column): column for column in reversed(header)}
    found: dict[str, str] = {}
    for role, column in options.columns.items():
        match = column if column in header else by_name.get(_plain(column))
        if match is None:
            raise InputError(f"{source}: there is no column {column!r} among {_listed(header)}")
        found[role] = match
    for role, names in _wanted(options).items():
        free = (by_name[name] for name in map(_plain, names) if name in by_name)
        match = next((column for column in free if column not in found.values()), None)
        if role not in found and match is not None:
            found[role] = match
    needed = {"text"}.intersection(options.fields) or set(options.fields)
    if needed.isdisjoint(found):
        raise InputError(
            f"{source}: none of the columns {_listed(header)} is {_needed(options)}; "
            "say which it is with --text-column (in Python, text_column)"
        )
    return found


def _wanted(options: ReadOptions) -> dict[str, tuple[str, ...]]:
    """Names by role; a field that is analysed by its own name is no other role's column."""
    fields = options.fields
    own = {field: (field,) for field in fields if field not in NAMES}
    shared = {
        role: tuple(name for name in names if name == role or name not in fields)
        for role, names in NAMES.items()
    }
    return own | shared


def _needed(options: ReadOptions) -> str:
    if "text" in options.fields:
        return "named like a text"
    return f"named like a field that is analysed ({_listed(options.fields)})"


def rename(columns: Sequence[str], by_role: Mapping[str, str]) -> list[str]:
    """Each column's key in the record: its role, or its own name made unique."""
    roles = {column: role for role, column in by_role.items()}
    taken = set(by_role)
    names: list[str] = []
    for number, column in enumerate(columns, 1):
        names.append(roles.pop(column, "") or _unique(column or f"column_{number}", taken))
        taken.add(names[-1])
    return names


def _unique(name: str, taken: set[str]) -> str:
    number = 2
    unique = name
    while unique in taken:
        unique, number = f"{name}_{number}", number + 1
    return unique


def _plain(column: str) -> str:
    return column.strip().lower().replace(" ", "_").replace("-", "_")


def _listed(header: Sequence[str]) -> str:
    return ", ".join(map(repr, header))
