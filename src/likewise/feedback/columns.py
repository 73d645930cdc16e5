"""Columns: the products of all documents with one that is judged.

A learner needs a document's column when it is judged, and again when its weight changes. Those of
the first documents are kept, as many as fit into a little memory; the others are made again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.corpus import Adding, SparseVector

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.corpus import Corpus, Judged
    from likewise.feedback.situation import Situation

    Column = NDArray[np.float32]

KEPT = 64 << 20  # bytes
FEW = 12  # from so many columns on, two passes over all documents take less time


class Columns:
    def __init__(self, memory: int = KEPT) -> None:
        self._memory = memory
        self._kept: set[int] = set()
        self._made: Column | None = None  # the same memory for all: new memory takes time
        self._of: int | None = None  # whose column that is

    @property
    def size(self) -> int:
        """Bytes of those kept, and of the one at hand."""
        return 0 if self._made is None else self._made.nbytes * (1 + len(self._kept))

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
        made = self._made
        if made is None or self._of != number or made.nbytes * len(self._kept) >= self._memory:
            return
        engine.keep(number, made)
        self._kept.add(number)

    def forget(self, number: int) -> None:
        self._kept.discard(number)

    def settle(self, situation: Situation, engine: Judged) -> None:
        """Bring the scores of all documents to the weights that were found."""
        owed = engine.owed.tolist()
        if len(owed) > FEW:
            engine.replace(*_by_side(situation, engine))
            return
        for number in owed:
            engine.pay(number, self._column(situation, number))

    def _column(self, situation: Situation, number: int) -> Column:
        if self._made is None:
            self._made = np.empty(situation.documents, np.float32)
        if self._of != number:
            corpus, vector = situation.corpus, _vector(situation.learned_from, number)
            self._of = None  # an error leaves it unfinished
            if isinstance(corpus, Adding):
                self._made.fill(0.0)
                corpus.add_scores(vector, self._made)
            else:
                self._made[:] = corpus.arrays.host(corpus.scores(vector))
            self._of = number
        return self._made


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
