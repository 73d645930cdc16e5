"""Lines of text files that consist of records, with their numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from likewise.readers.batch import place
from likewise.readers.streams import line_chunks, open_utf8, replace_invalid

if TYPE_CHECKING:
    from collections.abc import Iterator

    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems
    from likewise.readers.streams import Source


class Lines(NamedTuple):
    """Some lines without their ends, and the number of the first."""

    first: int
    lines: list[str]


def text_pieces(source: Source, options: ReadOptions, problems: Problems) -> Iterator[str]:
    """The text in pieces of whole lines, about options.batch_bytes each."""
    first = 1
    with open_utf8(source, problems) as stream:
        for chunk in line_chunks(stream, options.batch_bytes, source.name):
            try:
                text = chunk.decode()
            except UnicodeDecodeError as error:
                text, replaced = replace_invalid(chunk)
                line = first + chunk.count(b"\n", 0, error.start)
                problems.replace(source.name, place(source.name, line), replaced)
            yield text
            first += chunk.count(b"\n")


def line_blocks(source: Source, options: ReadOptions, problems: Problems) -> Iterator[Lines]:
    """All lines in blocks, which is faster than one by one."""
    first = 1
    for text in text_pieces(source, options, problems):
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        lines = text.split("\n")
        lines.pop()  # after the last end there is nothing
        yield Lines(first, lines)
        first += len(lines)
