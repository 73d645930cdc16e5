"""A local copy of an index that is at a URL: an ordinary index in a folder for such copies.

What is opened is brought up to date first: files that are missing are fetched, and their digests
compared. A change is made in the copy and put there; only then is it the copy's newest generation.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from xxhash import xxh3_64_hexdigest

from likewise.errors import LockedError
from likewise.readers.urls import url_of
from likewise.store.disk import WriteLock, make_directory, replace_file, writing
from likewise.store.manifest import (
    NAME,
    SEGMENTS,
    Manifest,
    decode_manifest,
    encode_manifest,
    no_index,
    write_manifest,
)
from likewise.store.objects import FORMAT, Object, ObjectStore, Stored

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

REMOTE = "remote.json"  # marks a copy
REMOTE_LOCK = "remote.lock"


class Remote(msgspec.Struct, frozen=True):
    """Where a copy is from, the generation that it has of it, and the objects of its files."""

    url: str
    generation: int = 0
    objects: dict[str, Object] = {}


def located(path: str | os.PathLike[str], *, new: bool = False) -> str | os.PathLike[str]:
    """The folder of an index: itself or, of a URL, that of its copy, brought up to date.

    Raises if there is no index at a URL, unless a `new` one is to be made.
    """
    url = url_of(path)
    if url is None or Path(path).exists():
        return path
    folder = copy_of(url)
    if not (new or (folder / NAME).exists()) and ObjectStore(url).newest() is None:
        raise no_index(url)
    if not (folder / REMOTE).exists():
        with writing(folder):
            make_directory(folder)
        _note(folder, Remote(url))
    pull(folder)
    return folder


def copy_of(url: str) -> Path:
    """The folder of the copy of an index."""
    from likewise.views.finding import own_cache

    name = url.rpartition("/")[2] or "index"
    return own_cache() / xxh3_64_hexdigest(url.encode()) / name


def remote_of(directory: Path) -> Remote | None:
    """What a folder is a copy of, if it is one."""
    try:
        content = (directory / REMOTE).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return msgspec.json.decode(content, type=Remote)


def pull(directory: Path) -> None:
    """Bring a copy up to date; of another folder nothing is done."""
    remote = remote_of(directory)
    if remote is None:
        return
    store = ObjectStore(remote.url)
    newest = store.newest()
    if newest is None or newest.generation <= remote.generation:
        return
    from likewise.store.transaction import LOCK, remove_shards, remove_strays

    # Whoever changes the copy has files of names that may come again: it is left to them till then.
    with _alone(directory), suppress(LockedError), WriteLock(directory / LOCK):
        known = remote_of(directory) or remote
        if newest.generation <= known.generation:
            return
        manifest = decode_manifest(directory / NAME, newest.manifest.encode())
        fetch(directory, store, newest.objects, known.objects)
        write_manifest(directory, manifest)
        _note(directory, Remote(remote.url, newest.generation, newest.objects))
        make_directory(directory / SEGMENTS)
        remove_strays(directory, manifest)
        remove_shards(directory)


def fetch(
    directory: Path,
    store: ObjectStore,
    objects: Mapping[str, Object],
    known: Mapping[str, Object] = {},
) -> None:
    """Fetch files that are not here, or were others."""
    for name, stored in _missing(directory, objects, known).items():
        target = directory / name
        with writing(target):
            make_directory(target.parent)
            store.fetch(stored, target)


def _missing(
    directory: Path, objects: Mapping[str, Object], known: Mapping[str, Object]
) -> dict[str, Object]:
    return {
        name: stored
        for name, stored in objects.items()
        if known.get(name) != stored or not (directory / name).exists()
    }


def push(directory: Path, manifest: Manifest) -> None:
    """Put the next generation of a copy where it is from; of another folder nothing is done."""
    remote = remote_of(directory)
    if remote is None:
        return
    store = ObjectStore(remote.url)
    before = store.generation(manifest.generation - 1)
    files = ((name, directory / name) for name in sorted(_files_of(manifest)))
    objects, _ = store.send(files, remote.objects)
    content = encode_manifest(manifest).decode()
    now = Stored(FORMAT, manifest.generation, content, objects)
    store.commit(now)
    store.tidy(before, now)
    _note(directory, Remote(remote.url, manifest.generation, objects))


def _files_of(manifest: Manifest) -> set[str]:
    shards = manifest.sharding.shards if manifest.sharding else ()
    return manifest.files | {f"{shard.folder}/{NAME}" for shard in shards}


def _note(directory: Path, remote: Remote) -> None:
    with writing(directory / REMOTE):
        replace_file(directory / REMOTE, msgspec.json.encode(remote))


@contextmanager
def _alone(directory: Path) -> Iterator[None]:
    """One process at a time brings a copy up to date; others wait."""
    descriptor = os.open(directory / REMOTE_LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def shard_copy(url: str, objects: Mapping[str, Object]) -> Path:
    """The folder of a worker's copy of some files of an index, verified when they were fetched."""
    folder = copy_of(url).with_name("shards")
    with writing(folder):
        make_directory(folder / SEGMENTS)
    with _alone(folder):
        known = remote_of(folder) or Remote(url)
        missing = _missing(folder, objects, known.objects)
        if missing:
            fetch(folder, ObjectStore(url), missing)
            _note(folder, Remote(url, 0, known.objects | missing))
    return folder
