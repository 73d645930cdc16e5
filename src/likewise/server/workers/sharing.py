"""What processes know of each other: how often clients have asked, and what was counted."""

from __future__ import annotations

import fcntl
import math
import mmap
import os
import struct
import time
from typing import TYPE_CHECKING

import msgspec
from xxhash import xxh3_64_intdigest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SLOTS, NEAR = 1 << 14, 8  # clients whose requests are counted, and places that one may have
SLOT = struct.Struct("<Qdd")  # a client, what its bucket holds, and since when
COUNTED = ".counted"


class SharedRate:
    """A token bucket for each client, as `access.Rate`, over all processes that open the file.

    Time is the system's, the same for all of them. Where places are scarce, the client that was
    not seen for longest is forgotten.
    """

    def __init__(self, a_second: float, place: Path) -> None:
        self._a_second = a_second
        self._most = max(1.0, 2 * a_second)
        self._file = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        os.ftruncate(self._file, SLOTS * SLOT.size)
        self._slots = mmap.mmap(self._file, SLOTS * SLOT.size)

    def take(self, client: str) -> float:
        """0 if a request may pass, otherwise the seconds to wait, as a whole number."""
        if not self._a_second:
            return 0.0
        key = xxh3_64_intdigest(client.encode("utf-8", "surrogatepass")) or 1
        fcntl.flock(self._file, fcntl.LOCK_EX)
        try:
            return self._take(key, time.monotonic())
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def _take(self, key: int, now: float) -> float:
        places = [SLOT.size * ((key + i) % SLOTS) for i in range(NEAR)]
        known = {place: SLOT.unpack_from(self._slots, place) for place in places}
        own = (place for place, (client, _, _) in known.items() if client == key)
        place = next(own, None)
        if place is None:
            place = min(known, key=lambda one: known[one][2])
            level, at = self._most, now
        else:
            _, level, at = known[place]
        level = min(self._most, level + (now - at) * self._a_second)
        passes = level >= 1
        SLOT.pack_into(self._slots, place, key, level - passes, now)
        return 0.0 if passes else math.ceil((1 - level) / self._a_second)


class Counted(msgspec.Struct):
    """What a worker has answered since it began, and when each token was last used."""

    requests: list[tuple[str, str, int, int]] = []
    times: list[tuple[str, list[int], float]] = []
    last_used: dict[str, float] = {}


def write(folder: Path, counted: Counted) -> None:
    """Leave it for the main process, in one step."""
    new = folder / f"{os.getpid()}.new"
    new.write_bytes(msgspec.json.encode(counted))
    new.replace(folder / f"{os.getpid()}{COUNTED}")


def read(folder: Path) -> Iterator[Counted]:
    """Of all workers, those that have ended among them."""
    for path in folder.glob(f"*{COUNTED}"):
        yield msgspec.json.decode(path.read_bytes(), type=Counted)


def processes(folder: Path) -> list[int]:
    """Of all workers, those that have ended among them."""
    return [int(path.stem) for path in folder.glob(f"*{COUNTED}")]
