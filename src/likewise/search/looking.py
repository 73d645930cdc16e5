"""A first look at examples: how near other documents are by words.

It reads all documents once. `auto`'s first round needs the same scores: Rocchio's query is the mean
of the examples minus that of all others, and the scores of all documents' sum are kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.corpus import Summed
from likewise.engines.arrays import NUMPY
from likewise.engines.checks import best_first
from likewise.engines.stack import Stack, View
from likewise.solvers.solution import sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.corpus import Corpus, Floats, Ids, Vector
    from likewise.solvers.blocks import Blocks

COPIES = 10  # documents that are looked at to find one that is no copy of an example
SAME = 0.95  # cosine from which on a document counts as a copy


class Seen(NamedTuple):
    """The documents' scores by the mean of some examples, by words, in single precision."""

    words: Corpus
    examples: Ids
    scores: Vector

    def told_from_rest(self, corpus: Corpus, blocks: Blocks, w: Vector) -> Vector | None:
        """The scores of Rocchio's query w, without reading words again; None if it differs."""
        views = corpus.views if isinstance(corpus, Stack) else (View("words", corpus),)
        own = views[0].corpus
        sums = own.total_scores() if isinstance(own, Summed) else None
        examples, others = len(blocks.positives), len(blocks.unlabeled)
        everybody = examples + others == corpus.shape[0] and blocks.weights is None
        if own is not self.words or sums is None or not everybody:
            return None
        if not np.array_equal(blocks.positives, self.examples):
            return None
        xp = corpus.arrays.xp
        each = views[0].factor ** 2
        scores = each * (1.0 + examples / others) * self.scores - each / others * sums
        if len(views) > 1:
            rest = xp.astype(w, xp.float32)
            rest[: own.shape[1]] = 0.0  # a view without weights is not read
            scores = scores + corpus.scores(rest)
        return scores


def nearest(
    corpus: Corpus, examples: Ids, judged: Ids, *, again: bool = False
) -> tuple[float, Seen | None]:
    """The cosine of the examples' mean and the best document that is none of the judged.

    Copies of an example say nothing about its topic. If there is no other document, it is 0. If
    scores are needed `again`, all documents are scored where the best would do.
    """
    rows = corpus.rows(examples)
    mean = rows.weighted_sum(np.full(len(examples), 1.0 / len(examples)))
    w = sparse(mean)
    k, seen = min(len(judged) + COPIES, corpus.shape[0]), None
    if again and isinstance(corpus, Summed):
        xp = corpus.arrays.xp
        narrow = xp.astype(corpus.arrays.vector(mean), xp.float32)
        seen = Seen(corpus, examples, corpus.scores(narrow))
        near = corpus.arrays.best(seen.scores, k, None, corpus.slack(w))
        found = best_first(near, corpus.exact(near, w), k, positive=True)
    else:
        found = corpus.top(w, k, positive=True)
    others = np.setdiff1d(np.array([number for number, _ in found], np.int64), judged)
    return (_closest(corpus, others, mean) if len(others) else 0.0), seen


def _closest(corpus: Corpus, others: Ids, mean: Floats) -> float:
    """The largest cosine of some documents and a vector, without copies."""
    beside = corpus.rows(others)
    lengths = np.sqrt(row_sums(beside.starts, beside.values**2) * NUMPY.dot(mean, mean))
    along = row_sums(beside.starts, beside.values * mean[beside.columns])
    cosines = along / np.where(lengths > 0, lengths, 1.0)
    different = cosines[cosines < SAME]
    return float(different.max()) if len(different) else 1.0


def row_sums(starts: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sums over rows; rows may be empty."""
    sums: NDArray[np.float64] = np.diff(np.concatenate([[0.0], np.cumsum(values)])[starts])
    return sums
