"""Judgements of one session that wait for each other: whoever has its turn enters all of them.

They are learned from together, and kept by one commit, so that many who judge at once wait about
as long as one of them. Each gets a page of her own, which is learned from her judgements and from
those that came with them.

About as many sessions have turns at a time as there are cores, first the one in which somebody has
waited longest.
"""

from __future__ import annotations

import time
from collections import deque
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING

from likewise.engines.cores import cores
from likewise.errors import LikewiseError
from likewise.reviews.live import MovedError
from likewise.reviews.together import Given, apart, judge_together, showing_together
from likewise.server import reviews, shown
from likewise.server.direct import encode
from likewise.server.first import FirstCome
from likewise.server.problems import ProblemError
from likewise.server.routes.common import in_turn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.reviews import ReviewPage, Session
    from likewise.server.access import Caller
    from likewise.server.indexes import ServedIndex
    from likewise.server.judging import Asked
    from likewise.server.routes.common import Parts
    from likewise.server.stop import Stop

    Chosen = tuple["Waiting", Session, ReviewPage | None, float]

MOST = 32  # requests that are worked on together: other requests of the session wait meanwhile
AT_ONCE = cores() + 1  # sessions: one waits for the disk, and more take each other's time


_coming = count()


class Waiting:
    """A request, and in the end its answer or the error that it is."""

    def __init__(
        self, served: ServedIndex, name: str, caller: Caller, asked: Asked, stop: Stop
    ) -> None:
        self.served, self.name, self.caller = served, name, caller
        self.asked, self.stop = asked, stop
        self.came = next(_coming)
        self.body = b""
        self.error: Exception | None = None
        self.done = False

    def end(self, body: bytes = b"", error: Exception | None = None) -> None:
        self.body, self.error, self.done = body, error, True


class Together:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._waiting: dict[tuple[str, str], deque[Waiting]] = {}
        self._turns = FirstCome(AT_ONCE)

    async def entered(self, one: Waiting) -> bytes:
        """The answer; what was judged is on disk."""
        key = (one.served.name, one.name)
        waiting = self._waiting.setdefault(key, deque())
        waiting.append(one)
        try:
            async with self._parts.queues.of(*key):
                if not one.done:  # it is the first: who came before it is done
                    async with self._turns.place(one.came):
                        batch = [waiting.popleft() for _ in range(min(MOST, len(waiting)))]
                        await in_turn(self._parts, lambda: self._enter(batch))
        finally:
            if one in waiting:
                waiting.remove(one)
            if not waiting and self._waiting.get(key) is waiting:
                del self._waiting[key]
        if one.error is not None:
            raise one.error
        return one.body

    def _enter(self, batch: Sequence[Waiting]) -> None:
        def report(passes: int, objective: float, gap: float) -> None:
            """Learning ends when nobody waits for it any more."""
            for place, one in enumerate(batch, 1):
                try:
                    one.stop.report(passes, objective, gap)
                except ProblemError:
                    if place == len(batch):
                        raise
                else:
                    return

        first = batch[0]
        try:
            self._parts.reviews.together(
                first.served, first.name, report, lambda session: _enter(session, batch)
            )
        except Exception as error:
            for one in batch:
                if not one.done:
                    one.end(error=error)


def _enter(session: Session, batch: Sequence[Waiting]) -> None:
    asked: list[tuple[Waiting, Given]] = []
    for one in batch:
        try:
            one.stop.check()  # it may have waited for its turn
            own = reviews.held(session, one.caller, one.asked.reviewer)
            asked.append((one, Given(own, reviews.given(one.asked))))
        except ProblemError as error:
            one.end(error=error)
    refused = [why for part in apart([given for _, given in asked]) for why in _judged(part)]
    kept: list[tuple[Waiting, Session]] = []
    for (one, given), why in zip(asked, refused, strict=True):
        if why is None:
            kept.append((one, given.session))
        else:
            one.end(error=reviews.refused(why) if isinstance(why, LikewiseError) else why)
    for one, own, page, began in _pages(session, kept):
        _tell(one, own, page, began)


def _judged(part: Sequence[Given]) -> Sequence[Exception | None]:
    """The error of each; a part that is not kept is an error of its own alone."""
    try:
        return judge_together(part)
    except MovedError:  # nothing was done: all are entered into another session
        raise
    except Exception as error:
        return [error] * len(part)


def _pages(session: Session, kept: Sequence[tuple[Waiting, Session]]) -> list[Chosen]:
    """The next page of each who asks for one; None in place of one that took too long, or that
    could not be kept: that the judgements are kept must be said in any case.
    """
    without: list[Chosen] = [(one, own, None, 0.0) for one, own in kept]
    if not any(one.asked.next for one, _ in kept):
        return without
    with suppress(ProblemError):  # that there is no time left is said by what needs it
        for own in {own.reviewer: own for one, own in kept if one.asked.next}.values():
            own.learn()  # before others who write have to wait
    try:
        with showing_together(session):
            return _chosen(kept)
    except LikewiseError:
        return [one for one in without if not one[0].done]


def _chosen(kept: Sequence[tuple[Waiting, Session]]) -> list[Chosen]:
    found: list[Chosen] = []
    for one, own in kept:
        began, page = time.perf_counter(), None
        try:
            page = reviews.chosen(own, one.asked.next) if one.asked.next else None
        except ProblemError:  # as above
            pass
        except LikewiseError as error:
            one.end(error=error)
            continue
        found.append((one, own, page, began))
    return found


def _tell(one: Waiting, own: Session, page: ReviewPage | None, began: float) -> None:
    told = None
    try:
        if page is not None and one.asked.next is not None:
            told = reviews.shown_page(own, page, one.asked.next, one.stop, began)
    except ProblemError:  # as above
        pass
    except Exception as error:
        one.end(error=error)
        return
    one.end(encode(shown.Entered(len(one.asked.judgements), told)))
