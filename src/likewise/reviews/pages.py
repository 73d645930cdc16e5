"""Pages: which documents a reviewer sees next. A page is kept before it is shown."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from likewise.document import title_of
from likewise.errors import StoreError, UsageError, sentence
from likewise.reviews import queue
from likewise.reviews.ledger import FIRST
from likewise.reviews.records import PageRow
from likewise.search.hits import Hit, Hits, explain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from likewise.reviews.live import Live
    from likewise.search.hits import AnyQuery

RANDOM = "random"
RELEVANT = "relevant before"
EVEN = 1e-9  # 0.1 ten times is 1
DUE = "records that other reviewers have judged come first"
NOTHING = "every record has been judged or shown"


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

    def __repr__(self) -> str:
        return f"<page {self.number} by {self.method}: {Hits(self.hits)!r}>"

    def _repr_html_(self) -> str:
        from likewise.search.html import hits, paragraphs

        chosen = f"page {self.number}, by {self.method}: {self.reason}"
        return paragraphs([chosen]) + hits(Hits(self.hits), None)


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
    there &= set(queue.still(live, reviewer, [hit.id for hit in hits], own[-1].at))
    if all(id in marks for id in there):
        return None
    kept = tuple(hit for hit in hits if hit.id in there)
    return ReviewPage(
        live.pages_by[reviewer], kept, own[-1].method, own[-1].reason, _others(live, kept)
    )


def next_page(
    live: Live, reviewer: str, n: int | None = None, *, again: bool = False
) -> ReviewPage:
    """First what others have judged, if everybody is to judge everything, and then what is new."""
    n = _size(live, n)
    if _is_random(live, reviewer):
        return random_page(live, reviewer, n)
    free = queue.open_to(live, reviewer, again=again)
    candidates = live.candidates()
    if candidates is not None:
        return _later_stage(live, reviewer, candidates, n, again=again)
    left_out = free.left_out
    if live.grouping is not None:
        left_out |= live.with_copies(live.start.ids)
    page = live.ranked(max(n - len(free.due), 1), left_out, free.among, free.free)
    first = _first(live, free.due, n, live.query() if free.due else None)
    found = [*first, *page.hits[: n - len(first)]]
    reason = f"{page.reason}; {DUE}" if first else page.reason
    hits = [hit._replace(rank=rank) for rank, hit in enumerate(found, 1)]
    return _kept(live, reviewer, hits, page.method, reason, 0)


def _first(live: Live, due: Sequence[str], n: int, query: AnyQuery | None) -> list[Hit]:
    """What others have judged: in the order they did or, where that must not be known, by score."""
    if not due:
        return []
    if live.blind is not None:
        known = live.labels()  # a ranking leaves out what is known already
        first = _scored(live, [id for id in due if id in known][:n], query)
        rest = n - len(first)
        return [*first, *live.ranked(rest, (), due).hits] if rest else first
    return _scored(live, due[:n], query)


def _later_stage(
    live: Live, reviewer: str, candidates: list[str], n: int, *, again: bool
) -> ReviewPage:
    """What was found relevant at the stage before, best first."""
    out = queue.done(live, reviewer) | live.with_copies(() if again else live.seen(reviewer))
    given = queue.among(live, reviewer)
    ids = [id for id in candidates if id not in out and (given is None or id in given)]
    best = sorted(_scored(live, live.once(ids), live.query()), key=lambda hit: -hit.score)
    hits = [hit._replace(rank=rank) for rank, hit in enumerate(best[:n], 1)]
    reason = f"relevant by {FIRST}, the best first"
    return _kept(live, reviewer, hits, RELEVANT, reason, 0)


def _is_random(live: Live, reviewer: str) -> bool:
    """Whether it is time for a random page: of so many pages, so many are."""
    rate = live.settings.random_rate
    before = live.pages_by[reviewer]
    return int(rate * (before + 1) + EVEN) > int(rate * before + EVEN)


def random_page(live: Live, reviewer: str, n: int | None = None) -> ReviewPage:
    """Documents in random order; which ones is decided by the seed and the pages before."""
    n = _size(live, n)
    pool = _unjudged(live, reviewer)
    rng = np.random.default_rng([live.settings.seed, len(live.all_pages)])
    drawn = live.documents.ids(pool[rng.permutation(len(pool))[:n]].tolist())
    hits = _scored(live, drawn, live.query())
    reason = f"{len(hits)} of {len(pool)} unjudged records, to estimate recall"
    return _kept(live, reviewer, hits, RANDOM, reason, len(pool))


def _unjudged(live: Live, reviewer: str) -> np.ndarray:
    """The numbers of documents that nobody has judged and that were not given as examples.

    Those that others have on screen are judged soon; those assigned to others are theirs.
    """
    candidates = live.candidates()
    if candidates is None:
        free = np.ones(len(live.generation), np.bool_)
    else:
        free = np.zeros(len(live.generation), np.bool_)
        free[live.documents.numbers(candidates)] = True
    given = queue.among(live, reviewer)
    if given is not None:
        only = np.zeros_like(free)
        only[[number for number in live.documents.numbers(given) if number >= 0]] = True
        free &= only
    done = live.with_copies([*live.votes(), *live.start.ids]) | queue.done(live, reviewer)
    extra = () if live.grouping is None else live.grouping.extra
    known = live.documents.numbers([*done, *extra])
    free[[number for number in known if number >= 0]] = False
    return np.flatnonzero(free)


def _size(live: Live, n: int | None) -> int:
    if n is not None and n < 1:
        raise UsageError(f"a page of {n} records: ask for at least one")
    return live.settings.page_size if n is None else n


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
        *(0, reviewer, method, reason, text, live.whole.last, pool, 0.0),
        stage=live.stage,
        generation=live.generation.snapshot.generation,
        version=_version(),
    )
    claim = queue.claim(live, reviewer, [hit.id for hit in hits])
    return ReviewPage(live.keep(row, claim), tuple(hits), method, reason, _others(live, hits))


def _others(live: Live, hits: Sequence[Hit]) -> Mapping[str, tuple[str, ...]]:
    return {} if live.grouping is None else live.grouping.others(hit.id for hit in hits)


@cache
def _version() -> str:
    """Another version may rank differently."""
    return version("likewise")
