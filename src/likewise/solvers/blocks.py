"""The blocks of a corpus' documents: examples P, unlabeled documents U, negatives N."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likewise.errors import UsageError
from likewise.losses import Hinge

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from likewise.corpus import Arrays, Corpus, Floats, Ids, Places, Vector


def _none() -> Ids:
    return np.zeros(0, dtype=np.int64)


class Rest:
    """The documents of a collection that are not `without`, ascending.

    A list of them is made only where one is needed: of millions, it takes longer than a pass.
    """

    def __init__(self, documents: int, without: Ids) -> None:
        self.documents = documents
        ordered = np.sort(without[without < documents])  # np.unique takes ten times as long
        self.without = ordered[np.diff(ordered, prepend=-1) > 0]

    def __len__(self) -> int:
        return self.documents - len(self.without)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self._ids, dtype) if copy else np.asarray(self._ids, dtype)

    def at(self, places: Ids) -> Ids:
        """Those at some positions of the list."""
        before = self.without - np.arange(len(self.without))  # how many of the list come before
        found: Ids = places + np.searchsorted(before, places, "right")
        return found

    def places(self, arrays: Arrays) -> Places:
        """The list, where vectors lie."""
        xp, without = arrays.xp, self.without
        there = slice(0, self.documents), xp.ones(self.documents, dtype=xp.bool)
        none = without, xp.zeros(len(without), dtype=xp.bool)
        return xp.nonzero(arrays.placed(self.documents, there, none))[0]

    def has(self, ids: Ids) -> NDArray[np.bool_]:
        """Which of some documents are in the list."""
        places = np.searchsorted(self.without, ids)
        others: NDArray[np.bool_] = np.append(self.without, -1)[places] != ids
        return (ids < self.documents) & others

    def drawn(self, count: int, seed: int) -> Ids:
        """Some of them by chance, ascending."""
        places = np.random.default_rng(seed).choice(len(self), count, replace=False)
        return self.at(np.sort(places))

    def but(self, others: Ids) -> Rest:
        """Without some more."""
        return Rest(self.documents, np.concatenate([self.without, others]))

    @cached_property
    def _ids(self) -> Ids:
        there = np.ones(self.documents, np.bool_)
        there[self.without] = False
        return np.flatnonzero(there)


class Few:
    """The weights of a few documents, by their numbers; 1 for all others."""

    def __init__(self, ids: Ids, weights: Floats) -> None:
        order = np.argsort(ids, kind="stable")
        self.ids, self._weights = ids[order], weights[order]

    @classmethod
    def of(cls, *parts: tuple[Ids, Floats]) -> Few:
        """The weights of all parts, no document being in two."""
        return cls(*(np.concatenate(each) for each in zip(*parts, strict=True)))

    def __getitem__(self, ids: Ids) -> Floats:
        places = np.minimum(np.searchsorted(self.ids, ids), len(self.ids) - 1)
        return np.where(self.ids[places] == ids, self._weights[places], 1.0)

    def of_first(self, documents: int) -> Floats:
        """The weights of the first so many documents, which are all that have one."""
        weights = np.ones(documents)
        weights[self.ids] = self._weights
        return weights

    def of_some(self, ids: Ids | Rest) -> tuple[Ids, Floats]:
        """The documents among these that have a weight of their own, and it."""
        there = ids.has(self.ids) if isinstance(ids, Rest) else np.isin(self.ids, ids)
        return self.ids[there], self._weights[there]


@dataclass(frozen=True)
class Blocks:
    """Document numbers; `weights`, if given, has one for every document of the corpus.

    A document's weight multiplies its share of the loss: its slack where the loss is a sum over
    documents, its score where the loss is of contingency tables, as Δ counts documents.
    """

    positives: Ids
    unlabeled: Ids | Rest = field(default_factory=_none)
    negatives: Ids = field(default_factory=_none)
    weights: Floats | Few | None = None

    def shares(self, ids: Ids | Rest) -> Floats:
        """The weight of each of some documents in their mean."""
        weights = self.weights_of(ids)
        return weights / weights.sum() if len(ids) else weights

    def total(self, ids: Ids | Rest) -> float:
        """The sum of some documents' weights."""
        if isinstance(self.weights, Few):
            _, own = self.weights.of_some(ids)
            return len(ids) + float((own - 1.0).sum())
        return float(len(ids)) if self.weights is None else float(self.weights_of(ids).sum())

    def weights_of(self, ids: Ids | Rest) -> Floats:
        return np.ones(len(ids)) if self.weights is None else self.weights[np.asarray(ids)]


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

    ids: Ids | Rest
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


def spread(arrays: Arrays, blocks: Blocks, size: int, *parts: tuple[Ids | Rest, float]) -> Vector:
    """A vector over all documents: value · weight for those of each part, 0 for all others.

    No document is in two parts. If each is in one, the largest part is what the others leave: a
    list of millions of numbers takes longer to bring to a card than the numbers to compute.
    """
    weights = blocks.weights
    if isinstance(weights, np.ndarray):
        each = ((np.asarray(ids), v * weights[np.asarray(ids)]) for ids, v in parts)
        return arrays.placed(size, *each)
    own = [] if weights is None else [(*weights.of_some(ids), v) for ids, v in parts]
    few = [(ids, v * of_each) for ids, of_each, v in own if len(ids)]
    if sum(len(ids) for ids, _ in parts) < size:
        ordered = sorted(parts, key=lambda part: not isinstance(part[0], Rest))
        return arrays.placed(size, *(piece for part in ordered for piece in _pieces(*part)), *few)
    first, *others = sorted(parts, key=lambda part: -len(part[0]))
    rest = ((np.asarray(ids), value) for ids, value in others)
    return arrays.placed(size, (slice(0, size), first[1]), *rest, *few)


def _pieces(ids: Ids | Rest, value: float) -> list[tuple[Places, float]]:
    """What is placed for a part; other parts are placed after one of Rest."""
    if isinstance(ids, Rest):
        return [(slice(0, ids.documents), value), (ids.without, 0.0)]
    return [(ids, value)]


def check_examples(corpus: Corpus, blocks: Blocks, with_unlabeled: bool = False) -> None:
    """Raise if there is nothing to learn from."""
    if len(blocks.positives) == 0:
        raise UsageError("there is no example: at least one document must have y = 1")
    if with_unlabeled and len(blocks.unlabeled) == 0:
        raise UsageError(
            f"there is one class only: all {len(blocks.positives)} documents are examples; "
            "unlabeled ones are needed, too"
        )
    if not _any_term(corpus, blocks.positives):
        raise UsageError(
            f"none of the {len(blocks.positives)} examples has a term of the corpus: "
            "give other examples"
        )


def _any_term(corpus: Corpus, ids: Ids) -> bool:
    """Whether any of them has a term; the first one nearly always has."""
    return any(bool(corpus.rows(some).values.any()) for some in (ids[:1], ids[1:]))


def check_above_zero(name: str, value: float) -> None:
    if not (_is_number(value) and value > 0):
        raise UsageError(f"{name} must be a number above 0, not {value!r}")


def check_not_negative(name: str, value: float) -> None:
    if not (_is_number(value) and value >= 0):
        raise UsageError(f"{name} must be a number of at least 0, not {value!r}")


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and bool(np.isfinite(float(value)))
