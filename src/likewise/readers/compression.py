"""Compressed streams, known by suffix; their libraries are imported on use."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, BinaryIO

INPUT_SIZE = 1 << 16
Decompress = Callable[[BinaryIO], Any]
LONGEST_WINDOW = 1 << 31  # what `zstd --long=31` writes


def gzip() -> Decompress:
    from gzip import GzipFile

    return lambda file: GzipFile(fileobj=file)


def bzip2() -> Decompress:
    from bz2 import BZ2File

    return BZ2File


def xz() -> Decompress:
    from lzma import LZMAFile

    return LZMAFile


def zstandard() -> Decompress:
    try:
        from zstandard import ZstdDecompressor
    except ImportError as error:
        raise ImportError("it needs zstandard: pip install 'likewise[zstd]'") from error
    decompressor = ZstdDecompressor(max_window_size=LONGEST_WINDOW)
    return lambda file: _Frames(file, decompressor.decompressobj)


OPENERS = {".gz": gzip, ".bz2": bzip2, ".xz": xz, ".zst": zstandard}


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
