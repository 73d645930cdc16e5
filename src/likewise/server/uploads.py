"""Files on their way into an index: sent in pieces, kept in the staging area, gone after a while.

A piece is one request, whose size is bounded, so an upload takes no memory. Nothing is read before
all of it is there.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import time
import unicodedata
from threading import Lock
from typing import TYPE_CHECKING, Literal

from likewise.server.causes import Cause
from likewise.server.jobs import FINISHED
from likewise.server.problems import ProblemError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from likewise.server.jobs import Job
    from likewise.server.models.uploads import AskPreview, NewFile
    from likewise.server.projects import Projects
    from likewise.server.settings import Limits

State = Literal["sending", "ready", "making", "done"]
MOST_OF_ONE = 8  # uploads of one caller at a time
BROKEN_OFF = 60.0  # seconds without a piece, after which an upload gives way to another
ROOM = 64 << 20  # bytes that stay free on the disk
DEEPEST = 32
LONGEST_NAME = 255  # bytes of a file's name
FULL = (errno.ENOSPC, errno.EDQUOT)


class File:
    """One file: its name below the folder, how large it will be, and how much is there."""

    __slots__ = ("name", "received", "size")

    def __init__(self, name: str, size: int) -> None:
        self.name, self.size, self.received = name, size, 0


class Upload:
    """Files that belong together. `job` makes an index of them, `looking` reads them before."""

    def __init__(self, id: str, owner: str, place: Path, files: Sequence[File]) -> None:
        self.id, self.owner, self.place = id, owner, place
        self.files = files
        self.used = time.monotonic()
        self.index: str | None = None
        self.job: Job | None = None
        self.looking: tuple[AskPreview, Job] | None = None
        self.lock = Lock()

    @property
    def folder(self) -> Path:
        """Where the files are."""
        return self.place / "files"

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)

    @property
    def received(self) -> int:
        return sum(file.received for file in self.files)

    @property
    def state(self) -> State:
        job = None if self.job is None else self.job.state  # once: it may end meanwhile
        if job == "done":
            return "done"
        if job is not None and job not in FINISHED:
            return "making"
        return "ready" if self.received == self.size else "sending"

    @property
    def is_busy(self) -> bool:
        looking = self.looking is not None and not self.looking[1].is_finished
        return looking or (self.job is not None and not self.job.is_finished)

    def write(self, number: int, offset: int, piece: bytes) -> File:
        """Append a piece to a file; it must begin where the last one ended."""
        file = self.file(number)
        with self.lock:
            self.used = time.monotonic()
            if offset != file.received:
                raise ProblemError(
                    Cause.conflict,
                    f"{file.name} has {file.received} bytes by now: go on from there",
                )
            if offset + len(piece) > file.size:
                raise ProblemError(
                    Cause.invalid, f"{file.name} was to have {file.size} bytes, not more"
                )
            path = self.folder / file.name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("r+b" if offset else "wb") as out:
                out.seek(offset)
                out.write(piece)
            file.received += len(piece)
        return file

    def end(self) -> None:
        """Stop what is at work with it."""
        for job in (self.job, self.looking[1] if self.looking else None):
            if job is not None:
                job.cancel()

    def file(self, number: int) -> File:
        if not 0 <= number < len(self.files):
            raise ProblemError(
                Cause.unknown_upload, f"there are {len(self.files)} files in this upload"
            )
        return self.files[number]


class Uploads:
    """The uploads by id; those that nobody uses are dropped."""

    def __init__(self, projects: Projects | None, limits: Limits) -> None:
        self.projects, self._limits = projects, limits
        self._uploads: dict[str, Upload] = {}
        self._lock = Lock()

    @property
    def folder(self) -> Projects:
        if self.projects is None:
            raise ProblemError(
                Cause.no_projects,
                "nothing can be made here: start the server with a folder for projects",
            )
        return self.projects

    def begin(self, files: Sequence[NewFile], owner: str) -> Upload:
        folder = self.folder
        made = [File(checked_name(file.name), file.size) for file in files]
        self._check(made)
        self._drop_broken_off(owner)
        with self._lock:
            own = [one for one in self._uploads.values() if one.owner == owner]
            if sum(one.state != "done" for one in own) >= MOST_OF_ONE:
                raise ProblemError(
                    Cause.too_many_jobs,
                    f"you have {MOST_OF_ONE} uploads that wait: use or drop one of them first",
                )
            id = f"u-{secrets.token_urlsafe(16)}"
            upload = self._uploads[id] = Upload(id, owner, folder.staging / id, made)
        try:
            upload.folder.mkdir(parents=True)
            for file in made:
                if not file.size:
                    upload.write(made.index(file), 0, b"")
        except OSError as error:
            raise self._failed(upload, error) from error
        return upload

    def _drop_broken_off(self, owner: str) -> None:
        """A page that was closed while it sent something cannot say so."""
        before = time.monotonic() - BROKEN_OFF
        for one in list(self._uploads.values()):
            if one.owner == owner and one.state == "sending" and one.used < before:
                self.drop(one)

    def write(self, upload: Upload, number: int, offset: int, piece: bytes) -> File:
        """Append a piece; on a full disk the whole upload is dropped."""
        try:
            if self.folder.free() < len(piece) + ROOM:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return upload.write(number, offset, piece)
        except OSError as error:
            raise self._failed(upload, error) from error

    def get(self, id: str, owner: str) -> Upload:
        """An upload of this caller; that others have one is nobody's business."""
        _ = self.folder  # or nothing can be sent
        upload = self._uploads.get(id)
        if upload is None or upload.owner != owner:
            raise ProblemError(
                Cause.unknown_upload,
                f"no upload {id!r} of yours: unused ones are kept for "
                f"{self._limits.upload_seconds:g} seconds, and until the server stops",
            )
        upload.used = time.monotonic()
        return upload

    def of(self, owner: str) -> list[Upload]:
        """Those of one caller, the newest first."""
        return [one for one in reversed(list(self._uploads.values())) if one.owner == owner]

    def drop(self, upload: Upload) -> None:
        """Remove its files, and end what is at work with them."""
        upload.end()
        with self._lock:
            self._uploads.pop(upload.id, None)
        self.clear(upload)

    def clear(self, upload: Upload) -> None:
        """Remove the files; that there was an upload is still known."""
        shutil.rmtree(upload.place, ignore_errors=True)

    def forget(self) -> None:
        """Drop what nobody has used for a while."""
        before = time.monotonic() - self._limits.upload_seconds
        for upload in list(self._uploads.values()):
            if upload.used < before and not upload.is_busy:
                self.drop(upload)

    def end(self) -> None:
        """Stop what is at work."""
        for upload in list(self._uploads.values()):
            upload.end()

    def close(self) -> None:
        """Remove all files."""
        if self.projects is not None:
            self.projects.close()

    def _check(self, files: Sequence[File]) -> None:
        limits = self._limits
        if len(files) > limits.upload_files:
            raise ProblemError(Cause.too_much, f"there are more than {limits.upload_files:,} files")
        size = sum(file.size for file in files)
        if size > limits.upload:
            raise ProblemError(
                Cause.too_much,
                f"these are {_mb(size)}: {_mb(limits.upload)} at most can be sent at a time",
            )
        free = self.folder.free()
        if size + ROOM > free:
            raise ProblemError(
                Cause.disk_full, f"these are {_mb(size)}, and {_mb(free)} are free on the disk"
            )
        _refuse_clashes([file.name for file in files])

    def _failed(self, upload: Upload, error: OSError) -> ProblemError:
        self.drop(upload)
        if error.errno in FULL:
            return ProblemError(Cause.disk_full, "the disk is full: nothing was kept")
        why = (error.strerror or str(error)).lower()
        return ProblemError(Cause.failed, f"the files could not be kept: {why}")


def checked_name(name: str) -> str:
    """A path below the folder, with / between its parts, that cannot lead out of it."""
    parts = name.split("/")
    if len(parts) <= DEEPEST and all(map(_is_plain, parts)):
        return name
    raise ProblemError(422, f"{name!r} is no name of a file: give its path below a folder")


def _is_plain(part: str) -> bool:
    fits = len(part.encode("utf-8", "replace")) <= LONGEST_NAME
    return bool(part) and fits and part[0] != "." and "\\" not in part and is_text(part)


def is_text(name: str) -> bool:
    """Whether it has no control characters, and no halves of characters."""
    return all(unicodedata.category(c) not in ("Cc", "Cs") for c in name)


def _refuse_clashes(names: Sequence[str]) -> None:
    known = {name.casefold() for name in names}
    if len(known) < len(names):
        raise ProblemError(422, "two of the files have the same name")
    folders = {"/".join(parts[:n]) for parts in map(_parts, known) for n in range(1, len(parts))}
    if both := known & folders:
        raise ProblemError(422, f"{min(both)!r} is both a file and a folder")


def _parts(name: str) -> list[str]:
    return name.split("/")


def _mb(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"
