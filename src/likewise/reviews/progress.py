"""How far a session has come, in numbers, and what they say about stopping."""

from __future__ import annotations

from bisect import bisect_right
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
    from likewise.reviews.ledger import Mark
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
    blinded: bool = False
    """Whether reviewers' votes are hidden from each other until all have judged."""
    blind: bool = False
    """Whether they are hidden from who asks: then these are her own numbers."""
    note: str = ""
    """What of this is whose, in a sentence, where the session is blinded."""


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
        live.team.blinded,
        live.blind is not None,
        _whose(live),
    )


def _whose(live: Live) -> str:
    """Whose votes the numbers of a blinded session are of."""
    if not live.team.blinded:
        return ""
    if live.blind is None:
        return (
            "This review is blinded: reviewers see what others say of a record once all have "
            "judged it. You see everything."
        )
    said = (
        "This review is blinded: you see your own judgements, and what others say of a record "
        "once all have judged it."
    )
    others = live.voters().keys() - live.whole.marks(live.blind, live.stage).keys()
    if others:
        n = len(live.once(live.documents.present(others)))
        said += f" Others have judged {n:,} more {'record' if n == 1 else 'records'}."
    return said


def prospect(live: Live, size: int, target: float = TARGET) -> Prospect:
    """What a random sample of this size would tell."""
    if size < 1:
        raise UsageError(f"a sample of {size} records: draw at least one")
    return prospects(_screening(live, *_now(live)), size, check_target(target))


def check_target(target: float) -> float:
    if not 0 < target <= 1:
        raise UsageError(f"the target is {target:g}: recall is above 0 and at most 1")
    return target


def _now(live: Live) -> tuple[Votes, dict[str, bool]]:
    """What was said of each document, of duplicates of the first judged, and what holds of it."""
    every, grouping, blind = live.votes(), live.grouping, live.blind
    if blind is not None:  # her own order: she may see others' votes later than they were cast
        every = dict(sorted(every.items(), key=lambda one: _event(one[1], blind)))
    votes: Votes = {}
    for id in live.documents.present(every):
        votes.setdefault(id if grouping is None else grouping.members(id)[0], every[id])
    settled = live.settled(votes)
    return votes, {id: settled[id] for id in votes if id in settled}


def _event(said: Mapping[str, Mark], blind: str | None) -> int:
    """Since when a document is judged, to a blinded reviewer by herself."""
    if blind is not None and blind in said:
        return said[blind].first
    return min(mark.first for mark in said.values())


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
    ranked = set(live.once(live.documents.present(live.seen())))
    ranked.difference_update(*drawn.values())

    def is_judged_here(id: str) -> bool:
        return any(not mark.source for mark in votes[id].values())

    return [place for place, id in enumerate(labels) if id not in ranked or not is_judged_here(id)]


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
    events = [_event(said, live.blind) for said in votes.values()]  # ascending
    found = [0, *accumulate(labels.get(id, False) for id in votes)]
    samples = []
    counted: set[str] = set()
    for page, ids in drawn.items():
        judged = bisect_right(events, page.after)
        before: int | None = found[judged]
        if documents - judged != page.pool:
            before = _found_elsewhere(live, documents, list(votes)[:judged], labels, page)
        if before is None:
            continue
        part = list(takewhile(lambda id: id in votes, ids))
        decided = [labels[id] for id in part if id in labels and id not in counted]
        counted.update(part)
        samples.append(Sample(page.pool, len(decided), sum(decided), before))
    return samples


def _found_elsewhere(
    live: Live, documents: int, judged: list[str], labels: Mapping[str, bool], page: PageRow
) -> int | None:
    """Relevant ones that a random page was not drawn from: judged by then, or on others' screens.

    None if that does not explain how many documents it was drawn from, or is not decided yet.
    """
    others = (
        ids_of(one)
        for one in live.pages
        if one.number < page.number and one.reviewer != page.reviewer and one.stage == page.stage
    )
    held = set(live.once(id for ids in others for id in ids)).difference(judged)
    if documents - len(judged) - len(held) != page.pool or not held <= labels.keys():
        return None
    return sum(labels[id] for id in held) + sum(labels.get(id, False) for id in judged)
