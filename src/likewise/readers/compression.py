"""Compressed streams, known by suffix; their libraries are imported on use."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Callable

INPUT_SIZE = 1 << 16
LONGEST_WINDOW = 1 << 31  # what `zstd --long=31` writes


def open_gzip(file: BinaryIO) -> Any:
    import gzip

    return gzip.GzipFile(fileobj=file)


def open_bz2(file: BinaryIO) -> Any:
    import bz2

    return bz2.BZ2File(file)


def open_xz(file: BinaryIO) -> Any:
    import lzma

    return lzma.LZMAFile(file)


def open_zstd(file: BinaryIO) -> Any:
    try:
        import zstandard
    except ImportError as error:
        raise ImportError("it needs zstandard: pip install 'likewise[zstd]'") from error
    return _Frames(file, zstandard.ZstdDecompressor(max_window_size=LONGEST_WINDOW).decompressobj)


OPENERS: dict[str, Callable[[BinaryIO], Any]] = {
    ".gz": open_gzip,
    ".bz2": open_bz2,
    ".xz": open_xz,
    ".zst": open_zstd,
}


class _Frames(io.RawIOBase):
    """All frames of a Zstandard file; zstandard's own reader takes a cut file for a whole one."""

    def __init__(self, file: BinaryIO, new_frame: Callable[[], Any]) -> None:
        self._file, self._new_frame = file, new_frame
        self._frame: Any = None
        self._input = b""
        self._output = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._output:
            if not self._input and not (more := self._file.read(INPUT_SIZE)):
                if self._frame is not None:
                    raise EOFError("the last frame is incomplete")
                return 0
            self._decompress(self._input or more)
        size = min(len(buffer), len(self._output))
        buffer[:size], self._output = self._output[:size], self._output[size:]
        return size

    def _decompress(self, data: bytes) -> None:
        frame = self._frame if self._frame is not None else self._new_frame()
        self._output = memoryview(frame.decompress(data))
        self._input = frame.unused_data if frame.eof else b""
        self._frame = None if frame.eof else frame
