"""The blocks of a corpus' documents: examples P, unlabeled documents U, negatives N."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Real
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.errors import UsageError
from likewise.losses import Hinge

if TYPE_CHECKING:
    from collections.abc import Callable

    from likewise.corpus import Arrays, Corpus, Floats, Ids, Vector


def _none() -> Ids:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Blocks:
    """Document numbers; `weights`, if given, has one for every document of the corpus.

    A document's weight multiplies its share of the loss: its slack where the loss is a sum over
    documents, its score where the loss is of contingency tables, as Δ counts documents.
    """

    positives: Ids
    unlabeled: Ids = field(default_factory=_none)
    negatives: Ids = field(default_factory=_none)
    weights: Floats | None = None

    def shares(self, ids: Ids) -> Floats:
        """The weight of each of some documents in their mean."""
        weights = self.weights_of(ids)
        return weights / weights.sum() if len(ids) else weights

    def total(self, ids: Ids) -> float:
        """The sum of some documents' weights."""
        return float(len(ids)) if self.weights is None else float(self.weights[ids].sum())

    def weights_of(self, ids: Ids) -> Floats:
        return np.ones(len(ids)) if self.weights is None else self.weights[ids]


class Scale(NamedTuple):
    """R = max over tables of delta·Δ − positive·Σ s (examples out) + unlabeled·Σ s (others in)."""

    delta: float
    positive: float
    unlabeled: float
    negative: float


def _balanced(positives: int, unlabeled: int, negatives: int) -> Scale:
    return Scale(1.0, 1.0 / positives, 1.0 / unlabeled, 1.0 / max(negatives, 1))


def _printed(positives: int, unlabeled: int, _: int) -> Scale:
    each = 1.0 / (positives + unlabeled)
    return Scale(0.5 * each, each, each, each)


SCALINGS: dict[str, Callable[[int, int, int], Scale]] = {
    "balanced": _balanced,
    "printed": _printed,
}


def scale_of(scaling: str, blocks: Blocks) -> Scale:
    if scaling not in SCALINGS:
        raise UsageError(f"unknown scaling {scaling!r}: choose {', '.join(SCALINGS)}")
    sizes = (len(blocks.positives), len(blocks.unlabeled), len(blocks.negatives))
    return SCALINGS[scaling](*sizes)


class Side(NamedTuple):
    """Documents that should score high (step < 0) or low (step > 0)."""

    ids: Ids
    offset: float
    step: float


def hinge(arrays: Arrays, blocks: Blocks, *sides: Side) -> tuple[Ids, Hinge]:
    """The documents of the loss, in order, and the loss: Σ weight·max(0, offset + step·s)."""
    weights = [blocks.weights_of(side.ids) for side in sides]
    offsets = [side.offset * w for side, w in zip(sides, weights, strict=True)]
    steps = [side.step * w for side, w in zip(sides, weights, strict=True)]
    ids = np.concatenate([side.ids for side in sides])
    together = (arrays.vector(np.concatenate(each)) for each in (offsets, steps))
    return ids, Hinge(arrays, *together)


def spread_hinge(arrays: Arrays, blocks: Blocks, size: int, *sides: Side) -> Hinge:
    """The same loss over all documents of a corpus of this size."""
    offsets = [(side.ids, side.offset) for side in sides]
    steps = [(side.ids, side.step) for side in sides]
    return Hinge(arrays, *(spread(arrays, blocks, size, *each) for each in (offsets, steps)))


def spread(arrays: Arrays, blocks: Blocks, size: int, *parts: tuple[Ids, float]) -> Vector:
    """A vector over all documents: value · weight for those of each part, 0 for all others.

    No document is in two parts. If each is in one, the largest part is what the others leave: a
    list of millions of numbers takes longer to bring to a card than the numbers to compute.
    """
    if blocks.weights is not None:
        return arrays.placed(size, *((ids, v * blocks.weights_of(ids)) for ids, v in parts))
    if sum(len(ids) for ids, _ in parts) < size:
        return arrays.placed(size, *parts)
    first, *others = sorted(parts, key=lambda part: -len(part[0]))
    return arrays.placed(size, (slice(0, size), first[1]), *others)


def check_examples(corpus: Corpus, blocks: Blocks, with_unlabeled: bool = False) -> None:
    """Raise if there is nothing to learn from."""
    if len(blocks.positives) == 0:
        raise UsageError("there is no example: at least one document must have y = 1")
    if with_unlabeled and len(blocks.unlabeled) == 0:
        raise UsageError(
            f"there is one class only: all {len(blocks.positives)} documents are examples; "
            "unlabeled ones are needed, too"
        )
    if not corpus.rows(blocks.positives).values.any():
        raise UsageError(
            f"none of the {len(blocks.positives)} examples has a term of the corpus: "
            "give other examples"
        )


def check_above_zero(name: str, value: float) -> None:
    if not (_is_number(value) and value > 0):
        raise UsageError(f"{name} must be a number above 0, not {value!r}")


def check_not_negative(name: str, value: float) -> None:
    if not (_is_number(value) and value >= 0):
        raise UsageError(f"{name} must be a number of at least 0, not {value!r}")


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and bool(np.isfinite(float(value)))
