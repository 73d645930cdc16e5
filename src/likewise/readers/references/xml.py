"""XML of PubMed and EndNote, record by record.

A record is cut out of the file by its tags and parsed by itself. So memory is that of a record, a
record that is not well-formed costs no other, and nothing declared in a document type can expand.
"""

from __future__ import annotations

import codecs
import re
from html.entities import html5
from typing import TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree

from likewise.errors import InputError
from likewise.readers.batch import place
from likewise.readers.encodings import REPLACEMENT
from likewise.readers.records import Entry
from likewise.readers.references import endnote, pubmed
from likewise.readers.references.roles import reference_batches
from likewise.readers.streams import open_utf8

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from likewise.readers.batch import Batch
    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems
    from likewise.readers.streams import Source

    Values = Callable[[ElementTree.Element], dict[str, Any]]

HEAD = 1 << 12
LONGEST_RECORD = 1 << 24  # characters
DECLARED = re.compile(rb"<\?xml[^>]*\bencoding\s*=\s*[\"']([\w.:-]+)[\"']")
MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
UNICODE = ("utf-8", "ascii", "utf-16", "utf-32")
ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]*);")
OF_XML = frozenset({"amp", "lt", "gt", "quot", "apos"})
NOT_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
SPACES = 'xmlns:mml="m" xmlns:xlink="x" xmlns:ali="a"'  # prefixes that records use undeclared


class Kind(NamedTuple):
    """Whose XML it is: what tells it, what a record is called, and how it is read."""

    sign: re.Pattern[bytes]
    start: re.Pattern[str]
    values: Values


KINDS = (
    Kind(
        re.compile(rb"<(?:!DOCTYPE\s+)?(?:Pubmed(?:Book)?Article|MedlineCitation)(?:Set)?[\s>]"),
        re.compile(r"<(PubmedArticle|PubmedBookArticle|MedlineCitation)(?=[\s>])"),
        pubmed.values_of,
    ),
    Kind(
        re.compile(rb"<records\b[^>]*>\s*(?:<record\b|</records>)|<source-app\b[^>]*EndNote"),
        re.compile(r"<(record)(?=[\s>])"),
        endnote.values_of,
    ),
)


def read_xml(source: Source, options: ReadOptions, problems: Problems) -> Iterator[Batch]:
    head = source.head(HEAD).replace(b"\0", b"")  # of UTF-16, what ASCII is there
    kind = next((kind for kind in KINDS if kind.sign.search(head)), None)
    if kind is None:
        raise InputError(
            f"{source.name} is XML, but neither of PubMed nor of EndNote: only these can be read"
        )
    entries = _entries(source, head, kind, problems)
    yield from reference_batches(entries, source, options, problems)


def _entries(source: Source, head: bytes, kind: Kind, problems: Problems) -> Iterator[Entry]:
    for line, text in _records(source, head, kind.start, problems):
        element = _parsed(text)
        if isinstance(element, str):
            problems.report(place(source.name, line), f"not a record of XML: {element}")
            continue
        yield Entry(source.name, line, kind.values(element))


def _records(
    source: Source, head: bytes, start: re.Pattern[str], problems: Problems
) -> Iterator[tuple[int, str]]:
    """Each record from its first tag to its last, and the line where it begins."""
    waiting, line, searched = "", 1, 0
    for piece in _texts(source, head, problems):
        waiting += piece
        at = 0
        while found := start.search(waiting, at):
            last = f"</{found[1]}>"
            end = waiting.find(last, max(found.end(), searched))
            if end < 0:
                searched = max(found.end(), len(waiting) - len(last))
                break
            line += waiting.count("\n", at, found.start())
            end += len(last)
            yield line, waiting[found.start() : end]
            line += waiting.count("\n", found.start(), end)
            at, searched = end, 0
        begun = found.start() if found else max(at, len(waiting) - 64)
        line += waiting.count("\n", at, begun)
        waiting, searched = waiting[begun:], max(0, searched - begun)
        if len(waiting) > LONGEST_RECORD:
            problems.report(
                place(source.name, line), f"a record longer than {LONGEST_RECORD:,} characters"
            )
            line += waiting.count("\n")
            waiting, searched = "", 0
    if found := start.search(waiting):
        line += waiting.count("\n", 0, found.start())
        problems.report(
            place(source.name, line), "a record that does not end: the file is cut short"
        )


def _texts(source: Source, head: bytes, problems: Problems) -> Iterator[str]:
    declared = DECLARED.search(head)
    encoding = _encoding(declared[1].decode(), source) if declared else "utf-8"
    marked = head.startswith(MARKS)
    stream = open_utf8(source, problems) if marked or encoding in UNICODE else source.open()
    decoder = codecs.getincrementaldecoder("utf-8" if marked else encoding)("replace")
    with stream:
        while data := stream.read1(1 << 20):
            text = decoder.decode(data)
            if REPLACEMENT in text:
                count = text.count(REPLACEMENT) - data.count(REPLACEMENT.encode())
                if count > 0:
                    problems.replace(source.name, source.name, count)
            yield text
        if decoder.decode(b"", final=True):
            problems.replace(source.name, source.name, 1)


def _encoding(name: str, source: Source) -> str:
    try:
        found = codecs.lookup(name).name
        "".encode(found)
    except (LookupError, TypeError) as error:
        raise InputError(f"{source.name} declares an encoding {name!r} that is unknown") from error
    return "utf-8" if found.startswith(UNICODE) else found


def _parsed(text: str) -> ElementTree.Element | str:
    """The record, or what is wrong with it."""
    try:
        return ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError):
        pass
    bare = NOT_XML.sub(REPLACEMENT, ENTITY.sub(_entity, text))
    try:
        return ElementTree.fromstring(f"<r {SPACES}>{bare}</r>")[0]
    except ElementTree.ParseError as error:
        return re.sub(r": line \d+, column \d+$", "", str(error))
    except (ValueError, IndexError) as error:
        return str(error)


def _entity(found: re.Match[str]) -> str:
    """An entity of HTML as the character that it is; its declaration is not at hand."""
    return found[0] if found[1] in OF_XML else html5.get(f"{found[1]};", found[0])
