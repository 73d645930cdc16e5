"""What several people judge in one session at the same moment, as one transaction.

Each keeps its own step of undo, and what one of them may not say is her error alone.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from likewise.errors import LikewiseError
from likewise.reviews import queue
from likewise.reviews.handle import refuse_unknown
from likewise.reviews.records import Entries

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from likewise.reviews.judgement import Judgement
    from likewise.reviews.ledger import Event
    from likewise.reviews.live import Live
    from likewise.reviews.remarks import Remark
    from likewise.reviews.session import Session


class Given(NamedTuple):
    """What one of them says; the sessions of all are one, each in its reviewer's hands."""

    session: Session
    judgements: Sequence[Judgement]


def judge_together(given: Sequence[Given]) -> list[LikewiseError | None]:
    """Enter all of it, in this order; returns the error of each, or None where it is kept."""
    live, now = given[0].session._live, time.time()
    errors: list[LikewiseError | None] = [_unknown(live, one) for one in given]
    _ = live.grouping  # computed before others have to wait

    def decide() -> Entries:
        events: list[Event] = []
        remarks: list[Remark] = []
        for place, one in enumerate(given):
            if errors[place] is not None:
                continue
            who = one.session.reviewer
            try:
                events += one.session.entries(one.judgements)
            except LikewiseError as error:
                errors[place] = error
                continue
            remarks += [r for said in one.judgements if (r := said.remark(who, now)) is not None]
        return Entries(events, remarks)

    live.enter(decide)
    for who in {one.session.reviewer for one in given}:
        queue.renew(live, who)
    return errors


@contextmanager
def showing_together(session: Session) -> Iterator[None]:
    """Pages that are chosen meanwhile are kept by one commit, at its end."""
    live = session._live
    try:
        with live.database.together():
            yield
    except BaseException:  # it may know of pages that were not kept
        live.restart()
        raise


def apart(given: Sequence[Given]) -> Iterator[Sequence[Given]]:
    """In parts that can be entered together: in none is a document judged twice or withdrawn with
    others, since what is said second may depend on what was said first.
    """
    begun, seen = 0, set[str]()
    for place, (session, judgements) in enumerate(given):
        named = session._live.with_copies(one.document for one in judgements)
        alone = any(one.label is None for one in judgements)
        if place > begun and (alone or not seen.isdisjoint(named)):
            yield given[begun:place]
            begun, seen = place, set()
        seen |= named
        if alone:
            yield given[begun : place + 1]
            begun, seen = place + 1, set()
    if begun < len(given):
        yield given[begun:]


def _unknown(live: Live, one: Given) -> LikewiseError | None:
    try:
        refuse_unknown(live, (said.document for said in one.judgements if said.label is not None))
    except LikewiseError as error:
        return error
    return None
