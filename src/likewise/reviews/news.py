"""What came into a running review: records that were added since it began, or since somebody
said that the new ones are known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.reviews.arrivals import arrive, extent_of, extents, first_new

if TYPE_CHECKING:
    from collections.abc import Iterable

    from likewise.reviews.live import Live


class News:
    """Made by `Session.news`. New records are ranked with all others; these are their names."""

    def __init__(self, live: Live) -> None:
        self._live = live
        known = extents(live.database, live.number)
        self.since: float | None = known[-1].at if known else None
        """When the review began, or `seen` was called last; in seconds since 1970."""
        snapshot = live.generation.snapshot
        self._first = first_new(snapshot, known[-1]) if known else len(snapshot)

    @property
    def ids(self) -> list[str]:
        """All that came, in the order of the index."""
        snapshot = self._live.generation.snapshot
        return snapshot.ids(range(self._first, len(snapshot)))

    @property
    def unjudged(self) -> int:
        """How many of them nobody has judged."""
        done = self._live.documents.numbers(self._live.votes())
        judged = sum(number >= self._first for number in done)
        return len(self._live.generation) - self._first - judged

    def among(self, ids: Iterable[str]) -> set[str]:
        """Those of the documents that are new."""
        wanted = list(ids)
        numbers = self._live.documents.numbers(wanted)
        return {id for id, n in zip(wanted, numbers, strict=True) if n >= self._first}

    def seen(self) -> None:
        """From now on, only what comes later is new."""
        with self._live.turn() as live:
            arrive(live.database, live.number, extent_of(live.generation.snapshot))
            self._first = len(live.generation)
