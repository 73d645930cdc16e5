"""Tables in memory, of pandas or polars: known by what they can do, as neither is imported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from likewise.errors import UsageError
from likewise.readers.columns import find_columns, rename

if TYPE_CHECKING:
    from likewise.readers.options import ReadOptions

Rows = Callable[[], Iterable[tuple[Any, ...]]]


class Frame:
    """A table: the names of its columns, and its rows as tuples."""

    def __init__(self, name: str, columns: Iterable[Any], rows: Rows) -> None:
        self.name = name
        self._columns = [_column(column, name) for column in columns]
        self._rows = rows

    def fields(self, options: ReadOptions) -> list[str]:
        """Each column's key in a record; an error names them all if none is a text."""
        return rename(self._columns, find_columns(self._columns, options, self.name))

    def rows(self) -> Iterator[tuple[Any, ...]]:
        return iter(self._rows())


def as_frame(given: Any) -> Frame | None:
    """A DataFrame of pandas or polars as a Frame; anything else is none."""
    columns = getattr(given, "columns", None)
    if columns is None or isinstance(given, type):
        return None
    name = type(given).__name__
    if callable(getattr(given, "itertuples", None)):
        table = _with_index(given)
        return Frame(name, table.columns, lambda: table.itertuples(index=False, name=None))
    if callable(getattr(given, "iter_rows", None)):
        return Frame(name, columns, given.iter_rows)
    return None


def _with_index(table: Any) -> Any:
    """An index that has a name is a column, too: ids are often kept there."""
    if all(name is None for name in table.index.names):
        return table
    try:
        return table.reset_index()
    except ValueError as error:
        raise UsageError(f"the DataFrame's index cannot be taken as a column: {error}") from error


def _column(column: Any, table: str) -> str:
    if isinstance(column, (str, int)):
        return str(column)
    raise UsageError(f"the {table}'s column {column!r} is not named by text: rename its columns")
