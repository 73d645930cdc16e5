"""`index.roots`: the folders whose files are in an index, by name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from likewise import arguments
from likewise.readers.roots import Known, Roots
from likewise.store import roots as stored
from likewise.store.snapshot import Snapshot

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

    from likewise.search.open_index import OpenIndex


class IndexRoots(Mapping[str, Path]):
    """Each root's folder by its name. A root that moved is pointed to its new place by `move`."""

    def __init__(self, index: OpenIndex) -> None:
        self._index = index

    def __getitem__(self, name: str) -> Path:
        return Path(self._index.manifest.roots[name].path)

    def __iter__(self) -> Iterator[str]:
        return iter(self._index.manifest.roots)

    def __len__(self) -> int:
        return len(self._index.manifest.roots)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({dict(self)!r})"

    def prefix(self, name: str) -> str:
        """What the ids of a root's files begin with, before their path below it."""
        return self._index.manifest.roots[name].prefix

    def is_folder(self, name: str) -> bool:
        """Whether a folder was added; or files, one by one, whose paths start from there."""
        return not self._index.manifest.roots[name].alone

    def move(self, name: str, folder: str | os.PathLike[str]) -> None:
        """Say where a root's folder is now; its files keep their ids."""
        stored.move(
            self._index.path, arguments.text("name", name), arguments.path("folder", folder)
        )
        self._index.see_change()

    def rename(self, name: str, new: str) -> None:
        """Give a root another name; what its ids begin with stays."""
        stored.rename(self._index.path, arguments.text("name", name), arguments.text("new", new))
        self._index.see_change()

    def forget(self, name: str) -> None:
        """Keep a root no longer; its documents stay."""
        stored.forget(self._index.path, arguments.text("name", name))
        self._index.see_change()


def for_adding(path: Path, earlier: Snapshot) -> Roots:
    """What gives files their ids in an addition, by the newest generation."""

    def known() -> Known:
        snapshot = Snapshot.open(path, earlier)

        def taken(ids: Sequence[str]) -> set[str]:
            numbers = snapshot.numbers(ids).tolist()
            return {id for id, number in zip(ids, numbers, strict=True) if number >= 0}

        return Known(snapshot.manifest.roots, taken)

    return Roots(str(path), known)
