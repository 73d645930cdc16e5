"""What the library says of a team, as answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.server.answers import stamp
from likewise.server.models import team as models

if TYPE_CHECKING:
    from collections.abc import Iterable

    from likewise.document import Document
    from likewise.reviews import Session
    from likewise.reviews.adjudications import Decision
    from likewise.reviews.judged import JudgedRecord, Vote


def team_info(session: Session) -> models.TeamInfo:
    team = session.team
    settings = team.settings
    return models.TeamInfo(
        names=team.names(),
        closed=team.closed,
        you=session.reviewer,
        reviewers=list(settings.reviewers),
        agree=settings.agree,
        blinded=settings.blinded,
        sees_all=list(settings.sees_all),
        adjudicator=settings.adjudicator,
        lease=settings.lease,
        decider=settings.adjudicator or session.owner,
        decides=team.decides,
        blind=team.blinded,
        work=team.work,
        shares=[models.Share(**one._asdict()) for one in team.progress()],
        agreement=_agreement(session),
        alpha=team.alpha,
    )


def conflicts(session: Session, limit: int, offset: int) -> models.Conflicts:
    waiting = [one.document for one in session.team.conflicts()]
    decided = sorted(session.team.decisions().values(), key=lambda one: -one.number)
    decided_on = [one.document for one in decided]
    return models.Conflicts(
        conflicts=_conflicts(session, waiting[offset : offset + limit]),
        decided=_conflicts(session, decided_on[offset : offset + limit]),
        total=len(waiting),
        decides=session.team.decides,
        decider=session.team.settings.adjudicator or session.owner,
        agreement=_agreement(session),
        alpha=session.team.alpha,
    )


def votes(found: Iterable[Vote]) -> list[models.Vote]:
    return [
        models.Vote(
            reviewer=one.reviewer,
            label=one.label,
            at=stamp(one.at),
            reasons=list(one.reasons),
            note=one.note,
            tags=list(one.tags),
        )
        for one in found
    ]


def decision(one: Decision | None) -> models.Decision | None:
    if one is None or one.label is None:
        return None
    return models.Decision(
        label=one.label,
        reasons=list(one.reasons),
        note=one.note,
        by=one.by,
        at=stamp(one.at),
        stage=one.stage,
    )


def _conflicts(session: Session, ids: list[str]) -> list[models.Conflict]:
    records = [session.record(id) for id in ids]
    there = [one.document for one in records if one.present]
    documents = dict(zip(there, session.documents(there), strict=True))
    return [_conflict(one, documents.get(one.document)) for one in records]


def _conflict(record: JudgedRecord, document: Document | None) -> models.Conflict:
    """A document that has left the index has no title and no text."""
    return models.Conflict(
        id=record.document,
        title=record.title,
        text=document.text if document else "",
        fields=document.fields if document else {},
        labels={one.reviewer: one.label for one in record.votes},
        votes=votes(record.votes),
        decision=decision(record.decision),
    )


def _agreement(session: Session) -> list[models.Agreement]:
    return [
        models.Agreement(
            reviewers=[one.first, one.second],
            documents=one.documents,
            agreed=one.agreed,
            kappa=one.kappa,
        )
        for one in session.team.agreement()
    ]
