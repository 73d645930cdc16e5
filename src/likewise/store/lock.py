"""One writer at a time. The lock belongs to an open file, so a crash releases it."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from likewise.errors import LockedError, StoreError

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType


class WriteLock:
    """`with WriteLock(path):` holds the lock, or raises LockedError at once."""

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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
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
