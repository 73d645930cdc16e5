"""The part of a corpus that passes need, and a corpus with a bias."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from likewise.corpus import Vectors
from likewise.losses import Floats


class Products(Protocol):
    """What every solver that works in passes asks of a corpus."""

    @property
    def shape(self) -> tuple[int, int]: ...

    def scores(self, w: Vectors) -> Vectors: ...

    def weighted_sum(self, a: Vectors) -> Vectors: ...


class Biased:
    """A corpus with a last column of ones: its weight is a bias, regularised as the others are."""

    def __init__(self, corpus: Products) -> None:
        self._corpus = corpus
        self.shape = (corpus.shape[0], corpus.shape[1] + 1)

    def scores(self, w: Floats) -> Floats:
        return self._corpus.scores(w[:-1]) + w[-1]

    def weighted_sum(self, a: Floats) -> Floats:
        return np.append(self._corpus.weighted_sum(a), a.sum())
