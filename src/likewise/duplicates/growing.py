"""From the duplicates of one generation to those of another, by what was added and deleted.

Only buckets that a changed document is in are looked at. There, pairs of neighbours that were none
before are compared, and pairs that are none any more are forgotten unless another bucket has them.
So the result is the same as if all documents were new, whatever came before; a test holds that.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.document import title_of
from likewise.duplicates import candidates
from likewise.duplicates.compare import Comparison
from likewise.duplicates.facts import Facts, as_array, facts_of, read_facts
from likewise.duplicates.sketch import BANDS
from likewise.duplicates.state import Card, State
from likewise.store.packing import between

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from likewise._core import CountArrays
    from likewise.duplicates.compare import Match
    from likewise.duplicates.sketch import Sketch
    from likewise.duplicates.state import Part
    from likewise.store.segment import Segment
    from likewise.store.snapshot import Snapshot

    Numbers = NDArray[np.int64]
    Masks = Sequence[NDArray[np.bool_]]
    Touched = Sequence[NDArray[np.uint32]]

FEW_WORDS = 0.4  # in common with the longer title, below which nothing else is looked at
MANY = 16  # part of a segment's documents from which all its records are read
STEP = 10_000  # pairs between looks whether to go on
KEPT_TERMS = 1 << 14  # documents whose terms are remembered
LOW = 0xFFFFFFFF


class _Both(NamedTuple):
    """The segments of two generations side by side, in an order that fits both.

    Documents are counted through these, too. `old` says where each part of the old state begins
    here, and `new` where each of these begins in the new one.
    """

    sketches: list[Sketch]
    before: Masks  # which documents were live
    after: Masks
    firsts: Numbers
    old: Numbers
    new: Numbers


def grown(
    old: State,
    parts: Sequence[Part],
    snapshot: Snapshot,
    facts: Mapping[int, Facts],
    progress: Callable[[], None],
) -> State:
    """The state of a snapshot, whose segments `parts` describe; `facts` are known of some."""
    both = _side_by_side(old, parts)
    if both is None:
        return grown(State(), parts, snapshot, facts, progress)
    touched = _touched(both)
    before, after = (_pairs(both, touched, live) for live in (both.before, both.after))
    matches, cards = _kept(old, both, np.setdiff1d(before, after, assume_unique=True))
    fresh = _moved(np.setdiff1d(after, before, assume_unique=True), both.firsts, both.new)
    documents = _Documents(snapshot, facts, fresh)
    compared, found = documents.compared(progress)
    matches |= found
    new = {number for code in found for number in (code >> 32, code & LOW)} - cards.keys()
    cards |= documents.cards(sorted(new))
    changed = sum(int((a != b).sum()) for a, b in zip(both.before, both.after, strict=True))
    return State(tuple(parts), matches, cards, compared, old.unsaved + changed)


def _side_by_side(old: State, parts: Sequence[Part]) -> _Both | None:
    """None if segments have changed places, which they never do."""
    were, are = ({part.name: part for part in some} for some in (old.parts, parts))
    if [name for name in were if name in are] != [name for name in are if name in were]:
        return None
    names, rest = [], list(are)
    for name in were:
        upto = rest.index(name) if name in are else 0
        names += [*rest[:upto], name]
        rest = rest[upto + (name in are) :]
    names += rest
    sketches = [(are.get(name) or were[name]).sketch for name in names]
    none = [np.zeros(sketch.documents, np.bool_) for sketch in sketches]
    before, after = (
        [some[name].live if name in some else no for name, no in zip(names, none, strict=True)]
        for some in (were, are)
    )
    firsts = _firsts(sketches)
    here = dict(zip(names, firsts.tolist(), strict=True))
    there = dict(zip(are, _firsts([part.sketch for part in parts]).tolist(), strict=True))
    return _Both(
        *(sketches, before, after, firsts),
        old=np.array([here[name] for name in were], np.int64),
        new=np.array([there.get(name, 0) for name in names], np.int64),
    )


def _firsts(sketches: Sequence[Sketch]) -> Numbers:
    return np.cumsum([0, *(sketch.documents for sketch in sketches)], dtype=np.int64)[:-1]


def _touched(both: _Both) -> Touched:
    """Of each band the keys of documents that came or went."""
    found = [np.zeros((BANDS, 0), np.uint32)]
    for sketch, was, is_now in zip(both.sketches, both.before, both.after, strict=True):
        changed = np.flatnonzero(was != is_now)
        if len(changed):
            found.append(sketch.of(changed))
    return _without_none(np.concatenate(found, axis=1))


def _without_none(keys: NDArray[np.uint32]) -> Touched:
    return [np.unique(band[band != 0]) for band in keys]


def _pairs(both: _Both, touched: Touched, live: Masks) -> Numbers:
    """Neighbours in buckets of these keys, among live documents."""
    found = [np.zeros(0, np.int64)]
    every = zip(both.sketches, live, both.firsts, strict=True)
    some = [one for one in every if one[1].any()]
    for band, keys in enumerate(touched):
        documents, of, order = [], [], []
        for sketch, alive, first in some:
            there, their = sketch.bucket(band, keys)
            here = alive[there]
            documents.append(there[here] + first)
            of.append(their[here])
            order.append(sketch.order[there[here]])
        if sum(map(len, documents)) > 1:
            joined = np.concatenate(documents), np.concatenate(of), np.concatenate(order)
            found.append(candidates.pairs(*joined))
    return np.unique(np.concatenate(found))


def _kept(old: State, both: _Both, gone: Numbers) -> tuple[dict[int, Match], dict[int, Card]]:
    """What stays of the matches, and the cards of their documents."""
    codes = np.fromiter(old.matches, np.int64, len(old.matches))
    now = _moved(codes, _firsts([part.sketch for part in old.parts]), both.old)
    alive = np.concatenate([np.zeros(0, np.bool_), *both.after])
    stays = alive[now >> 32] & alive[now & LOW]
    doubtful = np.flatnonzero(stays & np.isin(now, gone))
    if len(doubtful):  # other buckets may have them
        there = _pairs(both, _keys_of(both, now[doubtful]), both.after)
        stays[doubtful] = np.isin(now[doubtful], there)
    matches, cards = {}, {}
    moved = _moved(now[stays], both.firsts, both.new)
    for was, code in zip(codes[stays].tolist(), moved.tolist(), strict=True):
        matches[code] = old.matches[was]
        cards[code >> 32], cards[code & LOW] = old.cards[was >> 32], old.cards[was & LOW]
    return matches, cards


def _keys_of(both: _Both, codes: Numbers) -> Touched:
    """Of each band the keys of the documents of some pairs."""
    numbers = np.unique([codes >> 32, codes & LOW])
    found = []
    for sketch, first in zip(both.sketches, both.firsts, strict=True):
        here = (first <= numbers) & (numbers < first + sketch.documents)
        found.append(sketch.of(numbers[here] - first))
    return _without_none(np.concatenate(found, axis=1))


def _moved(codes: Numbers, firsts: Numbers, to: Numbers) -> Numbers:
    """Pairs where documents are counted from other beginnings of the parts."""
    if not len(codes):
        return codes
    a, b = (
        numbers + (to - firsts)[np.searchsorted(firsts, numbers, "right") - 1]
        for numbers in (codes >> 32, codes & LOW)
    )
    return a << 32 | b


class _Documents:
    """The documents of pairs that are to be compared, counted among themselves."""

    def __init__(self, snapshot: Snapshot, known: Mapping[int, Facts], codes: Numbers) -> None:
        self._numbers = np.unique([codes >> 32, codes & LOW])
        self._pairs = np.searchsorted(self._numbers, np.stack([codes >> 32, codes & LOW], axis=1))
        self._places: list[tuple[Segment, int]] = []
        self._facts = Facts()
        self._has_texts = bool(set(snapshot.settings.fields) - {"title"})
        first = 0
        for place, segment in enumerate(snapshot.segments):
            last = first + segment.documents
            wanted = self._numbers[(first <= self._numbers) & (self._numbers < last)] - first
            self._add(segment, wanted.tolist(), known.get(place))
            first = last

    def _add(self, segment: Segment, numbers: list[int], known: Facts | None) -> None:
        self._places += [(segment, number) for number in numbers]
        if known is None and len(numbers) * MANY > segment.documents:
            known = read_facts(segment)
        if known is None:
            self._facts.take(facts_of(segment, numbers), range(len(numbers)))
        else:
            self._facts.take(known, numbers)

    def compared(self, progress: Callable[[], None]) -> tuple[int, dict[int, Match]]:
        """How many pairs were worth it, and those that are one paper."""
        compare = Comparison(self._facts, self._terms(), has_texts=self._has_texts)
        numbers, worth = self._numbers.tolist(), self._worth().tolist()
        found = {}
        for done, (a, b) in enumerate(worth):
            if match := compare(a, b):
                found[numbers[a] << 32 | numbers[b]] = match
            if not done % STEP:
                progress()
        return len(worth), found

    def cards(self, numbers: Sequence[int]) -> dict[int, Card]:
        """Those of some of the documents; neighbours are often in one block of records."""
        found = {}
        texts, filled = self._facts.texts, self._facts.filled
        places = np.searchsorted(self._numbers, np.array(numbers, np.int64)).tolist()
        for number, at in zip(numbers, places, strict=True):
            segment, local = self._places[at]
            (id,) = segment.ids.strings(np.array([local]))
            title = segment.read(local, title_of)
            found[number] = Card(id, title, texts[at], filled[at])
        return found

    def _worth(self) -> Numbers:
        """Pairs with words of the title in common, or with a DOI or PMID, which is looked at."""
        pairs, facts = self._pairs, self._facts
        words = candidates.together(candidates.title_sets(facts.titles))
        kept = candidates.shares(pairs, words) >= FEW_WORDS
        for column in map(as_array, (facts.dois, facts.pmids)):
            one, other = column[pairs[:, 0]], column[pairs[:, 1]]
            kept |= (one == other) & (one != 0)
        worth: Numbers = pairs[kept]
        return worth

    def _terms(self) -> Callable[[int], frozenset[int]]:
        rows: dict[int, CountArrays] = {}

        @lru_cache(maxsize=KEPT_TERMS)
        def terms(at: int) -> frozenset[int]:
            segment, local = self._places[at]
            if id(segment) not in rows:
                rows[id(segment)] = segment.rows
            matrix = rows[id(segment)]
            start, stop = int(matrix["starts"][local]), int(matrix["starts"][local + 1])
            return frozenset(between(matrix["columns"], start, stop).tolist())

        return terms
