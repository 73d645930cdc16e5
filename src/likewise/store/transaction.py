"""One change to an index: hold the lock, write new files, replace the manifest, tidy up."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

import msgspec

from likewise.errors import StoreError, UsageError
from likewise.store.disk import WriteLock, make_directory, sync_directory, writing
from likewise.store.manifest import (
    COPY,
    FILE,
    NAME,
    SEGMENTS,
    Manifest,
    read_manifest,
    write_manifest,
)
from likewise.store.mirror import REMOTE, REMOTE_LOCK, pull, push
from likewise.store.shards import DRAFT, SHARDS, folder_of, shard_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from likewise.readers.roots import Root
    from likewise.store.manifest import KindName, SegmentEntry, SparseEntry
    from likewise.store.shards import Sharding
    from likewise.text import Probe

LOCK = "lock"
NEW = f"{NAME}.new"


class Transaction:
    """The only way to change an index. Left without commit(), the index is as it was.

    `shards` says that it may be one in shards, whose segments stay in theirs: files beside them
    are in the folder of the whole, as what a shard's own writer does not know of it removes.
    """

    def __init__(self, directory: Path, *, shards: bool = False) -> None:
        self.directory, self._shards = directory, shards
        self._lock = WriteLock(directory / LOCK)

    def __enter__(self) -> Self:
        pull(self.directory)
        there = read_manifest(self.directory)  # no lock file where there is no index
        if there.sharding is not None and not self._shards:
            raise in_shards(self.directory)
        self._lock.__enter__()
        try:
            self.manifest = read_manifest(self.directory)
            self._next_file = self.manifest.next_file
            self.views = dict(self.manifest.views)
            self.sparse = dict(self.manifest.sparse)
            self.roots = dict(self.manifest.roots)
            divided = self.manifest.sharding
            self._next_shard = divided.free if divided else 0
            with writing(self.directory):
                make_directory(self.directory / SEGMENTS)
            remove_strays(self.directory, self.manifest)
        except BaseException:
            self._lock.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        try:
            with suppress(StoreError, OSError):  # somebody removed the index: nothing to tidy
                remove_strays(self.directory, read_manifest(self.directory))
        finally:
            self._lock.__exit__(*error)

    @property
    def generation(self) -> int:
        """The generation that commit() makes."""
        return self.manifest.generation + 1

    def segment_file(self) -> str:
        """The name of a new segment."""
        return self.new_file("seg")

    def new_file(self, suffix: str) -> str:
        self._next_file += 1
        return f"{SEGMENTS}/{self._next_file - 1:06}.{suffix}"

    def new_shard(self) -> str:
        """The folder of a new shard; what a writer that failed has left may be in it."""
        self._next_shard += 1
        return shard_folder(self._next_shard - 1)

    def deletions_file(self, segment: str) -> str:
        if folder_of(segment):
            return self.new_file(f"g{self.generation}.del")
        return f"{segment.removesuffix('.seg')}.g{self.generation}.del"

    def commit(
        self, segments: Iterable[SegmentEntry], kind: KindName | None = None, identity: str = ""
    ) -> Manifest:
        """Make these segments the index, in one step; a kind and an identity that it has stay."""
        manifest = msgspec.structs.replace(
            self.manifest,
            generation=self.generation,
            kind=self.manifest.kind or kind,
            segments=tuple(segments),
            next_file=self._next_file,
            identity=self.manifest.identity or identity,
            views=self.views,
            sparse=self.sparse,
            roots=self.roots,
            sharding=self.manifest.sharding and self._divided(self.manifest.sharding),
        )
        with writing(self.directory / SEGMENTS):
            sync_directory(self.directory / SEGMENTS)
        push(self.directory, manifest)
        write_manifest(self.directory, manifest)
        self.manifest = manifest
        return manifest

    def _divided(self, there: Sharding) -> Sharding:
        return msgspec.structs.replace(there, next=self._next_shard)


def create(
    directory: Path,
    settings: dict[str, Any],
    kind: KindName | None = None,
    latent: int | None = None,
    probe: Probe | None = None,
    sparse: Mapping[str, SparseEntry] = {},
    sharding: Sharding | None = None,
    roots: Mapping[str, Root] = {},
    made: str = "",
) -> Manifest:
    """Make an empty index in a directory that is empty or does not exist.

    An index to which nothing was ever added is made anew: its first writer may have been killed.
    Shards that say what they were `made` from stay for the next one of shards: it may use them.
    Without a kind, the first documents added decide it. Documents get rows in the views `sparse`.
    """
    refuse_occupied(directory)
    with writing(directory):
        make_directory(directory / SEGMENTS)
    with WriteLock(directory / LOCK):
        refuse_occupied(directory)
        manifest = Manifest(
            settings,
            kind=kind,
            latent=latent,
            probe=probe,
            sparse=dict(sparse),
            sharding=sharding,
            roots=dict(roots),
            made=made,
        )
        write_manifest(directory, manifest)
        remove_strays(directory, manifest)
        remove_shards(directory, keep_made=sharding is not None)
    return manifest


def refuse_occupied(directory: Path) -> None:
    """Raise unless an index can be made here; what a killed first writer left is no obstacle."""
    if (directory / NAME).exists():
        if is_unused(directory):
            return
        raise UsageError(f"there is an index at {directory} already: add to it, or remove it first")
    if not directory.is_dir():
        if directory.exists():
            raise UsageError(f"{directory} is a file: choose another name for the index")
        return
    ours = (LOCK, SEGMENTS, NEW, COPY, REMOTE, REMOTE_LOCK)
    found = {path for path in directory.iterdir() if path.name not in ours}
    if (directory / SEGMENTS).is_dir():
        found.update((directory / SEGMENTS).iterdir())
    if found:
        raise UsageError(
            f"{directory} is no index and not empty ({min(found)} is there): choose another name"
        )


def in_shards(directory: Path) -> UsageError:
    return UsageError(
        f"{directory} is in shards, for which there is no such change: index the documents anew, "
        "or without shards"
    )


def is_unused(directory: Path) -> bool:
    """Whether nothing was ever added to the index here; of a damaged one nobody can tell."""
    try:
        return read_manifest(directory).generation == 0
    except StoreError:
        return False


def remove_shards(directory: Path, *, keep_made: bool = False) -> None:
    """Remove shards that the index does not list: they were replaced, or their writer failed."""
    if not (directory / SHARDS).is_dir():
        return
    divided = read_manifest(directory).sharding  # as it is on disk, whatever is being changed
    listed = {shard.folder for shard in divided.shards} if divided else set()
    for folder in (directory / SHARDS).iterdir():
        shard = folder.name.isdigit() and f"{SHARDS}/{folder.name}" not in listed
        if (shard and not (keep_made and made_from(folder))) or folder.name.startswith(DRAFT):
            import shutil  # which searches need not import

            shutil.rmtree(folder, ignore_errors=True)


def made_from(folder: Path) -> str:
    """A digest of what the shard in a folder was built from; "" if it was not, or is not whole."""
    try:
        there = read_manifest(folder)
    except StoreError:
        return ""
    return there.made if there.generation else ""


def remove_strays(directory: Path, manifest: Manifest) -> None:
    """Remove files of earlier generations and of writers that were killed."""
    wanted = {directory / file for file in manifest.files | _of_the_whole(directory)}
    found = {
        path
        for path in (directory / SEGMENTS).iterdir()
        if FILE.fullmatch(f"{SEGMENTS}/{path.name}")
    }
    for path in found - wanted | {directory / NEW}:
        with suppress(OSError):  # it takes space but does no harm; the next writer tries again
            path.unlink(missing_ok=True)


def _of_the_whole(directory: Path) -> set[str]:
    """Files of a shard that the index which it is part of lists, whatever became of the shard."""
    above = directory.absolute().parent
    if above.name != SHARDS or not (above.parent / NAME).exists():
        return set()
    start = f"{SHARDS}/{directory.name}/"
    files = read_manifest(above.parent).files
    return {file.removeprefix(start) for file in files if file.startswith(start)}
