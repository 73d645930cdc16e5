"""Ids that last: a file's id is its path below its root, however the file is named.

A folder that is added becomes a root, kept in the index under a name. Whatever lies in it has the
same id again when it is given by another name: relative, absolute, through a link, or one file of
it alone. A folder whose files are named as those of an earlier root gets its name before its ids.

A file given alone, outside all roots, has its path as given as its id. What that path starts from
is remembered, too, and claims only files whose ids the index has.
"""

from __future__ import annotations

import os
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from likewise.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from likewise.readers.batch import AnyBatch
    from likewise.readers.streams import Source


class Root(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where files with ids come from: a path without links, and what their ids begin with."""

    path: str
    prefix: str = ""
    alone: bool = False  # files were given one by one: others below it do not belong to it

    @property
    def is_there(self) -> bool:
        return Path(self.path).is_dir()


class Known(NamedTuple):
    """The roots of an index by name, and which of some ids it has."""

    roots: Mapping[str, Root]
    taken: Callable[[Sequence[str]], set[str]]


class Roots:
    """Gives sources their ids. What is new is in `new`, and what should be said in `notes`."""

    def __init__(self, place: str, known: Callable[[], Known]) -> None:
        """`place` names the index in messages; what it knows is asked for when a path is given."""
        self.notes: list[str] = []
        self.new: dict[str, Root] = {}
        self.before: Mapping[str, Root] | None = None
        self._place, self._ask = place, known
        self._given: set[str] = set()
        self._reals: dict[Path, str] = {}

    def place(self, given: str | os.PathLike[str], sources: Sequence[Source]) -> None:
        """Set the ids of the sources found at a path: a folder's, or one file's."""
        if self.before is None:
            self.before, self._taken = self._ask()
        path = lexical(given)
        if path.is_dir():
            self._place_folder(path, sources)
        else:
            self._place_file(path, given, sources)
        self._given.update(source.id for source in sources)

    def watch(self, batches: Iterator[AnyBatch]) -> Iterator[AnyBatch]:
        """Batches as they are; whether files' ids were used decides what is remembered."""
        used = False
        for batch in batches:
            used = used or not batch.lines.all() or not hasattr(batch, "texts")
            yield batch
        if not used:
            self.new = {name: root for name, root in self.new.items() if not root.alone}

    @property
    def _all(self) -> dict[str, Root]:
        return {**(self.before or {}), **self.new}

    def _place_folder(self, path: Path, sources: Sequence[Source]) -> None:
        own = [source.id for source in sources]  # paths below the folder
        settled = self._settled(path, own)
        owner = self._owner(path)
        name, below = owner or (self._begin(path, [id for id in own if id not in settled]), "")
        root = self._all[name]
        start = f"{below}/" if below else ""
        if not root.prefix:
            settled |= self._later_clashes(name, [f"{start}{id}" for id in own], start)
        for source, id in zip(sources, own, strict=True):
            source.origin = f"{name}/{start}{id}"
            source.id = settled.get(id, f"{root.prefix}{start}{id}")

    def _place_file(
        self, path: Path, given: str | os.PathLike[str], sources: Sequence[Source]
    ) -> None:
        name = _text(PurePath(given).as_posix())
        owner = self._owner(path)
        if owner is not None:
            root, below = self._all[owner[0]], owner[1]
            id, origin = f"{root.prefix}{below}", f"{owner[0]}/{below}"
            clash = {} if root.prefix else self._later_clashes(owner[0], [below], "")
            id = clash.get(below, id)
        else:
            id = origin = self._alone(path, given)
        for source in sources:
            source.origin = source.id.replace(name, origin, 1)
            source.id = source.id.replace(name, id, 1)

    def _owner(self, path: Path) -> tuple[str, str] | None:
        """The deepest root around a path, and the path below it; links are tried as they stand."""
        folders = {_normal(r.path): name for name, r in self._all.items() if not r.alone}
        for start in (path, Path(os.path.realpath(path))) if folders else ():
            for at in (start, *start.parents):
                name = folders.get(self._real(at))
                if name is not None:
                    return name, "" if at == start else start.relative_to(at).as_posix()
        return None

    def _begin(self, path: Path, ids: Sequence[str]) -> str:
        """Make a folder a root; if other roots have such ids, its own begin with its name."""
        real = os.path.realpath(path)
        base = _text(PurePath(real).name) or "root"
        clash = self._clash(ids) if self._all else ""
        gone = self._all.get(base)
        if clash and gone and not gone.alone and not gone.is_there:
            raise UsageError(
                f"{path} has a file {clash!r} as root {base!r} had, whose folder {gone.path} is "
                f"gone: if it moved, say likewise roots {self._place} --move {base} --to {path}, "
                f"otherwise likewise roots {self._place} --forget {base}"
            )
        name, number = base, 1
        while name in self._all or (clash and self._clash([f"{name}/{id}" for id in ids])):
            number += 1
            name = f"{base}-{number}"
        self.new[name] = Root(real, f"{name}/" if clash else "")
        if clash:
            self.notes.append(
                f"{path} has files named as others in the index, such as {clash}: "
                f"its ids begin with {name}/"
            )
        return name

    def _clash(self, ids: Sequence[str]) -> str:
        """The first of the ids that is somebody's already, in the index or in this addition."""
        taken = self._taken(ids) | self._given.intersection(ids)
        folders = [r.path for r in self._all.values() if not r.prefix and not r.alone]
        found = (id for id in ids if id in taken or any(_is_there(at, id) for at in folders))
        return next(found, "")

    def _later_clashes(self, name: str, ids: Sequence[str], start: str) -> dict[str, str]:
        """Files that an earlier root without a prefix has now, too: that one keeps the plain id."""
        earlier = []
        for other, root in self._all.items():
            if other == name:
                break
            if not root.prefix and not root.alone:
                earlier.append(root.path)
        found = {
            id.removeprefix(start): f"{name}/{id}"
            for id in ids
            if any(_is_there(at, id) for at in earlier)
        }
        for id, new in list(found.items())[:1]:
            self.notes.append(f"{id} is in an earlier root, too: here its id is {new}")
        return found

    def _settled(self, path: Path, ids: Sequence[str]) -> dict[str, str]:
        """Ids of files that a root within this folder has, or that were given alone before."""
        real = PurePath(os.path.realpath(path))
        found: dict[str, str] = {}
        inner = sorted((r.path, r) for r in self._all.values() if not r.alone)
        for place, root in inner:
            if PurePath(place) == real or not PurePath(place).is_relative_to(real):
                continue
            below = f"{PurePath(place).relative_to(real).as_posix()}/"
            mine = (id for id in ids if id.startswith(below))
            found |= {id: f"{root.prefix}{id.removeprefix(below)}" for id in mine}
        for root in self._all.values():
            if root.alone and real.is_relative_to(root.path):
                start = real.relative_to(root.path).as_posix()
                start = root.prefix + ("" if start == "." else f"{start}/")
                known = self._taken([f"{start}{id}" for id in ids])
                found |= {id: f"{start}{id}" for id in ids if f"{start}{id}" in known}
        return found

    def _alone(self, path: Path, given: str | os.PathLike[str]) -> str:
        """The id of a file outside all roots: the one it has in the index, or its path."""
        real = PurePath(os.path.realpath(path))
        for start in (path, real):
            for root in self._all.values():
                if root.alone and start.is_relative_to(root.path):
                    id = root.prefix + start.relative_to(root.path).as_posix()
                    if id in self._given or self._taken([id]):
                        return id
        base, prefix = origin(path, PurePath(given))
        root = Root(str(base), prefix, alone=True)
        if root not in self._all.values():
            self.new[self._free(_text(base.name) or "files")] = root
        return _text(prefix + path.relative_to(base).as_posix())

    def _free(self, name: str) -> str:
        number, found = 1, name
        while found in self._all:
            number += 1
            found = f"{name}-{number}"
        return found

    def _real(self, path: Path) -> str:
        """A folder without links, looked up once."""
        if path not in self._reals:
            self._reals[path] = _normal(os.path.realpath(path))
        return self._reals[path]


def lexical(given: str | os.PathLike[str]) -> Path:
    """A path from the top, with its links; one with .. in it has them resolved."""
    path = Path(given)
    if ".." in path.parts:
        return Path(os.path.realpath(path))
    return Path.cwd() / path


def origin(path: Path, given: PurePath) -> tuple[Path, str]:
    """What a lone file's id starts from: here, or for other files what they were named from."""
    here = Path.cwd()
    if path.is_relative_to(here):
        return here, ""
    parts = given.parts
    up = next((n for n, part in enumerate(parts) if part != ".."), len(parts))
    if up and ".." not in parts[up:]:
        base = Path(os.path.realpath(Path(*parts[:up])))
        if path.is_relative_to(base):
            return base, "../" * up
    return Path(path.anchor), PurePath(path.anchor).as_posix()


def _is_there(folder: str, below: str) -> bool:
    return os.path.lexists(f"{folder}/{below}")


def _normal(path: str) -> str:
    """For comparing: some systems do not tell capital letters."""
    return os.path.normcase(path)


def _text(path: str) -> str:
    """A path as text that can be kept: file names may be any bytes."""
    return os.fsencode(path).decode("utf-8", "replace")
