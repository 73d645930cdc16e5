"""Several corpora over the same documents with their columns side by side: a Corpus again.

X = [f₁·X₁ | f₂·X₂ | …]: words, a latent space, embeddings, each with a factor. A query over a stack
has a part for each view; a score is the sum of the views' scores.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from likewise.corpus import Adding, Corpus, Csr, SparseVector, Summed
from likewise.engines.checks import best_by_scores, check_top, checked_ids, spread_out
from likewise.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from likewise._core import CountArrays
    from likewise.corpus import Arrays, Floats, Ids, Judged, Mask, RowAccess, Vector, Vectors
    from likewise.engines.rows import CoreRows, KeptRows


KEPT = 1000  # rows that are kept for the next who asks: learning asks for those of examples often


class View(NamedTuple):
    name: str
    corpus: Corpus
    factor: float = 1.0


class Columns:
    """The position of each view's columns in a vector over all views."""

    def __init__(self, widths: Mapping[str, int]) -> None:
        self._slices: dict[str, slice] = {}
        self.width = 0
        for name, width in widths.items():
            self._slices[name] = slice(self.width, self.width + width)
            self.width += width

    def __iter__(self) -> Iterator[str]:
        return iter(self._slices)

    def __getitem__(self, name: str) -> slice:
        return self._slices[name]

    def part(self, w: SparseVector, name: str) -> SparseVector:
        """The part of a vector that belongs to a view, in the view's column numbers."""
        own = self[name]
        first, last = np.searchsorted(w.columns, [own.start, own.stop])
        return SparseVector(w.columns[first:last] - np.int32(own.start), w.weights[first:last])

    def joined(self, parts: Mapping[str, SparseVector]) -> SparseVector:
        """One vector from the views' parts, in the order of the views."""
        columns = [parts[name].columns + np.int32(self[name].start) for name in self]
        weights = [parts[name].weights for name in self]
        return SparseVector(np.concatenate(columns).astype(np.int32), np.concatenate(weights))


@runtime_checkable
class _Layers(Protocol):
    """A corpus whose rows the core can read together with those of others."""

    @property
    def term_factors(self) -> Floats: ...

    def add_layer(
        self, rows: CoreRows, ids: Ids, factor: float = 1.0, layer: int = 0, first: int = 0
    ) -> None: ...


class Stack:
    def __init__(self, views: Sequence[View]) -> None:
        self.views = _checked(views)
        self.columns = Columns({view.name: view.corpus.shape[1] for view in self.views})
        self._kept: tuple[Ids, Csr] | None = None
        self._accessed: KeptRows | None = None

    @property
    def shape(self) -> tuple[int, int]:
        return self.views[0].corpus.shape[0], self.columns.width

    @property
    def arrays(self) -> Arrays:
        return self.views[0].corpus.arrays

    @property
    def speed(self) -> float:
        return min(view.corpus.speed for view in self.views)

    @property
    def threads(self) -> int:
        return self.views[0].corpus.threads

    @property
    def squares(self) -> Vector:
        return _sum([view.factor**2 * view.corpus.squares for view in self.views])

    @property
    def term_factors(self) -> Floats:
        return np.concatenate([view.factor * view.corpus.term_factors for view in self.views])

    def scores(self, w: Vectors | SparseVector) -> Vectors:
        xp = self.arrays.xp
        found = [
            xp.astype(_times(view.factor, view.corpus.scores(part)), _dtype(xp, part), copy=False)
            for view, part in self._asked(w)
        ]
        if found:
            return _sum(found)
        block = () if isinstance(w, SparseVector) else w.shape[1:]
        return xp.zeros((self.shape[0], *block), dtype=_dtype(xp, w))

    def add_scores(self, w: SparseVector, out: NDArray[np.float32], factor: float = 1.0) -> None:
        for view, part in self._asked(w):
            if adding := self._adding[view.name]:
                adding.add_scores(part, out, factor * view.factor)
            else:
                out += factor * view.factor * self.arrays.host(view.corpus.scores(part))

    def weighted_sum(self, a: Vectors) -> Vectors:
        return self._concatenated([view.corpus.weighted_sum(a) for view in self.views])

    def total(self) -> Vector | None:
        sums = [v.corpus.total() if isinstance(v.corpus, Summed) else None for v in self.views]
        known = [each for each in sums if each is not None]
        return self._concatenated(known) if len(known) == len(sums) else None

    def total_scores(self) -> Vector | None:
        """Those of views are kept by themselves: factors change from query to query."""
        return None

    def fused(
        self, w: Vector, weigh: Callable[..., Vector], *along: Vector
    ) -> tuple[Vector, Vector]:
        """In two passes: a document's score is known only after all views have been read."""
        scores = self.scores(w)
        return scores, self.weighted_sum(weigh(scores, *along))

    def rows(self, ids: Ids) -> Csr:
        """Columns of later views have higher numbers, so rows stay ordered by column."""
        ids = checked_ids(ids, self.shape[0])
        if (kept := self._kept) is not None and np.array_equal(kept[0], ids):
            return kept[1]
        access = self._row_access(ids)
        rows = self._side_by_side(ids) if access is None else access.csr()
        if 1 < len(ids) <= KEPT:
            self._kept = ids.copy(), rows
        return rows

    def _side_by_side(self, ids: Ids) -> Csr:
        found = [view.corpus.rows(ids) for view in self.views]
        lengths = np.array([np.diff(rows.starts) for rows in found])
        starts = np.concatenate([[0], np.cumsum(lengths.sum(axis=0))])
        columns, values = np.empty(starts[-1], np.int32), np.empty(starts[-1])
        begin = starts[:-1].copy()
        for view, rows, own in zip(self.views, found, lengths, strict=True):
            into = np.repeat(begin - rows.starts[:-1], own) + np.arange(len(rows.columns))
            columns[into] = rows.columns + self.columns[view.name].start
            values[into] = view.factor * rows.values
            begin += own
        return Csr(starts, columns, values, (len(ids), self.shape[1]))

    def exact(self, ids: Ids, w: Vector | SparseVector) -> Floats:
        scores = np.zeros(len(ids))
        for view, part in self._asked(w):
            scores += view.factor * view.corpus.exact(ids, part)
        return scores

    def slack(self, w: Vector | SparseVector) -> float:
        total = sum(abs(view.factor) * view.corpus.slack(part) for view, part in self._asked(w))
        return 2 * float(total)  # adding the views' scores rounds a few times more

    def top(
        self,
        w: Vector | SparseVector,
        k: int,
        keep: Mask | None = None,
        *,
        positive: bool = False,
    ) -> list[tuple[int, float]]:
        check_top(k, keep, self.shape[0])
        xp = self.arrays.xp
        dense = self._dense(w)
        narrow = xp.astype(dense, xp.float32)
        return best_by_scores(self, narrow, dense, k, keep, positive=positive)

    def take(self, ids: Ids) -> Stack:
        ids = checked_ids(ids, self.shape[0])
        some = Stack([view._replace(corpus=view.corpus.take(ids)) for view in self.views])
        if some.has_rows:  # who takes some documents reads them more than once
            from likewise.engines.rows import KeptRows

            some._accessed = KeptRows()
            if self.has_rows:
                some._no_rows = self._no_rows
        return some

    def extended(self, rows: CountArrays | np.ndarray) -> Stack:
        raise UsageError("a stack cannot be extended: extend each of its views, and stack them")

    @property
    def has_rows(self) -> bool:
        return self._layers is not None

    def row_access(self, ids: Ids) -> RowAccess | None:
        if self._accessed is None:
            return self._row_access(ids)
        return self._accessed(ids, self._row_access)

    def _row_access(self, ids: Ids) -> CoreRows | None:
        if self._layers is None or self._no_rows is None:
            return None
        rows = self._no_rows.sized(len(ids))
        for layer, (view, corpus) in enumerate(zip(self.views, self._layers, strict=True)):
            corpus.add_layer(rows, ids, view.factor, layer, self.columns[view.name].start)
        return rows

    @cached_property
    def _layers(self) -> list[_Layers] | None:
        """The views' corpora, if the core can read the rows of all."""
        corpora: list[_Layers] = [v.corpus for v in self.views if isinstance(v.corpus, _Layers)]
        return corpora if len(corpora) == len(self.views) else None

    @cached_property
    def _no_rows(self) -> CoreRows | None:
        """What access to rows begins with, if the core can read them."""
        if self._layers is None:
            return None
        from likewise.engines.rows import CoreRows

        factors = np.concatenate([corpus.term_factors for corpus in self._layers])
        return CoreRows(factors, 0, len(self._layers))

    @cached_property
    def _adding(self) -> dict[str, Adding | None]:
        corpora = {view.name: view.corpus for view in self.views}
        return {name: one if isinstance(one, Adding) else None for name, one in corpora.items()}

    def judged(self) -> Judged | None:
        return self.views[0].corpus.judged()

    def _dense(self, w: Vector | SparseVector) -> Vector:
        if isinstance(w, SparseVector):
            return self.arrays.vector(spread_out(w, self.shape[1]))
        return w

    def _asked(self, w: Any) -> Iterator[tuple[View, Any]]:
        """The views that a vector has weights for, with its parts; the others are not read."""
        if not isinstance(w, SparseVector) and w.shape[0] != self.shape[1]:
            raise UsageError(f"vectors of shape {tuple(w.shape)} for {self.shape[1]} terms")
        for view in self.views:
            if isinstance(w, SparseVector):
                part: Any = self.columns.part(w, view.name)
                asked = bool(len(part.columns))
            else:
                part = w[self.columns[view.name], ...]
                asked = bool(self.arrays.xp.any(part != 0.0))
            if asked:
                yield view, part

    def _concatenated(self, parts: Sequence[Vectors]) -> Vectors:
        scaled = [view.factor * part for view, part in zip(self.views, parts, strict=True)]
        return self.arrays.xp.concat(scaled)


def _times(factor: float, scores: Vectors) -> Vectors:
    return scores if factor == 1.0 else factor * scores


def _dtype(xp: Any, w: Any) -> Any:
    return xp.float32 if isinstance(w, SparseVector) else w.dtype


def _sum(terms: Sequence[Vectors]) -> Vectors:
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def _checked(views: Sequence[View]) -> tuple[View, ...]:
    if not views:
        raise UsageError("no view was given: a stack needs at least one")
    names = [view.name for view in views]
    if len(set(names)) < len(names):
        raise UsageError(f"two views have the same name ({', '.join(names)}): rename one")
    first = views[0]
    for view in views:
        if view.corpus.shape[0] != first.corpus.shape[0]:
            raise UsageError(
                f"view {view.name!r} has {view.corpus.shape[0]} documents and view {first.name!r} "
                f"has {first.corpus.shape[0]}: views must be of the same documents"
            )
        if not (np.isfinite(view.factor) and view.factor > 0):
            raise UsageError(f"view {view.name!r} has factor {view.factor}: it must be above 0")
    return tuple(views)
