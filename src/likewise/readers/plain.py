"""Plain text and Markdown: one document a file, whose path is its id.

A blank file is a document; blank standard input is not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from likewise.readers.formats import FORMATS
from likewise.readers.recognising import recognised
from likewise.readers.records import Entry, batches
from likewise.readers.streams import is_utf8, open_utf8, replace_invalid

if TYPE_CHECKING:
    from collections.abc import Iterator

    from likewise.readers.batch import Batch
    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems
    from likewise.readers.streams import Source

BINARY_SIGN = 8192  # a file with NUL among its first bytes is not text
FENCE = re.compile(r" {0,3}(```+|~~~+)")
HEADING = re.compile(r" {0,3}#[ \t]+(.*)")


def read_text(source: Source, options: ReadOptions, problems: Problems) -> Iterator[Batch]:
    """One document, unless the text turns out to be records, as of RIS."""
    if options.format is None and (records := recognised(source)):
        reader: Any = FORMATS[records].load()
        yield from reader(source, options, problems)
        return
    text = _text(source, problems)
    if text is not None:
        yield from _one(source, {"text": text}, options, problems)


def read_markdown(source: Source, options: ReadOptions, problems: Problems) -> Iterator[Batch]:
    """The first heading of the first level is the title, and no longer in the text."""
    text = _text(source, problems)
    if text is not None:
        title, rest = split_title(text)
        values = {"title": title, "text": rest} if title else {"text": text}
        yield from _one(source, values, options, problems)


def split_title(text: str) -> tuple[str, str]:
    """The text of the first `# heading` outside code, and the text without that line."""
    lines = text.splitlines(keepends=True)
    fence = ""
    for number, line in enumerate(lines):
        mark = FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif mark:
            fence = mark[1]
        elif heading := HEADING.match(line):
            return _without_closing(heading[1]), "".join(lines[:number] + lines[number + 1 :])
    return "", text


def _without_closing(heading: str) -> str:
    """A heading without the # that may close it; a pattern would take quadratic time here."""
    bare = heading.rstrip(" \t\r\n")
    text = bare.rstrip("#")
    return text.rstrip(" \t") if text.endswith((" ", "\t")) else bare


def _text(source: Source, problems: Problems) -> str | None:
    with open_utf8(source, problems) as stream:
        data = stream.read()
    if b"\0" in data[:BINARY_SIGN]:
        problems.report(source.name, "looks like a binary file, not text")
        return None
    if source.path is None and not data.strip():
        return None
    if is_utf8(data):
        return data.decode()
    text, replaced = replace_invalid(data)
    problems.replace(source.name, source.name, replaced)
    return text


def _one(
    source: Source, values: dict[str, str], options: ReadOptions, problems: Problems
) -> Iterator[Batch]:
    origin = {"source": source.origin or source.name} if source.path else {}
    entry = Entry(source.name, 0, {"id": source.id, **values, **origin})
    yield from batches([entry], options, problems)
