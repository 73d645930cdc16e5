"""Expressions over vectors whose pieces lie on different machines.

An expression is kept until a number is needed. Then each machine computes what it has a piece of,
in one task: the expression is sent as a short list of steps, and its leaves are results of earlier
tasks, which stay where they are.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

import numpy as np

from likewise.engines.cluster import ranks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Array = NDArray[Any]


def _take(values: Array, places: Array) -> Array:
    taken: Array = values[places]
    return taken


def _cut(values: Array, ends: tuple[int, int]) -> Array:
    return values[ends[0] : ends[1]]


def _placed(base: Any, size: int, places: Any, values: Any) -> Array:
    """A copy with other values at some positions; a number stands for a vector of it."""
    whole: Array = np.full(size, base) if np.ndim(base) == 0 else base.copy()
    whole[slice(*places) if isinstance(places, tuple) else places] = values
    return whole


def _mixed(weights: Array, *rows: Array) -> Array:
    total: Array = weights[0] * rows[0]
    for weight, row in zip(weights[1:], rows[1:], strict=True):
        total += weight * row
    return total


def _dot(a: Any, b: Any) -> float:
    if np.ndim(a) == 0 or np.ndim(b) == 0:  # a vector of one number
        return float(np.sum(a * b))
    return float(np.einsum("i,i", a, b))


def _running(values: Array, before: Any) -> Array:
    sums: Array = np.cumsum(values) + before
    return sums


def _bucketed(buckets: Array, count: int, *values: Any) -> Array:
    from likewise.engines.arrays import NUMPY

    each = (np.full(len(buckets), v) if np.ndim(v) == 0 else v for v in values)
    return NUMPY.bucketed(buckets, count, *each)


def _squared_from(values: Array, mean: float) -> float:
    return float(np.sum((values - mean) ** 2))


def _highest(values: Array, count: int, keep: Array | None = None) -> Array:
    """The largest values, descending."""
    from likewise.engines.arrays import NUMPY

    return NUMPY.largest(values if keep is None else values[kept(keep, len(values))], count)


def _at_least(values: Array, least: float, keep: Array | None = None) -> Array:
    found = values.astype(np.float64) >= least
    return np.flatnonzero(found if keep is None else found & kept(keep, len(values)))


def _best(
    values: Array, count: int, slack: float, keep: Array | None = None
) -> tuple[Array, Array | None, Array | None]:
    """The largest values and, unless they are many, where those are that may be as good, and they.

    What is within 2·slack of the best of all pieces is so near to the best of this one.
    """
    high = _highest(values, count, keep)
    if not len(high):
        return high, np.zeros(0, np.int64), high
    places = _at_least(values, float(high[-1]) - 2.0 * slack, keep)
    if len(places) > 2 * count + ALIKE:
        return high, None, None
    return high, places, values[places]


def _found(places: Array, few: int) -> tuple[int, Array | None]:
    """How many there are, and which if they are few."""
    return len(places), places if len(places) <= few else None


def packed(keep: NDArray[np.bool_]) -> Array:
    """A mask to be sent: numbers where few are left out (unsigned) or few stay, otherwise bits."""
    for mask, kind in ((~keep, np.uint32), (keep, np.int32)):
        if 32 * np.count_nonzero(mask) <= len(mask):
            return np.flatnonzero(mask).astype(kind)
    return np.packbits(keep)


def kept(sent: Array, size: int) -> NDArray[np.bool_]:
    """A mask that was sent."""
    if sent.dtype == np.uint8:
        return np.unpackbits(sent, count=size).astype(np.bool_)
    mask = np.full(size, sent.dtype == np.uint32)
    mask[sent] = sent.dtype != np.uint32
    return mask


STEPS: dict[str, Callable[..., Any]] = {
    "take": _take,
    "cut": _cut,
    "placed": _placed,
    "mixed": _mixed,
    "dot": _dot,
    "running": _running,
    "squared_from": _squared_from,
    "highest": _highest,
    "at_least": _at_least,
    "astype": lambda values, dtype: np.asarray(values).astype(dtype),
    "flatnonzero": np.flatnonzero,
    "identity": np.asarray,
    "found": _found,
    "best": _best,
    "bucketed": _bucketed,
    "ordered": ranks.ordered,
    "told": ranks.told,
}
ELEMENTWISE = frozenset({
    "abs", "add", "bitwise_and", "bitwise_invert", "bitwise_or", "bitwise_xor", "clip", "divide",
    "equal", "exp", "floor", "floor_divide", "greater", "greater_equal", "isfinite", "isnan",
    "less", "less_equal", "log", "log1p", "logaddexp", "logical_and", "logical_not",
    "logical_or", "maximum", "minimum", "multiply", "negative", "not_equal", "pow", "remainder",
    "round", "sign", "sqrt", "square", "subtract", "tanh", "where",
})  # fmt: skip


ALIKE = 1000  # values that equal the last of the best, or nearly so, that are told
AGAIN = 3  # steps: what takes so many is remembered for the next time
FEW_NUMBERS = frozenset(
    {"dot", "sum", "any", "all", "count_nonzero", "highest", "found", "max", "min", "bucketed",
     "told", "best"}
)  # fmt: skip
SLOW = {  # in steps that read vectors in order
    "take": 4,
    "placed": 4,
    "flatnonzero": 3,
    "searchsorted": 4,
    "ordered": 8,
}


class Node:
    """A part of an expression. Once it is held, `pieces` has its value on each machine."""

    __slots__ = ("args", "name", "pieces", "token")

    def __init__(
        self, name: str = "", args: tuple[Any, ...] = (), pieces: Sequence[Any] | None = None
    ) -> None:
        self.name, self.args, self.pieces = name, args, pieces
        self.token = ""

    def hold(self, pieces: Sequence[Any]) -> None:
        self.pieces, self.args = pieces, ()


class Step(NamedTuple):
    name: str
    args: tuple[Any, ...]
    token: str = ""  # of what is worth remembering


class Program(NamedTuple):
    """Steps in order; an argument of type Ref is a leaf (first) or the result of a step."""

    steps: tuple[Step, ...]
    results: tuple[int, ...]

    def __call__(self, leaves: Sequence[Any], piece: int = 0) -> list[Any]:
        known: dict[int, Any] = dict(enumerate(leaves))
        return [self._value(place, known, len(leaves), piece) for place in self.results]

    def _value(self, place: int, known: dict[int, Any], leaves: int, piece: int) -> Any:
        if place not in known:
            step = self.steps[place - leaves]
            found = REMEMBERED.get((step.token, piece)) if step.token else None
            if found is None:
                given = [
                    self._value(a.place, known, leaves, piece) if isinstance(a, Ref) else a
                    for a in step.args
                ]
                found = (STEPS.get(step.name) or getattr(np, step.name))(*given)
                if step.token:
                    REMEMBERED.put((step.token, piece), found)
            known[place] = found
        return known[place]


class Remembered:
    """Values of steps that a process has computed, the last ones up to some bytes.

    A value follows from the expression alone: whoever does not have it computes it again.
    """

    def __init__(self, most: int) -> None:
        self._most, self._size = most, 0
        self._values: OrderedDict[Any, Any] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Any) -> Any:
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: Any, value: Any) -> None:
        if not isinstance(value, np.ndarray) or value.nbytes > self._most:
            return
        with self._lock:
            if key not in self._values:
                self._values[key] = value
                self._size += value.nbytes
            while self._size > self._most:
                self._size -= self._values.popitem(last=False)[1].nbytes


REMEMBERED = Remembered(512 << 20)


class Ref(NamedTuple):
    place: int


def ordered(targets: Sequence[Node]) -> list[Node]:
    """All nodes that are not held, arguments before what uses them."""
    seen: set[int] = set()
    found: list[Node] = []
    stack = [(node, False) for node in reversed(targets)]
    while stack:
        node, ready = stack.pop()
        if ready:
            found.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            if node.pieces is None:
                stack.append((node, True))
                stack += [(arg, False) for arg in node.args if isinstance(arg, Node)]
    return found


def compiled(targets: Sequence[Node]) -> tuple[Program, list[Node]]:
    """The program that computes some nodes, and its leaves."""
    nodes = ordered(targets)
    leaves: dict[int, Node] = {}
    for node in [*nodes, *targets]:
        for each in (*node.args, node):
            if isinstance(each, Node) and each.pieces is not None:
                leaves.setdefault(id(each), each)
    places = {key: place for place, key in enumerate(leaves)}
    steps: list[Step] = []
    spent: dict[int, int] = {}
    for node in nodes:
        args = tuple(Ref(places[id(a)]) if isinstance(a, Node) else a for a in node.args)
        places[id(node)] = len(leaves) + len(steps)
        spent[id(node)] = cost(node, spent)
        if spent[id(node)] >= AGAIN and node.name not in FEW_NUMBERS:
            node.token = node.token or uuid4().hex
            spent[id(node)] = 1
        steps.append(Step(node.name, args, node.token))
    return Program(tuple(steps), tuple(places[id(t)] for t in targets)), list(leaves.values())


def cost(node: Node, known: dict[int, int]) -> int:
    """About how many steps over vectors a node takes, those of its arguments included."""
    own = len(node.args) - 1 if node.name == "mixed" else SLOW.get(node.name, 1)
    return own + sum(known.get(id(arg), 0) for arg in node.args if isinstance(arg, Node))
