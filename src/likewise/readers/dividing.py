"""Files in runs of about the same size, in their order, for several processes to read.

A file of lines is cut where a line begins. One that is compressed, or of another format, is not
divided: it is in the run where its middle is.
"""

from __future__ import annotations

import codecs
from dataclasses import replace
from typing import TYPE_CHECKING

from likewise.readers.encodings import MARKS, SAMPLE, wide_encoding
from likewise.readers.streams import LONGEST_LINE, OPENERS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import BinaryIO

    from likewise.readers.streams import Source

LINES = frozenset({"jsonl"})  # formats of which each line is a document
PACKED = 4  # bytes that one of a compressed file stands for, about
BLOCK = 1 << 20


def divided(sources: Sequence[Source], count: int) -> list[list[Source]]:
    """The sources in `count` runs, some of which may be empty; parts of files among them."""
    runs: list[list[Source]] = [[] for _ in range(count)]
    total = sum(map(_weight, sources))
    before = 0
    for source in sources:
        weight = _weight(source)
        first = _run(before, total, count)
        last = _run(before + weight, total, count)
        if first == last or not divisible(source):
            runs[_run(before + weight / 2, total, count)].append(source)
        else:
            for run, part in _parts(source, [total * n / count - before for n in range(count + 1)]):
                runs[run].append(part)
        before += weight
    return runs


def divisible(source: Source) -> bool:
    """Whether a file is lines, each a document, that can be found by their ends."""
    if source.format not in LINES or not source.is_file or _packed(source):
        return False
    if source.encoding not in (None, "utf-8"):
        return False
    with source.raw() as file:
        head = file.read(SAMPLE)
    return not (any(map(head.startswith, MARKS)) or wide_encoding(head))


def lines_between(source: Source, begin: int, end: int) -> int:
    """How many lines end in some bytes of a file."""
    count = 0
    with source.raw() as file:
        file.seek(begin)
        while begin < end and (block := file.read(min(BLOCK, end - begin))):
            count += block.count(b"\n")
            begin += len(block)
    return count


def _run(place: float, total: int, count: int) -> int:
    return min(int(place * count / total), count - 1) if total else 0


def _weight(source: Source) -> int:
    return max(source.size, 1) * (PACKED if _packed(source) else 1)


def _packed(source: Source) -> bool:
    return source.suffix in OPENERS


def _parts(source: Source, cuts: Sequence[float]) -> list[tuple[int, Source]]:
    """Parts of a file by the run they are in, whose bounds are given in bytes of the file."""
    found, size = [], source.size
    with source.raw() as file:
        start = 0
        for run, cut in enumerate(cuts[1:]):
            end = size if cut >= size else _line_start(file, int(cut))
            if cut > 0 and end > start:
                found.append((run, replace(source, begin=start, end=end)))
                start = end
        if start < size:  # what rounding left
            found.append((len(cuts) - 2, replace(source, begin=start, end=size)))
    return found


def _line_start(file: BinaryIO, place: int) -> int:
    """Where the first line begins that begins at or after some byte."""
    if place <= len(codecs.BOM_UTF8):
        return 0
    file.seek(place - 1)
    file.readline(LONGEST_LINE)
    return file.tell()
