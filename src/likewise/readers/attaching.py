"""PDFs and their records: one document, with the record's fields and the PDF's text.

A PDF belongs to the record that links to it (L1 in RIS, `file` in BibTeX, as reference managers
write them), or has its DOI or its title. The record keeps its abstract, `text` becomes that of the
PDF, and `file` says where it lies. Where both are given together, PDFs that have no record here
come first, as documents of their own. Where one of them is in the index already, it keeps its id
and becomes the document of both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from likewise.document import EMPTY, values_of
from likewise.readers.archives import listed
from likewise.readers.batch import Batch
from likewise.readers.formats import FORMATS
from likewise.readers.linking import Papers, doi_of, title_of
from likewise.readers.ordered import read_in_order
from likewise.readers.problems import Problems
from likewise.readers.records import Entry, batches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from likewise.readers.batch import AnyBatch
    from likewise.readers.options import ReadOptions
    from likewise.readers.streams import Source

    Progress = Callable[[int, int], None]
    Values = dict[str, Any]

PAPERS = frozenset({"pdf"})
REFERENCES = frozenset({"ris", "nbib", "bibtex", "json", "xml", "csv", "tsv", "excel"})
OTHERS = frozenset({"", *FORMATS}) - PAPERS
MOST_HELD = 1 << 30  # characters of texts that wait for their records


class Kept(Protocol):
    """What an index has of papers: records that lack a PDF, and PDFs that lack a record."""

    def begin(self, papers: Papers) -> None:
        """These PDFs are given now."""

    def record_of(self, source: str, paper: Values) -> Values | None:
        """The document that a PDF belongs to, or is part of already."""

    def papers_of(self, ids: Sequence[str], records: Sequence[Values]) -> list[Values | None]:
        """For each record the document of its PDF, or the one that it is part of already."""

    @property
    def has_papers(self) -> bool: ...

    @property
    def is_empty(self) -> bool: ...

    def renew(self, id: str) -> None:
        """A document of this id comes in place of the one that is there."""


class _Paper(NamedTuple):
    """What a record gets of its PDF."""

    text: str
    file: str


def read_attached(
    sources: list[Source],
    options: ReadOptions,
    problems: Problems,
    progress: Progress,
    kept: Kept | None = None,
) -> Iterator[AnyBatch]:
    """The batches of all sources; PDFs and records that belong together are one document.

    `kept` is asked when batches are, so that it may know what others have added meanwhile.
    """
    given = _Given(sources)
    together = given.papers and given.records
    if "text" not in options.fields or not (together or kept) or not given.formats:
        yield from read_in_order(sources, options, problems, progress)
        return
    if kept is not None and kept.is_empty:
        kept = None
    if together or (kept and (given.papers or kept.has_papers)):
        attaching = _Attaching(given, options, problems, kept)
        yield from attaching.batches(progress)
    else:
        yield from read_in_order(sources, options, problems, progress)


def has_pairs(sources: list[Source]) -> bool:
    """Whether PDFs and records are given together, which may be those of the same papers."""
    given = _Given(sources)
    return bool(given.papers) and given.records


class _Given:
    """The sources by what they have: files in archives count as files."""

    def __init__(self, sources: list[Source]) -> None:
        self.sources = sources
        self.papers: list[str] = []  # their names
        self.formats: set[str] = set()
        for source in sources:
            there = source.path is not None or source.content is not None  # not standard input
            archive = there and bool(source.format) and FORMATS[source.format].holds
            for name, format in listed(source) if archive else [(source.name, source.format)]:
                self.formats.add(format)
                if format in PAPERS:
                    self.papers.append(name)

    @property
    def records(self) -> bool:
        return not self.formats.isdisjoint(REFERENCES)

    def of(self, formats: frozenset[str]) -> list[Source]:
        """The sources that are, or may hold, files of these formats."""
        return [
            source
            for source in self.sources
            if source.format in formats or (source.format and FORMATS[source.format].holds)
        ]


class _Attaching:
    """Which record a PDF belongs to, by its links, DOI and title."""

    def __init__(
        self, given: _Given, options: ReadOptions, problems: Problems, kept: Kept | None
    ) -> None:
        self._given, self._options, self._problems, self._kept = given, options, problems, kept
        self._by_link: dict[str, str] = {}
        self._by_doi: dict[str, str] = {}
        self._by_title: dict[str, str] = {}
        self._papers: dict[str, _Paper] = {}
        self._renewed: set[str] = set()
        self._held = 0

    def batches(self, progress: Progress) -> Iterator[AnyBatch]:
        papers, others = self._given.of(PAPERS), self._given.of(OTHERS)
        size = sum(source.size for source in papers)
        total = size + sum(source.size for source in others)
        names = Papers(self._given.papers)
        if self._kept:
            self._kept.begin(names)
        if self._given.papers and self._given.records:
            self._note_records(names)
        if self._given.papers:
            for batch in self._read(papers, PAPERS, lambda done, _: progress(done, total)):
                yield from self._left(batch)
        for batch in self._read(others, OTHERS, lambda done, _: progress(size + done, total)):
            yield from self._completed(batch)

    def _read(
        self, sources: list[Source], formats: frozenset[str], progress: Progress
    ) -> Iterator[AnyBatch]:
        return read_in_order(sources, self._options, self._problems, progress, formats)

    def _note_records(self, names: Papers) -> None:
        """Problems of the records are reported when they are read for the index."""
        records = self._given.of(REFERENCES)
        quiet = Problems()
        for batch in read_in_order(
            records, self._options, quiet, lambda done, total: None, REFERENCES
        ):
            if isinstance(batch, Batch):
                for i, id in enumerate(batch.ids):
                    self._note(id, values_of(batch.record(i)), names)

    def _note(self, id: str, values: Values, names: Papers) -> None:
        for name in names.linked(values.get("files")):
            self._by_link.setdefault(name, id)
        if doi := doi_of(values):
            self._by_doi.setdefault(doi, id)
        if title := title_of(values):
            self._by_title.setdefault(title, id)

    def _owner(self, source: str, values: Values) -> str | None:
        return (
            self._by_link.get(source)
            or self._by_doi.get(doi_of(values))
            or self._by_title.get(title_of(values))
        )

    def _left(self, batch: AnyBatch) -> Iterator[Batch]:
        """The PDFs of a batch that have no record here, or one that has a PDF already."""
        entries = []
        for i, source in enumerate(batch.sources):
            values = values_of(batch.record(i))
            owner, text = self._owner(source, values), str(values.get("text", ""))
            if owner is None:
                entries.append(Entry(source, 0, self._in_index(source, values)))
            elif owner in self._papers or self._held + len(text) > MOST_HELD:
                entries.append(Entry(source, 0, values))
            else:
                self._held += len(text)
                self._papers[owner] = _paper(source, values)
        yield from batches(entries, self._options, Problems())

    def _in_index(self, source: str, values: Values) -> Values:
        """A PDF's own values, or those of the record in the index that it completes."""
        record = self._kept.record_of(source, values) if self._kept else None
        paper = _paper(source, values)
        if record is None or record["id"] in self._renewed:
            return values
        if record.get("file") in EMPTY:
            self._renew(record["id"])
        elif record["file"] != paper.file:
            return values
        return _joined(record, paper)

    def _completed(self, batch: AnyBatch) -> Iterator[AnyBatch]:
        """Records with the texts of their PDFs; each is used once."""
        if not isinstance(batch, Batch):
            yield batch
            return
        in_index = self._kept is not None and self._kept.has_papers and batch.lines.any()
        if not in_index and self._papers.keys().isdisjoint(batch.ids):
            yield batch
            return
        records = [values_of(batch.record(i)) for i in range(len(batch))]
        before: Sequence[Values | None] = [None] * len(batch)
        if self._kept and in_index:
            before = self._kept.papers_of(batch.ids, records)
        entries = []
        for i, (id, values) in enumerate(zip(batch.ids, records, strict=True)):
            line = int(batch.lines[i])
            if (paper := self._papers.pop(id, None)) is not None:
                self._problems.attached += 1
                values = _joined(values, paper)
            elif line and (other := before[i]) is not None and other["id"] not in self._renewed:
                values = self._with_kept(id, values, other)
            entries.append(Entry(batch.sources[i], line, values))
        for whole in batches(entries, self._options, Problems()):
            whole.unit = batch.unit
            yield whole

    def _with_kept(self, id: str, values: Values, paper: Values) -> Values:
        """A record with the text of its PDF, which is in the index, under the id that is there."""
        file = paper.get("file")
        if file in EMPTY:
            self._renew(paper["id"])
            file = paper.get("source", paper["id"])
        joined = _joined(values, _Paper(str(paper.get("text", "")), str(file)))
        if paper["id"] == id:
            return joined
        return {**joined, "id": paper["id"], "record": id}

    def _renew(self, id: str) -> None:
        assert self._kept is not None  # it has told of this document
        self._kept.renew(id)
        self._renewed.add(id)
        self._problems.attached += 1


def _paper(source: str, values: Values) -> _Paper:
    return _Paper(str(values.get("text", "")), str(values.get("source", source)))


def _joined(values: Values, paper: _Paper) -> Values:
    joined = dict(values)
    before = None if joined.get("file") not in EMPTY else joined.pop("text", None)
    if joined.get("abstract") in EMPTY and before not in EMPTY:
        joined["abstract"] = before
    return {**joined, "text": paper.text, "file": paper.file}
