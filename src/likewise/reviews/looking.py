"""What a reviewer can look at in a session: what was judged, by whom, and where they differ."""

from __future__ import annotations

from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

from likewise.reviews import judged as lists
from likewise.reviews.team import Teamwork

if TYPE_CHECKING:
    from collections.abc import Iterator

    from likewise.reviews.agreement import Agreement, Conflict
    from likewise.reviews.judged import JudgedList, JudgedRecord, Step, Words
    from likewise.reviews.live import Live
    from likewise.search.hits import Hit


class Looking:
    """A session in somebody's hands, who finds there what she may see."""

    def __init__(self, live: Live, reviewer: str, *, oversees: bool) -> None:
        self._live = live
        self.reviewer = reviewer
        self._oversees = oversees

    @property
    def team(self) -> Teamwork:
        """Who judges and who decides; conflicts, agreement, assignments."""
        return Teamwork(self._look, self.reviewer, oversees=self._oversees)

    def judged(self, *, n: int = 100, offset: int = 0, **wanted: Any) -> JudgedList:
        """Records that were judged, the last first, of which `wanted` says which.

        `label`, `by` (a reviewer), `reason`, `tag`, `how` (decided, agreed, conflict, open),
        `since` and `until` (seconds since 1970), and `doubtful`: those of which the ranking says
        the opposite, the most doubtful first.
        """
        with self._now() as live:
            return lists.judged(live, lists.wanted(**wanted), n, offset)

    def words_used(self) -> Words:
        """The reasons and tags that reviewers have given."""
        with self._now() as live:
            return lists.words_used(live)

    def record(self, document: Hit | str) -> JudgedRecord:
        """What holds of a record, and who says what of it."""
        with self._now() as live:
            return lists.record(live, id_of(document))

    def record_history(self, document: Hit | str) -> list[Step]:
        """Who said what of a record and when: judgements, notes, decisions; the first first."""
        with self._now() as live:
            return lists.history(live, id_of(document))

    def agreement(self) -> list[Agreement]:
        """Cohen's κ of every two reviewers, over the documents that both have judged."""
        return self.team.agreement()

    def conflicts(self) -> list[Conflict]:
        """Documents that some reviewers call relevant and others not, until that is decided."""
        return self.team.conflicts()

    @contextmanager
    def _now(self) -> Iterator[Live]:
        """The session as it is now, in all processes."""
        with self._look() as live:
            live.follow()
            yield live

    def _look(self) -> AbstractContextManager[Live]:
        """A turn in which is there what this reviewer may see."""
        return self._live.looking(self.reviewer, oversees=self._oversees)


def id_of(document: Hit | str) -> str:
    return document if isinstance(document, str) else document.id
