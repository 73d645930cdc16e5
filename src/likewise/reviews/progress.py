"""How far a session has come, in numbers, and what they say about stopping."""

from __future__ import annotations

from itertools import accumulate, takewhile
from typing import TYPE_CHECKING, NamedTuple

from likewise.errors import UsageError
from likewise.reviews.pages import ids_of
from likewise.reviews.stopping import RULES, Estimate, Sample, Screening
from likewise.reviews.stopping.verdict import TARGET, Prospect, Stopping, decide
from likewise.reviews.stopping.verdict import prospect as prospects

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
    stopping: Stopping
    """Whether to stop, in one sentence."""


def stats(live: Live, rules: Sequence[Rule] | None = None, target: float = TARGET) -> Stats:
    votes, labels, screening = _now(live)
    seen = set(live.once(live.documents.present(live.seen())))
    relevant = screening.found
    trusted = tuple(rule(screening) for rule in (RULES if rules is None else rules))
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
        trusted,
        decide(screening, trusted, target),
    )


def prospect(live: Live, size: int, target: float = TARGET) -> Prospect:
    """What a random sample of this size would tell."""
    if size < 1:
        raise UsageError(f"a sample of {size} documents: draw at least one")
    return prospects(_now(live)[2], size, check_target(target))


def check_target(target: float) -> float:
    if not 0 < target <= 1:
        raise UsageError(f"the target is {target:g}: recall is above 0 and at most 1")
    return target


def _now(live: Live) -> tuple[Votes, dict[str, bool], Screening]:
    there = live.documents.present(live.votes())
    votes: Votes = {}
    every = live.votes()
    for id in there:  # of duplicates that are judged as one, the first judged
        votes.setdefault(_name(live, id), every[id])
    labels = live.settled(votes)
    return votes, labels, _screening(live, votes, labels)


def _screening(live: Live, votes: Votes, labels: dict[str, bool]) -> Screening:
    examples = set(live.once(live.documents.present(live.start.ids))) - votes.keys()
    candidates = live.candidates()
    if candidates is None:
        extra = 0 if live.grouping is None else sum(1 for _ in live.grouping.extra)
        documents = len(live.generation) - extra - len(examples)
    else:
        documents = len(votes.keys() | set(live.once(candidates)).difference(examples))
    gains = [labels.get(id, False) for id in votes]
    drawn = {id for page in _random_pages(live) for id in live.once(ids_of(page))}
    at_random = [place for place, id in enumerate(votes) if id in drawn]
    return Screening(documents, gains, _samples(live, documents, votes, labels), at_random)


def _name(live: Live, id: str) -> str:
    """The document that stands for this one in counts."""
    return live.once([id])[0]


def _random_pages(live: Live) -> list[PageRow]:
    return [page for page in live.pages if page.pool and page.stage == live.stage]


def _samples(live: Live, documents: int, votes: Votes, labels: dict[str, bool]) -> list[Sample]:
    """Random pages, each as far as it was judged in its order: that order is random, too.

    Pages drawn when there were other documents, or of which that cannot be told, do not count.
    """
    drawn = _random_pages(live)
    if not drawn:
        return []
    first = {id: min(mark.first for mark in said.values()) for id, said in votes.items()}
    samples = []
    counted: set[str] = set()
    for page in drawn:
        judged_before = sum(event <= page.after for event in first.values())
        if documents - judged_before != page.pool:
            continue
        open_ = votes.keys() - counted
        part = list(takewhile(open_.__contains__, live.once(ids_of(page))))
        counted.update(part)
        before = sum(first[id] <= page.after for id, relevant in labels.items() if relevant)
        relevant = sum(labels.get(id, False) for id in part)
        samples.append(Sample(page.pool, len(part), relevant, before))
    return samples
