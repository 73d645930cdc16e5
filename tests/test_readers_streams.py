"""Bytes of any source, cut at line ends."""

from __future__ import annotations

import io

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
