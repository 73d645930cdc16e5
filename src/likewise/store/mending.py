"""A file of arrays whose header is damaged, or in whose table of contents one bit is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.store.container import FORMAT, TRAILER, Container, fits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from likewise.store.mapped import ReadAt

LONGEST = 64 << 10  # bytes of a table in which each bit is tried


class MendedContainer(Container):
    """Opened all the same: the right bit of the file's end is found by the checksum."""

    def _check_header(self, kind: str, found: bytes) -> int:
        return FORMAT

    def _check_format(self) -> None:
        """The header is not to be trusted."""

    def _table_and_trailer(self, at: int, read_at: ReadAt) -> tuple[bytes, bytes]:
        trailer = read_at(at, TRAILER.size)
        for one in (trailer, *flipped(trailer)):
            table = bytes(self._map[TRAILER.unpack(one)[0] : at])
            if fits(table, one, at):
                return table, one
        table = bytes(self._map[TRAILER.unpack(trailer)[0] : at])
        for other in flipped(table) if len(table) <= LONGEST else ():
            if fits(other, trailer, at):
                return other, trailer
        return table, trailer


def flipped(data: bytes) -> Iterator[bytes]:
    """The same with each of its bits turned in turn."""
    for place, byte in enumerate(data):
        for bit in range(8):
            yield data[:place] + bytes([byte ^ 1 << bit]) + data[place + 1 :]
