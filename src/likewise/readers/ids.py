"""Ids of vectors: from a file, one a line, or the file's name and the row's number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.errors import InputError
from likewise.readers.encoding import is_utf8, open_utf8
from likewise.readers.source import Source

if TYPE_CHECKING:
    from pathlib import Path

    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems


class VectorIds:
    """Names the rows of one source, counted from 0."""

    def __init__(self, source: Source, options: ReadOptions, problems: Problems) -> None:
        self._source = source
        self._file = options.ids_file
        self._ids = read_ids(self._file, problems) if self._file else None

    def of(self, rows: list[int], numbers: list[int]) -> list[str]:
        """The ids of some rows; `numbers` name them where there is no file of ids."""
        if self._ids is None:
            prefix = self._source.id or self._source.name
            return [f"{prefix}:{number}" for number in numbers]
        if rows and rows[-1] >= len(self._ids):
            self.check(rows[-1] + 1, "or more rows")
        return [self._ids[row] for row in rows]

    def check(self, rows: int, what: str = "rows") -> None:
        """Refuse another number of rows than there are ids."""
        if self._ids is not None and rows != len(self._ids):
            raise InputError(
                f"{self._file} holds {len(self._ids)} ids but {self._source.name} {rows} {what}"
            )


def read_ids(path: Path, problems: Problems) -> list[str]:
    """One id a line; the file may be compressed."""
    with open_utf8(Source(str(path), "", path), problems) as stream:
        data = stream.read()
    if not is_utf8(data):
        raise InputError(f"{path}: not valid UTF-8")
    ids = [line.strip() for line in data.decode().rstrip().split("\n")] if data.strip() else []
    if "" in ids:
        raise InputError(f"{path}, line {ids.index('') + 1}: an id is missing")
    return ids
