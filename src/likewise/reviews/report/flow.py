"""How many records a review found, screened, left out and included: the counts of PRISMA 2020.

M. J. Page et al., The PRISMA 2020 statement: an updated guideline for reporting systematic reviews,
BMJ 372:n71, 2021. Records of one paper count once after identification. Its template asks to tell
records that people left out from those left out by automation: the latter are here the records
that nobody had judged when screening ended.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from likewise.errors import UsageError
from likewise.readers.problems import SOURCE as GIVEN
from likewise.reviews.ledger import STAGES
from likewise.store.sources import by_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from likewise.reviews.ledger import Stage
    from likewise.reviews.live import Live

# A reason for exclusion that says that a full text could not be had.
NOT_RETRIEVED = ("not retrieved", "no full text", "full text not available")
OTHER = "other records"  # that a program gave
NO_REASON = "no reason given"
MOST_SOURCES = 100
COUNT = re.compile("[0-9]{1,12}")


class FullText(NamedTuple):
    """The second stage: what was found relevant by title and abstract."""

    sought: int
    not_retrieved: int
    assessed: int
    excluded: dict[str, int]
    """By reason, the most frequent first; a record with several reasons counts by its first."""
    undecided: int
    waiting: int
    """Not judged yet."""


class Flow(NamedTuple):
    """Counts of records, each of one paper."""

    sources: dict[str, int]
    """What was found where, as far as somebody said so."""
    identified: int
    duplicates: int
    """Removed before screening, because another record is of the same paper."""
    screened: int
    excluded: int
    """By people, by title and abstract."""
    not_reached: int
    """Judged by nobody: left out by the ranking once screening has ended."""
    undecided: int
    """Judged unsure, or reviewers differ and nobody has decided."""
    relevant: int
    """By title and abstract."""
    reasons: dict[str, int]
    """For exclusion by title and abstract."""
    full_text: FullText | None
    """None while no full text was judged."""
    included: int
    removed: int = 0
    """For other reasons: deleted from the index."""
    unreadable: int = 0
    """Places in the files that could not be read; whether they were records is not known."""


def flow(live: Live, sources: Mapping[str, int] | None = None) -> Flow:
    """The counts of a session; `sources` says how many records came from which database.

    Where nobody says so, the index does: it counts what was read from which file, and what was left
    out because it was there already.
    """
    given = _checked(sources or {})
    read = _Read.of(live)
    first, second = (_Stage(live, stage) for stage in STAGES)
    here = len(live.generation)
    duplicates = 0 if live.grouping is None else sum(1 for _ in live.grouping.extra)
    if given:  # records that were removed before they came here are duplicates, too
        read = read._replace(skipped=max(sum(given.values()) - here, 0), deleted=0)
    screened = here - duplicates
    judged = first.judged | first.examples
    full_text = _full_text(first, second) if second.judged else None
    return Flow(
        sources=given or read.sources,
        identified=here + read.skipped + read.deleted,
        duplicates=duplicates + read.skipped,
        removed=read.deleted,
        unreadable=read.unreadable,
        screened=screened,
        excluded=len(first.excluded),
        not_reached=screened - len(judged),
        undecided=len(judged) - len(first.relevant) - len(first.excluded),
        relevant=len(first.relevant),
        reasons=first.reasons(first.excluded),
        full_text=full_text,
        included=len(first.relevant if full_text is None else second.relevant),
    )


class _Read(NamedTuple):
    """What the index counted when its files were read."""

    sources: dict[str, int]
    skipped: int
    deleted: int
    unreadable: int

    @classmethod
    def of(cls, live: Live) -> _Read:
        snapshot = live.generation.snapshot
        files = by_name(snapshot.manifest.sources)
        skipped = sum(one.duplicates for one in files.values())
        unreadable = sum(one.unreadable for one in files.values())
        sources = {name: one.records for name, one in files.items() if one.records}
        deleted = sum(sources.values()) - skipped - len(snapshot)
        if deleted < 0:  # it has records from before files were counted
            sources, deleted = {}, 0
        given = sources.pop(GIVEN, 0)
        if sources and given:
            sources[OTHER] = given
        return cls(sources, skipped, deleted, unreadable)


class _Stage:
    """One stage's judgements, of each group of duplicates the one that stands for it."""

    def __init__(self, live: Live, stage: Stage) -> None:
        votes = live.ledger.by_document(stage)
        self._live, self._votes = live, votes
        decided = live.settled(votes, stage)
        there = live.documents.present(votes)
        self.judged = set(live.once(there))
        self.relevant = set(live.once(id for id in there if decided.get(id) is True))
        self.excluded = set(live.once(id for id in there if decided.get(id) is False))
        self.excluded -= self.relevant
        self.examples: set[str] = set()
        if stage == STAGES[0]:
            self._take_examples()

    def _take_examples(self) -> None:
        """Examples of the collection are prior knowledge: known before anything was judged."""
        start, live = self._live.start, self._live
        for side, known in ((start.examples, self.relevant), (start.unlike, self.excluded)):
            ids = live.documents.present(one.id for one in side if one.id is not None)
            new = set(live.once(ids)) - self.judged - self.examples
            known |= new
            self.examples |= new

    def reasons(self, ids: Iterable[str]) -> dict[str, int]:
        """Records by the first reason that somebody gave, the most frequent first."""
        found = Counter(self.reason(id) or NO_REASON for id in ids)
        return dict(sorted(found.items(), key=lambda one: (-one[1], one[0])))

    def reason(self, id: str) -> str:
        marks = self._votes.get(id, {}).values()
        return next((mark.reasons[0] for mark in marks if mark.reasons), "")


def _full_text(first: _Stage, second: _Stage) -> FullText:
    lost = {id for id in second.excluded if second.reason(id).strip().lower() in NOT_RETRIEVED}
    sought = first.relevant | second.judged
    decided = second.relevant | second.excluded
    return FullText(
        sought=len(sought),
        not_retrieved=len(lost),
        assessed=len(second.judged - lost),
        excluded=second.reasons(second.excluded - lost),
        undecided=len(second.judged - decided),
        waiting=len(sought - second.judged),
    )


def sources_of(given: Sequence[str]) -> dict[str, int]:
    """`PubMed=812` and its like, by name."""
    if len(given) > MOST_SOURCES:
        raise UsageError(f"there are {len(given):,} sources: give at most {MOST_SOURCES}")
    found: dict[str, int] = {}
    for one in given:
        name, _, count = (part.strip() for part in one.rpartition("="))
        if not name or not COUNT.fullmatch(count):
            raise UsageError(f"the source {one[:80]!r} is not understood: write PubMed=812")
        found[name] = int(count)
    return found


def _checked(sources: Mapping[str, int]) -> dict[str, int]:
    for name, count in sources.items():
        if not isinstance(name, str) or not name.strip():
            raise UsageError("a source has no name: give for example PubMed=812")
        if not isinstance(count, int) or isinstance(count, bool) or count < 0:
            raise UsageError(f"the records of {name} are {count!r}: give how many there were")
    return dict(sources)
