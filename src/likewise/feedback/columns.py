"""Columns: the products of all documents with one that is judged.

A learner needs a document's column when its weight changes. Those of the first documents are kept,
as many as fit into a little memory, and those of the last few are at hand: what was judged just now
changes most. Where more than one other is wanted, they are not made: all scores change by the sum
of what is owed, a vector for each side.
"""

from __future__ import annotations

from collections import OrderedDict
from functools import cache
from typing import TYPE_CHECKING, cast

import numpy as np

from likewise.corpus import Adding, SparseVector

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.corpus import Column, Corpus, Judged
    from likewise.feedback.situation import Situation

KEPT = 48 << 20  # bytes: ten sessions of this size stay in memory (reviews/catalogue.py)
SHARE = 4  # of the memory, one part for the last ones
FEW = 12  # new documents, up to which each may have a column
ALONE = 2  # from so many on, their sum takes less time than their columns


class Columns:
    def __init__(self, memory: int = KEPT) -> None:
        self._memory = memory
        self._kept: set[int] = set()
        self._recent: OrderedDict[int, Column] = OrderedDict()  # the last made last
        self._sum: Column | None = None  # new memory takes as long as a sum of two

    @property
    def size(self) -> int:
        """Bytes of those kept, and of those at hand."""
        each = next((one.nbytes for one in self._recent.values()), 0)
        return each * (len(self._recent) + len(self._kept))

    def add(
        self, situation: Situation, engine: Judged, number: int, relevant: bool, *, new: int = 1
    ) -> None:
        """Judge a document.

        Of one that is `new` alone, or is to be kept, the column is made, which is needed next.
        """
        engine.add(number, relevant, *_vector(situation.learned_from, number))
        has_room = self._has_room(situation.documents)
        if new < ALONE or (new <= FEW and has_room):
            made = self._column(situation, number)
            if has_room:
                engine.keep(number, made)
                self._kept.add(number)

    def forget(self, number: int) -> None:
        self._kept.discard(number)

    def settle(self, situation: Situation, engine: Judged) -> None:
        """Bring the scores of all documents to the weights that were found."""
        owed = {number for number, _, _ in engine.debts}
        for number in owed & self._recent.keys():
            engine.pay(number, self._recent[number])
        missing = sorted(owed - self._recent.keys())
        if len(missing) < ALONE:
            for number in missing:
                engine.pay(number, self._column(situation, number))
            return
        for relevant in (True, False):
            debts = [(number, change) for number, to, change in engine.debts if to is relevant]
            if debts:
                engine.pay_side(relevant, self._owed(situation, debts))

    def _owed(self, situation: Situation, debts: Sequence[tuple[int, float]]) -> Column:
        """All documents' scores by the sum of what is owed to a side."""
        ids, changes = np.array([n for n, _ in debts], np.int64), np.array([c for _, c in debts])
        corpus, rows = situation.corpus, situation.learned_from.rows(ids)
        terms, places = np.unique(rows.columns, return_inverse=True)
        entries = np.repeat(changes, np.diff(rows.starts)) * rows.values
        weights = np.bincount(places, entries).astype(np.float64)
        if self._sum is None:
            self._sum = np.empty(situation.documents, np.float32)
        _score(corpus, SparseVector(terms.astype(np.int32), weights), self._sum)
        return self._sum

    def _column(self, situation: Situation, number: int) -> Column:
        if number in self._recent:
            return self._recent[number]
        made = self._room(situation.documents)
        _score(situation.corpus, _vector(situation.learned_from, number), made)
        self._recent[number] = made  # an error before this leaves it unfinished
        return made

    def _has_room(self, documents: int) -> bool:
        return 4 * documents * (len(self._kept) + FEW) < self._memory

    def _room(self, documents: int) -> Column:
        """Memory for a column: the oldest one's, where there are enough, as new one takes time."""
        most = min(FEW, max(1, self._memory // (SHARE * 4 * documents)))
        if len(self._recent) < most:
            return np.empty(documents, np.float32)
        return self._recent.popitem(last=False)[1]


def _score(corpus: Corpus, vector: SparseVector, into: Column) -> None:
    if _adds(type(corpus)):
        into.fill(0.0)
        cast("Adding", corpus).add_scores(vector, into)
    else:
        into[:] = corpus.arrays.host(corpus.scores(vector))


@cache
def _adds(kind: type) -> bool:
    """Asked once: to look for a protocol's methods takes as long as to score by a term."""
    return issubclass(kind, Adding)


def _vector(corpus: Corpus, number: int) -> SparseVector:
    row = corpus.rows(np.array([number]))
    return SparseVector(row.columns, row.values)
