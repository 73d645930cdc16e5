"""The near-duplicates of an index: facts, candidates, comparison, groups."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from likewise.document import title_of
from likewise.duplicates import candidates
from likewise.duplicates.compare import Comparison
from likewise.duplicates.facts import as_array, read_facts
from likewise.duplicates.groups import Group, Member, joined
from likewise.errors import UsageError
from likewise.store import cache
from likewise.store.packing import between

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from likewise.duplicates.compare import Match
    from likewise.duplicates.facts import Facts
    from likewise.store.snapshot import Snapshot

    Pairs = dict[tuple[int, int], Match]

THRESHOLD = 0.8  # the least similarity of two records of one paper
FEW_WORDS = 0.4  # in common with the longer title, below which nothing else is looked at
LARGE = 1_000  # documents of an index that are not compared again each time
NAME, VERSION = "duplicates", 1  # of what is kept
SEED = 20_260_101
KEPT_TERMS = 1 << 14  # documents whose terms are remembered


class Duplicates(NamedTuple):
    """Groups of records of one paper, the largest first, and how many pairs were looked at."""

    groups: tuple[Group, ...]
    documents: int
    candidates: int
    threshold: float

    @property
    def extra(self) -> int:
        """Documents besides the first of each group."""
        return sum(len(group.members) - 1 for group in self.groups)


def find_duplicates(
    snapshot: Snapshot,
    threshold: float = THRESHOLD,
    progress: Callable[[int, int], None] | None = None,
) -> Duplicates:
    """Groups of documents that are records of the same paper; the same for any order of them.

    Those of a large index are kept in its folder until it changes.
    """
    _check(snapshot, threshold)
    if len(snapshot) < LARGE:
        return compute(snapshot, threshold, progress)
    key = cache.key_of(snapshot.manifest, VERSION, threshold)
    kept = cache.read(snapshot.directory, NAME, key)
    if kept is not None:
        try:
            return msgspec.json.decode(kept, type=Duplicates)
        except msgspec.MsgspecError:
            pass  # of another version
    found = compute(snapshot, threshold, progress)
    cache.write(snapshot.directory, NAME, key, msgspec.json.encode(found))
    return found


def _check(snapshot: Snapshot, threshold: float) -> None:
    if not 0 < threshold <= 1:
        raise UsageError(f"threshold is {threshold}: it must be above 0 and at most 1")
    if snapshot.segments and snapshot.manifest.kind != "text":
        raise UsageError(
            f"{snapshot.directory} holds vectors, not text: only texts have duplicates"
        )


def compute(
    snapshot: Snapshot, threshold: float, progress: Callable[[int, int], None] | None = None
) -> Duplicates:
    """The same without looking at what was kept."""
    facts = read_facts(snapshot, progress)
    worth = _candidates(snapshot, facts)
    has_texts = bool(set(snapshot.settings.fields) - {"title"})
    compare = Comparison(facts, _terms_of(snapshot), has_texts=has_texts)
    found: Pairs = {}
    for done, (a, b) in enumerate(worth.tolist()):
        match = compare(a, b)
        if match and match.similarity >= threshold:
            found[a, b] = match
        if progress and not done % 10_000:
            progress(len(facts), len(facts))  # asks whether to go on
    return Duplicates(_groups(snapshot, facts, found), len(facts), len(worth), threshold)


def _candidates(snapshot: Snapshot, facts: Facts) -> NDArray[np.int64]:
    titles = candidates.hashes_of(facts.titles)
    by_key = np.stack([titles, as_array(facts.dois), as_array(facts.pmids)])
    words = candidates.together(candidates.title_sets(facts.titles))
    by_title = candidates.band_keys([words], candidates.TITLES, 2, SEED)
    terms = candidates.term_sets(snapshot)
    by_text = candidates.band_keys(terms, candidates.TEXTS, candidates.FEWEST_TERMS, SEED + 1)
    content = titles ^ by_text[0]
    found = candidates.pairs(np.concatenate([by_key, by_title, by_text]), content)
    kept = candidates.shares(found, words) >= FEW_WORDS
    for column in by_key[1:]:  # a DOI or PMID in common is always looked at
        kept |= (column[found[:, 0]] == column[found[:, 1]]) & (column[found[:, 0]] != 0)
    return found[kept]


def _terms_of(snapshot: Snapshot) -> Callable[[int], frozenset[int]]:
    firsts = snapshot.firsts
    rows = [(segment.rows, segment.live) for segment in snapshot.segments]

    @lru_cache(maxsize=KEPT_TERMS)
    def terms(number: int) -> frozenset[int]:
        place = int(np.searchsorted(firsts, number, "right")) - 1
        matrix, live = rows[place]
        local = number - int(firsts[place])
        row = local if live is None else int(live[local])
        start, stop = int(matrix["starts"][row]), int(matrix["starts"][row + 1])
        return frozenset(between(matrix["columns"], start, stop).tolist())

    return terms


def _groups(snapshot: Snapshot, facts: Facts, found: Pairs) -> tuple[Group, ...]:
    numbers = sorted({number for pair in found for number in pair})
    ids = dict(zip(numbers, snapshot.ids(numbers), strict=True))
    best: dict[int, Match] = {}
    for pair, match in found.items():
        for number in pair:
            if number not in best or match > best[number]:
                best[number] = match

    def rank(number: int) -> tuple[bool, int, int, str]:
        """The most complete record: an abstract, then other fields, then its length."""
        text = facts.texts[number]
        return text > 2, facts.filled[number], text, ids[number]

    made = [
        Group(tuple(Member(ids[n], snapshot.read(n, title_of), *best[n]) for n in group))
        for group in joined(found, rank)
    ]
    return tuple(sorted(made, key=lambda group: -len(group.members)))
