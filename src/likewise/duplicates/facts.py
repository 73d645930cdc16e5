"""What records tell about papers: about 300 bytes a document."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from xxhash import xxh3_64_intdigest

from likewise.document import EMPTY, TEXT_NAMES, values_of
from likewise.duplicates.people import as_names
from likewise.duplicates.titles import fold
from likewise.readers.fieldvalues import bare_doi, pmid, whole_year
from likewise.store.lines import decoded_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from likewise.store.segment import Segment

LONG_TEXT = 120  # characters from which a text is an abstract


class _Line(msgspec.Struct, gc=False, rename={"authors_": "author", "date": "publication_year"}):
    """The keys that matter; the rest of a record is skipped."""

    title: Any = None
    primary_title: Any = None
    text: msgspec.Raw = msgspec.Raw(b"")
    contents: msgspec.Raw = msgspec.Raw(b"")
    abstract: msgspec.Raw = msgspec.Raw(b"")
    content: msgspec.Raw = msgspec.Raw(b"")
    body: msgspec.Raw = msgspec.Raw(b"")
    authors: Any = None
    authors_: Any = None
    year: Any = None
    date: Any = None
    doi: Any = None
    pmid: Any = None
    journal: Any = None
    volume: Any = None
    pages: Any = None
    url: Any = None


_decode = msgspec.json.Decoder(_Line).decode
_decode_lines = msgspec.json.Decoder(_Line).decode_lines


class Facts:
    """Columns over some documents: titles, people, year, DOI, PMID, and how much is there."""

    def __init__(self) -> None:
        self.titles: list[str] = []
        self.people: list[str] = []
        self.years = array("i")
        self.dois = array("Q")
        self.pmids = array("Q")
        self.texts = array("I")  # characters of the abstract, about
        self.filled = array("B")  # fields that say something

    def __len__(self) -> int:
        return len(self.titles)

    def add(self, lines: list[_Line]) -> None:
        self.titles += fold(_text(line.title) or _text(line.primary_title) for line in lines)
        for line in lines:
            authors = line.authors if line.authors not in EMPTY else line.authors_
            self.people.append(as_names(authors))
            year = whole_year(line.year) or whole_year(line.date) or 0
            doi, number = bare_doi(line.doi), pmid(line.pmid)
            self.years.append(year)
            self.dois.append(_hash(doi.lower()) if doi else 0)
            self.pmids.append(_hash(number) if number else 0)
            length = max(len(getattr(line, name)) for name in TEXTS)
            self.texts.append(min(length, 2**32 - 1))
            told = (authors, year, doi, number, line.journal, line.volume, line.pages, line.url)
            self.filled.append(sum(one not in (*EMPTY, 0) for one in told))

    def take(self, other: Facts, numbers: Sequence[int]) -> None:
        """Add some documents of others' facts."""
        for name in ("titles", "people", "years", "dois", "pmids", "texts", "filled"):
            column = getattr(other, name)
            getattr(self, name).extend([column[number] for number in numbers])


TEXTS = tuple(name for name in TEXT_NAMES if name in _Line.__struct_fields__)


def decoded(records: bytes) -> list[_Line]:
    """What records of no index tell, one JSON object a line."""
    try:
        return _decode_lines(records)
    except msgspec.DecodeError:
        return [_from(values_of(line)) for line in records.splitlines()]


def read_facts(segment: Segment, progress: Callable[[int], None] | None = None) -> Facts:
    """Those of all documents of a segment, the deleted ones among them."""
    facts = Facts()
    for _, lines in decoded_lines(segment, _decode_lines, _slowly):
        facts.add(lines)
        if progress:
            progress(len(facts))
    return facts


def facts_of(segment: Segment, numbers: Iterable[int]) -> Facts:
    """Those of some documents of a segment, read one by one."""
    facts = Facts()
    facts.add([_line(segment, number) for number in numbers])
    return facts


def _line(segment: Segment, number: int) -> _Line:
    try:
        return _decode(segment.records.one(number))
    except msgspec.DecodeError:
        return _slowly(segment, number)


def _slowly(segment: Segment, number: int) -> _Line:
    return _from(segment.read(number, values_of))


def _from(values: dict[str, Any]) -> _Line:
    line = _Line()
    for name in ("title", "authors", "year", "doi", "pmid"):
        setattr(line, name, values.get(name))
    for name in TEXTS:
        setattr(line, name, msgspec.Raw(str(values.get(name) or "").encode()))
    return line


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _hash(text: str) -> int:
    return xxh3_64_intdigest(text.encode("utf-8", "surrogatepass")) or 1  # 0 is none


def as_array(column: array[int]) -> NDArray[Any]:
    return np.array(column)
