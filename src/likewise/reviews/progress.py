"""How far a session has come, in numbers, and what they say about stopping."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from likewise.reviews.pages import RANDOM, ids_of
from likewise.reviews.stopping import RULES, Estimate, Sample, Screening

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.reviews.agreement import Votes
    from likewise.reviews.live import Live
    from likewise.reviews.records import PageRow
    from likewise.reviews.stopping import Rule


class Stats(NamedTuple):
    """Counts of documents, by what all reviewers say together; those deleted are left out."""

    documents: int
    """That can be judged: all in the index but the examples."""
    judged: int
    relevant: int
    others: int
    """Judged not relevant."""
    undecided: int
    """Judged unsure, or where reviewers differ and the session's setting lets that be."""
    passed_over: int
    """Shown and judged by nobody."""
    pages: int
    reviewers: tuple[str, ...]
    gain: tuple[int, ...]
    """Relevant documents found after each document judged: the gain curve."""
    estimates: tuple[Estimate, ...]


def stats(live: Live, rules: Sequence[Rule] | None = None) -> Stats:
    there = live.documents.present(live.votes())
    votes: Votes = {}
    every = live.votes()
    for id in there:  # of duplicates that are judged as one, the first judged
        votes.setdefault(_name(live, id), every[id])
    labels = live.settled(votes)
    screening = _screening(live, votes, labels)
    seen = set(live.once(live.documents.present(live.seen())))
    relevant = screening.found
    return Stats(
        screening.documents,
        len(votes),
        relevant,
        len(labels) - relevant,
        len(votes) - len(labels),
        len(seen - votes.keys()),
        sum(page.stage == live.stage for page in live.pages),
        tuple(live.ledger.reviewers),
        tuple(accumulate(map(int, screening.gains))),
        tuple(rule(screening) for rule in (RULES if rules is None else rules)),
    )


def _screening(live: Live, votes: Votes, labels: dict[str, bool]) -> Screening:
    examples = set(live.once(live.documents.present(live.start.ids))) - votes.keys()
    candidates = live.candidates()
    if candidates is None:
        extra = 0 if live.grouping is None else sum(1 for _ in live.grouping.extra)
        documents = len(live.generation) - extra - len(examples)
    else:
        documents = len(votes.keys() | set(live.once(candidates)).difference(examples))
    gains = [labels.get(id, False) for id in votes]
    pages = [page for page in live.pages if page.stage == live.stage]
    return Screening(documents, gains, _sample(live, pages, votes, labels))


def _name(live: Live, id: str) -> str:
    """The document that stands for this one in counts."""
    return live.once([id])[0]


def _sample(
    live: Live, pages: list[PageRow], votes: Votes, labels: dict[str, bool]
) -> Sample | None:
    """The last random pages, as far as each was drawn from just what the one before had left."""
    first = {id: min(mark.first for mark in said.values()) for id, said in votes.items()}
    drawn = [page for page in pages if page.method == RANDOM]
    run = drawn[-1:]
    for page in reversed(drawn[:-1]):
        later = run[0]
        judged = sum(
            first.get(id, later.after + 1) <= later.after for id in live.once(ids_of(page))
        )
        if page.pool - judged != later.pool:
            break
        run.insert(0, page)
    if not run:
        return None
    decided = {id for page in run for id in live.once(ids_of(page)) if id in labels}
    before = sum(first[id] <= run[0].after for id, relevant in labels.items() if relevant)
    return Sample(run[0].pool, len(decided), sum(labels[id] for id in decided), before)
