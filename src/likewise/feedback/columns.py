"""Columns: the products of all documents with one that is judged.

A learner needs a document's column when it is judged, and again when its weight changes. Those of
the first documents are kept, as many as fit into a little memory; the others are made again, but
for the last few: what was judged just now changes most.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

import numpy as np

from likewise.corpus import Adding, SparseVector

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.corpus import Corpus, Judged
    from likewise.feedback.situation import Situation

    Column = NDArray[np.float32]

KEPT = 48 << 20  # bytes: ten sessions of this size stay in memory (reviews/catalogue.py)
SHARE = 4  # of the memory, one part for the last ones
FEW = 12  # from so many columns on, two passes over all documents take less time


class Columns:
    def __init__(self, memory: int = KEPT) -> None:
        self._memory = memory
        self._kept: set[int] = set()
        self._recent: OrderedDict[int, Column] = OrderedDict()  # the last made last

    @property
    def size(self) -> int:
        """Bytes of those kept, and of those at hand."""
        each = next((one.nbytes for one in self._recent.values()), 0)
        return each * (len(self._recent) + len(self._kept))

    def products(
        self, situation: Situation, engine: Judged, number: int, *, few: bool = True
    ) -> Column:
        """A document's products with those judged before, and with itself.

        Of a `few` documents the columns are made, which are needed next.
        """
        judged = np.append(engine.documents, number).astype(np.int64)
        if few and int(judged.max()) < situation.documents:
            return self._column(situation, number)[judged]
        corpus = situation.learned_from
        return corpus.exact(judged, _vector(corpus, number)).astype(np.float32)

    def keep(self, engine: Judged, number: int) -> None:
        """Have the learner keep the column that was made last, if it is the document's."""
        made = self._recent.get(number)
        if made is not None and made.nbytes * (len(self._kept) + FEW) < self._memory:
            engine.keep(number, made)
            self._kept.add(number)

    def forget(self, number: int) -> None:
        self._kept.discard(number)

    def settle(self, situation: Situation, engine: Judged) -> None:
        """Bring the scores of all documents to the weights that were found."""
        owed = engine.owed.tolist()
        missing = [number for number in owed if number not in self._recent]
        if len(missing) > FEW:
            engine.replace(*_by_side(situation, engine))
            return
        there = [number for number in owed if number in self._recent]
        for number in (*there, *missing):  # to make one may take the place of another
            engine.pay(number, self._column(situation, number))

    def _column(self, situation: Situation, number: int) -> Column:
        if number in self._recent:
            return self._recent[number]
        corpus, vector = situation.corpus, _vector(situation.learned_from, number)
        made = self._room(situation.documents)
        if isinstance(corpus, Adding):
            made.fill(0.0)
            corpus.add_scores(vector, made)
        else:
            made[:] = corpus.arrays.host(corpus.scores(vector))
        self._recent[number] = made  # an error before this leaves it unfinished
        return made

    def _room(self, documents: int) -> Column:
        """Memory for a column: the oldest one's, where there are enough, as new one takes time."""
        most = min(FEW, max(1, self._memory // (SHARE * 4 * documents)))
        if len(self._recent) < most:
            return np.empty(documents, np.float32)
        return self._recent.popitem(last=False)[1]


def _vector(corpus: Corpus, number: int) -> SparseVector:
    row = corpus.rows(np.array([number]))
    return SparseVector(row.columns, row.values)


def _by_side(situation: Situation, engine: Judged) -> list[NDArray[np.float64]]:
    """All documents' scores by the relevant documents alone, and by the others alone."""
    corpus, arrays = situation.corpus, situation.corpus.arrays
    ids, weights = engine.documents.astype(np.int64), engine.weights
    relevant = np.array([situation.labels[number] for number in ids.tolist()], np.bool_)
    found = []
    for side, sign in ((relevant, 1.0), (~relevant, -1.0)):
        w = situation.learned_from.rows(ids[side]).weighted_sum(sign * weights[side])
        found.append(arrays.host(corpus.scores(arrays.vector(w))).astype(np.float64))
    return found
