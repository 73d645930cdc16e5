"""A file, standard input or bytes in memory, as a stream of decompressed bytes."""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any, BinaryIO

from likewise.errors import InputError
from likewise.readers.compression import OPENERS

BLANK = b" \t\r\n\v\f"
BUFFER = 1 << 17


@dataclass(slots=True)
class Source:
    """Something to read: `name` in messages, `id` if it is one document, its format's name.

    Without a path it is `content`, or else standard input; without a format, `recognise` finds
    it. `limit` is the most bytes it may have once decompressed.
    """

    name: str
    id: str
    path: Path | None
    format: str = ""
    in_folder: bool = False
    content: bytes | None = field(default=None, repr=False)
    limit: int | None = None
    _file: BinaryIO | None = field(default=None, repr=False)
    _begun: io.BufferedReader | None = field(default=None, repr=False)

    def open(self) -> io.BufferedReader:
        if self._begun is not None:
            stream, self._begun = self._begun, None
            return stream
        suffix = PurePath(self.path or self.id).suffix.lower()
        try:
            decompress = OPENERS[suffix]() if suffix in OPENERS else None
            self._file = self._open_file()
        except (OSError, ImportError) as error:
            raise InputError(f"{self.name} cannot be read: {_reason(error)}") from error
        inner = decompress(self._file) if decompress else self._file
        return io.BufferedReader(_Guarded(inner, self._file, self.name, self.limit), BUFFER)

    def _open_file(self) -> BinaryIO:
        if self.path is not None:
            return self.path.open("rb", buffering=0)
        return sys.stdin.buffer if self.content is None else io.BytesIO(self.content)

    def recognise(self) -> None:
        """Look at what has no suffix: JSONL if it begins with {, otherwise plain text."""
        stream = self.open()
        head = b""
        try:
            while not head.strip(BLANK) and (more := stream.read1(BUFFER)):
                head += more
        except BaseException:
            stream.close()
            raise
        self.format = "jsonl" if head.strip(BLANK).startswith(b"{") else "text"
        self._begun = io.BufferedReader(_Rejoined(head, stream), BUFFER)

    @property
    def size(self) -> int:
        """Bytes to read, as they are on disk; 0 if nobody knows."""
        return self.path.stat().st_size if self.path and self.path.is_file() else 0

    @property
    def position(self) -> int:
        """How many of these have been read."""
        if self._file is None or self._file.closed or not self.size:
            return self.size
        return self._file.tell()


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


class _Rejoined(io.RawIOBase):
    """A stream with what was read of it put back in front."""

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
