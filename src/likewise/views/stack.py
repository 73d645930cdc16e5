"""Corpora over the same documents, their columns side by side: again a Corpus.

X = [f₁·X₁ | f₂·X₂ | …]: words, a latent space, embeddings, each with a factor that says how much
it counts. A query over a stack has a part for each view, and scores add up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

import numpy as np

from likewise import _core
from likewise.arguments import best_first, check_top, checked_ids, checked_vectors, spread_out
from likewise.corpus import Corpus, Csr, SparseVector
from likewise.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise.corpus import Ids, Mask, Vector, Vectors

    Floats = NDArray[np.float64]


class View(NamedTuple):
    name: str
    corpus: Corpus
    factor: float = 1.0


@runtime_checkable
class _Layers(Protocol):
    """A corpus whose rows the core may read beside those of others."""

    @property
    def col(self) -> Floats: ...

    def add_layer(
        self, rows: _core.Rows, ids: Ids, factor: float = 1.0, layer: int = 0, first: int = 0
    ) -> Floats: ...


@runtime_checkable
class _Rescoring(Protocol):
    """A corpus that knows how far scores in single precision may be off, and can do better."""

    def slack(self, w: Vector) -> float: ...

    def exact(self, ids: Ids, w: Vector) -> Floats: ...


def stack(views: Sequence[View]) -> Stack:
    """One corpus of all views; the core may read its rows if it may read those of every view."""
    layered = all(isinstance(view.corpus, _Layers) for view in views)
    return RowStack(views) if layered else Stack(views)


class Stack:
    """Made by `stack`."""

    def __init__(self, views: Sequence[View]) -> None:
        self.views = _checked(views)
        self.firsts = np.cumsum([0, *(view.corpus.shape[1] for view in self.views)])

    @property
    def shape(self) -> tuple[int, int]:
        return self.views[0].corpus.shape[0], int(self.firsts[-1])

    @property
    def names(self) -> list[str]:
        return [view.name for view in self.views]

    def columns(self, name: str) -> slice:
        """Where a view's columns are."""
        place = self.names.index(name)
        return slice(int(self.firsts[place]), int(self.firsts[place + 1]))

    def scores(self, w: Vectors) -> Vectors:
        w = checked_vectors(w, self.shape, 1)
        total = np.zeros((self.shape[0], *w.shape[1:]), w.dtype)
        for view, part in self._parts(w):
            if part.any():  # a view that is not asked is not read
                total += (view.factor * view.corpus.scores(part)).astype(w.dtype, copy=False)
        return total

    def weighted_sum(self, a: Vectors) -> Vectors:
        a = checked_vectors(a, self.shape, 0)
        sums = [view.factor * view.corpus.weighted_sum(a) for view in self.views]
        return np.concatenate(sums).astype(a.dtype, copy=False)

    def rows(self, ids: Ids) -> Csr:
        """Columns of later views are higher, so that rows stay in order of columns."""
        ids = checked_ids(ids, self.shape[0])
        found = [view.corpus.rows(ids) for view in self.views]
        lengths = np.array([np.diff(rows.starts) for rows in found])
        starts = np.concatenate([[0], np.cumsum(lengths.sum(axis=0))])
        columns, values = np.empty(starts[-1], np.int32), np.empty(starts[-1])
        begin = starts[:-1].copy()
        for view, first, rows, own in zip(self.views, self.firsts, found, lengths, strict=False):
            into = np.repeat(begin - rows.starts[:-1], own) + np.arange(len(rows.columns))
            columns[into] = rows.columns + first
            values[into] = view.factor * rows.values
            begin += own
        return Csr(starts, columns, values, (len(ids), self.shape[1]))

    def take(self, ids: Ids) -> Stack:
        ids = checked_ids(ids, self.shape[0])
        return stack([view._replace(corpus=view.corpus.take(ids)) for view in self.views])

    def top(
        self,
        w: Vector | SparseVector,
        k: int,
        keep: Mask | None = None,
        *,
        positive: bool = False,
    ) -> list[tuple[int, float]]:
        check_top(k, keep, self.shape[0])
        found, scores = self._candidates(self.dense(w), k, keep)
        return best_first(found, scores, k, positive=positive)

    def exact(self, ids: Ids, w: Vector) -> Floats:
        """Some documents' scores, in double precision."""
        scores = np.zeros(len(ids))
        for view, part in self._parts(w):
            corpus = view.corpus
            if not part.any():
                continue
            if isinstance(corpus, _Rescoring):
                scores += view.factor * corpus.exact(ids, part)
            else:
                scores += view.factor * corpus.take(ids).scores(part)
        return scores

    def slack(self, w: Vector) -> float:
        """How far a score in single precision may be from the true one."""
        total = sum(
            abs(view.factor) * view.corpus.slack(part)
            for view, part in self._parts(w)
            if isinstance(view.corpus, _Rescoring)
        )
        return 2 * float(total)  # adding the views' scores up takes a few roundings more

    def dense(self, w: Vector | SparseVector) -> Vector:
        if isinstance(w, SparseVector):
            return spread_out(w, self.shape[1])
        return checked_vectors(w, self.shape, 1)

    def _candidates(self, w: Vector, k: int, keep: Mask | None) -> tuple[NDArray[np.int64], Floats]:
        """Documents that may be among the k best, and their exact scores."""
        if all(isinstance(view.corpus, _Rescoring) for view in self.views):
            scores = self.scores(w.astype(np.float32))
            found = _core.best(scores, keep, k, self.slack(w)).astype(np.int64)
            return found, self.exact(found, w)
        exact: Floats = self.scores(w.astype(np.float64)).astype(np.float64)
        found = _core.best(exact, keep, k, 0.0).astype(np.int64)
        return found, exact[found]

    def _parts(self, w: Vectors) -> list[tuple[View, Vectors]]:
        ends = zip(self.firsts[:-1], self.firsts[1:], strict=True)
        return [(view, w[a:b]) for view, (a, b) in zip(self.views, ends, strict=True)]


class RowStack(Stack):
    """A stack with RowAccess."""

    def row_access(self, ids: Ids) -> tuple[_core.Rows, Floats]:
        corpora = [view.corpus for view in self.views if isinstance(view.corpus, _Layers)]
        rows = _core.Rows(np.concatenate([c.col for c in corpora]), len(ids), len(corpora))
        squares = np.zeros(len(ids))
        for layer, (view, corpus) in enumerate(zip(self.views, corpora, strict=True)):
            squares += corpus.add_layer(rows, ids, view.factor, layer, int(self.firsts[layer]))
        return rows, squares


def _checked(views: Sequence[View]) -> tuple[View, ...]:
    if not views:
        raise UsageError("a stack needs at least one view")
    names = [view.name for view in views]
    if len(set(names)) < len(names):
        raise UsageError(f"two views have the same name: {', '.join(names)}")
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
