"""The file of runs: one result a line, only ever appended to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from likewise.errors import InputError
from likewise.tables.values import Job, Result

if TYPE_CHECKING:
    from pathlib import Path


def key(job: Job) -> bytes:
    """The same for the same job, whatever the order of its fields."""
    return msgspec.json.encode(job, order="sorted")


class RunFile:
    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> list[Result]:
        """All results so far; a line that was cut off when a run was killed does not count."""
        if not self.path.exists():
            return []
        lines = self.path.read_bytes().split(b"\n")
        return [self._result(number, line) for number, line in enumerate(lines[:-1], 1) if line]

    def append(self, result: Result) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab+") as file:
            if file.tell() and not self._ends_well():
                file.truncate(self.path.read_bytes().rfind(b"\n") + 1)
            file.write(msgspec.json.encode(result) + b"\n")

    def _ends_well(self) -> bool:
        with self.path.open("rb") as file:
            file.seek(-1, 2)
            return file.read(1) == b"\n"

    def _result(self, number: int, line: bytes) -> Result:
        try:
            return msgspec.json.decode(line, type=Result)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise InputError(
                f"{self.path}, line {number}: not a result ({error}); "
                "remove the line, and its job is run again"
            ) from error
