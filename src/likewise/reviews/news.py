"""What came into a running review: records that were added since it began, or since somebody
said that the new ones are known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.reviews.arrivals import arrive, extent_of, extents, first_new

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from contextlib import AbstractContextManager

    from likewise.reviews.arrivals import Extent
    from likewise.reviews.live import Live

    Look = Callable[[], AbstractContextManager[Live]]


class News:
    """Made by `Session.news`. New records are ranked with all others; these are their names."""

    def __init__(self, look: Look) -> None:
        self._look = look

    @property
    def since(self) -> float | None:
        """When the review began, or `seen` was called last; in seconds since 1970."""
        with self._look() as live:
            known = _last(live)
            return known.at if known else None

    @property
    def ids(self) -> list[str]:
        """All that came, in the order of the index."""
        with self._look() as live:
            snapshot = live.generation.snapshot
            return snapshot.ids(range(_first(live), len(snapshot)))

    @property
    def unjudged(self) -> int:
        """How many of them nobody has judged."""
        with self._look() as live:
            first = _first(live)
            judged = sum(number >= first for number in live.documents.numbers(live.votes()))
            return len(live.generation) - first - judged

    def among(self, ids: Iterable[str]) -> set[str]:
        """Those of the documents that are new."""
        wanted = list(ids)
        with self._look() as live:
            first = _first(live)
            numbers = live.documents.numbers(wanted)
            return {id for id, n in zip(wanted, numbers, strict=True) if n >= first}

    def seen(self) -> None:
        """From now on, only what comes later is new."""
        with self._look() as live:
            arrive(live.database, live.number, extent_of(live.generation.snapshot))


def _last(live: Live) -> Extent | None:
    known = extents(live.database, live.number)
    return known[-1] if known else None


def _first(live: Live) -> int:
    """The number of the first new document; sessions of earlier versions have none."""
    known, snapshot = _last(live), live.generation.snapshot
    return first_new(snapshot, known) if known else len(snapshot)
