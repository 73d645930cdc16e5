"""Hits with one document of each group of duplicates, and the names of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.duplicates import find_duplicates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from likewise.store.snapshot import Snapshot

    Found = Sequence[tuple[int, float]]


class Grouping:
    """The groups of duplicates of one generation, by id and by number."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._groups = [group.ids for group in find_duplicates(snapshot).groups]
        self._of = {id: at for at, ids in enumerate(self._groups) for id in ids}
        ids = list(self._of)
        numbers = snapshot.numbers(ids).tolist()
        self._of_number = {n: self._of[id] for id, n in zip(ids, numbers, strict=True)}
        self.extra = frozenset(id for group in self._groups for id in group[1:])
        """The documents that another one stands for."""
        extra = (n for id, n in zip(ids, numbers, strict=True) if id in self.extra)
        self.extra_numbers = np.fromiter(extra, np.int64)

    def __len__(self) -> int:
        return len(self._groups)

    def members(self, id: str) -> tuple[str, ...]:
        """The group that a document is in, the most complete record first; itself if none."""
        at = self._of.get(id)
        return (id,) if at is None else self._groups[at]

    def with_copies(self, ids: Iterable[str]) -> set[str]:
        """Documents and their duplicates. A review asks again and again, of all it has shown."""
        found = set(ids)
        for id in found & self._of.keys():
            found.update(self._groups[self._of[id]])
        return found

    def others(self, ids: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
        """The duplicates of each document that has some."""
        return {
            id: tuple(other for other in self.members(id) if other != id)
            for id in ids
            if id in self._of
        }

    def best(self, k: int, top: Callable[[int], Found]) -> Found:
        """The best of each group: as many of the top documents are asked for as that takes."""
        wanted = k
        while True:
            found = top(wanted)
            first: dict[int, tuple[int, float]] = {}
            for number, score in found:
                first.setdefault(self._of_number.get(number, -1 - number), (number, score))
            if len(first) >= k or len(found) < wanted:
                return list(first.values())[:k]
            wanted *= 2
