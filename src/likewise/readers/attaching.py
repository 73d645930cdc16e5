"""PDFs that lie beside their records: one document, with the record's fields and the PDF's text.

A PDF belongs to the record that links to it (L1 in RIS, `file` in BibTeX, as reference managers
write them), or has its DOI or its title. The record keeps its abstract, `text` becomes that of the
PDF, and `file` says where it lies. PDFs that have no record here are documents of their own; where
both are given they come first.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from likewise.document import EMPTY, values_of
from likewise.readers.batch import Batch
from likewise.readers.mapping import compared
from likewise.readers.ordered import read_in_order
from likewise.readers.problems import Problems
from likewise.readers.records import Entry, batches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from likewise.readers.batch import AnyBatch
    from likewise.readers.options import ReadOptions
    from likewise.readers.streams import Source

    Progress = Callable[[int, int], None]

REFERENCES = frozenset({"ris", "nbib", "bibtex", "json", "xml"})
LINK = re.compile(r"[^:;{}]*\.pdf", re.IGNORECASE)
LEAST_TITLE = 20  # characters that tell one title from another
MOST_HELD = 1 << 30  # characters of texts that wait for their records


class _Paper(NamedTuple):
    """What a record gets of its PDF."""

    text: str
    file: str


def read_attached(
    sources: list[Source], options: ReadOptions, problems: Problems, progress: Progress
) -> Iterator[AnyBatch]:
    """The batches of all sources; PDFs with a record among them are part of it."""
    papers = [source for source in sources if source.format == "pdf"]
    records = [source for source in sources if source.format in REFERENCES]
    if not papers or not records or "text" not in options.fields:
        return read_in_order(sources, options, problems, progress)
    return _attached(sources, papers, records, options, problems, progress)


def _attached(
    sources: list[Source],
    papers: list[Source],
    records: list[Source],
    options: ReadOptions,
    problems: Problems,
    progress: Progress,
) -> Iterator[AnyBatch]:
    total = sum(source.size for source in sources)
    size = sum(source.size for source in papers)
    found = _Found(records, papers, options)
    for batch in read_in_order(papers, options, problems, lambda done, _: progress(done, total)):
        yield from found.left(batch, options)
    others = [source for source in sources if source.format != "pdf"]
    for batch in read_in_order(
        others, options, problems, lambda done, _: progress(size + done, total)
    ):
        yield from found.completed(batch, options)
    problems.attached += found.used


class _Found:
    """Which record a PDF belongs to, by its links, DOI and title."""

    def __init__(self, records: list[Source], papers: list[Source], options: ReadOptions) -> None:
        self._by_link: dict[str, str] = {}
        self._by_doi: dict[str, str] = {}
        self._by_title: dict[str, str] = {}
        self._papers: dict[str, _Paper] = {}
        self._held = 0
        self.used = 0
        names: dict[str, list[Source]] = defaultdict(list)
        for paper in papers:
            names[_base(paper.name)].append(paper)
        # Problems of the records are reported when they are read for the index.
        for batch in read_in_order(records, options, Problems(), lambda done, total: None):
            if isinstance(batch, Batch):
                for i, id in enumerate(batch.ids):
                    self._note(id, values_of(batch.record(i)), names)

    def _note(self, id: str, values: dict[str, Any], names: dict[str, list[Source]]) -> None:
        for link in _links(values):
            if paper := _linked(link, names.get(_base(link), [])):
                self._by_link.setdefault(paper.name, id)
        if doi := _doi(values):
            self._by_doi.setdefault(doi, id)
        title = compared(values.get("title"))
        if len(title) >= LEAST_TITLE:
            self._by_title.setdefault(title, id)

    def _owner(self, source: str, values: dict[str, Any]) -> str | None:
        return (
            self._by_link.get(source)
            or self._by_doi.get(_doi(values))
            or self._by_title.get(compared(values.get("title")))
        )

    def left(self, batch: AnyBatch, options: ReadOptions) -> Iterator[Batch]:
        """The PDFs of a batch that have no record, or one that has a PDF already."""
        entries = []
        for i, source in enumerate(batch.sources):
            values = values_of(batch.record(i))
            owner, text = self._owner(source, values), str(values.get("text", ""))
            if owner is None or owner in self._papers or self._held + len(text) > MOST_HELD:
                entries.append(Entry(source, 0, values))
                continue
            self._held += len(text)
            self._papers[owner] = _Paper(text, str(values.get("source", source)))
        yield from batches(entries, options, Problems())

    def completed(self, batch: AnyBatch, options: ReadOptions) -> Iterator[AnyBatch]:
        """Records with the texts of their PDFs; each is used once."""
        if not isinstance(batch, Batch) or self._papers.keys().isdisjoint(batch.ids):
            yield batch
            return
        entries = []
        for i, id in enumerate(batch.ids):
            values = values_of(batch.record(i))
            paper = self._papers.pop(id, None)
            if paper is not None:
                self.used += 1
                values = _joined(values, paper)
            entries.append(Entry(batch.sources[i], int(batch.lines[i]), values))
        for whole in batches(entries, options, Problems()):
            whole.unit = batch.unit
            yield whole


def _joined(values: dict[str, Any], paper: _Paper) -> dict[str, Any]:
    kept = dict(values)
    before = kept.pop("text", None)
    if kept.get("abstract") in EMPTY and before not in EMPTY:
        kept["abstract"] = before
    return {**kept, "text": paper.text, "file": paper.file}


def _links(values: dict[str, Any]) -> Iterable[str]:
    """The names of PDFs among a record's files, however a program wrote them."""
    given = values.get("files") or ()
    for one in given if isinstance(given, list) else [given]:
        if isinstance(one, str):
            yield from LINK.findall(one.replace("\\", "/"))


def _linked(link: str, papers: list[Source]) -> Source | None:
    """Of the PDFs of that name, the one whose path ends most like the link."""
    parts = PurePosixPath(link.lower()).parts[::-1]

    def alike(paper: Source) -> int:
        own = PurePosixPath(paper.name.lower()).parts[::-1]
        pairs = list(zip(parts, own, strict=False))
        return next((n for n, (a, b) in enumerate(pairs) if a != b), len(pairs))

    best = sorted(papers, key=alike, reverse=True)
    if len(best) > 1 and alike(best[0]) == alike(best[1]):
        return None
    return best[0] if best else None


def _base(name: str) -> str:
    return PurePosixPath(name.strip()).name.lower()


def _doi(values: dict[str, Any]) -> str:
    doi = values.get("doi")
    return doi.lower() if isinstance(doi, str) else ""
