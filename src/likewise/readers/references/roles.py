"""Fields of references that options name as id, title or text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from likewise.document import EMPTY
from likewise.errors import InputError
from likewise.readers.fieldnames import squeezed
from likewise.readers.records import batches, listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from likewise.readers.batch import Batch
    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems
    from likewise.readers.records import Entry
    from likewise.readers.streams import Source


def reference_batches(
    entries: Iterable[Entry], source: Source, options: ReadOptions, problems: Problems
) -> Iterator[Batch]:
    """Batches of records with canonical names; a field that no record has is an error."""
    if not options.columns:
        yield from batches(entries, options, problems)
        return
    named = _Named(options)
    yield from batches(map(named.entry, entries), options, problems)
    for role, column in named.missing():
        raise InputError(
            f"{source.name}: no record has a field {column!r}, which {role}_column names; "
            f"there are {listed(sorted(named.seen))}"
        )


class _Named:
    """Gives fields the roles that the options name them for."""

    def __init__(self, options: ReadOptions) -> None:
        self._columns = options.columns
        self._found: set[str] = set()
        self.seen: set[str] = set()

    def entry(self, entry: Entry) -> Entry:
        values: dict[str, Any] = dict(entry.values)
        if len(self.seen) < 100:
            self.seen.update(values)
        for role, column in self._columns.items():
            key = column if column in values else self._spelled(values, column)
            if key is None or values[key] in EMPTY:
                if role == "id":  # the usual ids are for records that lack the field
                    continue
                values.pop(role, None)
                continue
            self._found.add(role)
            value = values[key] if role == "id" else values.pop(key)
            values[role] = str(value) if isinstance(value, (int, float)) else value
        return entry._replace(values=values)

    def _spelled(self, values: dict[str, Any], column: str) -> str | None:
        wanted = squeezed(column)
        return next((key for key in values if squeezed(key) == wanted), None)

    def missing(self) -> list[tuple[str, str]]:
        there = self._found if self.seen else set(self._columns)
        return [(role, column) for role, column in self._columns.items() if role not in there]
