"""Who is shown what: everybody everything, what is assigned to each, or a queue that they share.

In a shared queue a document is given to as many reviewers as must agree, to one at a time: it is
kept for who was shown it until she has judged it, or has left it for as long as a lease lasts.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from likewise.errors import LockedError
from likewise.reviews import assignments
from likewise.reviews.assignments import Claim, TakenError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from likewise.corpus import Mask
    from likewise.reviews.live import Live
    from likewise.reviews.records import PageRow

T = TypeVar("T")
ATTEMPTS = 50  # each loses only against somebody who got a page


class Open(NamedTuple):
    """What a reviewer may be shown: what is `free` and not `left_out`, and only of `among`, if that
    is said; first what is `due`, since others have judged it.
    """

    free: Mask
    left_out: set[str]
    due: list[str]
    among: set[str] | None


def is_shared(live: Live) -> bool:
    return not live.settings.overlap and not live.crew.assigned[live.stage]


def among(live: Live, reviewer: str) -> set[str] | None:
    """What is assigned to a reviewer; None where nothing is to anybody."""
    given = live.crew.assigned[live.stage]
    return {id for id, who in given.items() if reviewer in who} if given else None


def open_to(live: Live, reviewer: str, *, again: bool = False) -> Open:
    """With `again` also what was shown before and passed over."""
    voters, mine = live.voters(), live.marks(reviewer)
    kept = _held(live, reviewer) if is_shared(live) else set()
    shown = set() if again else live.seen(reviewer)
    given = among(live, reviewer)
    enough, grouping = _enough(live), live.grouping

    def is_out(id: str) -> bool:
        same = (id,) if grouping is None else grouping.members(id)
        return any(one in mine or one in kept or one in shown for one in same)

    due: list[str] = []
    if enough > 1 and set(live.whole.reviewers) - {reviewer}:  # somebody may be the second
        others = (id for id, who in voters.items() if id not in mine and len(who) < enough)
        waiting = (id for id in others if (given is None or id in given) and not is_out(id))
        due = live.documents.present(live.once(waiting))
    return Open(live.free(live, reviewer, again=again), live.with_copies(kept), due, given)


def done(live: Live, reviewer: str) -> set[str]:
    """What a reviewer has judged, or enough others have, and what is on another's screen."""
    enough = _enough(live)
    full = [id for id, who in live.voters().items() if len(who) >= enough]
    kept = _held(live, reviewer) if is_shared(live) else set()
    return live.with_copies([*live.marks(reviewer), *full, *kept])


def claim(live: Live, reviewer: str, ids: Sequence[str]) -> Claim | None:
    """What must be leased before these documents are shown; sorted, as all do it."""
    if not is_shared(live):
        return None
    voters = live.voters()
    over = tuple((id, who) for id in ids for who in voters.get(id, ()))
    return Claim(reviewer, tuple(sorted(ids)), live.stage, live.team.lease, over)


def trying(live: Live, choose: Callable[[], T]) -> T:
    """A page, chosen again where somebody else was a little faster."""
    try:
        for _ in range(ATTEMPTS):
            try:
                return choose()
            except TakenError:
                live.read_again()
                live.holding = assignments.held(live.database, live.number, live.stage)
    finally:
        live.holding = {}
    raise LockedError("others are taking the same records all the time: try again")


def still(live: Live, reviewer: str, ids: Sequence[str], at: float) -> Collection[str]:
    """What of a page shown at a time is still the reviewer's to judge; it is kept for her anew."""
    if (given := among(live, reviewer)) is not None:  # assigned since, perhaps to somebody else
        return given | live.marks(reviewer).keys()
    if not is_shared(live):
        return ids
    now, lease = live.now(), live.team.lease
    mine, gone = live.marks(reviewer), done(live, reviewer)
    open_ = [id for id in ids if id not in mine and id not in gone]
    if max(at, live.renewed.get(reviewer, 0.0)) + lease / 2 < now:
        wanted = claim(live, reviewer, open_)
        open_ = assignments.take(live.database, live.number, wanted) if wanted else open_
        live.renewed[reviewer] = now
    return {*open_, *mine}


def renew(live: Live, reviewer: str) -> None:
    """Who judges is still there: what she holds is kept for her for a while longer."""
    if not is_shared(live):
        return
    now, lease = live.now(), live.team.lease
    shown = next((page.at for page in _recent(live) if page.reviewer == reviewer), now)
    if max(shown, live.renewed.get(reviewer, 0.0)) + lease / 2 < now:
        assignments.renew(live.database, live.number, reviewer, live.stage, lease)
        live.renewed[reviewer] = now


def _enough(live: Live) -> float:
    """How many judge a document before it is done with; no number where all judge all."""
    return live.team.agree if is_shared(live) else inf


def _held(live: Live, reviewer: str) -> set[str]:
    """What others have on screen, as far as is known; leases decide."""
    alone = live.pages_by.keys() <= {reviewer}
    pages = [] if alone else [page for page in _recent(live) if page.reviewer != reviewer]
    shown = ((id, page.reviewer) for page in pages for id in live.ids_on[page.number])
    known = ((id, who) for id, who in live.holding.items() if who != reviewer)
    voters = live.voters()
    return {id for id, who in (*shown, *known) if who not in voters.get(id, ())}


def _recent(live: Live) -> Iterator[PageRow]:
    """Pages whose leases may still hold."""
    since = live.now() - live.team.lease
    for page in reversed(live.all_pages):
        if page.at < since:
            return
        if page.stage == live.stage:
            yield page
