"""Who may see whose votes.

While a session is blinded, a reviewer sees what others say of a document once she has judged it and
so has everybody who is to: all reviewers, those it is assigned to or, where the work is shared, as
many as must agree. What hides the rest is in one place, `Live.ledger` and `Live.remarks`: counts,
lists, files and what is learned from are made of those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from likewise.reviews.ledger import STAGES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from likewise.reviews.ledger import Ledger, Stage
    from likewise.reviews.protocol import Team
    from likewise.reviews.remarks import Remarks

    Assigned = Mapping[Stage, Mapping[str, frozenset[str]]]  # by stage and document: to whom


class Eyes(NamedTuple):
    """Who looks at a session; who `oversees` it may see everything, unless she judges herself."""

    reviewer: str
    oversees: bool = False

    def sees_all(self, team: Team, owner: str) -> bool:
        if not team.blinded or self.reviewer in team.sees_all:
            return True
        if self.reviewer in team.reviewers:
            return False
        return self.oversees or self.reviewer == (team.adjudicator or owner)


class Shown(NamedTuple):
    """What one reviewer of a blinded session may see."""

    ledger: Ledger
    remarks: Remarks
    is_open: Callable[[Stage, str], bool]


def shown(
    reviewer: str,
    ledger: Ledger,
    remarks: Remarks,
    team: Team,
    assigned: Assigned,
    *,
    overlap: bool,
) -> Shown:
    votes = {stage: ledger.by_document(stage) for stage in STAGES}

    def is_open(stage: Stage, document: str) -> bool:
        said = votes[stage].get(document, {})
        if reviewer not in said:
            return False
        given = assigned[stage].get(document)
        if given:
            return given <= said.keys()
        return said.keys() >= set(team.reviewers) if overlap else len(said) >= team.agree

    def beside(document: str) -> bool:
        judged = [stage for stage in STAGES if document in votes[stage]]
        return bool(judged) and all(is_open(stage, document) for stage in judged)

    return Shown(ledger.seen_by(reviewer, is_open), remarks.seen_by(reviewer, beside), is_open)
