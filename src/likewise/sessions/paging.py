"""Which documents a reviewer sees next. A page is kept before it is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.document import title_of
from likewise.errors import UsageError
from likewise.judgements import records
from likewise.judgements.records import PageRow
from likewise.search.hits import Hit, explain
from likewise.sessions.shown import RANDOM, Shown, encode_hits, hits_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.search.hits import AnyQuery
    from likewise.sessions.shared import Shared

NOTHING = "every document has been judged or shown"


def current(shared: Shared, reviewer: str) -> Shown | None:
    """The reviewer's last page, if there is something on it to judge still."""
    own = [page for page in shared.pages if page.reviewer == reviewer]
    if not own:
        return None
    hits = hits_of(own[-1])
    there = set(shared.present(hit.id for hit in hits))
    marks = shared.ledger.marks(reviewer)
    if all(id in marks for id in there):
        return None
    kept = tuple(hit for hit in hits if hit.id in there)
    return Shown(len(own), kept, own[-1].method, own[-1].reason)


def following(shared: Shared, reviewer: str, n: int | None = None, *, again: bool = False) -> Shown:
    """First what others have judged, if everybody is to judge everything, and then what is new."""
    n = _size(shared, n)
    seen = set() if again else shared.seen(None if not shared.settings.overlap else reviewer)
    mine = shared.ledger.marks(reviewer)
    due = _due(shared, reviewer, seen)[:n] if shared.settings.overlap else []
    left_out = {*seen, *mine, *shared.ledger.by_document()}
    page = shared.ranked(max(n - len(due), 1), left_out)
    found = list(page.hits[: n - len(due)])
    reason = page.reason
    if due:
        found = _scored(shared, due, page.query) + found
        reason = f"{reason}; first what other reviewers have judged"
    hits = [hit._replace(rank=rank) for rank, hit in enumerate(found, 1)]
    return _keep(shared, reviewer, hits, page.method, reason, 0)


def sampled(shared: Shared, reviewer: str, n: int | None = None) -> Shown:
    """Documents in random order; which ones is decided by the seed and the pages before."""
    n = _size(shared, n)
    urn = shared.urn()
    last = shared.pages[-1].number if shared.pages else 0
    rng = np.random.default_rng([shared.settings.seed, last])
    drawn = [urn[i] for i in rng.permutation(len(urn))[:n].tolist()]
    hits = _scored(shared, drawn, shared.ranked(1).query)
    reason = f"{len(hits)} of {len(urn)} unjudged documents, to estimate recall"
    return _keep(shared, reviewer, hits, RANDOM, reason, len(urn))


def _size(shared: Shared, n: int | None) -> int:
    if n is not None and n < 1:
        raise UsageError(f"a page of {n} documents: ask for at least one")
    return shared.settings.page_size if n is None else n


def _due(shared: Shared, reviewer: str, seen: set[str]) -> list[str]:
    """What other reviewers have judged and this one has not, in the order they judged it."""
    mine = shared.ledger.marks(reviewer)
    others = shared.ledger.by_document()
    return shared.present(id for id in others if id not in mine and id not in seen)


def _scored(shared: Shared, ids: Sequence[str], query: AnyQuery | None) -> list[Hit]:
    """Hits of documents that the ranking did not choose."""
    searcher = shared.searcher
    weighting = shared.settings.weighting if isinstance(query, str) else None
    hits = []
    for rank, (id, number) in enumerate(
        zip(ids, searcher.snapshot.numbers(ids).tolist(), strict=True), 1
    ):
        score = 0.0 if query is None else explain(searcher, id, query, weighting).score
        hits.append(Hit(id, score, title_of(searcher.snapshot.record(number)), rank))
    return hits


def _keep(
    shared: Shared, reviewer: str, hits: list[Hit], method: str, reason: str, pool: int
) -> Shown:
    """An empty page is not worth keeping: there may be more documents later."""
    if not hits:
        return Shown(0, (), method, NOTHING)
    row = PageRow(0, reviewer, method, reason, encode_hits(hits), shared.ledger.last, pool, 0.0)
    kept = records.add_page(shared.database, shared.number, row)
    shared.follow()  # others may have kept pages before this one
    number = sum(page.reviewer == reviewer for page in shared.pages if page.number <= kept.number)
    return Shown(number, tuple(hits), method, reason)
