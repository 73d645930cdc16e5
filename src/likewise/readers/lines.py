"""Text files in blocks: of characters, of whole lines, of numbered lines."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, NamedTuple

from likewise.readers.batch import place
from likewise.readers.encodings import REPLACEMENT
from likewise.readers.streams import line_chunks, open_utf8, replace_invalid

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems
    from likewise.readers.streams import Source

BLOCK = 1 << 16


class Lines(NamedTuple):
    """Some lines without their ends, and the number of the first."""

    first: int
    lines: list[str]


def text_blocks(source: Source, problems: Problems) -> Generator[str]:
    """The text in short blocks that end anywhere: a file may be a single line."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    with open_utf8(source, problems) as stream:
        while data := stream.read(BLOCK):
            text = decoder.decode(data)
            if REPLACEMENT in text:
                replaced = text.count(REPLACEMENT) - data.count(REPLACEMENT.encode())
                problems.replace(source.name, source.name, max(0, replaced))
            yield text
        if rest := decoder.decode(b"", final=True):
            problems.replace(source.name, source.name, len(rest))
            yield rest


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
