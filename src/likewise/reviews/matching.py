"""Whose full text a PDF is: the record that links to it, or has its DOI, its title or its name."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from likewise.readers.linking import Papers, doi_of, title_of
from likewise.readers.mapping import compared

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from likewise.document import Document
    from likewise.readers.papers import Paper


class Matching:
    """The records that may be meant. Where several are, the first one is."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._links: list[tuple[str, object]] = []
        self._by_doi: dict[str, str] = {}
        self._by_title: dict[str, str] = {}
        self._by_name: dict[str, str] = {}
        self._dois: dict[str, str] = {}
        for one in documents:
            self._add(one)

    def _add(self, one: Document) -> None:
        if files := one.fields.get("files"):
            self._links.append((one.id, files))
        if doi := doi_of(one.fields) or doi_of({"doi": one.id}):
            self._by_doi.setdefault(doi, one.id)
            self._dois[one.id] = doi
        if title := title_of({"title": one.title}):
            self._by_title.setdefault(title, one.id)
        for word in (one.id, PurePosixPath(one.id).stem, doi, str(one.fields.get("pmid") or "")):
            if name := compared(word):
                self._by_name.setdefault(name, one.id)

    def find(self, name: str, paper: Paper) -> str | None:
        """The id of the record that a PDF of this name belongs to."""
        names = Papers([name])
        for id, files in self._links:
            if any(names.linked(files)):
                return id
        return (
            self._by_doi.get(paper.doi)
            or self._by_title.get(paper.title)
            or next(self._named(name, paper), None)
        )

    def _named(self, name: str, paper: Paper) -> Iterator[str]:
        """By the name alone, unless the PDF says that it is another paper."""
        stem = compared(PurePosixPath(name.replace("\\", "/")).stem)
        titles = sorted((t for t in self._by_title if t in stem), key=len, reverse=True)
        found = [self._by_name.get(stem), *(self._by_title[title] for title in titles)]
        for id in found:
            if id is not None and (not paper.doi or self._dois.get(id, paper.doi) == paper.doi):
                yield id
