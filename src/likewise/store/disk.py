"""Writing that a crash cannot leave half done, and errors that say what happened."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from likewise.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

REBUILD = "rebuild the index with `likewise index`"


UNCHANGED = "the index is as it was: mend this and run it again"
CHANGED = "the index is changed, but may not survive a power failure: mend this and verify it"


@contextmanager
def writing(path: Path, outcome: str = UNCHANGED) -> Iterator[None]:
    """Turn a failed write into one sentence; nothing is visible before the manifest is replaced."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise StoreError(f"cannot write {path}: {reason}; {outcome}") from error


def sync_directory(path: Path) -> None:
    """Make the names in a directory survive a power failure."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace_file(path: Path, content: bytes) -> None:
    """Put `content` at `path` in one step: a reader finds the old file or the new one."""
    temporary = path.with_name(path.name + ".new")
    with writing(path):
        try:
            with temporary.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
    with writing(path.parent, CHANGED):
        sync_directory(path.parent)


def put_file(target: Path, content: bytes) -> None:
    """Replace a file in one step, or write to what is no file, such as a pipe."""
    if target.exists() and not target.is_file():
        target.write_bytes(content)
        return
    temporary = Path(f"{target}.new")
    try:
        temporary.write_bytes(content)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
