"""What a session's judgements add up to, as answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.reviews.stopping import RULES
from likewise.server import reviews
from likewise.server.models.sessions import Agreement, Conflict, Conflicts, Estimate, Stats

if TYPE_CHECKING:
    from likewise.index import Index
    from likewise.reviews import Session


def stats_of(session: Session) -> Stats:
    stats = session.stats(RULES)
    return Stats(
        documents=stats.documents,
        judged=reviews.judged(stats),
        passed_over=stats.passed_over,
        pages=stats.pages,
        reviewers=list(stats.reviewers),
        gain=list(stats.gain),
        estimates=[
            Estimate(source=rule.source, **estimate._asdict())
            for rule, estimate in zip(RULES, stats.estimates, strict=True)
        ],
    )


def conflicts_of(index: Index, session: Session) -> Conflicts:
    """Documents that have left the index are shown without a title."""
    conflicts = [
        Conflict(
            id=one.document,
            title=index.document(one.document).title if one.document in index else "",
            labels=one.labels,
        )
        for one in session.conflicts()
    ]
    agreement = [
        Agreement(
            reviewers=[one.first, one.second],
            documents=one.documents,
            agreed=one.agreed,
            kappa=one.kappa,
        )
        for one in session.agreement()
    ]
    return Conflicts(conflicts=conflicts, agreement=agreement)
