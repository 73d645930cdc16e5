"""Sessions for the routes: found by name, held by the reviewer who asks."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, TypeVar

from likewise.errors import (
    LikewiseError,
    MissingReasonError,
    NotAllowedError,
    UnknownIdError,
    UnknownSessionError,
    UsageError,
)
from likewise.reviews import Judgement
from likewise.reviews.backup import streamed
from likewise.reviews.names import reviewer_or_login
from likewise.server import answers, shown
from likewise.server.access import Role
from likewise.server.causes import Cause
from likewise.server.problems import ProblemError, of_error
from likewise.server.search import examples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from likewise.reviews import ReviewPage, Session
    from likewise.reviews.catalogue import ListedSession
    from likewise.reviews.records import SessionRow
    from likewise.reviews.saved import SavedSearches
    from likewise.server.access import Caller
    from likewise.server.indexes import ServedIndex
    from likewise.server.judging import Asked, Next, One
    from likewise.server.models.sessions import (
        ChangedSession,
        NewJudgements,
        NewSession,
        NextPage,
        OneJudgement,
    )
    from likewise.server.stop import Stop
    from likewise.solvers.stopping import Report

T = TypeVar("T")
READER = "a reader"  # who has a token without a name; names of tokens have no space


class Turn(NamedTuple):
    """Which session is asked for and by whom, and when the work must end."""

    name: str
    caller: Caller
    reviewer: str | None
    stop: Stop


class Reviews:
    """`database` is where sessions are kept, None for a file beside each index."""

    def __init__(self, database: str | None) -> None:
        self._database = database

    def listed(self, served: ServedIndex) -> list[ListedSession]:
        return [one for one in served.newest.sessions(self._database) if one.here]

    def searches(self, served: ServedIndex) -> SavedSearches:
        return served.newest.reviews.searches(self._database)

    def create(self, served: ServedIndex, new: NewSession, caller: Caller) -> Session:
        self._check_free(served, new.name)
        given = new.model_dump(exclude={"name", "words", "positive", "negative"}, exclude_none=True)
        return served.newest.reviews.begin(
            new.name,
            query=new.words,
            examples=examples(new.positive),
            unlike=examples(new.negative),
            reviewer=caller.name or None,
            database=self._database,
            **given,
        )

    def open(
        self, served: ServedIndex, name: str, caller: Caller, reviewer: str | None = None
    ) -> Session:
        """The session in the hands of who asks; a token's name goes before any other."""
        who = _reviewer(caller, reviewer)
        session = self._known(served, name)
        return session.as_reviewer(who or session.reviewer, oversees=_oversees(caller))

    def owned(self, served: ServedIndex, name: str, caller: Caller) -> Session:
        """The session, for its owner alone."""
        session = self.open(served, name, caller)
        _own(caller)["may"](session)
        return session

    def turn(self, served: ServedIndex, asked: Turn, work: Callable[[Session], T]) -> T:
        """Work in the session that has this name now, held by who asks, as one turn."""

        def begun(session: Session) -> T:
            asked.stop.check()  # it may have waited for its turn
            return work(session.as_reviewer(session.reviewer, oversees=_oversees(asked.caller)))

        try:
            return served.newest.reviews.turn(
                asked.name,
                begun,
                reviewer=_reviewer(asked.caller, asked.reviewer),
                database=self._database,
                report=asked.stop.report,
            )
        except UnknownSessionError as error:
            raise _no_session(served, asked.name) from error

    def together(
        self, served: ServedIndex, name: str, report: Report, work: Callable[[Session], None]
    ) -> None:
        """As `turn`, for several who ask at once: `work` looks who they are."""
        try:
            served.newest.reviews.turn(name, work, database=self._database, report=report)
        except UnknownSessionError as error:
            raise _no_session(served, name) from error

    def change(
        self, served: ServedIndex, name: str, changed: ChangedSession, caller: Caller
    ) -> None:
        """Change a session's settings, its owner, and its name; for its owner alone."""
        apart = {"name", "owner", "archived"}
        choices = changed.model_dump(exclude=apart, exclude_none=True)
        who = _own(caller)
        session = self._known(served, name, reviewer=who["by"], may=who["may"], **choices)
        who["may"](session)
        reviews = served.newest.reviews
        if changed.archived is not None:
            reviews.archive(name, changed.archived, self._database, **who)
        if changed.name is not None and changed.name != name:
            self._check_free(served, changed.name)
            reviews.rename(name, changed.name, self._database, **who)
        if changed.owner is not None:
            reviews.hand_over(changed.name or name, changed.owner, self._database, **who)

    def delete(self, served: ServedIndex, name: str, caller: Caller) -> None:
        self._known(served, name)
        served.newest.reviews.delete(name, self._database, **_own(caller))

    def backup(self, served: ServedIndex) -> Iterator[bytes]:
        """The index with its judgements, as `likewise backup` writes them."""
        return streamed(served.path, database=self._database)

    def delete_all(self, served: ServedIndex) -> None:
        """Delete the sessions of an index that goes, where they are in a database of all."""
        if self._database is not None:
            for one in self.listed(served):
                served.newest.reviews.delete(one.name, self._database)

    def _check_free(self, served: ServedIndex, name: str) -> None:
        if any(one.name == name for one in served.newest.sessions(self._database)):
            raise ProblemError(
                Cause.name_taken, f"there is a session {name!r} already: choose another name"
            )

    def _known(self, served: ServedIndex, name: str, **choices: Any) -> Session:
        """The session that has this name now: others may rename, delete and create meanwhile.

        The index keeps its ranker warm between requests.
        """
        found = served.newest.find_session(name, database=self._database, **choices)
        if found is None:
            raise _no_session(served, name)
        return found


def held(session: Session, caller: Caller, reviewer: str | None) -> Session:
    """The session in the hands of who asks."""
    who = reviewer_or_login(_reviewer(caller, reviewer))
    return session.as_reviewer(who, oversees=_oversees(caller))


def _no_session(served: ServedIndex, name: str) -> ProblemError:
    return ProblemError(Cause.unknown_session, f"no session {name!r} for {served.name}")


def judge(session: Session, new: NewJudgements) -> None:
    """Enter judgements and withdrawals as one step of undo."""
    try:
        session.judge_all(given(new))
    except LikewiseError as error:
        raise refused(error) from error


def given(new: NewJudgements | Asked) -> list[Judgement]:
    return list({one.id: _judgement(one) for one in new.judgements}.values())


def refused(error: LikewiseError) -> Exception:
    """Why judgements were not entered."""
    known = (UnknownIdError, NotAllowedError, MissingReasonError)
    if isinstance(error, known) or not isinstance(error, UsageError):
        return error
    return of_error(error, {}, Cause.conflict)  # a document to withdraw is not judged


def _judgement(one: OneJudgement | One) -> Judgement:
    tags = None if one.tags is None else tuple(one.tags)
    why = None if one.reasons is None else tuple(one.reasons)
    new = Judgement(one.id, one.label, None, None, one.stage, why, one.note, tags)
    try:
        return new.checked()
    except UsageError as error:
        raise of_error(error, {}, Cause.invalid) from error


def page_in_time(session: Session, wanted: NextPage, stop: Stop) -> shown.Page | None:
    """The next page after judgements were entered: that these are kept must be said in any case."""
    try:
        return next_page(session, wanted, stop)
    except ProblemError:  # the time is up, or nobody is there to see it
        return None


def next_page(session: Session, wanted: NextPage, stop: Stop) -> shown.Page:
    """A new page, which is kept before it is shown."""
    began = time.perf_counter()
    return shown_page(session, chosen(session, wanted), wanted, stop, began)


def chosen(session: Session, wanted: NextPage | Next) -> ReviewPage:
    if wanted.random:
        return session.sample(wanted.size)
    return session.next(wanted.size, again=wanted.again)


def shown_page(
    session: Session, page: ReviewPage, wanted: NextPage | Next, stop: Stop, began: float
) -> shown.Page:
    detail = answers.Detail(wanted.explain, wanted.snippet, stop.check)
    return shown.page(session, page, detail, began)


class _Own(TypedDict):
    by: str | None
    may: Callable[[SessionRow | Session], None]


def _own(caller: Caller) -> _Own:
    """Who changes a session, and a refusal of who has not made it."""

    def may(found: SessionRow | Session) -> None:
        if not caller.owns(found.owner):
            whose = f"{found.owner}'s" if found.owner else "nobody's that is known"
            raise ProblemError(
                Cause.not_yours,
                f"session {found.name!r} is {whose}: its owner may do this, or a token of owner",
            )

    return {"by": caller.name or None, "may": may}


def _oversees(caller: Caller) -> bool:
    """Without tokens anybody may say any name: then it is the name that counts."""
    return bool(caller.name) and caller.may(Role.owner)


def own(caller: Caller) -> Callable[[SessionRow], None]:
    """Refuses who may not change a session."""
    return _own(caller)["may"]


def _reviewer(caller: Caller, reviewer: str | None) -> str | None:
    """Who judges: a token's name goes before any other."""
    if caller.name and reviewer not in (None, caller.name):
        raise ProblemError(Cause.not_allowed, f"your token is {caller.name}'s, not {reviewer}'s")
    if not caller.name and not caller.may(Role.owner):
        if reviewer is not None:
            raise ProblemError(Cause.not_allowed, f"your token has no name, it is not {reviewer}'s")
        return READER
    return caller.name or reviewer
