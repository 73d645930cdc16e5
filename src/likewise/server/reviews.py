"""Sessions as the routes see them: found by name, held by the one who asks, shown in full."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from likewise.errors import UnknownIdError, UnknownSessionError, UsageError
from likewise.reviews.ledger import Entry as LedgerEntry
from likewise.server.models import sessions as models
from likewise.server.problems import ProblemError
from likewise.server.shown import Showing, shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from likewise.reviews import ReviewPage, Session
    from likewise.reviews.catalogue import ListedSession
    from likewise.reviews.progress import Stats
    from likewise.server.held import Held
    from likewise.server.models.sessions import NewJudgements, NewSession, NextPage
    from likewise.server.tokens import Caller

T = TypeVar("T")


class Reviews:
    """`database` is where sessions are kept, None for a file beside each index."""

    def __init__(self, database: str | None) -> None:
        self._database = database

    def listed(self, held: Held) -> list[ListedSession]:
        return [one for one in held.newest.sessions(self._database) if one.here]

    def create(self, held: Held, new: NewSession, caller: Caller) -> Session:
        from likewise.server import asking

        if any(one.name == new.name for one in held.newest.sessions(self._database)):
            raise ProblemError(409, f"there is a session {new.name!r} already")
        start = {"name", "words", "positive", "negative"}
        return held.newest.session(
            new.name,
            query=new.words,
            examples=asking.examples(new.positive),
            unlike=asking.examples(new.negative),
            reviewer=caller.name or None,
            database=self._database,
            **new.model_dump(exclude=start, exclude_none=True),
        )

    def open(self, held: Held, name: str, caller: Caller, reviewer: str | None = None) -> Session:
        """The session in the hands of who asks; a token's name goes before any other."""
        who = _reviewer(caller, reviewer)
        session = self._known(held, name)
        return session.as_reviewer(who) if who else session

    def turn(
        self,
        held: Held,
        name: str,
        caller: Caller,
        reviewer: str | None,
        work: Callable[[Session], T],
    ) -> T:
        """Work in the session that has this name now, held by who asks, as one turn."""
        who = _reviewer(caller, reviewer)
        try:
            return held.newest.reviews.turn(name, work, reviewer=who, database=self._database)
        except UnknownSessionError as error:
            raise ProblemError(404, f"no session {name!r} for {held.name}") from error

    def change(self, held: Held, name: str, choices: dict[str, Any], new: str | None) -> None:
        """Change how a session goes about it, and what it is called."""
        self._known(held, name, **choices)
        if new is not None and new != name:
            if any(one.name == new for one in held.newest.sessions(self._database)):
                raise ProblemError(409, f"there is a session {new!r} already")
            held.newest.rename_session(name, new, self._database)

    def delete(self, held: Held, name: str) -> None:
        self._known(held, name)
        held.newest.delete_session(name, self._database)

    def _known(self, held: Held, name: str, **choices: Any) -> Session:
        """The session that has this name now: others may rename, delete and create meanwhile.

        The index keeps its ranker warm between requests.
        """
        found = held.newest.find_session(name, database=self._database, **choices)
        if found is None:
            raise ProblemError(404, f"no session {name!r} for {held.name}")
        return found


def judge(session: Session, new: NewJudgements) -> None:
    """Enter judgements and withdrawals as one step of undo."""
    try:
        session.judge_all({one.id: one.label for one in new.judgements})
    except UnknownIdError:
        raise
    except UsageError as error:  # what is to be withdrawn was never said
        raise ProblemError(409, str(error)) from error


def next_page(session: Session, wanted: NextPage) -> models.Page:
    """A new page, which is kept before it is shown."""
    began = time.perf_counter()
    if wanted.random:
        page = session.sample(wanted.size)
    else:
        page = session.next(wanted.size, again=wanted.again)
    return page_of(session, page, Showing(wanted.explain, wanted.snippet), began)


def page_of(session: Session, page: ReviewPage, showing: Showing, began: float) -> models.Page:
    labels = session.judgements()
    query = session.query if showing.explain else None
    hits = shown(session, page.hits, query, session.settings.weighting, showing)
    return models.Page(
        number=page.number,
        method=page.method,
        reason=page.reason,
        hits=[models.PageHit(**dict(hit), label=labels.get(hit.id)) for hit in hits],
        seconds=time.perf_counter() - began,
    )


def info(held: Held, session: Session) -> models.SessionInfo:
    stats, settings = session.stats(()), session.settings
    return models.SessionInfo(
        name=session.name,
        index=held.name,
        reviewers=list(stats.reviewers),
        judged=judged(stats),
        documents=stats.documents,
        method=settings.method,
        selection=settings.selection,
        weighting=settings.weighting,
        seed=settings.seed,
        page_size=settings.page_size,
        combine=settings.combine,
        overlap=settings.overlap,
    )


def judged(stats: Stats) -> models.Judged:
    return models.Judged(relevant=stats.relevant, others=stats.others, undecided=stats.undecided)


def entry(one: LedgerEntry) -> models.Entry:
    return models.Entry(
        number=one.number,
        at=stamp(one.at),
        reviewer=one.reviewer,
        action=one.action,
        changes=[models.Change(id=c.document, before=c.before, after=c.after) for c in one.changes],
    )


def stamp(seconds: float) -> str:
    """A time as the answers show it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _reviewer(caller: Caller, reviewer: str | None) -> str | None:
    """Who judges: a token's name goes before any other."""
    if caller.name and reviewer not in (None, caller.name):
        raise ProblemError(403, f"your token is {caller.name}'s, not {reviewer}'s")
    return caller.name or reviewer
