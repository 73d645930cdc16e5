"""Options for reading: fields, columns, format, ids, sizes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from likewise.errors import UsageError
from likewise.readers.encodings import check_encoding

# What callers of Index.add may give.
GIVEN = (
    "text_column", "title_column", "id_column", "format", "encoding", "ids_file", "ids", "only",
)  # fmt: skip
LONGEST_ROW = 1 << 26  # characters; a quote that is never closed must not swallow the file


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """`fields` are analysed, in this order; a column option overrides the search by name.

    `format` (a name in formats.py) holds for all files whatever their suffix; `ids_file` names the
    rows of one file of vectors, one id a line, and `ids` those of an array; batches hold about
    `batch_bytes` of records; a row of CSV has at most `longest_row` characters; of a folder's files
    `only` these are read. `encoding` holds for text that has no mark of its own; without it, text
    that is not UTF-8 is detected. Files that are read apart (formats.py) are read by so many
    `processes`, by default one for each core.
    """

    fields: tuple[str, ...] = ("title", "text")
    id_column: str | None = None
    title_column: str | None = None
    text_column: str | None = None
    format: str | None = None
    encoding: str | None = None
    processes: int | None = None
    ids_file: Path | None = None
    ids: tuple[str, ...] | None = None
    batch_bytes: int = 1 << 21
    longest_row: int = LONGEST_ROW
    only: frozenset[Path] | None = None

    def __post_init__(self) -> None:
        if not self.fields or len(set(self.fields)) < len(self.fields):
            raise UsageError(
                f"the fields to analyse must be one or more different names, not {self.fields}"
            )
        columns = list(self.columns.values())
        for role, column in self.columns.items():
            if not isinstance(column, str):
                raise UsageError(f"{role}_column is {column!r}: it must be the name of a column")
        if self.ids_file is not None:
            if not isinstance(self.ids_file, (str, os.PathLike)):
                raise UsageError(f"ids_file is {self.ids_file!r}: it must be a path")
            object.__setattr__(self, "ids_file", Path(self.ids_file))
        if len(set(columns)) < len(columns):
            raise UsageError(f"id, title and text must be different columns, not {columns}")
        if self.ids is not None:
            object.__setattr__(self, "ids", tuple(str(id) for id in self.ids))
        if self.encoding is not None:
            object.__setattr__(self, "encoding", check_encoding(self.encoding))
        if self.processes is not None and self.processes < 1:
            raise UsageError(f"processes must be 1 or more, not {self.processes}")
        if self.batch_bytes < 1:
            raise UsageError(f"batch_bytes must be 1 or more, not {self.batch_bytes}")

    @property
    def columns(self) -> dict[str, str]:
        """The columns named, by role."""
        given = {"id": self.id_column, "title": self.title_column, "text": self.text_column}
        return {role: column for role, column in given.items() if column is not None}
