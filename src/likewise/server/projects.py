"""The projects folder: where indexes are made, found, and removed; nothing else is written to.

    FOLDER/NAME.idx                     an index, with its judgements beside it
    FOLDER/.staging/SERVER/             what one running server is at work with
    FOLDER/.staging/SERVER/lock         held while it runs: what others left is removed
    FOLDER/.staging/SERVER/u-…/files/   files that were sent
    FOLDER/.staging/SERVER/u-…/made.idx an index until it is whole
    FOLDER/.staging/SERVER/gone-…/      an index that was deleted

An index gets its name in one step, when it is whole, and loses it in one step.
"""

from __future__ import annotations

import os
import secrets
import shutil
import unicodedata
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING

from likewise.errors import LockedError
from likewise.reviews.catalogue import SUFFIX
from likewise.reviews.tables import home_of
from likewise.server.causes import Cause
from likewise.server.problems import ProblemError
from likewise.store.disk import WriteLock, make_directory, sync_directory, writing
from likewise.store.places import indexes_in

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

INDEX = ".idx"
STAGING = ".staging"
GONE = "gone-"
LOCK = "lock"
FORBIDDEN = frozenset('/\\<>:"|?*')
LONGEST = 180  # bytes of a name: files beside an index have longer ones
BESIDE = ("", "-wal", "-shm", "-journal")  # files of a SQLite database


class ProjectFolder:
    """The folder, to look for indexes in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()

    def found(self) -> Iterator[Path]:
        """The indexes in the folder, by name."""
        return indexes_in(self.folder)

    def __contains__(self, path: Path) -> bool:
        return path.absolute().parent == self.folder


class Projects(ProjectFolder):
    """The folder, and this server's part of its staging area."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._begun: set[str] = set()  # names of indexes that are being made
        self._lock = Lock()
        staging = self.folder / STAGING
        with writing(self.folder, "choose another folder for projects"):
            make_directory(staging)
            _remove_left(staging)
            self.staging = staging / f"s-{secrets.token_hex(8)}"
            self.staging.mkdir()
        self._held = WriteLock(self.staging / LOCK)
        self._held.__enter__()

    def close(self) -> None:
        """Whatever is not an index by now will be none."""
        self._held.__exit__()
        _remove(self.staging)

    def begin(self, name: str) -> Path:
        """Where the index of this name will be; until `end`, nobody else can make it."""
        path = self.place(name)
        home = home_of(path).casefold()
        with self._lock:
            taken = {home_of(other).casefold() for other in self.found()}
            if home in taken | self._begun or os.path.lexists(path):
                raise ProblemError(
                    Cause.name_taken, f"there is a project {name!r} already: choose another name"
                )
            self._begun.add(home)
        return path

    def end(self, path: Path) -> None:
        """It is there, or will not be."""
        with self._lock:
            self._begun.discard(home_of(path).casefold())

    def place(self, name: str) -> Path:
        """The folder of an index of this name, which is always one in the folder of projects."""
        plain = unicodedata.normalize("NFC", name).strip()
        if not _is_name(plain):
            raise ProblemError(
                422, f"{name!r} is no name for a project: use letters, digits, spaces, . - _"
            )
        return self.folder / f"{plain}{INDEX}"

    def put(self, made: Path, path: Path) -> None:
        """Give a whole index its name, in one step."""
        with writing(path, "nothing was made"):
            if os.path.lexists(path):
                raise ProblemError(
                    Cause.name_taken, f"there is a project {path.stem!r} by now: choose another"
                )
            made.rename(path)
            sync_directory(self.folder)

    def remove(self, path: Path) -> None:
        """Take an index and its judgements away; killed meanwhile, the next start goes on."""
        gone = self.staging / f"{GONE}{secrets.token_hex(8)}"
        with writing(path, "it is still there"):
            gone.mkdir()
            path.rename(gone / path.name)
            sync_directory(self.folder)
        _remove_judgements(path)
        _remove(gone)

    def free(self) -> int:
        """Bytes that can still be written."""
        return shutil.disk_usage(self.folder).free


def _is_name(name: str) -> bool:
    """Whether a folder may have this name on any system, and so may its address."""
    fits = 0 < len(name.encode("utf-8", "replace")) <= LONGEST
    plain = not any(c in FORBIDDEN or unicodedata.category(c) in ("Cc", "Cs") for c in name)
    return (
        fits
        and plain
        and name[0] not in ".-"
        and name[-1] not in ". "
        and any(map(str.isalnum, name))
    )


def _remove_left(staging: Path) -> None:
    """Remove what servers left that run no more, and finish what they began to delete."""
    for left in staging.iterdir():
        try:
            with WriteLock(left / LOCK):
                for index in left.glob(f"{GONE}*/*{INDEX}"):
                    place = staging.parent / index.name
                    if not place.exists():
                        _remove_judgements(place)
                _remove(left)
        except LockedError:
            continue  # it runs


def _remove_judgements(path: Path) -> None:
    for suffix in BESIDE:
        with suppress(OSError):
            path.with_name(f"{path.name}{SUFFIX}{suffix}").unlink(missing_ok=True)


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
