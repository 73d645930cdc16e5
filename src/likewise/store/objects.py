"""An index in an object store, or at any other URL that fsspec reads.

    URL/generations/000000000007.json   one of each generation: its manifest, and its files' objects
    URL/newest.json                     a copy of the newest: where to begin to look
    URL/objects/<digest>                the content of a file, known by its digest

Objects are never changed, so two writers cannot harm each other. A generation is made by creating
its file, which only one writer can: on stores that create files conditionally, at any moment.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from xxhash import xxh3_128

from likewise.errors import LockedError, StoreError, sentence
from likewise.readers.urls import reached

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

NEWEST, GENERATIONS, OBJECTS = "newest.json", "generations", "objects"
FORMAT = 1
CHUNK = 1 << 22  # bytes
# Stores of objects have no folders, and making one there may make a bucket.
BUCKETS = frozenset({"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az"})


class Object(msgspec.Struct, frozen=True, array_like=True):
    """The content of a file."""

    digest: str
    bytes: int


class Stored(msgspec.Struct, frozen=True):
    """A generation: the bytes of its manifest, and the objects of its files by their names."""

    format: int
    generation: int
    manifest: str = ""
    objects: dict[str, Object] = {}


class Pushed(NamedTuple):
    """What a change has put into a store."""

    objects: dict[str, Object]
    sent: int  # bytes


class ObjectStore:
    """The index at a URL."""

    def __init__(self, url: str) -> None:
        self.url = url
        with self._reached():
            from fsspec.core import url_to_fs

            self._files, self._root = url_to_fs(url)
        known = self._files.protocol
        self._protocols = {known} if isinstance(known, str) else {*known}

    def newest(self) -> Stored | None:
        """The newest generation; None if there is no index yet."""
        found = self._read(NEWEST)
        number = found.generation if found else 0
        while (later := self._read(_file(number + 1))) is not None:
            found, number = later, number + 1
        return found

    def generation(self, number: int) -> Stored | None:
        return self._read(_file(number))

    def fetch(self, stored: Object, target: Path) -> None:
        """Copy an object to a new file, which is there once it is whole and has its digest."""
        part = target.with_name(f"{target.name}.part")
        digest, size = xxh3_128(), 0
        try:
            with (
                self._reached(),
                self._files.open(self._at(OBJECTS, stored.digest), "rb") as source,
                part.open("wb") as file,
            ):
                while block := source.read(CHUNK):
                    digest.update(block)
                    size += len(block)
                    file.write(block)
            if (digest.hexdigest(), size) != (stored.digest, stored.bytes):
                raise StoreError(
                    f"{self.url} is damaged: object {stored.digest} of {target.name} has other "
                    "content than it had; put the index there anew"
                )
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)

    def send(self, files: Iterable[tuple[str, Path]], known: Mapping[str, Object]) -> Pushed:
        """Put files there by their names; those that are `known` are there already."""
        objects, sent = {}, 0
        with self._reached():
            there = self._listed()
            for name, path in files:
                if (stored := known.get(name)) is None or stored.digest not in there:
                    stored = _digested(path)
                    if stored.digest not in there:
                        self._put(path, self._at(OBJECTS, stored.digest))
                        there.add(stored.digest)
                        sent += stored.bytes
                objects[name] = stored
        return Pushed(objects, sent)

    def commit(self, stored: Stored) -> None:
        """Make this the newest generation, unless somebody else has made one of its number."""
        content = msgspec.json.encode(stored)
        with self._reached():
            self._make_folder(GENERATIONS)
            try:
                file = self._at(_file(stored.generation))
                self._files.pipe_file(file, content, mode="create")
            except FileExistsError:
                raise LockedError(
                    f"{self.url} was changed from elsewhere meanwhile: nothing was changed, open "
                    "it again"
                ) from None
            self._files.pipe_file(self._at(NEWEST), content)

    def tidy(self, before: Stored | None, now: Stored) -> None:
        """Remove what neither of the two newest generations needs; a file of each earlier one
        stays, so that nobody makes one of its number again.
        """
        wanted = {one.digest for each in (before, now) if each for one in each.objects.values()}
        with suppress(StoreError, OSError), self._reached():  # the next writer tries again
            for digest in self._listed() - wanted:
                self._files.rm_file(self._at(OBJECTS, digest))
            if before is not None and (old := self.generation(before.generation - 1)):
                stub = Stored(FORMAT, old.generation)
                self._files.pipe_file(self._at(_file(old.generation)), msgspec.json.encode(stub))

    def _listed(self) -> set[str]:
        self._make_folder(OBJECTS)
        self._files.invalidate_cache()
        try:
            found = self._files.ls(self._at(OBJECTS), detail=False)
        except FileNotFoundError:  # nothing is there yet
            return set()
        return {name.rstrip("/").rpartition("/")[2] for name in found}

    def _put(self, path: Path, target: str) -> None:
        try:
            self._files.put_file(str(path), target)
        except FileNotFoundError as error:
            raise StoreError(
                f"cannot write to {self.url} ({sentence(error)}): make its bucket or folder first"
            ) from error

    def _make_folder(self, name: str) -> None:
        if not BUCKETS.intersection(self._protocols):
            self._files.makedirs(self._at(name), exist_ok=True)

    def _read(self, name: str) -> Stored | None:
        with self._reached():
            self._files.invalidate_cache()
            try:
                content = self._files.cat_file(self._at(name))
            except FileNotFoundError:
                return None
        try:
            found = msgspec.json.decode(content, type=Stored)
        except msgspec.MsgspecError as error:
            raise StoreError(
                f"{self.url}/{name} describes no index ({sentence(error)}): put it there anew"
            ) from error
        if found.format > FORMAT:
            raise StoreError(f"{self.url} was written by a newer likewise: upgrade likewise")
        return found

    def _at(self, *names: str) -> str:
        return "/".join([self._root.rstrip("/"), *names])

    def _reached(self) -> AbstractContextManager[None]:
        return reached(self.url, StoreError)


def _file(generation: int) -> str:
    return f"{GENERATIONS}/{generation:012}.json"


def _digested(path: Path) -> Object:
    digest, size = xxh3_128(), 0
    with path.open("rb") as file:
        while block := file.read(CHUNK):
            digest.update(block)
            size += len(block)
    return Object(digest.hexdigest(), size)
