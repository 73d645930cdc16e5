"""What a reviewer can look at in a session: what was judged, by whom, and where they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from likewise.reviews import judged as lists
from likewise.reviews.handle import Handle, id_of
from likewise.reviews.team import Teamwork

if TYPE_CHECKING:
    from likewise.reviews.agreement import Agreement, Conflict
    from likewise.reviews.judged import JudgedList, JudgedRecord, Step, Words
    from likewise.search.hits import Hit


class Looking(Handle):
    """A session in somebody's hands, who finds there what she may see."""

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
