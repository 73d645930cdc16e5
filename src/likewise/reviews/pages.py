"""Pages: which documents a reviewer sees next. A page is kept before it is shown."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from likewise.document import title_of
from likewise.errors import StoreError, UsageError, sentence
from likewise.reviews.ledger import FIRST
from likewise.reviews.records import PageRow
from likewise.search.hits import Hit, explain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from likewise.reviews.live import Live
    from likewise.search.hits import AnyQuery

RANDOM = "random"
RELEVANT = "relevant before"
EVEN = 1e-9  # 0.1 ten times is 1
NOTHING = "every document has been judged or shown"


class ReviewPage(NamedTuple):
    """Documents to judge, the method that chose them, and why it was that one."""

    number: int
    """Of the reviewer's pages, from 1 on; 0 where nothing is left to show."""
    hits: tuple[Hit, ...]
    method: str
    reason: str
    duplicates: Mapping[str, tuple[str, ...]] = {}
    """The ids of others that a document stands for: a judgement of it holds for them."""

    @property
    def ids(self) -> list[str]:
        return [hit.id for hit in self.hits]


def hits_of(row: PageRow) -> list[Hit]:
    try:
        return msgspec.json.decode(row.hits, type=list[Hit])
    except msgspec.MsgspecError as error:
        raise StoreError(
            f"page {row.number} of the session is damaged ({sentence(error)}): "
            "put back a copy of the database"
        ) from error


def ids_of(row: PageRow) -> list[str]:
    return [hit.id for hit in hits_of(row)]


def last_page(live: Live, reviewer: str) -> ReviewPage | None:
    """The reviewer's last page, if there is something on it to judge still."""
    own = [page for page in live.pages if (page.reviewer, page.stage) == (reviewer, live.stage)]
    if not own:
        return None
    hits = hits_of(own[-1])
    marks = live.marks(reviewer)
    if all(hit.id in marks for hit in hits):
        return None
    there = set(live.documents.present(hit.id for hit in hits))
    if all(id in marks for id in there):
        return None
    kept = tuple(hit for hit in hits if hit.id in there)
    number = sum(page.reviewer == reviewer for page in live.pages)
    return ReviewPage(number, kept, own[-1].method, own[-1].reason, _others(live, kept))


def next_page(
    live: Live, reviewer: str, n: int | None = None, *, again: bool = False
) -> ReviewPage:
    """First what others have judged, if everybody is to judge everything, and then what is new."""
    n = _size(live, n)
    if _is_random(live, reviewer):
        return random_page(live, reviewer, n)
    seen = set() if again else live.seen(None if not live.settings.overlap else reviewer)
    seen = live.with_copies(seen)
    candidates = live.candidates()
    if candidates is not None:
        return _later_stage(live, reviewer, [id for id in candidates if id not in seen], n)
    mine = live.marks(reviewer)
    due = _due(live, reviewer, seen)[:n] if live.settings.overlap else []
    left_out = {*seen, *live.with_copies([*mine, *live.votes()])}
    if live.grouping is not None:
        left_out |= {*live.grouping.extra, *live.with_copies(live.start.ids)}
    page = live.ranked(max(n - len(due), 1), left_out)
    found = list(page.hits[: n - len(due)])
    reason = page.reason
    if due:
        found = _scored(live, due, page.query) + found
        reason = f"{reason}; documents that other reviewers have judged come first"
    hits = [hit._replace(rank=rank) for rank, hit in enumerate(found, 1)]
    return _kept(live, reviewer, hits, page.method, reason, 0)


def _later_stage(live: Live, reviewer: str, ids: list[str], n: int) -> ReviewPage:
    """What was found relevant at the stage before, best first."""
    done = live.with_copies(live.marks(reviewer) if live.settings.overlap else live.votes())
    best = sorted(
        _scored(live, live.once(id for id in ids if id not in done), live.query()),
        key=lambda hit: -hit.score,
    )
    hits = [hit._replace(rank=rank) for rank, hit in enumerate(best[:n], 1)]
    return _kept(live, reviewer, hits, RELEVANT, f"relevant by {FIRST}, the best first", 0)


def _is_random(live: Live, reviewer: str) -> bool:
    """Whether it is time for a random page: of so many pages, so many are."""
    rate = live.settings.random_rate
    before = sum(page.reviewer == reviewer for page in live.pages)
    return int(rate * (before + 1) + EVEN) > int(rate * before + EVEN)


def random_page(live: Live, reviewer: str, n: int | None = None) -> ReviewPage:
    """Documents in random order; which ones is decided by the seed and the pages before."""
    n = _size(live, n)
    pool = _unjudged(live)
    rng = np.random.default_rng([live.settings.seed, len(live.pages)])
    drawn = live.documents.ids(pool[rng.permutation(len(pool))[:n]].tolist())
    hits = _scored(live, drawn, live.query())
    reason = f"{len(hits)} of {len(pool)} unjudged documents, to estimate recall"
    return _kept(live, reviewer, hits, RANDOM, reason, len(pool))


def _unjudged(live: Live) -> np.ndarray:
    """The numbers of documents that nobody has judged and that were not given as examples."""
    candidates = live.candidates()
    if candidates is None:
        free = np.ones(len(live.generation), np.bool_)
    else:
        free = np.zeros(len(live.generation), np.bool_)
        free[live.documents.numbers(candidates)] = True
    done = live.with_copies([*live.votes(), *live.start.ids])
    extra = () if live.grouping is None else live.grouping.extra
    known = live.documents.numbers([*done, *extra])
    free[[number for number in known if number >= 0]] = False
    return np.flatnonzero(free)


def _size(live: Live, n: int | None) -> int:
    if n is not None and n < 1:
        raise UsageError(f"a page of {n} documents: ask for at least one")
    return live.settings.page_size if n is None else n


def _due(live: Live, reviewer: str, seen: set[str]) -> list[str]:
    """What other reviewers have judged and this one has not, in the order they judged it."""
    done = {*live.with_copies(live.marks(reviewer)), *seen}
    return live.documents.present(live.once(id for id in live.votes() if id not in done))


def _scored(live: Live, ids: Sequence[str], query: AnyQuery | None) -> list[Hit]:
    """Hits of documents that the ranking did not choose."""
    generation = live.generation
    weighting = live.settings.weighting if isinstance(query, str) else None
    hits = []
    for rank, (id, number) in enumerate(zip(ids, live.documents.numbers(ids), strict=True), 1):
        score = 0.0
        if query is not None:
            score = explain(generation, id, query, weighting, number=number).score
        hits.append(Hit(id, score, generation.snapshot.read(number, title_of), rank))
    return hits


def _kept(
    live: Live, reviewer: str, hits: list[Hit], method: str, reason: str, pool: int
) -> ReviewPage:
    """An empty page is not worth keeping: there may be more documents later."""
    if not hits:
        return ReviewPage(0, (), method, NOTHING)
    text = msgspec.json.encode(hits).decode()
    row = PageRow(
        *(0, reviewer, method, reason, text, live.ledger.last, pool, 0.0),
        stage=live.stage,
        generation=live.generation.snapshot.generation,
        version=_version(),
    )
    return ReviewPage(live.keep(row), tuple(hits), method, reason, _others(live, hits))


def _others(live: Live, hits: Sequence[Hit]) -> Mapping[str, tuple[str, ...]]:
    return {} if live.grouping is None else live.grouping.others(hit.id for hit in hits)


@cache
def _version() -> str:
    """Another version may rank differently."""
    return version("likewise")
