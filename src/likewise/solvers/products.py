"""The part of a Corpus that solvers by passes use, and a corpus with a bias."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from likewise.corpus import Arrays, Vector


class Products(Protocol):
    """What solvers by passes need; every Corpus has it."""

    @property
    def shape(self) -> tuple[int, int]: ...

    @property
    def arrays(self) -> Arrays: ...

    def scores(self, w: Vector) -> Vector: ...

    def weighted_sum(self, a: Vector) -> Vector: ...

    def fused(
        self, w: Vector, weigh: Callable[..., Vector], *along: Vector
    ) -> tuple[Vector, Vector]: ...


@dataclass(frozen=True)
class _Shifted:
    """A function of scores plus the bias; unlike a closure it can be sent to other machines."""

    weigh: Callable[..., Any]
    bias: float

    def __call__(self, s: Vector, *along: Vector) -> Vector:
        return self.weigh(s + self.bias, *along)


class Biased:
    """A corpus with a last column of ones: its weight is a bias, regularised like the others."""

    def __init__(self, corpus: Products) -> None:
        self.corpus = corpus
        self.arrays = corpus.arrays
        self.shape = (corpus.shape[0], corpus.shape[1] + 1)

    def scores(self, w: Vector) -> Vector:
        return self.corpus.scores(w[:-1]) + w[-1]

    def weighted_sum(self, a: Vector) -> Vector:
        return self._with_bias(self.corpus.weighted_sum(a), a)

    def fused(
        self, w: Vector, weigh: Callable[..., Vector], *along: Vector
    ) -> tuple[Vector, Vector]:
        bias = float(w[-1])
        scores, sums = self.corpus.fused(w[:-1], _Shifted(weigh, bias), *along)
        scores = scores + bias
        return scores, self._with_bias(sums, weigh(scores, *along))

    def _with_bias(self, sums: Vector, a: Vector) -> Vector:
        xp = self.arrays.xp
        return xp.concat([sums, xp.reshape(xp.sum(a), (1,))])
