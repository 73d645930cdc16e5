"""Bytes in: files, standard input or memory, decompressed, as UTF-8, cut at line ends.

Nothing here knows documents or formats.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, BinaryIO

from likewise.errors import InputError
from likewise.readers.encodings import REPLACEMENT, as_utf8
from likewise.readers.urls import open_url, size_of

if TYPE_CHECKING:
    from likewise.readers.problems import Problems

BLANK = b" \t\r\n\v\f"
BUFFER = 1 << 17
LONGEST_LINE = 1 << 27  # bytes
LONGEST_BLANK = 1 << 24  # that is looked through for a sign of the format
INPUT_SIZE = 1 << 16
LONGEST_WINDOW = 31  # bits: what `zstd --long=31` writes
Decompress = Callable[[BinaryIO], Any]

# An escape in JSON: a pair of surrogates, a surrogate alone (the group), or any other.
ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


@dataclass(slots=True)
class Source:
    """Something to read: `name` in messages, `id` if it is one document, its format's name.

    `origin` is what a document keeps of where it came from: its root's name and the path below it,
    so that records say nothing of this machine. Without a path it is `content`, or else standard
    input; without a format, `recognise` sets it. `limit` is the most bytes it may have once
    decompressed, `encoding` that of its text where it was given. Of a file that is divided it is
    the bytes from `begin` to before `end`, which are whole lines (dividing.py). `url` is that of a
    file elsewhere, which has no path.
    """

    name: str
    id: str
    path: Path | None
    format: str = ""
    in_folder: bool = False
    content: bytes | None = field(default=None, repr=False)
    limit: int | None = None
    origin: str = ""
    encoding: str | None = None
    begin: int = 0
    end: int | None = None
    url: str = ""
    _file: BinaryIO | None = field(default=None, repr=False)
    _begun: io.BufferedReader | None = field(default=None, repr=False)

    def open(self) -> io.BufferedReader:
        if self._begun is not None:
            stream, self._begun = self._begun, None
            return stream
        suffix = self.suffix
        suffix = PACKED.get(suffix, suffix)
        try:
            decompress = OPENERS[suffix]() if suffix in OPENERS else None
            self._file = self._open_file()
        except (OSError, ImportError) as error:
            raise InputError(f"{self.name} cannot be read: {_reason(error)}") from error
        inner: Any = decompress(self._file) if decompress else self._file
        if self.end is not None:
            inner = _Between(self._file, self.begin, self.end)
        return io.BufferedReader(_Guarded(inner, self._file, self.name, self.limit), BUFFER)

    @property
    def suffix(self) -> str:
        return PurePath(self.path or self.url or self.id).suffix.lower()

    @property
    def is_file(self) -> bool:
        """Whether it can be opened again, anywhere in it."""
        return self.path is not None or bool(self.url)

    @property
    def may_wait(self) -> bool:
        """Whether somebody may still be writing it: standard input, or a named pipe."""
        if self.path is not None:
            return not self.path.is_file()
        return self.content is None and not self.url

    def raw(self) -> BinaryIO:
        """The file as it is on disk, to look into."""
        return self._open_file()

    def _open_file(self) -> BinaryIO:
        if self.url:
            return open_url(self.url)
        if self.path is not None:
            return self.path.open("rb", buffering=0)
        return sys.stdin.buffer if self.content is None else io.BytesIO(self.content)

    def recognise(self) -> None:
        """Set the format by the first bytes: JSONL if they begin with {, otherwise plain text."""
        head = self.head()
        self.format = "jsonl" if head.strip(BLANK).startswith(b"{") else "text"

    def head(self, size: int = 1) -> bytes:
        """The first bytes, `size` or more and not all blank if there are; they stay to be read."""
        stream = self.open()
        head = b""
        try:
            while (len(head) < size or not head.strip(BLANK)) and (more := stream.read1(BUFFER)):
                head += more
                if len(head) > LONGEST_BLANK:
                    break
        except BaseException:
            stream.close()
            raise
        self._begun = io.BufferedReader(_Rejoined(head, stream), BUFFER)
        return head

    def close(self) -> None:
        """Close what was looked at and not read."""
        if self._begun is not None:
            self._begun.close()
            self._begun = None

    @property
    def size(self) -> int:
        """Bytes on disk; 0 if unknown."""
        if self.end is not None:
            return self.end - self.begin
        if self.url:
            return size_of(self.url)
        return self.path.stat().st_size if self.path and self.path.is_file() else 0

    @property
    def position(self) -> int:
        """Bytes read so far, of `size`."""
        if self._file is None or self._file.closed or not self.size:
            return self.size
        return self._file.tell() - self.begin


class _Guarded(io.RawIOBase):
    """A stream whose errors name the file, and that refuses more bytes than its limit."""

    def __init__(self, inner: Any, file: BinaryIO, name: str, limit: int | None) -> None:
        self._inner, self._file, self._name, self._limit = inner, file, name, limit
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            size = int(self._inner.readinto(buffer))
        except MemoryError:
            raise
        except Exception as error:  # each decompressor has errors of its own
            raise InputError(f"{self._name} is damaged or cut short: {_reason(error)}") from error
        self._count += size
        if self._limit is not None and self._count > self._limit:
            raise InputError(
                f"{self._name} is larger than {self._limit:,} bytes: give a part of it"
            )
        return size

    def close(self) -> None:
        if not self.closed and self._file is not sys.stdin.buffer:
            self._inner.close()
            self._file.close()
        super().close()


class _Between(io.RawIOBase):
    """Some of a file's bytes."""

    def __init__(self, file: BinaryIO, begin: int, end: int) -> None:
        file.seek(begin)
        self._file, self._left = file, end - begin

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._file.read(min(len(buffer), self._left))
        buffer[: len(data)] = data
        self._left -= len(data)
        return len(data)


class _Rejoined(io.RawIOBase):
    """A stream that begins again with bytes already read from it."""

    def __init__(self, head: bytes, stream: io.BufferedReader) -> None:
        self._head, self._stream = head, stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._head:
            return self._stream.readinto(buffer)
        size = min(len(buffer), len(self._head))
        buffer[:size], self._head = self._head[:size], self._head[size:]
        return size

    def close(self) -> None:
        self._stream.close()
        super().close()


def plain_suffix(path: PurePath) -> str:
    """The suffix that tells the format: ".jsonl" of papers.jsonl.gz."""
    suffix = path.suffix.lower()
    return PurePath(path.stem).suffix.lower() if suffix in OPENERS else suffix


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def line_chunks(stream: io.BufferedReader, size: int, name: str) -> Iterator[bytes]:
    """Whole lines in chunks of about `size` bytes; each chunk ends in a newline.

    Memory grows beyond twice `size` only while a line is longer, and no line is without end. All
    is read into the same memory: to get as much anew from the system for each chunk takes longer
    than to copy it.
    """
    buffer = bytearray(size)
    begun = offset = 0
    while got := _read_behind(stream, buffer, begun, size):
        end = begun + got
        cut = buffer.rfind(b"\n", begun, end) + 1
        if cut:
            yield _first(buffer, cut)
            buffer[: end - cut] = buffer[cut:end]
            del buffer[max(end - cut, 2 * size) :]
        elif end > LONGEST_LINE:
            raise InputError(
                f"{name}: the line at byte {offset:,} is longer than {LONGEST_LINE:,} bytes: "
                "is this the format meant? Break it into lines, or leave it out"
            )
        begun = end - cut
        offset += cut
    if begun:
        yield _first(buffer, begun) + b"\n"


def _read_behind(stream: io.BufferedReader, buffer: bytearray, begin: int, size: int) -> int:
    """How many bytes there were, of so many; a buffer that is too short grows."""
    buffer.extend(bytes(max(0, begin + size - len(buffer))))
    with memoryview(buffer) as every, every[begin : begin + size] as room:
        return stream.readinto(room)


def _first(buffer: bytearray, size: int) -> bytes:
    with memoryview(buffer) as every:
        return bytes(every[:size])


def open_utf8(source: Source, problems: Problems) -> io.BufferedReader:
    """The source as UTF-8 without its byte order mark, whatever its encoding is."""
    return as_utf8(source.open(), source, problems, source.encoding)


def is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def replace_invalid(data: bytes) -> tuple[str, int]:
    """The text with U+FFFD for what is not UTF-8, and how many were put in."""
    text = data.decode("utf-8", "replace")
    return text, text.count(REPLACEMENT) - data.count(REPLACEMENT.encode())


def replace_lone_surrogates(json: bytes) -> tuple[bytes, int]:
    """JSON with U+FFFD for escaped surrogates without a partner, and how many there were."""
    replaced = 0

    def repair(escape: re.Match[bytes]) -> bytes:
        nonlocal replaced
        if escape[1] is None:
            return escape[0]
        replaced += 1
        return b"\\ufffd"

    return ESCAPE.sub(repair, json), replaced


def _gzip() -> Decompress:
    from gzip import GzipFile

    return lambda file: GzipFile(fileobj=file)


def _bzip2() -> Decompress:
    from bz2 import BZ2File

    return BZ2File


def _xz() -> Decompress:
    from lzma import LZMAFile

    return LZMAFile


def _zstandard() -> Decompress:
    from likewise.readers.zstandard import zstd

    options = {int(zstd.DecompressionParameter.window_log_max): LONGEST_WINDOW}
    return lambda file: zstd.ZstdFile(file, options=options)


OPENERS = {".gz": _gzip, ".bz2": _bzip2, ".xz": _xz, ".zst": _zstandard}
# Compressed archives with a suffix of their own.
PACKED = {".tgz": ".gz", ".tbz2": ".bz2", ".txz": ".xz", ".tzst": ".zst"}
