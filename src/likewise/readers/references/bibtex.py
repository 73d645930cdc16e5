"""BibTeX and BibLaTeX: entries with their values as plain text.

An entry that is broken is named and costs no other: the next one begins with @ on a line of its
own. What stands between entries is a comment to BibTeX.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from likewise.readers.batch import place
from likewise.readers.lines import line_blocks
from likewise.readers.records import Entry
from likewise.readers.references.bibtex_values import values_of
from likewise.readers.references.roles import reference_batches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from likewise.readers.batch import Batch
    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems
    from likewise.readers.streams import Source

LONGEST_ENTRY = 1 << 24  # characters
LONGEST_VALUE = 1 << 22  # of values put together by # and names, which could grow without end
MOST_STRINGS = 100_000
MOST_PARENTS = 100_000
START = re.compile(r"@[ \t]*([A-Za-z]+)\s*([{(])")
AT_LINE = re.compile(r"[ \t\ufeff]*@[ \t]*[A-Za-z]+[ \t]*(?:[{(]|$)")
KEY = re.compile(r"\s*([^\s,{}]*(?:[ \t]+[^\s,={}]+)*)\s*(,|$)")
FIELD = re.compile(r"[\s,]*([^\s=,{}\"#%'()]+)\s*=\s*")
BRACE = re.compile(r"[{}]")
QUOTE = re.compile(r"[{}\"]")
NAME = re.compile(r"[^\s,{}\"#%'()=]+")
JOIN = re.compile(r"\s*#\s*")
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()  # noqa: SIM905
PARENTS = frozenset(
    {"book", "mvbook", "proceedings", "mvproceedings", "collection", "mvcollection", "reference"}
    | {"periodical"}
)
OWN = frozenset(
    {"title", "subtitle", "abstract", "author", "doi", "url", "pages", "keywords", "file", "note"}
    | {"pmid", "crossref", "xref", "ids", "isbn"}
)


class BrokenError(ValueError):
    """An entry that cannot be read, and why."""


class Parsed(NamedTuple):
    line: int
    type: str
    key: str
    fields: dict[str, str]


def read_bibtex(source: Source, options: ReadOptions, problems: Problems) -> Iterator[Batch]:
    entries = _entries(source, options, problems)
    yield from reference_batches(entries, source, options, problems)


def _entries(source: Source, options: ReadOptions, problems: Problems) -> Iterator[Entry]:
    """Entries that refer to another come last: what they inherit may stand below them."""
    parser = _Parser(source.name, problems)
    waiting: list[Parsed] = []
    parents: dict[str, dict[str, str]] = {}
    for line, text in _parts(source, options, problems):
        for entry in parser.parse(line, text):
            if entry.type in PARENTS and len(parents) < MOST_PARENTS:
                parents[entry.key.lower()] = entry.fields
            if "crossref" in entry.fields:
                waiting.append(entry)
            else:
                yield Entry(source.name, entry.line, values_of(entry.type, entry.key, entry.fields))
    for entry in waiting:
        fields = _inherited(entry.fields, parents.get(entry.fields["crossref"].lower(), {}))
        yield Entry(source.name, entry.line, values_of(entry.type, entry.key, fields))


def _inherited(fields: dict[str, str], parent: dict[str, str]) -> dict[str, str]:
    given = {name: value for name, value in parent.items() if name not in OWN}
    if "title" in parent:
        given.setdefault("booktitle", parent["title"])
    return given | fields


def _parts(source: Source, options: ReadOptions, problems: Problems) -> Iterator[tuple[int, str]]:
    """The text from each line that begins with an entry to the next such line."""
    begun, lines, size = 1, list[str](), 0
    for first, block in line_blocks(source, options, problems):
        for number, line in enumerate(block, first):
            if "@" in line and AT_LINE.match(line):
                if lines:
                    yield begun, "\n".join(lines)
                begun, lines, size = number, [], 0
            size += len(line) + 1
            if size <= LONGEST_ENTRY:
                lines.append(line)
            elif lines:
                problems.report(
                    place(source.name, begun), f"an entry longer than {LONGEST_ENTRY:,} characters"
                )
                lines = []
    if lines:
        yield begun, "\n".join(lines)


class _Parser:
    def __init__(self, source: str, problems: Problems) -> None:
        self._source, self._problems = source, problems
        self._strings = {month: month for month in MONTHS}

    def parse(self, line: int, text: str) -> Iterator[Parsed]:
        at = counted = 0
        while found := START.search(text, at):
            line += text.count("\n", counted, found.start())
            counted = found.start()
            type = found[1].lower()
            try:
                end, entry = self._entry(line, type, text, found)
            except BrokenError as error:
                self._problems.report(place(self._source, line), str(error))
                return
            if entry is not None:
                yield entry
            at = end

    def _entry(
        self, line: int, type: str, text: str, found: re.Match[str]
    ) -> tuple[int, Parsed | None]:
        start = found.end()
        if type in ("comment", "preamble"):
            return (_closing(text, start) if found[2] == "{" else start), None
        if type == "string":
            return self._string(text, start), None
        key = KEY.match(text, start)
        if key is None:
            raise BrokenError(
                f"an entry @{type} without a key: write one after the brace, and a comma"
            )
        end, fields = self._fields(text, key.end(), "}" if found[2] == "{" else ")", key[1])
        return end, Parsed(line, type, key[1].strip(), fields)

    def _string(self, text: str, start: int) -> int:
        field = FIELD.match(text, start)
        if field is None:
            raise BrokenError("an @string without a name and a value")
        at, value = self._value(text, field.end(), field[1])
        if len(self._strings) < MOST_STRINGS:
            self._strings[field[1].lower()] = value
        return at

    def _fields(self, text: str, at: int, closing: str, key: str) -> tuple[int, dict[str, str]]:
        fields: dict[str, str] = {}
        again: Counter[str] = Counter()
        while True:
            at = _skipped(text, at)
            if at >= len(text):
                raise BrokenError(
                    f"the entry {key[:60]!r} does not end: a brace or a quote is missing"
                )
            if text[at] == closing:
                return at + 1, fields
            field = FIELD.match(text, at)
            if field is None:
                shown = text[at : at + 30].partition("\n")[0]
                raise BrokenError(f"the entry {key[:60]!r} is not understood at {shown!r}")
            at, value = self._value(text, field.end(), key)
            name = field[1].lower()
            if name in fields:
                again[name] += 1
                name = f"{name}_{again[name]}"
            fields[name] = value

    def _value(self, text: str, at: int, key: str) -> tuple[int, str]:
        parts = []
        while True:
            mark = text[at : at + 1]
            if mark == "{":
                end = _closing(text, at + 1)
                parts.append(text[at + 1 : end - 1])
            elif mark == '"':
                end = _quoted(text, at + 1)
                parts.append(text[at + 1 : end - 1])
            elif name := NAME.match(text, at):
                end = name.end()
                parts.append(self._strings.get(name[0].lower(), name[0]))
            else:
                raise BrokenError(f"the entry {key[:60]!r} has a field without a value")
            if sum(map(len, parts)) > LONGEST_VALUE and len(parts) > 1:
                raise BrokenError(f"the entry {key[:60]!r} has a value that is too long")
            join = JOIN.match(text, end)
            if join is None:
                return end, "".join(parts)
            at = join.end()


def _skipped(text: str, at: int) -> int:
    while at < len(text) and (text[at].isspace() or text[at] == ","):
        at += 1
    return at


def _closing(text: str, at: int) -> int:
    """Behind the brace that closes one before `at`."""
    depth = 1
    for brace in BRACE.finditer(text, at):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return brace.end()
    raise BrokenError("a brace is opened and not closed before the next entry")


def _quoted(text: str, at: int) -> int:
    """Behind the quote that ends a value; quotes within braces do not."""
    depth = 0
    for mark in QUOTE.finditer(text, at):
        if mark[0] == '"' and not depth:
            return mark.end()
        depth += {"{": 1, "}": -1, '"': 0}[mark[0]]
        if depth < 0:
            break
    raise BrokenError("a quote is opened and not closed before the next entry")
