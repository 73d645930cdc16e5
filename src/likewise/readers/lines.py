"""Byte streams cut at newlines."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterator


def line_chunks(stream: BinaryIO, size: int) -> Iterator[bytes]:
    """Whole lines in chunks of about `size` bytes; each chunk ends in a newline.

    Memory grows beyond `size` only by a line that is longer.
    """
    started: list[bytes | memoryview] = []
    while block := stream.read(size):
        cut = block.rfind(b"\n") + 1
        if not cut:
            started.append(block)
            continue
        yield b"".join([*started, memoryview(block)[:cut]])
        started = [block[cut:]]
    if last := b"".join(started):
        yield last + b"\n"
