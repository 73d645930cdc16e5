"""Bytes of any source, cut at line ends."""

from __future__ import annotations

import io
import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from likewise.readers.streams import line_chunks

some_lines = st.lists(st.binary(max_size=30).map(lambda line: line.replace(b"\n", b"")))


@given(lines=some_lines, size=st.integers(1, 50), ended=st.booleans())
def test_chunks_are_all_lines_and_whole_ones(lines, size, ended):
    text = b"\n".join(lines) + (b"\n" if ended else b"")
    chunks = list(line_chunks(io.BufferedReader(io.BytesIO(text)), size, "lines"))
    expected = text if not text or text.endswith(b"\n") else text + b"\n"
    assert b"".join(chunks) == expected
    assert all(chunk.endswith(b"\n") for chunk in chunks)
    longest = max(map(len, lines), default=0) + 1
    assert all(len(chunk) <= size + longest for chunk in chunks)


def test_a_long_line_takes_memory_only_while_it_is_there():
    size, lines = 1 << 10, b"x\n" * 5000
    stream = io.BufferedReader(io.BytesIO(b"x" * 10_000_000 + b"\n" + lines))
    chunks = line_chunks(stream, size, "lines")
    tracemalloc.start()
    try:
        assert len(next(chunks)) > 10_000_000
        assert len(next(chunks)) <= 2 * size
        assert tracemalloc.get_traced_memory()[0] < 100_000
        assert b"".join(chunks).endswith(b"x\n")
    finally:
        tracemalloc.stop()
