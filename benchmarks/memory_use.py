"""The most memory that processes hold while they do something, mapped files included."""

from __future__ import annotations

import resource
from pathlib import Path

PROCESSES = Path("/proc")
FORGET = "5"  # what the kernel is to do with the mark so far


class HighWater:
    """Of processes, each from now on; only Linux can tell."""

    def __init__(self, *processes: int | str) -> None:
        self._folders = [PROCESSES / str(process) for process in processes or ("self",)]
        try:
            for folder in self._folders:
                (folder / "clear_refs").write_text(FORGET)
        except OSError:
            self._folders = []

    @property
    def megabytes(self) -> float | None:
        """In all; None where it cannot be told."""
        return sum(map(_mark, self._folders)) / 1e6 if self._folders else None


def ever(process: int | str = "self") -> int:
    """The bytes that a process has held at most since it began.

    The ru_maxrss of a child starts from the memory of the process it was started by, so that the
    kernel's own mark is asked for first.
    """
    folder = PROCESSES / str(process)
    if folder.exists():
        return _mark(folder)
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def family(process: int) -> list[int]:
    """A process and those that it started, and so on."""
    by_thread = (PROCESSES / str(process)).glob("task/*/children")
    children = [int(child) for listed in by_thread for child in listed.read_text().split()]
    return [process, *(one for child in children for one in family(child))]


def _mark(folder: Path) -> int:
    lines = (folder / "status").read_text(encoding="utf-8").splitlines()
    return 1024 * int(next(line.split()[1] for line in lines if line.startswith("VmHWM")))
