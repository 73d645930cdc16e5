"""Sections of a file: where each is, and what one reading of its numbers tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from likewise import _core

if TYPE_CHECKING:
    from collections.abc import Sequence


class Section(msgspec.Struct, frozen=True):
    name: str
    dtype: str
    shape: tuple[int, ...]
    offset: int
    bytes: int
    checksum: str


class Told(NamedTuple):
    """What reading a section once tells: of its numbers, unless these are signed or real.

    Only those of four bytes and more are compared: whether they ascend, and whether each differs
    from the one before it.
    """

    checksum: str
    highest: int
    ascends: bool
    neighbours_differ: bool


def read_sections(given: Sequence[tuple[Section, memoryview]], threads: int = 1) -> list[Told]:
    """Read sections, each of a file that is mapped, by several threads."""
    arrays = [
        (np.frombuffer(file, np.uint8, one.bytes, one.offset), _number_size(one))
        for one, file in given
    ]
    found = _core.read_through(arrays, threads)
    return [Told(f"{told[0]:016x}", *told[1:]) for told in found]


def _number_size(section: Section) -> int:
    """In bytes; 0 for numbers that are not compared. Columns in bytes have three each and one byte
    more at the end (store.packing): where they do not, whoever makes a matrix of them says so.
    """
    dtype = np.dtype(section.dtype)
    if dtype.kind != "u":
        return 0
    in_threes = section.name.endswith(".columns") and dtype.itemsize == 1
    return 3 if in_threes and section.bytes % 3 == 1 else dtype.itemsize
