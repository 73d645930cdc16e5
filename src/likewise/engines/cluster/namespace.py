"""The functions of the array API over vectors in pieces, and the few operations that it lacks.

What is elementwise, a sum or an order statistic stays with the documents. What needs all of a
vector in one place, as sorting does, brings it here first; no solver asks for that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from likewise.engines.arrays import NUMPY, hinge_line
from likewise.engines.cluster import pieces, selecting
from likewise.engines.cluster.evaluating import evaluated
from likewise.engines.cluster.expressions import ELEMENTWISE, Node, packed
from likewise.engines.cluster.pieces import Places, host
from likewise.engines.cluster.spread import Spread, apply, filled, wrapped

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from likewise.corpus import Counted, Floats, Ids, Mask
    from likewise.engines.cluster.layout import Layout
    from likewise.engines.cluster.tasks import Cluster

SUMS: dict[str, Callable[[list[Any]], Any]] = {
    "sum": sum,
    "count_nonzero": sum,
    "any": any,
    "all": all,
    "max": max,
    "min": min,
}


class Rows:
    """A few vectors as the rows of a matrix."""

    def __init__(self, rows: list[Any], size: int) -> None:
        self.rows, self.shape = rows, (len(rows), size)

    def __getitem__(self, item: tuple[Any, slice]) -> Any:
        chosen = self.rows[item[0]]
        return Rows(chosen, self.shape[1]) if isinstance(item[0], slice) else chosen

    def __setitem__(self, item: tuple[int, slice], row: Any) -> None:
        self.rows[item[0]] = row


class Namespace:
    """Of the array API."""

    float64, float32, int64, int32 = np.float64, np.float32, np.int64, np.int32
    inf, nan, pi, newaxis = np.inf, np.nan, np.pi, None

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self.__dict__["bool"] = np.bool_  # not in the class, where it would hide Python's own

    def asarray(self, values: Any, dtype: Any = None) -> Any:
        if isinstance(values, Places):
            return values
        if not isinstance(values, Spread):
            return wrapped(self._cluster, np.asarray(values, dtype))
        return values if dtype is None else self.astype(values, dtype)

    def zeros(self, shape: Any, dtype: Any = np.float64) -> Spread:
        return filled(self._cluster, _shape(shape), 0, dtype)

    def ones(self, shape: Any, dtype: Any = np.float64) -> Spread:
        return filled(self._cluster, _shape(shape), 1, dtype)

    def full(self, shape: Any, value: Any, dtype: Any = None) -> Spread:
        return filled(self._cluster, _shape(shape), value, dtype or np.asarray(value).dtype)

    def empty(self, shape: Any, dtype: Any = np.float64) -> Any:
        if len(_shape(shape)) == 2:
            return Rows([None] * shape[0], shape[1])
        return self.zeros(shape, dtype)

    def zeros_like(self, like: Spread, dtype: Any = None) -> Spread:
        return filled(self._cluster, like.shape, 0, dtype or like.dtype)

    def ones_like(self, like: Spread, dtype: Any = None) -> Spread:
        return filled(self._cluster, like.shape, 1, dtype or like.dtype)

    def astype(self, values: Spread, dtype: Any, *, copy: bool = True) -> Spread:
        if values.dtype == dtype:
            return values
        if values.repeated:
            return filled(self._cluster, values.shape, values.fill, dtype)
        if values.layout is None:
            return wrapped(self._cluster, values.host().astype(dtype))
        return values.made(Node("astype", (values.node, np.dtype(dtype))), dtype)

    def nonzero(self, values: Spread) -> tuple[Any, ...]:
        if values.ndim != 1:
            return tuple(wrapped(self._cluster, each) for each in np.nonzero(values.host()))
        return (pieces.nonzero(values),)

    def concat(self, parts: Any, axis: int = 0) -> Any:
        if axis:
            found = np.concatenate([host(part) for part in parts], axis)
            return wrapped(self._cluster, found)
        return pieces.joined(self._cluster, list(parts))

    def mean(self, values: Spread, **options: Any) -> Any:
        if options or values.layout is None:
            return self._here("mean", values, **options)
        return apply(self._cluster, "divide", self.sum(values), float(max(len(values), 1)))

    def std(self, values: Spread, **options: Any) -> Any:
        if options or values.layout is None:
            return self._here("std", values, **options)
        node = Node("squared_from", (values.node, float(self.mean(values))))
        squares = values.fetched(node, (), np.float64, sum)
        return apply(self._cluster, "sqrt", squares.host() / max(len(values), 1))

    def cumulative_sum(self, values: Spread, *, include_initial: bool = False) -> Any:
        if include_initial or values.layout is None or values.ndim != 1:
            return self._here("cumulative_sum", values, include_initial=include_initial)
        (sums,) = evaluated(self._cluster, [(values.layout, Node("sum", (values.node,)))])
        before = list(np.cumsum([0, *sums])[:-1])
        return values.made(Node("running", (values.node, Node(pieces=before))), values.dtype)

    def searchsorted(self, edges: Any, values: Any, side: str = "left") -> Any:
        if not isinstance(values, Spread) or values.layout is None:
            return self._here("searchsorted", edges, values, side=side)
        return values.made(Node("searchsorted", (host(edges), values.node, side)), np.int64)

    def take(self, values: Spread, places: Any, axis: int = 0) -> Any:
        if axis:
            return self._here("take", values, places, axis=axis)
        return pieces.taken(values, places)

    def __getattr__(self, name: str) -> Any:
        if name in ELEMENTWISE:
            return lambda *args: apply(self._cluster, name, *args)
        if name in SUMS:
            return lambda values, **options: self._summed(name, values, options)
        function = getattr(np, name)
        return lambda *args, **options: self._here(function.__name__, *args, **options)

    def _summed(self, name: str, values: Spread, options: dict[str, Any]) -> Any:
        if name == "sum" and values.repeated and values.ndim == 1 and not options:
            return wrapped(self._cluster, values.fill * len(values))
        if options or values.layout is None or not values.size or values.ndim != 1:
            return self._here(name, values, **options)
        if name in ("max", "min") and not all(piece.size for piece in values.layout.pieces):
            return self._here(name, values)
        like = np.asarray(getattr(np, name)(np.zeros(1, values.dtype)))
        node = Node(name, (values.node,))
        return values.fetched(node, (), like.dtype, SUMS[name])

    def _here(self, name: str, *args: Any, **options: Any) -> Any:
        """By NumPy, in this process."""
        found = getattr(np, name)(*map(host, args), **options)
        if isinstance(found, tuple):
            return tuple(wrapped(self._cluster, each) for each in found)
        return wrapped(self._cluster, found)


def _shape(shape: Any) -> tuple[int, ...]:
    return (int(shape),) if isinstance(shape, int | np.integer) else tuple(map(int, shape))


def _here(values: Any) -> NDArray[Any] | None:
    """A vector of this process, which a step can take as it is."""
    if not isinstance(values, Spread):
        return np.asarray(values)
    return values.host() if values.layout is None else None


class ClusterArrays:
    """Of a corpus whose vectors over documents have the pieces of `layout`."""

    def __init__(self, cluster: Cluster, layout: Layout) -> None:
        self._cluster, self.layout = cluster, layout
        self.xp: Any = Namespace(cluster)

    def vector(self, values: Any) -> Spread:
        return wrapped(self._cluster, np.asarray(values, np.float64))

    def host(self, values: Any) -> NDArray[Any]:
        return np.asarray(host(values))

    def take(self, values: Any, places: Any) -> Spread:
        if isinstance(places, Spread):
            if places.layout is not None and (table := _here(values)) is not None:
                return places.made(Node("take", (table, places.node)), table.dtype)
            places = places.host()
        given = values if isinstance(values, Spread) else self.xp.asarray(values)
        return pieces.taken(given, places)

    def placed(self, size: int, *parts: tuple[Any, Any]) -> Spread:
        given = [(p.host() if isinstance(p, Spread) else p, values) for p, values in parts]
        return pieces.placed(self._cluster, self.layout, size, given)

    def dot(self, a: Any, b: Any) -> float:
        one = next((v for v in (a, b) if isinstance(v, Spread) and v.layout is not None), None)
        if one is None or one.layout is None:
            return NUMPY.dot(np.asarray(a), np.asarray(b))
        args = (v.there(one.layout) for v in (a, b))
        return float(one.fetched(Node("dot", tuple(args)), (), np.float64, sum))

    def number(self, value: Any) -> Any:
        return value

    def dots(self, rows: Any, b: Any, *others: Any) -> Floats:
        if not isinstance(rows, Rows):
            rest = map(np.asarray, others)
            return NUMPY.dots(np.asarray(host(rows)), np.asarray(b), *rest)
        every = [*rows.rows, *others]
        there = [row for row in every if row.layout is not None]
        if not there and b.layout is None:
            return np.array([self.dot(row, b) for row in every])
        layout = (there[0] if there else b).layout
        nodes = [Node("dot", (row.there(layout), b.there(layout))) for row in every]
        found = evaluated(self._cluster, [(layout, node) for node in nodes])
        return np.array([sum(partial) for partial in found], np.float64)

    def mixed(self, weights: Floats, rows: Any) -> Any:
        given = np.asarray(weights, np.float64)
        if not isinstance(rows, Rows):
            return wrapped(self._cluster, NUMPY.mixed(given, np.asarray(host(rows))))
        there = [row for row in rows.rows if row.layout is not None]
        if not there:
            total = sum(w * row for w, row in zip(given.tolist(), rows.rows, strict=True))
            return total if isinstance(total, Spread) else self.xp.zeros(rows.shape[1])
        layout = there[0].layout
        node = Node("mixed", (given, *(row.there(layout) for row in rows.rows)))
        return there[0].made(node, np.float64)

    def largest(self, values: Any, count: int) -> Spread:
        if not isinstance(values, Spread) or values.layout is None:
            return wrapped(self._cluster, NUMPY.largest(np.asarray(values), count))
        node, size = Node("highest", (values.node, count)), min(count, len(values))
        return values.fetched(
            node, (size,), values.dtype, lambda found: NUMPY.largest(np.concatenate(found), count)
        )

    def bucketed(self, buckets: Any, count: int, *values: Any) -> Floats:
        if not isinstance(buckets, Spread) or buckets.layout is None:
            return NUMPY.bucketed(np.asarray(buckets), count, *map(np.asarray, values))
        layout = buckets.layout
        given = (self.xp.asarray(each).there(layout) for each in values)
        node = Node("bucketed", (buckets.node, count, *given))
        (found,) = evaluated(self._cluster, [(layout, node)])
        return np.asarray(sum(found))

    def counted(self, values: Any, needs: Any, levels: Floats, guess: int) -> Counted:
        if not isinstance(values, Spread) or values.layout is None:
            return NUMPY.counted(np.asarray(values), needs, levels, guess)
        return selecting.counted(values, needs, levels, guess)

    def hinge_line(self, slack: Any, change: Any, points: int) -> tuple[Floats, Floats]:
        return hinge_line(self, slack, change, points)

    def best(self, values: Any, k: int, keep: Mask | None = None, slack: float = 0.0) -> Ids:
        if not isinstance(values, Spread) or values.layout is None:
            return NUMPY.best(np.asarray(values), k, keep, slack)
        layout = values.layout
        kept: tuple[Node, ...] = ()
        if keep is not None:
            bits = [packed(keep[first:last]) for first, last in layout.ranges()]
            kept = (Node(pieces=bits),)
        (found,) = evaluated(
            self._cluster, [(layout, Node("best", (values.node, k, slack, *kept)))]
        )
        high = NUMPY.largest(np.concatenate([each for each, _, _ in found]), k)
        if not len(high):
            return np.zeros(0, np.int64)
        least = float(high[-1]) - 2.0 * slack
        if all(at is not None for _, at, _ in found):
            chosen = [at[own.astype(np.float64) >= least] for _, at, own in found]
            return np.concatenate([f + p for f, p in zip(layout.firsts, chosen, strict=False)])
        high_enough = Node("at_least", (values.node, least, *kept))
        (places,) = evaluated(self._cluster, [(layout, high_enough)])
        return np.concatenate([f + p for f, p in zip(layout.firsts, places, strict=False)])
