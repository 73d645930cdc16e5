"""`index.project`: what people call an index, whether it is archived, and where it came from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise import arguments
from likewise.store import naming
from likewise.store.sources import by_name

if TYPE_CHECKING:
    from likewise.search.open_index import OpenIndex
    from likewise.store.sources import SourceCounts

SUFFIX = ".idx"


class Project:
    """Made by `Index.project`. The folder of an index keeps its name, and so does its address."""

    def __init__(self, index: OpenIndex) -> None:
        self._index = index

    @property
    def title(self) -> str:
        """As people call it: the name it was given, or that of its folder."""
        return self._index.manifest.title or self._index.path.resolve().name.removesuffix(SUFFIX)

    @property
    def archived(self) -> bool:
        """Whether it is put away: lists leave it out. It can be used all the same."""
        return self._index.manifest.archived

    @property
    def sources(self) -> dict[str, SourceCounts]:
        """The files that were read, with how many of their records were duplicates, by name."""
        return by_name(self._index.manifest.sources)

    def rename(self, title: str) -> None:
        naming.rename(self._index.path, arguments.text("title", title))
        self._index.see_change()

    def archive(self) -> None:
        naming.put_away(self._index.path, archived=True)
        self._index.see_change()

    def reopen(self) -> None:
        """Take it out of the archive."""
        naming.put_away(self._index.path, archived=False)
        self._index.see_change()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.title!r})"
