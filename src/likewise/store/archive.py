"""A generation of an index in one file, and back: a ZIP of files as they are, with checksums.

The list of what belongs to the archive is written last, and the file gets its name when it is
whole: a backup that was killed is not mistaken for one.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import struct
import zipfile
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from xxhash import xxh3_64

from likewise.errors import LockedError, StoreError, UsageError, sentence
from likewise.store.disk import WriteLock, make_directory, sync_directory, writing
from likewise.store.manifest import (
    NAME,
    SEGMENTS,
    Manifest,
    decode_manifest,
    encode_manifest,
    write_manifest,
)
from likewise.store.reshaping import write_shards
from likewise.store.shards import SHARDS
from likewise.store.snapshot import Snapshot
from likewise.store.transaction import LOCK, Transaction, refuse_occupied

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from likewise.store.manifest import Deletions, SegmentEntry, ViewEntry, ViewRows

    Progress = Callable[[int, int], None]
    T = TypeVar("T", SegmentEntry, Deletions, ViewRows, ViewEntry)

CONTENTS = "likewise-backup.json"
FORMAT = 1
CHUNK = 1 << 20  # bytes
MOST = 16 << 20  # bytes of the list, and of a manifest
PART = ".part"
RESTORING = ".restoring"
BEGINNING = (1980, 1, 1, 0, 0, 0)  # of time, for ZIP: the same index gives the same bytes
UNTOUCHED = "nothing was restored"
# What Python's zipfile raises where bytes are wrong.
UNREADABLE = (
    zipfile.BadZipFile,
    EOFError,
    LookupError,
    ValueError,
    RuntimeError,
    OverflowError,
    struct.error,
)


class Member(msgspec.Struct, frozen=True):
    bytes: int
    checksum: str


class Contents(msgspec.Struct, frozen=True):
    """What an archive holds; `name` is that of the index's folder."""

    format: int
    name: str
    created: float
    generation: int
    documents: int
    members: dict[str, Member]


class ArchiveWriter:
    """Writes members one by one; `finish` makes it whole, `close` ends it in any case."""

    def __init__(self, file: Any, total: int, progress: Progress | None = None) -> None:
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_STORED)
        self._members: dict[str, Member] = {}
        self._done, self._total = 0, total
        self._progress = progress or (lambda done, total: None)

    def add(self, name: str, content: memoryview) -> None:
        for _ in self.steps(name, content):
            pass

    def steps(self, name: str, content: memoryview) -> Iterator[None]:
        """Add a member piece by piece, as it is asked for."""
        checksum = xxh3_64()
        with self._zip.open(zipfile.ZipInfo(name, BEGINNING), "w", force_zip64=True) as member:
            for at in range(0, len(content), CHUNK):
                piece = content[at : at + CHUNK]
                checksum.update(piece)
                member.write(piece)
                self._done += len(piece)
                self._progress(self._done, self._total)
                yield
        self._members[name] = Member(len(content), checksum.hexdigest())

    def finish(self, **about: Any) -> Contents:
        contents = Contents(format=FORMAT, members=self._members, **about)
        body = msgspec.json.format(msgspec.json.encode(contents))
        self._zip.writestr(zipfile.ZipInfo(CONTENTS, BEGINNING), body)
        self.close()
        return contents

    def close(self) -> None:
        self._zip.close()


@contextmanager
def new_file(path: Path, *, force: bool) -> Iterator[Any]:
    """A file that gets its name once the block has ended, and is gone if it fails."""
    if path.exists() and not path.is_file():
        raise UsageError(f"{path} is no regular file: give the name of one")
    if path.exists() and not force:
        raise UsageError(
            f"{path} is there already: choose another name, or replace it with "
            "--force (in Python force=True)"
        )
    part = path.with_name(path.name + PART)
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
    with writing(path, "nothing was backed up"), os.fdopen(os.open(part, flags), "r+b") as file:
        _lock(file, path)
        file.truncate(0)
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
            part.replace(path)
        except BaseException:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            raise
    with suppress(OSError):
        sync_directory(path.parent)


def _lock(file: Any, path: Path) -> None:
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise LockedError(f"another process writes {path}: wait until it has finished") from None


class Archive:
    """An archive opened for reading: what it holds is checked as it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._zip = zipfile.ZipFile(path)
            self.contents = msgspec.json.decode(self._small(CONTENTS), type=Contents)
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise StoreError(f"cannot read {path}: {why}; {UNTOUCHED}") from error
        except UNREADABLE as error:
            raise StoreError(
                f"{path} is no backup of an index, or is cut short: {UNTOUCHED}"
            ) from error
        if self.contents.format > FORMAT:
            raise StoreError(f"{path} was made by a newer likewise: upgrade likewise; {UNTOUCHED}")
        self._check()

    def close(self) -> None:
        self._zip.close()

    def __contains__(self, name: str) -> bool:
        return name in self.contents.members

    @property
    def size(self) -> int:
        """Bytes of all that it holds."""
        return sum(member.bytes for member in self.contents.members.values())

    def manifest(self) -> Manifest:
        name = self.path / NAME
        try:
            content = self._small(NAME)
        except UNREADABLE as error:
            raise self._damaged(f"{NAME} cannot be read ({sentence(error)})") from error
        found = decode_manifest(name, self._checked(NAME, content))
        missing = found.files - self.contents.members.keys()
        if missing:
            raise self._damaged(f"{min(missing)} is not in it")
        return found

    def extract(self, name: str, target: Path, progress: Callable[[int], None]) -> None:
        """Write a member to a new file, on disk when this returns."""
        checksum, size = xxh3_64(), 0
        with writing(target, UNTOUCHED), target.open("xb") as file:
            for piece in self._pieces(name):
                checksum.update(piece)
                size += len(piece)
                file.write(piece)
                progress(len(piece))
            file.flush()
            os.fsync(file.fileno())
        if Member(size, checksum.hexdigest()) != self.contents.members[name]:
            raise self._damaged(f"{name} does not have the checksum it had")

    def _pieces(self, name: str) -> Iterator[bytes]:
        try:
            with self._zip.open(name) as member:
                while piece := member.read(CHUNK):
                    yield piece
        except UNREADABLE as error:
            raise self._damaged(f"{name} cannot be read ({sentence(error)})") from error

    def _small(self, name: str) -> bytes:
        info = self._zip.getinfo(name)
        if info.file_size > MOST:
            raise ValueError(f"{name} is too large")
        return self._zip.read(name)

    def _checked(self, name: str, content: bytes) -> bytes:
        found = Member(len(content), xxh3_64(content).hexdigest())
        if found != self.contents.members.get(name):
            raise self._damaged(f"{name} does not have the checksum it had")
        return content

    def _check(self) -> None:
        """Members are stored as they are, so that none can become larger than the archive."""
        for name, member in self.contents.members.items():
            try:
                info = self._zip.getinfo(name)
            except KeyError:
                raise self._damaged(f"{name} is not in it") from None
            if info.compress_type != zipfile.ZIP_STORED or info.file_size != member.bytes:
                raise self._damaged(f"{name} has another size")

    def _damaged(self, what: str) -> StoreError:
        return StoreError(f"{self.path} is damaged, {what}: {UNTOUCHED}")


def store(archive: ArchiveWriter, snapshot: Snapshot) -> None:
    """Put all files of a generation into an archive, verified, the manifest last."""
    for _ in storing(archive, snapshot):
        pass


def storing(archive: ArchiveWriter, snapshot: Snapshot) -> Iterator[None]:
    """The same, piece by piece as it is asked for."""
    for name, file in snapshot.files().items():
        file.verify()
        yield from archive.steps(name, file.content)
        file.release()
    archive.add(NAME, memoryview(encode_manifest(snapshot.manifest)))


class Sink:
    """A file that is written to and taken from: what is in it is never much."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, piece: bytes | memoryview) -> int:
        self._pieces.append(bytes(piece))
        return len(piece)

    def flush(self) -> None:
        """Nothing waits elsewhere."""

    def take(self) -> bytes:
        taken, self._pieces = b"".join(self._pieces), []
        return taken


def restore_new(archive: Archive, directory: Path, progress: Callable[[int], None]) -> Path:
    """Put the index of an archive beside its place; renaming the folder returned restores it."""
    refuse_occupied(directory)
    manifest = archive.manifest()
    beside = directory.with_name(directory.name + RESTORING)
    with writing(beside, UNTOUCHED):
        make_directory(beside / SEGMENTS)
    with WriteLock(beside / LOCK):
        _empty(beside)
        folders = {(beside / name).parent for name in manifest.files} | {beside / SEGMENTS}
        with writing(beside, UNTOUCHED):
            for folder in sorted(folders):
                make_directory(folder)
        for name in sorted(manifest.files):
            archive.extract(name, beside / name, progress)
        with writing(beside, UNTOUCHED):
            for folder in folders:
                sync_directory(folder)
        write_shards(beside, manifest)
        write_manifest(beside, manifest)
        Snapshot.open(beside)
    return beside


def _empty(beside: Path) -> None:
    """Remove what a restore that was killed has left."""
    shutil.rmtree(beside / SHARDS, ignore_errors=True)
    for path in [*beside.iterdir(), *(beside / SEGMENTS).iterdir()]:
        if path.name not in (LOCK, SEGMENTS):
            path.unlink()


def restore_over(archive: Archive, directory: Path, progress: Callable[[int], None]) -> Manifest:
    """Make the index of an archive the next generation of one that is there.

    Readers go on with the generation that they have; a failure leaves the index as it was.
    """
    kept = archive.manifest()
    with Transaction(directory, shards=True) as change:
        if kept.sharding is not None or change.manifest.sharding is not None:
            raise UsageError(
                f"an index in shards is not restored in place of another: choose another folder "
                f"than {directory}; {UNTOUCHED}"
            )
        names = {name: _next_name(change, name) for name in sorted(kept.files)}
        for name, new in names.items():
            archive.extract(name, directory / new, progress)
        renamed = _renamed(kept, names)
        change.manifest = msgspec.structs.replace(renamed, generation=change.manifest.generation)
        change.views, change.roots = dict(renamed.views), dict(renamed.roots)
        change.sparse = dict(renamed.sparse)
        return change.commit(renamed.segments)


def _next_name(change: Transaction, name: str) -> str:
    suffix = name.partition(".")[2]
    if suffix.endswith("del"):
        suffix = f"g{change.generation}.del"
    return change.new_file(suffix)


def _renamed(manifest: Manifest, names: Mapping[str, str]) -> Manifest:
    """The same index in files of other names."""

    def new(entry: T) -> T:
        return msgspec.structs.replace(entry, file=names[entry.file or ""])

    segments = [
        msgspec.structs.replace(
            new(segment),
            deletions=new(segment.deletions) if segment.deletions else None,
            views={name: new(rows) for name, rows in segment.views.items()},
            sparse={name: new(rows) for name, rows in segment.sparse.items()},
        )
        for segment in manifest.segments
    ]
    views = {name: new(view) if view.file else view for name, view in manifest.views.items()}
    return msgspec.structs.replace(manifest, segments=tuple(segments), views=views)
