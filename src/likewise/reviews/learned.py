"""What a session learns from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.reviews.ledger import STAGES

if TYPE_CHECKING:
    from likewise.reviews.live import Live


def learned_from(live: Live) -> dict[str, bool]:
    """Relevant or not, by document; a later stage knows better.

    Of a blinded reviewer her own votes, what was known before, and what was decided of what she
    may see.
    """
    blind, whole = live.blind, live.whole
    found: dict[str, bool] = {}
    for stage in STAGES[: STAGES.index(live.stage) + 1]:
        if blind is None:
            votes = whole.by_document(stage)
        else:
            own = {id: {blind: mark} for id, mark in whole.marks(blind, stage).items()}
            votes = whole.prior(stage) | own
        found |= live.settled(votes, stage)
    return found
