"""Vectors in pieces: over documents, whose pieces lie where the documents do, or in this process.

Operations make expressions; a number, or a few, is fetched when somebody looks at it, together with
all else that this thread will want to look at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likewise.engines.cluster.evaluating import evaluated, hold
from likewise.engines.cluster.expressions import Node

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from likewise.engines.cluster.layout import Layout
    from likewise.engines.cluster.tasks import Cluster

    Array = NDArray[Any]

LARGE = 4096  # numbers of this process that are sent once, and then stay with the documents


class Fetch(NamedTuple):
    """What is to be brought here: the value of a future, or what is computed of pieces."""

    combine: Callable[[Any], Any]
    layout: Layout | None = None
    node: Node | None = None
    future: Any = None


class Spread:
    """An array of one kind: in pieces (`layout`, `node`), one number repeated (`fill`), or in this
    process (`_value`), maybe still to be fetched (`fetch`).
    """

    __array_ufunc__ = None  # so that NumPy leaves operators to this class

    def __init__(
        self,
        cluster: Cluster,
        shape: tuple[int, ...],
        dtype: Any,
        *,
        layout: Layout | None = None,
        node: Node | None = None,
        value: Array | None = None,
        fill: Any = None,
        fetch: Fetch | None = None,
    ) -> None:
        self.cluster, self.shape, self.dtype = cluster, shape, np.dtype(dtype)
        self.layout, self.node, self.fill = layout, node, fill
        self._value = value
        self.fetch: Any = fetch
        if fetch is not None:
            cluster.pending.add(self)

    # How it looks

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))

    def __len__(self) -> int:
        return self.shape[0]

    def __float__(self) -> float:
        return float(self.host())

    def __int__(self) -> int:
        return int(self.host())

    def __bool__(self) -> bool:
        return bool(self.host())

    __index__ = __int__

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.host(), dtype) if copy else np.asarray(self.host(), dtype)

    def host(self) -> Array:
        """As a NumPy array."""
        if self.fetch is not None:
            _fetched(self.cluster, self)
        if self._value is not None:
            return self._value
        if self.layout is None or not self.layout.pieces:
            return np.full(self.shape, self.fill or 0, self.dtype)
        return np.asarray(self.fetched(self.node, self.shape, self.dtype, _joined))

    # Making others

    def made(self, node: Node | None, dtype: Any, shape: tuple[int, ...] | None = None) -> Spread:
        """Another of the same pieces."""
        return Spread(self.cluster, shape or self.shape, dtype, layout=self.layout, node=node)

    def fetched(
        self,
        node: Node | None,
        shape: tuple[int, ...],
        dtype: Any,
        combine: Callable[[list[Any]], Any],
    ) -> Spread:
        """What is computed of each piece, combined here, when somebody looks at it."""
        if self.layout is None or node is None:
            raise TypeError("a vector in this process has no pieces to fetch")
        return Spread(self.cluster, shape, dtype, fetch=Fetch(combine, self.layout, node))

    def there(self, layout: Layout) -> Any:
        """As an argument of a step over the pieces of a layout."""
        if self.layout is not None:
            if self.layout.key != layout.key and [p.size for p in self.layout.pieces] != [
                p.size for p in layout.pieces
            ]:
                return Node(pieces=split(self.host(), layout))
            return self.node
        if self.repeated:
            return self.fill
        value = self.host()
        if value.ndim == 0:
            return value[()]
        if len(value) != layout.size:
            raise ValueError(f"shapes {value.shape} and ({layout.size},) do not fit")
        sent = Node("identity", (Node(pieces=split(value, layout)),))
        if len(value) > LARGE:
            hold(self.cluster, [(layout, sent)])
            return self._keep(layout, sent)
        return Node(pieces=split(value, layout))

    def _keep(self, layout: Layout, node: Node) -> Node:
        """From now on it lies with the documents, too."""
        self.layout, self.node, self._value, self.fill = layout, node, None, None
        return node

    def __getitem__(self, item: Any) -> Spread:
        from likewise.engines.cluster.pieces import cut

        if isinstance(item, slice) and item.step in (None, 1) and self._is_spread:
            return cut(self, *item.indices(self.shape[0])[:2])
        if self._is_spread and isinstance(item, int | np.integer) and self.ndim == 1:
            place = int(item) % self.shape[0]
            return wrapped(self.cluster, cut(self, place, place + 1).host()[0])
        return wrapped(self.cluster, self.host()[_host(item)])

    def __setitem__(self, item: Any, value: Any) -> None:
        changed = self.host().copy()
        changed[_host(item)] = _host(value)
        self.layout = self.node = self.fill = None
        self._value = changed

    @property
    def repeated(self) -> bool:
        """Whether it is one number repeated, that lies nowhere."""
        return self.fill is not None

    @property
    def _is_spread(self) -> bool:
        return self.layout is not None and self.layout.size > 0

    @property
    def T(self) -> Spread:  # noqa: N802  # the standard's name
        return wrapped(self.cluster, self.host().T)


def wrapped(cluster: Cluster, value: Any) -> Spread:
    """A NumPy array or number as one of these."""
    array = np.asarray(value)
    return Spread(cluster, array.shape, array.dtype, value=array)


def filled(cluster: Cluster, shape: tuple[int, ...], value: Any, dtype: Any) -> Spread:
    return Spread(cluster, shape, dtype, fill=np.dtype(dtype).type(value))


def _host(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_host, value))
    return value.host() if isinstance(value, Spread) else value


def apply(cluster: Cluster, name: str, *args: Any) -> Spread:
    """An elementwise function."""
    spread = next((a for a in args if isinstance(a, Spread) and a.layout is not None), None)
    function = getattr(np, name)
    if spread is None or spread.layout is None:
        return _apply_here(cluster, function, args)
    if any(isinstance(a, Spread | np.ndarray) and a.ndim > 0 and len(a) != len(spread)
           for a in args):  # fmt: skip
        return wrapped(cluster, function(*map(_host, args)))
    layout = spread.layout
    given = [wrapped(cluster, a) if isinstance(a, np.ndarray) else a for a in args]
    likes = [_like(a) for a in given]
    like = function(*likes)
    node = Node(name, tuple(a.there(layout) if isinstance(a, Spread) else a for a in given))
    return Spread(cluster, (len(spread), *like.shape[1:]), like.dtype, layout=layout, node=node)


def _apply_here(cluster: Cluster, function: Any, args: Sequence[Any]) -> Spread:
    vectors = [a for a in args if isinstance(a, Spread) and a.ndim]
    if vectors and all(a.repeated for a in vectors):
        plain = [a.fill if isinstance(a, Spread) and a.ndim else _host(a) for a in args]
        if not any(np.ndim(a) for a in plain):
            value = function(*plain)
            return filled(cluster, vectors[0].shape, value, np.asarray(value).dtype)
    return wrapped(cluster, function(*map(_host, args)))


def _like(value: Any) -> Any:
    """An empty array of the same kind, to see what a function makes of it."""
    if isinstance(value, Spread):
        if value.ndim == 0:
            return value.dtype.type(0)
        return np.empty((0, *value.shape[1:]), value.dtype)
    return value


def _operator(name: str, *, swapped: bool = False) -> Callable[..., Any]:
    def operate(self: Spread, other: Any) -> Any:
        if not isinstance(other, Spread | np.ndarray | np.generic | int | float | bool):
            return NotImplemented
        args = (other, self) if swapped else (self, other)
        return apply(self.cluster, name, *args)

    return operate


for _name, _function in {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "pow": "pow",
    "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "floordiv": "floor_divide",
    "mod": "remainder",
}.items():  # fmt: skip
    setattr(Spread, f"__{_name}__", _operator(_function))
    setattr(Spread, f"__r{_name}__", _operator(_function, swapped=True))
for _name, _function in {
    "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal",
    "ne": "not_equal",
}.items():  # fmt: skip
    setattr(Spread, f"__{_name}__", _operator(_function))
for _name, _function in {"neg": "negative", "abs": "abs", "invert": "bitwise_invert"}.items():
    setattr(
        Spread,
        f"__{_name}__",
        (lambda f: lambda self: apply(self.cluster, f, self))(_function),
    )
Spread.__hash__ = object.__hash__  # type: ignore[method-assign]


def split(values: Array, layout: Layout) -> list[Array]:
    return [values[first:last] for first, last in layout.ranges()]


def _joined(pieces: list[Any]) -> Array:
    return np.concatenate(pieces) if len(pieces) != 1 else np.asarray(pieces[0])


def _fetched(cluster: Cluster, asked: Spread) -> None:
    """Fetch what is asked for and all else that this thread has pending."""
    waiting = [each for each in {*cluster.pending, asked} if each.fetch is not None]
    cluster.pending.clear()
    waiting.sort(key=lambda each: each.fetch.future is not None)  # those of pieces first
    targets = [(each.fetch.layout, each.fetch.node) for each in waiting if not each.fetch.future]
    futures = [each.fetch.future for each in waiting if each.fetch.future]
    for each, found in zip(waiting, evaluated(cluster, targets, also=futures), strict=True):
        value = np.asarray(each.fetch.combine(found)).astype(each.dtype, copy=False)
        each._value, each.fetch = value.reshape(each.shape), None
