"""Which documents a reviewer may still be shown: a mask that follows pages and judgements.

A review asks for it with every judgement, and has shown ten times as many documents as were judged:
only what is new is looked at.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from likewise.corpus import Mask
    from likewise.feedback.documents import Documents
    from likewise.reviews.ledger import Stage
    from likewise.reviews.live import Live
    from likewise.search.grouping import Grouping


def single(size: int, grouping: Grouping | None) -> Mask:
    """All documents but those that another one stands for."""
    mask = np.ones(size, np.bool_)
    if grouping is not None:
        mask[grouping.extra_numbers] = False
    return mask


class FreeOf:
    """The masks of all who ask, by stage and reviewer."""

    def __init__(self) -> None:
        self._of: dict[tuple[Stage, str], _Free] = {}

    def __call__(self, live: Live, reviewer: str, *, again: bool = False) -> Mask:
        """What nobody has judged at this stage and, but for `again`, the reviewer was not shown."""
        documents, whose = live.documents, (live.stage, reviewer)
        if whose not in self._of or self._of[whose].grouping is not live.grouping:
            self._of[whose] = _Free(documents, len(live.generation), live.grouping)
        return self._of[whose].mask(live, *whose, again=again)

    def clear(self) -> None:
        """With another generation documents have other numbers."""
        self._of.clear()


class _Free:
    """Of one reviewer at one stage, in one generation of the index."""

    def __init__(self, documents: Documents, size: int, grouping: Grouping | None) -> None:
        self.grouping = grouping
        self._documents, self._size = documents, size
        self._unseen, self._unjudged = np.ones(size, np.bool_), single(size, grouping)
        self._pages = 0  # how many were looked at
        self._voters: Mapping[str, Collection[str]] = {}
        self._judged = 0  # how many of them were looked at

    def mask(self, live: Live, stage: Stage, reviewer: str, *, again: bool) -> Mask:
        for page in live.all_pages[self._pages :]:
            if (page.stage, page.reviewer) == (stage, reviewer):
                self._leave_out(self._unseen, live.ids_on[page.number])
        self._pages = len(live.all_pages)
        voters = live.voters()
        if voters is not self._voters:  # put together anew, perhaps without some
            self._unjudged = single(self._size, self.grouping)
            self._voters, self._judged = voters, 0
        self._leave_out(self._unjudged, islice(voters, self._judged, None))
        self._judged = len(voters)
        return self._unjudged.copy() if again else self._unjudged & self._unseen

    def _leave_out(self, mask: Mask, ids: Iterable[str]) -> None:
        found = set(ids) if self.grouping is None else self.grouping.with_copies(ids)
        numbers = np.array(self._documents.numbers(found), np.int64)
        mask[numbers[numbers >= 0]] = False
