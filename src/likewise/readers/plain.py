"""Plain text and Markdown: one document a file, whose path is its id.

A blank file is a document; blank standard input is not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from likewise.readers.files.one import entry
from likewise.readers.formats import FORMATS
from likewise.readers.frontmatter import split_front_matter
from likewise.readers.recognising import recognised
from likewise.readers.records import batches
from likewise.readers.streams import is_utf8, open_utf8, replace_invalid

if TYPE_CHECKING:
    from collections.abc import Iterator

    from likewise.readers.batch import Batch
    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems
    from likewise.readers.streams import Source

BINARY_SIGN = 8192  # a file with NUL among its first bytes is not text
FENCE = re.compile(r" {0,3}(```+|~~~+)")
LONGEST_TITLE = 200  # characters
MARKED = re.compile(r"[#>|`~*+\-<\[!=]|\d+[.)]\s")  # a list, a quotation, a table, code, a picture
HEADING = re.compile(r" {0,3}#[ \t]+(.*)")


def read_text(source: Source, options: ReadOptions, problems: Problems) -> Iterator[Batch]:
    """One document, whose first line is the title; unless it turns out to be records, as of RIS."""
    if options.format is None and (records := recognised(source)):
        reader: Any = FORMATS[records].load()
        yield from reader(source, options, problems)
        return
    text = _text(source, problems)
    if text is not None:
        yield from _one(source, _titled(text), options, problems)


def read_markdown(source: Source, options: ReadOptions, problems: Problems) -> Iterator[Batch]:
    """The title is that of the front matter, else the first heading, else the first line."""
    text = _text(source, problems)
    if text is None:
        return
    fields, text = split_front_matter(text)
    if not fields.get("title"):
        title, rest = split_title(text)
        fields |= {"title": title, "text": rest} if title else _titled(text, prose=True)
    yield from _one(source, {"text": text, **fields}, options, problems)


def _titled(text: str, *, prose: bool = False) -> dict[str, Any]:
    """The first line as a title, if it is short and a text follows; in Markdown, if it is prose."""
    bare = text.lstrip()
    first, _, rest = bare.partition("\n")
    title = first.strip()
    if (
        not title
        or len(title) > LONGEST_TITLE
        or not rest.strip()
        or (prose and MARKED.match(bare))
    ):
        return {"text": text}
    return {"title": title, "text": rest}


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
    source: Source, values: dict[str, Any], options: ReadOptions, problems: Problems
) -> Iterator[Batch]:
    yield from batches([entry(source, values)], options, problems)
