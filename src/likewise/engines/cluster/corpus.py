"""A corpus in parts: those of the workers, and maybe some documents in this process.

Products are computed where the rows are. Vectors over terms, and what is asked of a few documents,
travel; vectors over documents stay with them. Sums are added in the order of parts, whoever has
computed them.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likewise.corpus import Csr, SparseVector
from likewise.engines.checks import (
    best_first,
    check_top,
    checked_ids,
    checked_vectors,
    rounding,
)
from likewise.engines.cluster import work
from likewise.engines.cluster.expressions import Node, compiled, packed
from likewise.engines.cluster.layout import Layout, Piece
from likewise.engines.cluster.namespace import ClusterArrays
from likewise.engines.cluster.spread import Fetch, Spread, wrapped
from likewise.engines.cluster.tasks import Batch
from likewise.engines.local.collection import LocalEngine
from likewise.engines.local.corpus import SCAN_STEPS, SPEED
from likewise.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from likewise._core import CountArrays
    from likewise.corpus import Corpus, Floats, Ids, Mask, Vector, Vectors
    from likewise.engines.cluster.tasks import Cluster
    from likewise.engines.local.segments import Factors

FEW = 50_000  # documents that are brought here: visiting their rows is faster than passes
KEPT = 4  # answers to what rows some documents have
RUN = 1000  # neighbours in a list of documents that are worth a part of their own


class Place(NamedTuple):
    """A part: a future and its anchor, or what is in this process."""

    part: Any
    anchor: Any
    size: int
    here: work.Corpora | None = None

    @property
    def asked(self) -> Any:
        """What answers: a future, or what is in this process."""
        return self.part if self.here is None else _Here(self.here)


class ClusterCorpus:
    has_rows = False  # of documents on other machines none is visited one by one

    def __init__(
        self,
        cluster: Cluster,
        places: Sequence[Place],
        factors: Factors,
        longest: float,
        threads: int,
        *,
        base: ClusterCorpus | None = None,
        whole: bool = False,
    ) -> None:
        """`base` has all documents but some from outside; a `whole` corpus lives on."""
        self._base, self._whole = base, whole
        self._cluster, self._places, self._factors = cluster, list(places), factors
        self._longest, self.threads = longest, threads
        self.term_factors = factors.col
        self.layout = Layout([Piece(place.anchor, place.size) for place in self._places])
        self.arrays = ClusterArrays(cluster, self.layout)
        self._rows: dict[bytes, Csr] = {}

    @property
    def shape(self) -> tuple[int, int]:
        return self.layout.size, len(self.term_factors)

    @property
    def speed(self) -> float:
        return SPEED * max(1, sum(place.here is None for place in self._places))

    @cached_property
    def squares(self) -> Vector:
        return self._vector("lengths", work.squares, (), np.float64)

    def scores(self, w: Vectors | SparseVector) -> Vectors:
        if isinstance(w, SparseVector):
            return self._vector("scores", work.scores, (w,), np.float32)
        given = checked_vectors(self._brought(w), self.shape, 1)
        return self._vector("scores", work.scores, (given,), given.dtype, given.shape[1:])

    def weighted_sum(self, a: Vectors) -> Vectors:
        if not isinstance(a, Spread):
            a = self.arrays.xp.asarray(a)
        if a.dtype not in (np.float32, np.float64):
            a = self.arrays.xp.astype(a, np.float64)
        if a.ndim not in (1, 2) or len(a) != self.shape[0]:
            raise UsageError(f"vectors of shape {a.shape} for {self.shape[0]} documents")
        program, leaves = compiled([self._node(a)])
        batch = Batch(self._cluster)
        terms, here = [], []
        for i, place in enumerate(self._places):
            own = [leaf.pieces[i] for leaf in leaves if leaf.pieces is not None]
            if place.here is None:
                terms.append(batch.add("sums", work.summed, place.part, i, program, *own,
                                       wanted=False))  # fmt: skip
            else:
                here.append(work.summed(_Here(place.here), i, program, *own))
        return self._total_of(batch, terms, here, a.shape[1:], a.dtype)

    def fused(
        self, w: Vector, weigh: Callable[..., Vector], *along: Vector
    ) -> tuple[Vector, Vector]:
        given = checked_vectors(self._brought(w), self.shape, 1).astype(np.float64, copy=False)
        nodes = [self._node(self.arrays.xp.asarray(a)) for a in along]
        program, leaves = compiled(nodes)
        batch = Batch(self._cluster)
        wire = self._wire(batch, given)
        terms, here, found = [], [], []
        for i, place in enumerate(self._places):
            own = [leaf.pieces[i] for leaf in leaves if leaf.pieces is not None]
            if place.here is None:
                both = batch.add("fused", work.fused, place.part, i, weigh, wire, program, *own,
                                 wanted=False)  # fmt: skip
                found.append(batch.add("scores", work.first, both))
                terms.append(batch.add("sums", work.second, both, wanted=False))
            else:
                scores, sums = work.fused(_Here(place.here), i, weigh, given, program, *own)
                found.append(scores)
                here.append(sums)
        kept: dict[Any, Any] = {}
        total = self._total_of(batch, terms, here, (), np.float64, kept)
        pieces = [kept[f.key] if hasattr(f, "key") else f for f in found]
        scores = Spread(self._cluster, self.shape[:1], np.float64, layout=self.layout,
                        node=Node(pieces=pieces))  # fmt: skip
        return scores, total

    def total(self) -> Vector:
        """It is needed by every query that is told from the rest."""
        if self._base is None:
            return self._total
        outside = np.arange(self._base.shape[0], self.shape[0])
        return self._base.total() + self.rows(outside).weighted_sum(np.ones(len(outside)))

    @cached_property
    def _total(self) -> Vector:
        return self.weighted_sum(self.arrays.xp.ones(self.shape[0]))

    def total_scores(self) -> Vector | None:
        return self._total_scores if self._whole else None

    @cached_property
    def _total_scores(self) -> Vector:
        return self.scores(self.arrays.xp.astype(self._total, np.float32))

    def rows(self, ids: Ids) -> Csr:
        """The last few answers are kept: learning asks for its examples again and again."""
        ids = checked_ids(ids, self.shape[0])
        key = ids.tobytes()
        if (known := self._rows.get(key)) is None:
            while len(self._rows) >= KEPT:
                self._rows.pop(next(iter(self._rows)), None)
            known = self._rows[key] = self._brought_rows(ids)
        return known

    def _brought_rows(self, ids: NDArray[np.int64]) -> Csr:
        found = self._asked("rows", work.rows, ids)
        lengths = np.zeros(len(ids), np.int64)
        for at, rows in found:
            lengths[at] = np.diff(rows.starts)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        columns, values = np.empty(starts[-1], np.int32), np.empty(starts[-1])
        for at, rows in found:
            into = np.repeat(starts[at] - rows.starts[:-1], lengths[at]) + np.arange(
                len(rows.columns)
            )
            columns[into], values[into] = rows.columns, rows.values
        return Csr(starts, columns, values, (len(ids), self.shape[1]))

    def exact(self, ids: Ids, w: Vector | SparseVector) -> Floats:
        scores = np.zeros(len(ids))
        numbers = checked_ids(ids, self.shape[0])
        for at, own in self._asked("exact", work.exact, numbers, self._brought(w)):
            scores[at] = own
        return scores

    def slack(self, w: Vector | SparseVector) -> float:
        weights = w.weights if isinstance(w, SparseVector) else self._brought(w)
        return rounding(weights, self._longest, SCAN_STEPS)

    def top(
        self,
        w: Vector | SparseVector,
        k: int,
        keep: Mask | None = None,
        *,
        positive: bool = False,
    ) -> list[tuple[int, float]]:
        check_top(k, keep, self.shape[0])
        given = self._brought(w)
        calls = []
        for place, (first, last) in zip(self._places, self.layout.ranges(), strict=True):
            bits = None if keep is None else packed(keep[first:last])
            calls.append((work.top, place.asked, given, k, bits, positive))
        lists = self._cluster.asked("top", calls)
        numbers = [first + n for first, own in zip(self.layout.firsts.tolist(), lists,
                                                   strict=False) for n, _ in own]  # fmt: skip
        scores = np.array([score for own in lists for _, score in own], np.float64)
        return best_first(np.array(numbers, np.int64), scores, k, positive=positive)

    def take(self, ids: Ids) -> Corpus:
        ids = checked_ids(ids, self.shape[0])
        if len(ids) <= FEW:
            return self._taken_here(ids)
        places: list[Place] = []
        for run_, near in _runs(ids):
            places += self._taken_there(run_) if near else [self._place_here(run_)]
        return ClusterCorpus(self._cluster, places, self._factors, self._longest, self.threads)

    def extended(self, rows: CountArrays | NDArray[np.float32]) -> ClusterCorpus:
        """With outside documents after its own, which stay in this process."""
        from likewise.corpus import Stored

        width = rows.shape[1] if isinstance(rows, np.ndarray) else self.shape[1]
        stored = LocalEngine().collection([Stored(rows, width)], self.shape[1], self.threads)
        outside = work.weighed(stored, self._factors)
        squares = outside.squares
        longest = max(self._longest, float(squares.max(initial=0.0)) ** 0.5)
        places = [*self._places, Place(None, None, len(squares), outside)]
        given = self._cluster, places, self._factors, longest, self.threads
        return ClusterCorpus(*given, base=self)

    def row_access(self, ids: Ids) -> None:
        return None

    def judged(self) -> None:
        return None

    # Some documents

    def _taken_here(self, ids: NDArray[np.int64]) -> Corpus:
        stored, order = [], [np.zeros(0, np.int64)]
        for at, (rows, places) in self._asked("bring", work.stored_rows, ids):
            stored += rows
            order.append(at[places])
        corpus = work.brought(stored, self.shape[1], self._factors, self.threads)
        return corpus.take(np.argsort(np.concatenate(order), kind="stable"))

    def _place_here(self, ids: NDArray[np.int64]) -> Place:
        taken: Any = self._taken_here(ids)
        return Place(None, None, len(ids), taken)

    def _taken_there(self, ids: NDArray[np.int64]) -> list[Place]:
        """Of documents in ascending order, those of each part."""
        _, local = self.layout.located(ids)
        batch = Batch(self._cluster)
        found: list[Any] = []
        for place, own in zip(self._places, local, strict=True):
            if len(own) and place.here is None:
                found.append((batch.add("some", work.some, place.part, own), place, len(own)))
            elif len(own) and place.here is not None:
                found.append((place.here.take(own), place, len(own)))
        sent = batch.send()
        return [
            place._replace(part=sent[part.key], size=size)
            if place.here is None
            else place._replace(here=part, size=size)
            for part, place, size in found
        ]

    # Asking the parts

    def _node(self, vector: Spread) -> Any:
        """A vector over documents as a step's argument; one number stands for all."""
        if len(vector) != self.shape[0]:
            raise UsageError(f"vectors of shape {vector.shape} for {self.shape[0]} documents")
        node = vector.there(self.layout)
        return node if isinstance(node, Node) else Node("identity", (node,))

    def _wire(self, batch: Batch, w: Any) -> Any:
        """What is sent to all parts is sent once."""
        if isinstance(w, SparseVector) or not any(p.here is None for p in self._places):
            return w
        return batch.add("send", work.itself, w, wanted=False)

    def _brought(self, w: Any) -> Any:
        return w if isinstance(w, SparseVector) else np.asarray(w)

    def _vector(
        self, name: str, ask: Any, args: tuple[Any, ...], dtype: Any, block: tuple[int, ...] = ()
    ) -> Spread:
        """A vector over documents that every part computes, and keeps, its piece of."""
        batch = Batch(self._cluster)
        wires = [self._wire(batch, each) for each in args]
        made = [
            batch.add(name, ask, place.part, *wires)
            if place.here is None
            else ask(_Here(place.here), *args)
            for place in self._places
        ]
        sent = batch.send()
        pieces = [sent[m.key] if hasattr(m, "key") else m for m in made]
        if not pieces:
            return wrapped(self._cluster, np.zeros((0, *block), dtype))
        return Spread(self._cluster, (self.shape[0], *block), dtype, layout=self.layout,
                      node=Node(pieces=pieces))  # fmt: skip

    def _asked(self, name: str, ask: Any, ids: NDArray[np.int64], *args: Any) -> list[Any]:
        """What the parts say of some documents: the places of these, and the answer."""
        where, local = self.layout.located(ids)
        every = zip(self._places, where, local, strict=True)
        asked = [(at, (ask, place.asked, own, *args)) for place, at, own in every if len(at)]
        found = self._cluster.asked(name, [call for _, call in asked])
        return [(at, answer) for (at, _), answer in zip(asked, found, strict=True)]

    def _total_of(
        self,
        batch: Batch,
        terms: list[Any],
        here: list[Any],
        block: tuple[int, ...],
        dtype: Any,
        kept: dict[Any, Any] | None = None,
    ) -> Spread:
        """The sum of the parts' sums: those of workers by a tree, then those of this process.

        It is under way, and comes when somebody looks at it.
        """
        shape = self.shape[1], *block
        if not terms:
            return wrapped(self._cluster, sum(here, np.zeros(shape, dtype)))
        root = batch.sum("sums", terms)
        sent = batch.send()
        if kept is not None:
            kept |= sent
        fetch = Fetch(lambda found: sum(here, found), future=sent[root.key])
        return Spread(self._cluster, shape, dtype, fetch=fetch)


class _Here(work.Whole):
    """What is in this process, asked as a worker is."""

    def __init__(self, corpus: Any) -> None:
        self.corpus = corpus


def _runs(ids: NDArray[np.int64]) -> list[tuple[NDArray[np.int64], bool]]:
    """A list of documents in runs: long ascending ones, and all that is between these."""
    ends = [0, *(np.flatnonzero(np.diff(ids) <= 0) + 1).tolist(), len(ids)]
    runs: list[tuple[NDArray[np.int64], bool]] = []
    for start, stop in pairwise(ends):
        near = stop - start >= RUN
        if runs and not near and not runs[-1][1]:
            runs[-1] = np.concatenate([runs[-1][0], ids[start:stop]]), False
        else:
            runs.append((ids[start:stop], near))
    return runs
