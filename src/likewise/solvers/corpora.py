"""What solvers ask of a corpus, and a corpus with a bias."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeGuard, runtime_checkable

import numpy as np

from likewise.corpus import RowAccess

if TYPE_CHECKING:
    from likewise.corpus import Corpus, Csr
    from likewise.losses import Floats


class Products(Protocol):
    """All that a solver needs which works in passes; every Corpus has it.

    Results have the vectors' type, here always float64, which a Corpus' signature cannot say.
    """

    @property
    def shape(self) -> tuple[int, int]: ...

    def scores(self, w: Floats) -> Any: ...

    def weighted_sum(self, a: Floats) -> Any: ...


@runtime_checkable
class _RowAccess(RowAccess, Protocol):
    """A RowAccess, told by its methods."""


def offers_rows(corpus: Corpus) -> TypeGuard[RowAccess]:
    return isinstance(corpus, _RowAccess)


class Biased:
    """A corpus with a last column of ones: its weight is a bias, regularised as the others are."""

    def __init__(self, corpus: Products) -> None:
        self._corpus = corpus
        self.shape = (corpus.shape[0], corpus.shape[1] + 1)

    def scores(self, w: Floats) -> Floats:
        scores: Floats = self._corpus.scores(w[:-1]) + w[-1]
        return scores

    def weighted_sum(self, a: Floats) -> Floats:
        return np.append(self._corpus.weighted_sum(a), a.sum())


def sum_rows(rows: Csr, weights: Floats) -> Floats:
    """Σ weights[i]·rows[i], as a vector of all terms."""
    entries = np.repeat(weights, np.diff(rows.starts)) * rows.values
    total: Floats = np.bincount(rows.columns, entries, rows.shape[1]).astype(np.float64)
    return total
