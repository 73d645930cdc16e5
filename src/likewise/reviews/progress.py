"""How far a session has come, in numbers, and what they say about stopping."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from likewise.reviews.agreement import combined
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
    there = set(live.documents.present(live.votes()))
    votes = {id: said for id, said in live.votes().items() if id in there}
    labels = combined(votes, live.settings.combine)
    screening = _screening(live, votes, labels)
    seen = set(live.documents.present(live.seen()))
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
    examples = set(live.documents.present(live.start.ids)) - votes.keys()
    candidates = live.candidates()
    if candidates is None:
        documents = len(live.generation) - len(examples)
    else:
        documents = len(votes.keys() | set(candidates).difference(examples))
    gains = [labels.get(id, False) for id in votes]
    pages = [page for page in live.pages if page.stage == live.stage]
    return Screening(documents, gains, _sample(pages, votes, labels))


def _sample(pages: list[PageRow], votes: Votes, labels: dict[str, bool]) -> Sample | None:
    """The last random pages, as far as each was drawn from just what the one before had left."""
    first = {id: min(mark.first for mark in said.values()) for id, said in votes.items()}
    drawn = [page for page in pages if page.method == RANDOM]
    run = drawn[-1:]
    for page in reversed(drawn[:-1]):
        later = run[0]
        judged = sum(first.get(id, later.after + 1) <= later.after for id in ids_of(page))
        if page.pool - judged != later.pool:
            break
        run.insert(0, page)
    if not run:
        return None
    decided = {id for page in run for id in ids_of(page) if id in labels}
    before = sum(first[id] <= run[0].after for id, relevant in labels.items() if relevant)
    return Sample(run[0].pool, len(decided), sum(labels[id] for id in decided), before)
