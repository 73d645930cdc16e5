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
    from collections.abc import Collection, Mapping, Sequence

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
    votes, labels = _now(live)
    screening = _screening(live, votes, labels)
    seen = set(live.once(live.documents.present(live.seen())))
    gain = tuple(accumulate(int(labels.get(id, False)) for id in votes))
    trusted = tuple(rule(screening) for rule in (RULES if rules is None else rules))
    return Stats(
        screening.documents,
        len(votes),
        screening.found,
        len(labels) - screening.found,
        len(votes) - len(labels),
        len(seen - votes.keys()),
        sum(page.stage == live.stage for page in live.pages),
        tuple(live.ledger.reviewers),
        gain,
        trusted,
        decide(screening, trusted, target, gain),
    )


def prospect(live: Live, size: int, target: float = TARGET) -> Prospect:
    """What a random sample of this size would tell."""
    if size < 1:
        raise UsageError(f"a sample of {size} documents: draw at least one")
    return prospects(_screening(live, *_now(live)), size, check_target(target))


def check_target(target: float) -> float:
    if not 0 < target <= 1:
        raise UsageError(f"the target is {target:g}: recall is above 0 and at most 1")
    return target


def _now(live: Live) -> tuple[Votes, dict[str, bool]]:
    """What was said of each document, of duplicates of the first judged, and what holds of it."""
    there = live.documents.present(live.votes())
    votes: Votes = {}
    every = live.votes()
    for id in there:
        votes.setdefault(live.once([id])[0], every[id])
    settled = live.settled(votes)
    return votes, {id: settled[id] for id in votes if id in settled}


def _screening(live: Live, votes: Votes, labels: dict[str, bool]) -> Screening:
    """What rules are shown: where nobody could decide, a document is as good as not judged."""
    examples = set(live.once(live.documents.present(live.start.ids))) - votes.keys()
    candidates = live.candidates()
    if candidates is None:
        extra = 0 if live.grouping is None else sum(1 for _ in live.grouping.extra)
        documents = len(live.generation) - extra - len(examples)
    else:
        documents = len(votes.keys() | set(live.once(candidates)).difference(examples))
    pages = [page for page in live.pages if page.pool and page.stage == live.stage]
    drawn = {page: live.once(ids_of(page)) for page in pages}
    return Screening(
        documents,
        list(labels.values()),
        _samples(live, documents, votes, labels, drawn),
        _unranked(live, votes, labels, drawn),
    )


def _unranked(
    live: Live, votes: Votes, labels: Collection[str], drawn: Mapping[PageRow, list[str]]
) -> list[int]:
    """Places of what no ranking chose: drawn at random, out of a file, or never on a page.

    A file may have all relevant records first, which tells nothing about what is left.
    """
    at_random = {id for ids in drawn.values() for id in ids}
    shown = set(live.once(live.documents.present(live.seen())))

    def is_ranked(id: str) -> bool:
        return (
            id in shown
            and id not in at_random
            and any(not mark.source for mark in votes[id].values())
        )

    return [place for place, id in enumerate(labels) if not is_ranked(id)]


def _samples(
    live: Live,
    documents: int,
    votes: Votes,
    labels: Mapping[str, bool],
    drawn: Mapping[PageRow, list[str]],
) -> list[Sample]:
    """Random pages, each as far as it was judged in its order: that order is random, too.

    Pages drawn when there were other documents, or of which that cannot be told, do not count.
    """
    first = {id: min(mark.first for mark in said.values()) for id, said in votes.items()}
    samples = []
    counted: set[str] = set()
    for page, ids in drawn.items():
        outside = _outside(live, documents, first, page)
        if outside is None:
            continue
        open_ = votes.keys() - counted
        part = list(takewhile(open_.__contains__, ids))
        counted.update(part)
        decided = [labels[id] for id in part if id in labels]
        before = sum(labels.get(id, False) for id in outside)
        samples.append(Sample(page.pool, len(decided), sum(decided), before))
    return samples


def _outside(
    live: Live, documents: int, first: Mapping[str, int], page: PageRow
) -> set[str] | None:
    """What a random page was not drawn from: what was judged by then or on another's screen.

    None if that does not explain how many documents it was drawn from.
    """
    judged = {id for id, event in first.items() if event <= page.after}
    if documents - len(judged) == page.pool:
        return judged
    others = (
        ids_of(one)
        for one in live.pages
        if one.number < page.number and one.reviewer != page.reviewer and one.stage == page.stage
    )
    held = judged.union(live.once(id for ids in others for id in ids))
    return held if documents - len(held) == page.pool and held <= first.keys() else None
