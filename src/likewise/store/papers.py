"""Records and PDFs of an index, found again when the other half of a paper is added.

They are looked for in one pass over the records, when the first PDF is given, or the first record
where there are PDFs: 12 bytes a document and key are held, and what PDFs and links are called.
"""

from __future__ import annotations

from array import array
from functools import cached_property
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np
from xxhash import xxh3_64_intdigest

from likewise.document import EMPTY, values_of
from likewise.readers.linking import Papers, doi_of, title_of
from likewise.store.fieldnames import field_names
from likewise.store.keys import KeyTable
from likewise.store.lines import decoded_lines
from likewise.store.snapshot import Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from likewise.store.segment import Segment

    Values = dict[str, Any]
    Key = Callable[[Mapping[str, Any]], str]

KEYS: tuple[Key, ...] = (doi_of, title_of)


class KeptPapers:
    """The newest generation, as it is when it is first asked: within a change, nobody else's."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._linked: dict[str, int] = {}
        self._given = Papers(())
        self.renewed: set[str] = set()

    def begin(self, papers: Papers) -> None:
        self._given = papers

    def renew(self, id: str) -> None:
        self.renewed.add(id)

    @property
    def is_empty(self) -> bool:
        return not len(self._snapshot) or self._snapshot.manifest.kind != "text"

    @cached_property
    def has_papers(self) -> bool:
        names = field_names(self._snapshot)
        fields = names.columns | names.texts
        return not names.complete or "file" in fields or ("source" in fields and self._has_pdfs)

    def record_of(self, source: str, paper: Values) -> Values | None:
        file = paper.get("source", source)
        number = self._tables.files.get(str(file), -1)
        if number < 0:
            number = self._links.get(source, -1)
        if number >= 0:
            return self._values(number)
        return self._same(self._tables.records, paper)

    def papers_of(self, ids: Sequence[str], records: Sequence[Values]) -> list[Values | None]:
        numbers = self._snapshot.numbers(ids).tolist()
        return [
            self._paper_of(id, number, record)
            for id, number, record in zip(ids, numbers, records, strict=True)
        ]

    def _paper_of(self, id: str, number: int, record: Values) -> Values | None:
        if number >= 0:
            before = self._values(number)
            return before if before.get("file") not in EMPTY else None
        tables = self._tables
        number = tables.parts.get(id, -1)
        for name in tables.names.linked(record.get("files")) if number < 0 else ():
            number = tables.papers[name]
        if number >= 0:
            return self._values(number)
        return self._same(tables.alone, record)

    def _same(self, tables: Sequence[KeyTable], values: Values) -> Values | None:
        """The first document with the same DOI or title as these values."""
        for table, key in zip(tables, KEYS, strict=True):
            if wanted := key(values):
                hash = _hash(wanted)
                for number in table.find(np.array([hash], np.uint64)).get(hash, ()):
                    found = self._values(number)
                    if key(found) == wanted:
                        return found
        return None

    def _values(self, number: int) -> Values:
        return self._snapshot.read(number, values_of)

    @cached_property
    def _snapshot(self) -> Snapshot:
        return Snapshot.open(self._directory)

    @cached_property
    def _has_pdfs(self) -> bool:
        numbers = range(len(self._snapshot))
        return any(id.lower().endswith(".pdf") for id in self._snapshot.ids(numbers))

    @cached_property
    def _tables(self) -> _Tables:
        return _read(self._snapshot)

    @cached_property
    def _links(self) -> dict[str, int]:
        """The PDFs that are given, each with the record that links to it."""
        found: dict[str, int] = {}
        for number, files in self._tables.links:
            for name in self._given.linked(files):
                found.setdefault(name, number)
        return found


class _Tables(NamedTuple):
    """Documents by number: those with a DOI and a title, records and PDFs without one."""

    records: list[KeyTable]
    alone: list[KeyTable]
    links: list[tuple[int, Any]]  # a record and its files
    files: dict[str, int]  # PDFs that are part of a document
    papers: dict[str, int]  # PDFs that have no record, or that were there before it
    parts: dict[str, int]  # records that are part of a PDF's document, by their ids
    names: Papers


class _Line(msgspec.Struct, gc=False):
    id: Any = None
    title: Any = None
    primary_title: Any = None
    doi: Any = None
    files: Any = None
    file: Any = None
    source: Any = None
    record: Any = None


_decode = msgspec.json.Decoder(_Line).decode_lines


def _read(snapshot: Snapshot) -> _Tables:
    keys = {side: [(array("Q"), array("I")) for _ in KEYS] for side in ("records", "alone")}
    links: list[tuple[int, Any]] = []
    files: dict[str, int] = {}
    papers: dict[str, int] = {}
    parts: dict[str, int] = {}
    number = 0
    for segment in snapshot.segments:
        for line in _lines(segment):
            pdf, file = _is_pdf(line), isinstance(line.file, str)
            part = file and isinstance(line.record, str)
            if file:
                files[line.file] = number
            if part:
                parts[line.record] = number
            if pdf or part:
                papers[line.source if pdf else line.file] = number
            elif line.files:
                links.append((number, line.files))
            values = {"title": line.title, "primary_title": line.primary_title, "doi": line.doi}
            side = "alone" if pdf or part else "records"
            for (hashes, numbers), key in zip(keys[side], KEYS, strict=True):
                if found := key(values):
                    hashes.append(_hash(found))
                    numbers.append(number)
            number += 1
    made = {side: [_table(*one) for one in tables] for side, tables in keys.items()}
    return _Tables(
        **made, links=links, files=files, papers=papers, parts=parts, names=Papers(papers)
    )


def _lines(segment: Segment) -> Iterator[_Line]:
    """Of the live documents."""
    deleted = segment.deleted_mask()
    for numbers, lines in decoded_lines(segment, _decode, _slowly):
        for number, line in zip(numbers, lines, strict=True):
            if not deleted[number]:
                yield line


def _slowly(segment: Segment, number: int) -> _Line:
    values = segment.read(number, values_of)
    return _Line(**{name: values.get(name) for name in _Line.__struct_fields__})


def _is_pdf(line: _Line) -> bool:
    """Whether a document is a PDF that was added as one: its id and its place have one name."""
    if not isinstance(line.source, str) or not isinstance(line.id, str):
        return False
    name = PurePosixPath(line.source).name.lower()
    return name.endswith(".pdf") and line.id.lower().endswith(name)


def _table(hashes: array[int], numbers: array[int]) -> KeyTable:
    found = np.array(hashes, np.uint64)
    order = np.argsort(found, kind="stable")
    return KeyTable(found[order], np.array(numbers, np.uint32)[order])


def _hash(text: str) -> int:
    return xxh3_64_intdigest(text.encode("utf-8", "surrogatepass"))
