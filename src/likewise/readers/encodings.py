"""Text in any encoding, as UTF-8: known by its mark, given, or detected; never mangled in silence.

Text that is not UTF-8 and has no mark is detected by chardet, from its first lines that are not
ASCII. Each line that is UTF-8 stays as it is, even so: a file may be put together of several.
"""

from __future__ import annotations

import codecs
import io
import re
from typing import TYPE_CHECKING, Any

from likewise.errors import InputError, UsageError

if TYPE_CHECKING:
    from likewise.readers.problems import Problems
    from likewise.readers.streams import Source

# UTF-32 first: its little-endian mark begins with that of UTF-16.
MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
FALLBACK = "cp1252"  # of Windows in Western Europe, where chardet is not installed or has no idea
LEAST = 0.11  # confidence of chardet, which guesses wildly at a few words
USUAL = re.compile(
    r"cp(125\d|437|850|852|866|932|949|936)|iso8859-\d+|koi8-[rut]|mac-(roman|cyrillic|latin2)"
    r"|shift_jis|shift_jis_2004|euc_jp|euc_jis_2004|gb18030|gbk|gb2312|big5|big5hkscs|euc_kr|johab"
)
FAR_MORE = 2
SAMPLE = 1 << 16  # bytes from which an encoding is detected
BLOCK = 1 << 17
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
NO_TEXT = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f]")  # control characters that text has not
CHARACTER = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)


def check_encoding(name: str) -> str:
    """The encoding of this name; a name that is none is a UsageError."""
    try:
        known = codecs.lookup(name)
    except (LookupError, ValueError) as error:
        raise UsageError(f"unknown encoding {name!r}: give one like utf-8 or cp1252") from error
    if not known._is_text_encoding:
        raise UsageError(f"{name!r} is no encoding of text: give one like utf-8 or cp1252")
    return known.name


def detect(data: bytes) -> str | None:
    """The encoding of text that is not UTF-8; None if it is damaged UTF-8, or no text."""
    sample = data[:SAMPLE]
    if wide := wide_encoding(sample):
        return wide
    if NO_TEXT.search(sample) or not damaged_beyond(sample):
        return None
    try:
        import chardet
    except ImportError:
        return FALLBACK
    guess = chardet.detect(_telling(sample))
    try:
        found = codecs.lookup(guess["encoding"] or FALLBACK).name
        sample.decode(found, "ignore")
    except (LookupError, ValueError):
        return FALLBACK
    sure = (guess["confidence"] or 0) >= LEAST and USUAL.fullmatch(found)
    return found if sure and found != "iso8859-1" else FALLBACK


def damaged_beyond(sample: bytes) -> bool:
    """Whether far more bytes speak against UTF-8 than for it, which little else looks like."""
    characters = len(CHARACTER.findall(sample))
    text = sample.decode("utf-8", "replace")
    wrong = text.count(REPLACEMENT) - sample.count(REPLACEMENT.encode())
    return wrong > FAR_MORE * characters


def wide_encoding(sample: bytes) -> str | None:
    """UTF-16 without a mark: every other byte of Latin text is zero."""
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    enough = len(sample) // 5
    if len(sample) < 8 or max(even, odd) < enough or min(even, odd) > enough // 10:
        return None
    return "utf-16-be" if even > odd else "utf-16-le"


def _telling(sample: bytes) -> bytes:
    """The lines that are not ASCII: only they tell an encoding."""
    lines = [line for line in sample.split(b"\n") if not line.isascii()]
    return b"\n".join(lines)[:SAMPLE]


def decoded(data: bytes, named: str | None = None) -> str:
    """Bytes as text: by their mark, as UTF-8, as they are said to be, or as detected."""
    for mark, encoding in {codecs.BOM_UTF8: "utf-8-sig", **MARKS}.items():
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    try:
        return data.decode()
    except UnicodeDecodeError:
        pass
    try:
        return data.decode(codecs.lookup(named).name if named else detect(data) or "utf-8")
    except (LookupError, ValueError, TypeError):
        return data.decode(detect(data) or FALLBACK, "replace")


def as_utf8(
    stream: io.BufferedReader, source: Source, problems: Problems, given: str | None
) -> io.BufferedReader:
    """A stream as UTF-8, without its mark."""
    try:
        head = stream.peek(BLOCK)
    except BaseException:
        stream.close()
        raise
    if head.startswith(codecs.BOM_UTF8):
        stream.read(len(codecs.BOM_UTF8))
        return stream
    for mark, encoding in MARKS.items():
        if head.startswith(mark):
            return _recoded(stream, encoding, source, problems)
    if given is not None:
        if given == "utf-8":
            return stream
        return _recoded(stream, given, source, problems)
    if wide := wide_encoding(head[:SAMPLE]):
        problems.decoded[source.name] = wide
        return _recoded(stream, wide, source, problems)
    return io.BufferedReader(_Detecting(stream, source, problems), BLOCK)


def _recoded(
    stream: io.BufferedReader, encoding: str, source: Source, problems: Problems
) -> io.BufferedReader:
    return io.BufferedReader(_Recoded(stream, encoding, source.name, problems))


class _Recoded(io.RawIOBase):
    """A stream in another encoding, read as UTF-8."""

    def __init__(self, stream: io.BufferedReader, encoding: str, name: str, problems: Problems):
        self._text = io.TextIOWrapper(stream, encoding, errors="replace", newline="")
        self._name, self._problems, self._encoding = name, problems, encoding
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._rest:
            try:
                text = self._text.read(len(buffer))
            except UnicodeError as error:  # UTF-16 whose last character is cut in two
                raise InputError(f"{self._name} is not {self._encoding}: {error}") from error
            if replaced := text.count(REPLACEMENT):
                self._problems.replace(self._name, self._name, replaced)
            self._rest = text.encode("utf-8", "replace")
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size

    def close(self) -> None:
        self._text.close()
        super().close()


class _Detecting(io.RawIOBase):
    """A stream that passes on ASCII and UTF-8 as they are, until a line is neither.

    As soon as there is a character of UTF-8 before that, the file is UTF-8 and what is wrong in
    it is damage: whoever reads it replaces and counts that.
    """

    def __init__(self, stream: io.BufferedReader, source: Source, problems: Problems) -> None:
        self._stream, self._name, self._problems = stream, source.name, problems
        self._encoding: str | None = None
        self._settled = False
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._rest:
            if self._settled:
                return self._stream.readinto1(buffer)
            size = self._stream.readinto1(memoryview(buffer)[: 2 * BLOCK])  # past its own buffer
            block = bytes(buffer[:size])
            if block.isascii():  # it is where it belongs
                return size
            self._rest = self._known(block)
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size

    def _known(self, block: bytes) -> bytes:
        """A block with a character that is not ASCII, as UTF-8, to the end of a line."""
        block += self._stream.readline(BLOCK)
        if self._encoding is None:
            if _begins_utf8(block) or (found := detect(self._sample(block))) is None:
                self._settled = True
                return block
            self._encoding = self._problems.decoded[self._name] = found
        lines = block.splitlines(keepends=True)
        return b"".join(line if _is_utf8(line) else self._decoded(line) for line in lines)

    def _sample(self, block: bytes) -> bytes:
        """The block from its first character that is not ASCII on, or a little before."""
        start = next((i for i, byte in enumerate(block) if byte > 127), 0)
        return block[max(0, start - 1000) :]

    def _decoded(self, line: bytes) -> bytes:
        text = line.decode(self._encoding or FALLBACK, "replace")
        if replaced := text.count(REPLACEMENT):
            self._problems.replace(self._name, self._name, replaced)
        return text.encode()

    def close(self) -> None:
        self._stream.close()
        super().close()


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _begins_utf8(data: bytes) -> bool:
    """Whether it is UTF-8 as far as it goes: its last character may be cut."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError:
        return False
    return True
