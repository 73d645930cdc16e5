"""Parts of vectors in pieces: ranges, some documents, values put in places, one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from likewise.engines.cluster.evaluating import evaluated, hold
from likewise.engines.cluster.expressions import ELEMENTWISE, Node
from likewise.engines.cluster.layout import Layout, Piece
from likewise.engines.cluster.spread import Spread, filled, wrapped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise.engines.cluster.tasks import Cluster

    Array = NDArray[Any]
    Numbers = NDArray[np.int64]

FEW = 1 << 15  # numbers, of documents or of vectors, that travel as they are


class Places:
    """Positions in a vector, numbered piece by piece where they were found.

    `head` are some in this process, before these, numbered through.
    """

    def __init__(self, origin: Layout, found: Spread, head: Numbers | None = None) -> None:
        self.origin, self.found = origin, found
        self.head = np.zeros(0, np.int64) if head is None else head
        self.shape = (len(self.head) + len(found),)
        self.dtype = np.dtype(np.int64)

    def __len__(self) -> int:
        return self.shape[0]

    def host(self) -> Numbers:
        numbers = self.found.host()
        sizes = [piece.size for piece in self.layout.pieces]
        shifts = np.repeat(self.origin.firsts[:-1], sizes)
        return np.concatenate([self.head, numbers + shifts])

    @property
    def layout(self) -> Layout:
        assert self.found.layout is not None
        return self.found.layout


def cut(vector: Spread, start: int, stop: int) -> Spread:
    """A range of a vector."""
    stop = max(start, stop)
    if vector.layout is None or vector.node is None:
        if vector.repeated:
            return filled(
                vector.cluster, (stop - start, *vector.shape[1:]), vector.fill, vector.dtype
            )
        return wrapped(vector.cluster, vector.host()[start:stop])
    if (start, stop) == (0, len(vector)):
        return vector
    kept, cuts = vector.layout.overlap(start, stop)
    pieces = [
        vector.layout.pieces[i]._replace(size=b - a) for i, (a, b) in zip(kept, cuts, strict=True)
    ]
    whole = [vector.layout.pieces[i].size == b - a for i, (a, b) in zip(kept, cuts, strict=True)]
    _hold_all(vector.cluster, vector.layout, vector.node)
    node = _narrowed(vector.node, kept, None if all(whole) else cuts, {})
    shape = stop - start, *vector.shape[1:]
    if not pieces:
        return filled(vector.cluster, shape, 0, vector.dtype)
    return Spread(vector.cluster, shape, vector.dtype, layout=Layout(pieces), node=node)


def _hold_all(cluster: Cluster, layout: Layout, node: Node) -> None:
    """Hold what is not elementwise: a range of it is not made of ranges of its arguments."""
    from likewise.engines.cluster.expressions import ordered

    others = [n for n in ordered([node]) if n.name not in ELEMENTWISE and n.name != "astype"]
    if others:
        hold(cluster, [(layout, each) for each in others])


def _narrowed(node: Node, kept: list[int], cuts: Any, done: dict[int, Node]) -> Node:
    """The same expression over some of the pieces, or parts of them."""
    if id(node) not in done:
        if node.pieces is not None:
            made = Node(pieces=[node.pieces[i] for i in kept])
            if cuts is not None:
                made = Node("cut", (made, Node(pieces=cuts)))
        else:
            args = (_narrowed(a, kept, cuts, done) if isinstance(a, Node) else a for a in node.args)
            made = Node(node.name, tuple(args))
        done[id(node)] = made
    return done[id(node)]


def taken(vector: Spread, places: Any) -> Spread:
    """The values at some positions."""
    cluster = vector.cluster
    if isinstance(places, slice):
        return cut(vector, *places.indices(len(vector))[:2])
    if vector.repeated:
        return filled(cluster, (len(places), *vector.shape[1:]), vector.fill, vector.dtype)
    if isinstance(places, Places):
        return _taken_there(vector, places)
    ids = np.asarray(places, np.int64)
    if vector.layout is None or vector.node is None:
        return wrapped(cluster, vector.host()[ids])
    if len(ids) and (ids.min() < 0 or ids.max() >= len(vector)):
        raise IndexError(f"positions must be from 0 to {len(vector) - 1}")
    where, local = vector.layout.located(ids)
    node = Node("take", (vector.node, Node(pieces=local)))
    shape = len(ids), *vector.shape[1:]
    if len(ids) > FEW and (np.diff(ids) > 0).all():
        layout = vector.layout.resized([len(each) for each in local])
        hold(cluster, [(layout, node)])
        return Spread(cluster, shape, vector.dtype, layout=layout, node=node)

    def combine(pieces: list[Any]) -> Array:
        whole = np.empty(shape, vector.dtype)
        for at, piece in zip(where, pieces, strict=True):
            whole[at] = piece
        return whole

    return vector.fetched(node, shape, vector.dtype, combine)


def _taken_there(vector: Spread, places: Places) -> Spread:
    if vector.layout is None or len(vector.layout.pieces) != len(places.origin.pieces):
        return wrapped(vector.cluster, vector.host()[places.host()])
    node = Node("take", (vector.node, places.found.node))
    shape = len(places.found), *vector.shape[1:]
    found = Spread(vector.cluster, shape, vector.dtype, layout=places.layout, node=node)
    if not len(places.head):
        return found
    together: Spread = joined(vector.cluster, [taken(vector, places.head), found])
    return together


def nonzero(mask: Spread) -> Spread | Places:
    """Where a vector is not 0: numbers if they are few, otherwise known where they are."""
    if mask.layout is None or mask.node is None:
        return wrapped(mask.cluster, np.flatnonzero(mask.host()))
    layout = mask.layout
    node = Node("flatnonzero", (mask.node,))
    few = FEW // max(len(layout.pieces), 1)
    (told,) = evaluated(mask.cluster, [(layout, Node("found", (node, few)))])
    if all(places is not None for _, places in told):
        numbers = [first + p for first, (_, p) in zip(layout.firsts, told, strict=False)]
        return wrapped(mask.cluster, np.concatenate([np.zeros(0, np.int64), *numbers]))
    hold(mask.cluster, [(layout, node)])
    sizes = [count for count, _ in told]
    own = layout.resized(sizes)
    found = Spread(mask.cluster, (sum(sizes),), np.int64, layout=own, node=node)
    return Places(layout, found)


def joined(cluster: Cluster, parts: Sequence[Any]) -> Any:
    """Vectors one after another."""
    if any(isinstance(part, Places) for part in parts):
        return _joined_places(parts)
    given = [part if isinstance(part, Spread) else wrapped(cluster, part) for part in parts]
    if all(part.layout is None for part in given):
        return wrapped(cluster, np.concatenate([part.host() for part in given]))
    dtype = np.result_type(*(part.dtype for part in given))
    hold(
        cluster, [(p.layout, p.node) for p in given if p.layout is not None and p.node is not None]
    )
    pieces: list[Piece] = []
    values: list[Any] = []
    for part in given:
        if part.layout is None or part.node is None or part.node.pieces is None:
            pieces.append(Piece(None, len(part)))
            values.append(part.host())
        else:
            pieces += part.layout.pieces
            values += part.node.pieces
    size = sum(len(part) for part in given)
    shape = size, *given[0].shape[1:]
    node = Node(pieces=values)
    if any(part.dtype != dtype for part in given):
        node = Node("astype", (node, dtype))
    return Spread(cluster, shape, dtype, layout=Layout(pieces), node=node)


def _joined_places(parts: Sequence[Any]) -> Any:
    *before, last = parts
    if not isinstance(last, Places) or any(isinstance(part, Places) for part in before):
        return np.concatenate([p.host() if hasattr(p, "host") else p for p in parts])
    head = np.concatenate([np.asarray(part, np.int64) for part in before])
    return Places(last.origin, last.found, np.concatenate([head, last.head]))


def placed(
    cluster: Cluster, layout: Layout, size: int, pieces: Sequence[tuple[Any, Any]]
) -> Spread:
    """Zeros, except for values at some positions; `layout` is that of vectors over documents."""
    masks = bool(pieces) and all(getattr(v, "dtype", None) == np.bool_ for _, v in pieces)
    dtype = np.dtype(np.bool_ if masks else np.float64)
    if (found := _in_order(cluster, size, pieces, dtype)) is not None:
        return found
    if size != layout.size:
        return wrapped(cluster, _placed_here(size, pieces, dtype))
    if not size:
        return wrapped(cluster, np.zeros(0, dtype))
    base: Any = dtype.type(0)
    for places, values in pieces:
        base = _put(cluster, layout, base, places, values, dtype)
    if isinstance(base, Node):
        return Spread(cluster, (size,), dtype, layout=layout, node=base)
    return filled(cluster, (size,), base, dtype)


def _put(
    cluster: Cluster, layout: Layout, base: Any, places: Any, values: Any, dtype: np.dtype[Any]
) -> Any:
    sizes = Node(pieces=[piece.size for piece in layout.pieces])
    if isinstance(values, Spread) and values.repeated:
        values = values.fill
    if isinstance(places, slice):
        start, stop, _ = places.indices(layout.size)
        if (start, stop) == (0, layout.size):
            if np.ndim(values) == 0 and not isinstance(values, Spread):
                return dtype.type(values)
            given = values if isinstance(values, Spread) else wrapped(cluster, values)
            return Node("astype", (given.there(layout), dtype))
        if np.ndim(values) == 0:
            ends = [
                (min(max(start - first, 0), last - first), min(max(stop - first, 0), last - first))
                for first, last in layout.ranges()
            ]
            return Node("placed", (base, sizes, Node(pieces=ends), dtype.type(values)))
        places = np.arange(start, stop)
    if isinstance(places, Places):
        return _put_there(cluster, layout, base, places, values, dtype)
    where, local = layout.located(np.asarray(places, np.int64))
    value: Any = dtype.type(values) if np.ndim(values) == 0 else np.asarray(values)
    if np.ndim(value):
        value = Node(pieces=[value[at] for at in where])
    node = Node("placed", (base, sizes, Node(pieces=local), value))
    if len(places) > FEW:
        hold(cluster, [(layout, node)])
    return node


def _put_there(
    cluster: Cluster, layout: Layout, base: Any, places: Places, values: Any, dtype: np.dtype[Any]
) -> Any:
    head, whole = len(places.head), values
    if head:
        first = whole[:head] if np.ndim(whole) else whole
        base = _put(cluster, layout, base, places.head, first, dtype)
        values = whole[head:] if np.ndim(whole) else whole
    sizes = Node(pieces=[piece.size for piece in layout.pieces])
    if np.ndim(values):
        given = values if isinstance(values, Spread) else wrapped(cluster, values)
        values = given.there(places.layout)
    return Node("placed", (base, sizes, places.found.node, values))


def _in_order(
    cluster: Cluster, size: int, pieces: Sequence[tuple[Any, Any]], dtype: np.dtype[Any]
) -> Spread | None:
    """Values in ranges that follow each other and fill all: one vector after another."""
    end, parts = 0, []
    for places, values in pieces:
        if not isinstance(places, slice) or places.start != end or not np.ndim(values):
            return None
        if isinstance(values, Spread) and values.repeated and len(values) > FEW:
            return None
        given = values if isinstance(values, Spread) else wrapped(cluster, values)
        end = places.stop
        parts.append(given)
    if end != size or not parts:
        return None
    found: Spread = joined(cluster, parts)
    if found.layout is None:
        return wrapped(cluster, found.host().astype(dtype, copy=False))
    return found.made(Node("astype", (found.node, dtype)), dtype)


def _placed_here(size: int, pieces: Sequence[tuple[Any, Any]], dtype: np.dtype[Any]) -> Array:
    whole = np.zeros(size, dtype)
    for places, values in pieces:
        at = places if isinstance(places, slice) else np.asarray(host(places), np.int64)
        whole[at] = host(values)
    return whole


def host(value: Any) -> Any:
    return value.host() if isinstance(value, Spread | Places) else value
