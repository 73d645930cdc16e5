"""Ids are unique among live documents: find those that come again, and do as was asked.

Ids of the segment being written are in a dictionary; those of finished segments, of this run or of
earlier ones, are looked up in the segments' files, so that they take no memory here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeVar

from likewise.errors import DuplicateError
from likewise.readers.batch import Records
from likewise.store.places import Places
from likewise.store.residents import Resident, find_live
from likewise.store.selection import select

if TYPE_CHECKING:
    from pathlib import Path

    from likewise.store.residents import Hit
    from likewise.store.segment import Segment

OnDuplicate = Literal["error", "skip", "replace"]
B = TypeVar("B", bound=Records)


class Known:
    """Every live id of an index that is being added to."""

    def __init__(
        self, directory: Path, residents: list[Resident], on_duplicate: OnDuplicate
    ) -> None:
        self.residents = residents
        self.replaced = 0
        self.skipped = 0
        self._directory = directory
        self._on_duplicate = on_duplicate
        self._places = Places()
        self._begin_segment()

    def admit(self, batch: B) -> B:
        """The documents to take out of a batch; from now on their ids are known."""
        hits = find_live(self.residents, batch.ids)
        fresh = not hits and self._current.keys().isdisjoint(batch.ids)
        if fresh and len(set(batch.ids)) == len(batch):
            first = self._documents
            self._current.update(zip(batch.ids, range(first, first + len(batch)), strict=True))
        else:
            batch = select(batch, self._choose(batch, hits))
        self._places.add(batch)
        return batch

    def finish_segment(self, segment: Segment) -> None:
        """The documents admitted so far are in this segment; the next ones begin another."""
        resident = Resident(segment, self._first)
        for number in self._dead:
            resident.delete(number)
        self.residents.append(resident)
        self._begin_segment()

    def release(self) -> None:
        """Take no memory for what was looked up in finished segments, until it is needed again."""
        for resident in self.residents:
            resident.segment.release()

    def _begin_segment(self) -> None:
        self._first = len(self._places)
        self._current: dict[str, int] = {}
        self._dead: list[int] = []

    @property
    def _documents(self) -> int:
        """Documents in the segment that is being written."""
        return len(self._places) - self._first

    def _choose(self, batch: Records, hits: dict[int, Hit]) -> list[int]:
        chosen: list[int] = []
        for i, id_ in enumerate(batch.ids):
            number = self._current.get(id_, -1)
            hit = hits.get(i)
            if number >= 0 or hit:
                if self._on_duplicate == "error":
                    raise self._already_there(batch, i, number, hit, chosen)
                if self._on_duplicate == "skip":
                    self.skipped += 1
                    continue
                self._replace(number, hit)
            self._current[id_] = self._documents + len(chosen)
            chosen.append(i)
        return chosen

    def _replace(self, number: int, hit: Hit | None) -> None:
        self.replaced += 1
        if number >= 0:
            self._dead.append(number)
        elif hit:
            resident, number = hit
            resident.delete(number)

    def _already_there(
        self, batch: Records, i: int, number: int, hit: Hit | None, chosen: list[int]
    ) -> DuplicateError:
        if number >= self._documents:
            before = f"was already given at {batch.place(chosen[number - self._documents])}"
        elif number >= 0:
            before = f"was already given at {self._places[self._first + number]}"
        elif hit and hit[0].first >= 0:
            before = f"was already given at {self._places[hit[0].first + hit[1]]}"
        else:
            before = f"is already in the index {self._directory}"
        way_out = (
            "choose --on-duplicate skip or replace (in Python, on_duplicate), or give it another id"
        )
        return DuplicateError(f"{batch.place(i)}: id {batch.ids[i]!r} {before}: {way_out}")
