"""Files that a crash cannot leave half written, one writer at a time, and errors that say why."""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager, suppress
from ctypes import c_int64
from typing import TYPE_CHECKING, Self

from likewise.errors import LockedError, StoreError
from likewise.store.freed import of_libc

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from typing import BinaryIO

REBUILD = "rebuild the index with `likewise index`, or see what `likewise check` can save"
UNCHANGED = "the index is as it was: mend this and run it again"
CHANGED = "the index is changed, but may not survive a power failure: mend this and verify it"


@contextmanager
def writing(path: Path, outcome: str = UNCHANGED) -> Iterator[None]:
    """Raise a failed write as a StoreError that says what has become of the index."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise StoreError(f"cannot write {path}: {reason}; {outcome}") from error


def reason(error: BaseException) -> str:
    """Why something failed; what is said of the index is not so once it has changed."""
    return str(error).partition(f"; {UNCHANGED}")[0] or type(error).__name__


def sync_directory(path: Path) -> None:
    """Make the names in a directory survive a power failure."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def begin_writing(descriptor: int, start: int, size: int) -> None:
    """Let the system begin to put a part of a file on the disk, where it can be told to; nobody
    waits for it.
    """
    if sync_file_range := of_libc("sync_file_range"):
        write = 2  # SYNC_FILE_RANGE_WRITE
        sync_file_range(descriptor, c_int64(start), c_int64(size), write)


def make_directory(path: Path) -> None:
    """Make a directory, and those above it, whose names survive a power failure."""
    if not path.is_dir():
        make_directory(path.parent)
        path.mkdir(exist_ok=True)
        with suppress(PermissionError):  # the parent may be one that we cannot open
            sync_directory(path.parent)


def replace_file(path: Path, content: bytes | Iterable[bytes], *, private: bool = False) -> None:
    """Put `content` at `path` in one step: a reader finds the old file or the new one.

    What is no regular file, such as a pipe, is written to. A private one is its owner's only,
    from its first byte on.
    """
    pieces = [content] if isinstance(content, bytes) else content
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            file.writelines(pieces)
        return
    temporary = path.with_name(path.name + ".new")
    try:
        with _private(temporary) if private else temporary.open("wb") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException as error:
        with suppress(OSError):  # the first error is the one to report
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename == str(temporary):
            error.filename = str(path)  # nobody has heard of the other
            if error.filename2 is not None:
                del error.filename2  # a None would stand in its sentence
        raise


def _private(path: Path) -> BinaryIO:
    """A new file that nobody else may read, whatever stood there."""
    path.unlink(missing_ok=True)
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


class WriteLock:
    """`with WriteLock(path):` holds the lock, or raises LockedError at once.

    The lock belongs to an open file, so a crash releases it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> Self:
        try:
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise self._cannot_lock(error) from error
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._write_holder(str(os.getpid()))
        except BlockingIOError:
            holder = self._holder()
            os.close(self._descriptor)
            raise LockedError(
                f"{self.path.parent} is being written by {holder}: wait until that has finished"
            ) from None
        except OSError as error:
            os.close(self._descriptor)
            raise self._cannot_lock(error) from error
        return self

    def __exit__(self, *error: object) -> None:
        os.close(self._descriptor)

    def _write_holder(self, text: str) -> None:
        """Say who holds the lock: for the message to others only."""
        with suppress(OSError):  # a full disk is no reason not to hold the lock
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, text.encode(), 0)

    def _holder(self) -> str:
        pid = os.pread(self._descriptor, 20, 0).decode("ascii", "replace")
        if pid == str(os.getpid()):
            return "another handle of this process"
        return f"another process (pid {pid})" if pid.isdigit() else "another process"

    def _cannot_lock(self, error: OSError) -> StoreError:
        reason = (error.strerror or str(error)).lower()
        return StoreError(f"cannot lock {self.path} for writing: {reason}")
