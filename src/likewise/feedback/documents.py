"""Ids of documents and their numbers in one generation; each is looked up once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from likewise.store.snapshot import Snapshot


class Documents:
    """Caches look-ups, so that judging documents that were shown needs none."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._numbers: dict[str, int] = {}
        self._ids: dict[int, str] = {}

    def remember(self, numbers: Iterable[int], ids: Iterable[str]) -> None:
        """Add numbers and ids that were looked up elsewhere, also numbers outside the index."""
        for number, id in zip(numbers, ids, strict=True):
            self._numbers[id], self._ids[number] = number, id

    def numbers(self, ids: Iterable[str]) -> list[int]:
        """The documents' numbers, -1 for an id that is not in the index."""
        wanted, known = list(ids), self._numbers
        try:
            return [known[id] for id in wanted]
        except KeyError:
            new = [id for id in dict.fromkeys(wanted) if id not in known]
            found = self.snapshot.numbers(new).tolist()
            self._numbers.update(zip(new, found, strict=True))
            self._ids.update((n, id) for n, id in zip(found, new, strict=True) if n >= 0)
        return [self._numbers[id] for id in wanted]

    def ids(self, numbers: Iterable[int]) -> list[str]:
        """The documents' ids, in the order of the numbers."""
        wanted = list(numbers)
        new = [number for number in wanted if number not in self._ids]
        if new:
            self.remember(new, self.snapshot.ids(new))
        return [self._ids[number] for number in wanted]

    def present(self, ids: Iterable[str]) -> list[str]:
        """The ids that are in the index."""
        wanted = list(ids)
        return [id for id, n in zip(wanted, self.numbers(wanted), strict=True) if n >= 0]
