"""Who is who among a corpus' documents: examples P, unlabeled documents U, negatives N."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.errors import UsageError
from likewise.losses import Floats, Hinge

if TYPE_CHECKING:
    from likewise.corpus import Corpus, Ids


def _none() -> Ids:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Blocks:
    """Document numbers; `weights`, if given, holds one for every document of the corpus.

    A document's weight multiplies its share of the loss: its slack where the loss is a sum over
    documents, its score where the loss is of contingency tables, as Δ counts documents.
    """

    positives: Ids
    unlabeled: Ids = field(default_factory=_none)
    negatives: Ids = field(default_factory=_none)
    weights: Floats | None = None

    def mean(self, ids: Ids, n: int) -> Floats:
        """Over all n documents, what each counts for in the mean of some."""
        shares = np.zeros(n)
        weights = self.weights_of(ids)
        shares[ids] = weights / weights.sum()
        return shares

    def weights_of(self, ids: Ids) -> Floats:
        return np.ones(len(ids)) if self.weights is None else self.weights[ids]


class Scale(NamedTuple):
    """R = max over tables of delta·Δ − positive·Σ s (examples out) + unlabeled·Σ s (others in)."""

    delta: float
    positive: float
    unlabeled: float
    negative: float


def _balanced(l: int, u: int, n: int) -> Scale:
    return Scale(1.0, 1.0 / l, 1.0 / u, 1.0 / max(n, 1))


def _printed(l: int, u: int, n: int) -> Scale:
    each = 1.0 / (l + u)
    return Scale(0.5 * each, each, each, each)


SCALINGS: dict[str, Callable[[int, int, int], Scale]] = {
    "balanced": _balanced,
    "printed": _printed,
}


def scale_of(scaling: str, blocks: Blocks) -> Scale:
    if scaling not in SCALINGS:
        raise UsageError(f"scaling={scaling!r} is none of {', '.join(SCALINGS)}")
    sizes = (len(blocks.positives), len(blocks.unlabeled), len(blocks.negatives))
    return SCALINGS[scaling](*sizes)


class Side(NamedTuple):
    """Some documents that are to score above their margin (step < 0) or below minus it."""

    ids: Ids
    offset: float
    step: float


def hinge(n: int, blocks: Blocks, *sides: Side) -> Hinge:
    """Σ weight·max(0, offset + step·s) over all sides, as a loss of n documents."""
    offsets, steps = np.zeros(n), np.zeros(n)
    for side in sides:
        weights = blocks.weights_of(side.ids)
        offsets[side.ids] = side.offset * weights
        steps[side.ids] = side.step * weights
    return Hinge(offsets, steps)


def check_examples(corpus: Corpus, blocks: Blocks, with_unlabeled: bool = False) -> None:
    """There is something to learn from."""
    if len(blocks.positives) == 0:
        raise UsageError("there is no example: at least one document must have y = 1")
    if with_unlabeled and len(blocks.unlabeled) == 0:
        raise UsageError(
            f"all {len(blocks.positives)} documents are examples: unlabeled ones are needed too"
        )
    if not corpus.rows(blocks.positives).values.any():
        raise UsageError(
            f"none of the {len(blocks.positives)} examples has a term that the corpus knows"
        )


def check_C(C: float, name: str = "C") -> None:
    if not (np.isfinite(C) and C > 0):
        raise UsageError(f"{name} must be a number above 0, not {C!r}")


def check_k(k: int, l: int, n: int) -> None:
    if k != int(k) or k < 1:
        raise UsageError(f"k must be a whole number of at least 1, not {k!r}")
    if k > n:
        raise UsageError(f"k={k} is more than the {n} documents there are")
