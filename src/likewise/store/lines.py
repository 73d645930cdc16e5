"""Some fields of all records of a segment, decoded many at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from likewise.store.segment import Segment

T = TypeVar("T")


def decoded_lines(
    segment: Segment,
    decode_lines: Callable[[bytes], list[T]],
    slowly: Callable[[Segment, int], T],
) -> Iterator[tuple[range, list[T]]]:
    """Numbers of documents and what was decoded of each, the deleted ones among them.

    `slowly` reads one that msgspec cannot: it has a number beyond a double's range, which JSON
    does allow.
    """
    for chunk in segment.records.chunks():
        numbers = range(chunk.first, chunk.first + len(chunk.ends))
        try:
            lines = decode_lines(chunk.records)
        except msgspec.DecodeError:
            lines = [slowly(segment, number) for number in numbers]
        if len(lines) != len(numbers):
            raise segment.damaged("its records are not as many as its documents")
        yield numbers, lines
