"""X[i, j] = row[i] · f(stored)[i, j] · col[j] over the live documents of some segments.

The k best are found either by scoring all documents or by the inverted file, whichever is estimated
to be cheaper. Both find candidates: sums in single precision have an error of up to `slack`, so all
documents within that of the k-th best are scored again, in a fixed order and in double precision.
Both ways therefore return the same list.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from likewise import _core
from likewise.corpus import Csr, SparseVector
from likewise.engines.arrays import NUMPY
from likewise.engines.checks import (
    best_first,
    check_top,
    checked_ids,
    checked_vectors,
    rounding,
    spread_out,
)
from likewise.engines.local.columns import Inwards, Outwards, known_columns
from likewise.engines.local.parts import CountMatrix, CountPart
from likewise.engines.local.subset import Subset
from likewise.engines.local.vectors import DensePart
from likewise.engines.rows import CoreRows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from likewise._core import CountArrays
    from likewise.corpus import Ids, Mask
    from likewise.engines.local.segments import Factors, Segment

    Floats = NDArray[np.float64]
    Rows = NDArray[np.uint32]
    Vector = NDArray[np.floating]
    Vectors = NDArray[np.floating]

SCAN_STEPS = 80  # roundings of one term in a row's sum, at most: see folds.h, rowdot.h
SPEED = 2e8  # entries that learning processes in a second, a low estimate
MANY_TERMS = 4  # a query of at least 1/MANY_TERMS of all terms is taken as a dense vector
LARGE = 1 << 20  # entries, from which on some postings are read rather than all rows
POSTING_COST = 2.0  # of a posting (random access), relative to an entry read in order


class LocalCorpus:
    arrays = NUMPY
    speed = SPEED
    has_rows = True

    def __init__(
        self,
        segments: Sequence[Segment],
        factors: Factors,
        *,
        threads: int = 1,
        base: LocalCorpus | None = None,
    ) -> None:
        """`base` is a corpus of the first of these documents, if there is one."""
        self._segments, self._base = list(segments), base
        self._factors = factors
        self.term_factors = factors.col
        self._longest = max((s.squares.max(initial=0) for s in self._segments), default=0) ** 0.5
        self.threads = threads
        self._asked = False
        self._firsts = np.cumsum([0, *(segment.size for segment in self._segments)])

    @property
    def shape(self) -> tuple[int, int]:
        return int(self._firsts[-1]), len(self.term_factors)

    @property
    def squares(self) -> Floats:
        """The documents' squared lengths."""
        return np.concatenate([np.zeros(0), *(s.narrow(s.squares) for s in self._segments)])

    def squares_of(self, ids: Ids) -> Floats:
        found = np.empty(len(ids))
        for segment, places, local in self._located(ids):
            found[places] = segment.squares[local]
        return found

    def scores(self, w: Vectors | SparseVector) -> Vectors:
        if isinstance(w, SparseVector):
            out = np.zeros(self.shape[0], np.float32)
            self.add_scores(w, out)
            return out
        w = checked_vectors(w, self.shape, 1)
        if w.ndim == 1:
            return self._scores_of_one(self._scaled_terms(w, w.dtype))
        out = np.empty((self.shape[0], w.shape[1]), w.dtype)
        block, scales = Inwards(np.ascontiguousarray(w)), Inwards(self.term_factors)
        for segment, own in self._each(out):
            part = segment.part
            y = own if segment.live is None else np.empty((len(segment.row), w.shape[1]), w.dtype)
            part.block_scores(block(part), scales(part), segment.row, y, self.threads)
            if segment.live is not None:
                own[:] = y[segment.live]
        return out

    def add_scores(self, w: SparseVector, out: NDArray[np.float32], factor: float = 1.0) -> None:
        """In single precision, by the inverted file of each segment that has one."""
        for i, segment in enumerate(self._segments):
            own = out[self._firsts[i] : self._firsts[i + 1]]
            there = own if segment.live is None else np.zeros(len(segment.row), np.float32)
            segment.part.add_scores(self._scaled(segment, w), segment.row32, factor, there)
            if segment.live is not None:
                own += there[segment.live]

    def _scores_of_one(self, scaled: Vector) -> Vector:
        """Scores by a vector that is multiplied by the terms' factors."""
        out, inwards = np.empty(self.shape[0], scaled.dtype), Inwards(scaled)
        todo, narrowed = _core.Pass(self.threads), []
        for segment, own in self._each(out):
            y = own if segment.live is None else np.empty(len(segment.row), scaled.dtype)
            segment.part.scores(inwards(segment.part), segment.row, y, todo)
            if segment.live is not None:
                narrowed.append((own, y, segment.live))
        todo.run()
        for own, y, live in narrowed:
            own[:] = y[live]
        return out

    def weighted_sum(self, a: Vectors) -> Vectors:
        a = checked_vectors(a, self.shape, 0)
        wide = a.ndim == 2  # blocks keep their precision, which saves half of the memory
        terms, todo = len(self.term_factors), _core.Pass(self.threads)
        total = np.zeros((terms, a.shape[1]), a.dtype) if wide else todo.zeros(terms)
        sums = Outwards(total, todo)
        for segment, chosen in self._each(a):
            weights = np.ascontiguousarray(segment.widen(chosen))
            part, own = segment.part, sums(segment.part)
            if wide:
                part.add_block(weights, segment.row, own, self.threads)
            else:
                part.add_sum(weights, segment.row, own, todo)
        if wide:
            _core.scale_own_rows(sums.total(), self.term_factors, self.threads)
            return total
        return self._scaled_terms(sums.total(), a.dtype)

    def total(self) -> Floats:
        return self._total

    @cached_property
    def _total(self) -> Floats:
        """The sum of all documents, for it is needed by every query that is told from the rest."""
        documents = self.shape[0]
        if self._base is None:
            return np.asarray(self.weighted_sum(np.ones(documents)), np.float64)
        outside = np.arange(self._base.shape[0], documents)
        return self._base.total() + self.sum_rows(outside, np.ones(len(outside)))

    def total_scores(self) -> Vector | None:
        return None if self._base is not None else self._total_scores

    @cached_property
    def _total_scores(self) -> Vector:
        return self.scores(self._total.astype(np.float32))

    def rows(self, ids: Ids) -> Csr:
        return self.row_access(checked_ids(ids, self.shape[0])).csr()

    def fused(
        self, w: Vector, weigh: Callable[..., Vector], *along: Vector
    ) -> tuple[Vector, Vector]:
        w = checked_vectors(w, self.shape, 1)
        scaled = np.ascontiguousarray(self.term_factors * w, np.float64)
        inwards, sums = Inwards(scaled), Outwards(np.zeros(len(self.term_factors)))
        scores = np.empty(self.shape[0])
        for i, segment in enumerate(self._segments):
            own, part = slice(int(self._firsts[i]), int(self._firsts[i + 1])), segment.part
            beside, into = [a[own] for a in along], sums(part)
            into += segment.fuse(inwards(part), scores[own], weigh, beside, self.threads)
        return scores, sums.total() * self.term_factors

    def extended(self, rows: CountArrays | NDArray[np.float32]) -> LocalCorpus:
        """With outside documents after its own: weighted in the same way, not counted in df."""
        matrix: CountMatrix | DensePart
        if isinstance(rows, np.ndarray):
            matrix = DensePart(rows)
        else:
            inverted = cache(_core.Counts(rows, self.shape[1]).transpose)
            matrix = CountMatrix(rows, inverted, self.shape[1], trusted=False)
        outside = self._factors.segment(matrix, None, self.threads)
        segments = [*self._segments, outside]
        return LocalCorpus(segments, self._factors, threads=self.threads, base=self)

    def take(self, ids: Ids) -> Subset:
        return Subset(self, checked_ids(ids, self.shape[0]))

    def top(
        self,
        w: Vector | SparseVector,
        k: int,
        keep: Mask | None = None,
        *,
        positive: bool = False,
    ) -> list[tuple[int, float]]:
        check_top(k, keep, self.shape[0])
        if positive and isinstance(w, SparseVector) and self._postings is not None:
            most = 1 / (POSTING_COST * self.threads)
            best = self._postings.best(w.columns, w.weights, k, keep, most)
            if best is not None:
                return best
        if isinstance(w, SparseVector) and MANY_TERMS * len(w.columns) >= self.shape[1]:
            w = self.dense(w)  # finding each of its terms in each segment takes longer
        if isinstance(w, SparseVector):
            pruned = self._pruned(w, k, keep, positive)
            if pruned is not None:
                return pruned
        if self._inverted_is_cheaper(w):
            found = self._by_inverted_file(self.sparse(w), k, keep, positive)
        else:
            found = self._by_scan(self.dense(w), k, keep)
        return self.best(found, w, k, positive=positive)

    def _pruned(
        self, w: SparseVector, k: int, keep: Mask | None, positive: bool
    ) -> list[tuple[int, float]] | None:
        """By the terms that tell most for their postings; None where it takes longer.

        It needs what takes as long to prepare as scoring all documents twice: not for one query.
        """
        self._asked, asked = True, self._asked
        entries = sum(segment.part.entries for segment in self._segments)
        if not asked or entries < LARGE or self._known_postings is None:
            return None
        return self._known_postings.pruned(w.columns, w.weights, k, keep, positive, self.threads)

    @cached_property
    def _known_postings(self) -> _core.Postings | None:
        listing = self._listing
        if listing is None:
            return None
        from likewise.engines.local.common import common_terms  # which few searches need

        known = common_terms(self._segments, listing, self.term_factors, self.threads)
        if self._postings is not None:
            self._postings.know(*known)
        return self._postings

    def best(
        self, found: NDArray[np.int64], w: Vector | SparseVector, k: int, *, positive: bool = False
    ) -> list[tuple[int, float]]:
        """The k best of some documents, scored exactly."""
        return best_first(found, self.exact(found, w), k, positive=positive)

    def exact(self, ids: Ids, w: Vector | SparseVector) -> Floats:
        """Scores of some documents, each summed in stored order in double precision."""
        scores = np.zeros(len(ids))
        if not isinstance(w, SparseVector):
            inwards = Inwards(np.asarray(w, np.float64) * self.term_factors)
        for segment, places, local in self._located(ids):
            if isinstance(w, SparseVector):
                products = segment.part.exact(local, _ascending(self._scaled(segment, w)))
            else:
                products = segment.part.exact(local, inwards(segment.part))
            scores[places] = products * segment.row[local]
        return scores

    def dot_rows(self, ids: Ids, w: Vectors) -> Vectors:
        """scores(w) of some documents."""
        w = checked_vectors(w, self.shape, 1)
        scaled = (_as_column(self.term_factors, w) * w).astype(w.dtype, order="C", copy=False)
        out, inwards = np.zeros((len(ids), *w.shape[1:]), w.dtype), Inwards(scaled)
        for segment, places, local in self._located(ids):
            products = segment.part.dot_rows(local, inwards(segment.part), self.threads)
            out[places] = products * _as_column(segment.row[local], products)
        return out

    def sum_rows(self, ids: Ids, a: Vector) -> Floats:
        """The weighted sum of some documents: reads only these."""
        sums, weights = Outwards(np.zeros(len(self.term_factors))), np.asarray(a, np.float64)
        for segment, places, local in self._located(ids):
            own = sums(segment.part)
            segment.part.add_rows(local, weights[places] * segment.row[local], own)
        return sums.total() * self.term_factors

    def row_access(self, ids: Ids) -> CoreRows:
        rows = self._no_rows.sized(len(ids))
        self.add_layer(rows, ids)
        return rows

    @cached_property
    def _no_rows(self) -> CoreRows:
        return CoreRows(self.term_factors, 0)

    def judged(self) -> _core.Judged:
        return _core.Judged(self.shape[0])

    def add_layer(
        self, rows: CoreRows, ids: Ids, factor: float = 1.0, layer: int = 0, first: int = 0
    ) -> None:
        """Add some documents' rows, times a factor, as a layer beside those of other corpora."""
        rows.threads = self.threads
        for segment, places, local in self._located(ids):
            scale = factor * segment.row[local]
            segment.part.add_to(rows.rows, places.astype(np.uint32), local, scale, layer, first)
            rows.squares[places] += factor**2 * segment.squares[local]

    def slack(self, w: Vector | SparseVector, steps: float = SCAN_STEPS) -> float:
        """A bound on the error of a score in single precision."""
        weights = w.weights if isinstance(w, SparseVector) else w
        return rounding(weights, self._longest, steps)

    def dense(self, w: Vector | SparseVector) -> Vector:
        if isinstance(w, SparseVector):
            return spread_out(w, len(self.term_factors))
        return checked_vectors(w, self.shape, 1)

    def sparse(self, w: Vector | SparseVector) -> SparseVector:
        if isinstance(w, SparseVector):
            return w
        w = checked_vectors(w, self.shape, 1)
        columns = np.flatnonzero(w)
        return SparseVector(columns.astype(np.int32), w[columns].astype(np.float64))

    def _scaled_terms(self, vector: Vector, dtype: np.dtype[Any]) -> Vector:
        """A vector over terms times their factors."""
        out = np.empty(len(vector), dtype)
        _core.scale(np.ascontiguousarray(vector), self.term_factors, out, self.threads)
        return out

    def _each(self, values: Vectors) -> Iterator[tuple[Segment, Vectors]]:
        for i, segment in enumerate(self._segments):
            yield segment, values[self._firsts[i] : self._firsts[i + 1]]

    def _located(self, ids: Ids) -> Iterator[tuple[Segment, NDArray[np.int64], Rows]]:
        """For each segment with any of the documents: their positions in ids and their rows."""
        if (ids[1:] >= ids[:-1]).all():  # most often
            order, ends = np.arange(len(ids)), np.searchsorted(ids, self._firsts)
        else:
            owner = np.searchsorted(self._firsts, ids, "right") - 1
            order = np.argsort(owner, kind="stable")
            ends = np.searchsorted(owner[order], np.arange(len(self._segments) + 1))
        for i in np.flatnonzero(np.diff(ends)).tolist():
            segment, places = self._segments[i], order[ends[i] : ends[i + 1]]
            local = (ids[places] - self._firsts[i]).astype(np.uint32)
            yield segment, places, local if segment.live is None else segment.live[local]

    def _scaled(self, segment: Segment, w: SparseVector) -> SparseVector:
        """A query times column factors, by the segment's columns: those that it has."""
        known, own = known_columns(segment.part, w.columns)
        return SparseVector(own, w.weights[known] * self.term_factors[w.columns[known]])

    @cached_property
    def _postings(self) -> _core.Postings | None:
        """What the core reads of all segments, where that is possible."""
        if self._listing is None:
            return None
        postings = _core.Postings(np.ascontiguousarray(self.term_factors), float(self._longest))
        for part, segment in zip(self._listing, self._segments, strict=True):
            part.add_postings(postings, segment.row, segment.row32, segment.live)
        return postings

    @property
    def _listing(self) -> list[CountPart] | None:
        """The segments' parts, where all have inverted files and share numbers."""
        parts = [segment.part for segment in self._segments]
        listing = [part for part in parts if isinstance(part, CountPart) and part.is_listed]
        return listing if len(listing) == len(parts) else None

    def _inverted_is_cheaper(self, w: Vector | SparseVector) -> bool:
        columns = w.columns if isinstance(w, SparseVector) else np.flatnonzero(w).astype(np.int32)
        if MANY_TERMS * len(columns) >= self.shape[1]:
            return False
        postings = entries = 0
        for segment in self._segments:
            touched = segment.part.postings(known_columns(segment.part, columns)[1])
            if touched is None:
                return False
            postings += touched
            entries += segment.part.entries
        return POSTING_COST * postings < entries / self.threads

    def _by_scan(self, w: Vector, k: int, keep: Mask | None) -> NDArray[np.int64]:
        scores = self.scores(w.astype(np.float32))
        return _core.best(scores, keep, k, self.slack(w)).astype(np.int64)

    def _by_inverted_file(
        self, w: SparseVector, k: int, keep: Mask | None, positive: bool
    ) -> NDArray[np.int64]:
        slack = self.slack(w, len(w.columns) + 8)
        found = [np.zeros(0, np.int64)]
        for i, segment in enumerate(self._segments):
            mask = segment.mask
            if keep is not None:
                mask = segment.widen(keep[self._firsts[i] : self._firsts[i + 1]])
            scaled = self._scaled(segment, w)
            rows = segment.part.candidates(scaled, segment.row32, mask, k, slack, positive)
            local = rows if segment.live is None else np.searchsorted(segment.live, rows)
            found.append(self._firsts[i] + local.astype(np.int64))
        return np.concatenate(found)


def _ascending(w: SparseVector) -> SparseVector:
    """In the order of columns, which may be others than those of the corpus."""
    if (w.columns[1:] > w.columns[:-1]).all():
        return w
    order = np.argsort(w.columns)
    return SparseVector(w.columns[order], w.weights[order])


def _as_column(factors: Floats, like: Vectors) -> Vectors:
    """Factors shaped to scale the rows of a vector or a block, in a block's precision."""
    return factors if like.ndim == 1 else factors[:, None].astype(like.dtype)
