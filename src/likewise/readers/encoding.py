"""Whatever bytes come in, valid UTF-8 goes on; what had to be replaced is counted."""

from __future__ import annotations

import codecs
import io
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from likewise.readers.problems import Problems
    from likewise.readers.source import Source

# UTF-32 first: its little-endian mark begins with that of UTF-16.
MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
# An escape in JSON: a pair of surrogates, a surrogate alone (the group), or any other.
ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def open_utf8(source: Source, problems: Problems) -> io.BufferedReader:
    """The source without its byte order mark; UTF-16 and UTF-32 are known by theirs."""
    stream = source.open()
    try:
        head = stream.peek(4)[:4]
    except BaseException:
        stream.close()
        raise
    if head.startswith(codecs.BOM_UTF8):
        stream.read(len(codecs.BOM_UTF8))
        return stream
    for mark, encoding in MARKS.items():
        if head.startswith(mark):
            return io.BufferedReader(_Recoded(stream, encoding, source.name, problems))
    return stream


class _Recoded(io.RawIOBase):
    """A stream in another encoding, read as UTF-8."""

    def __init__(self, stream: io.BufferedReader, encoding: str, name: str, problems: Problems):
        self._text = io.TextIOWrapper(stream, encoding, errors="replace", newline="")
        self._name, self._problems = name, problems
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._rest:
            text = self._text.read(len(buffer))
            if replaced := text.count(REPLACEMENT):
                self._problems.replace(self._name, self._name, replaced)
            self._rest = text.encode()
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size

    def close(self) -> None:
        self._text.close()
        super().close()


def is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def replace_invalid(data: bytes) -> tuple[str, int]:
    """The text with U+FFFD for what is not UTF-8, and how many of them that took."""
    text = data.decode("utf-8", "replace")
    return text, text.count(REPLACEMENT) - data.count(REPLACEMENT.encode())


def replace_lone_surrogates(json: bytes) -> tuple[bytes, int]:
    """JSON with U+FFFD for escaped surrogates without a partner, and how many there were."""
    replaced = 0

    def mend(escape: re.Match[bytes]) -> bytes:
        nonlocal replaced
        if escape[1] is None:
            return escape[0]
        replaced += 1
        return b"\\ufffd"

    return ESCAPE.sub(mend, json), replaced
