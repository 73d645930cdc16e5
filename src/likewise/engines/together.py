"""The same work on several things at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")
R = TypeVar("R")


def together(work: Callable[[T], R], things: Sequence[T], threads: int) -> list[R]:
    """What `work` makes of each of them, in their order, by so many threads."""
    if threads == 1 or len(things) <= 1:
        return list(map(work, things))
    from likewise.engines.workers import Workers  # which a small index need not import

    with Workers(min(threads, len(things))) as workers:
        return list(workers.map(work, things))
