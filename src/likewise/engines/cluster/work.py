"""What workers do: open rows, weigh them, and answer for their documents by the local engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likewise.corpus import Stored
from likewise.engines.cluster.connecting import refuse_other
from likewise.engines.cluster.expressions import kept
from likewise.engines.cluster.layout import Anchor
from likewise.engines.local.collection import LocalEngine
from likewise.engines.local.corpus import LocalCorpus
from likewise.engines.local.parts import CountPart
from likewise.engines.local.segments import Factors
from likewise.engines.local.subset import Subset
from likewise.engines.local.vectors import DensePart, ValuePart

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from likewise.corpus import Csr, Floats, Ids, Source
    from likewise.engines.cluster.connecting import Build
    from likewise.engines.cluster.expressions import Program
    from likewise.engines.local.collection import LocalCollection

Corpora = LocalCorpus | Subset
STAYS = Anchor.BYTES  # as large as it says it is, tasks go to it and not the other way


class Opened:
    """Rows of a source. Sent to another worker, it is opened there."""

    def __init__(self, source: Source, width: int, build: Build | None) -> None:
        self._given = source, width, build
        if build is not None:
            refuse_other(build)
        self.rows = LocalEngine().collection(source(), width, threads())

    def __reduce__(self) -> tuple[Any, ...]:
        return Opened, self._given

    def __sizeof__(self) -> int:
        return STAYS


class Whole:
    """Documents that can be asked."""

    corpus: Corpora


class Part(Whole):
    """Documents, weighted by factors of all; sent to another worker, it is made there again."""

    def __init__(self, opened: Opened, weighting: Any, col: Floats, mean: float) -> None:
        self._given = opened, weighting, col, mean
        self.factors = Factors(weighting, col, mean)
        self.corpus = weighed(opened.rows, self.factors)

    def __reduce__(self) -> tuple[Any, ...]:
        return Part, self._given

    def __sizeof__(self) -> int:
        return STAYS + 32 * self.corpus.shape[0]  # factors and lengths


class Some(Whole):
    """Some documents of a part."""

    def __init__(self, part: Whole, ids: Ids) -> None:
        self._given = part, ids
        self.corpus = part.corpus.take(ids)

    def __reduce__(self) -> tuple[Any, ...]:
        return Some, self._given

    def __sizeof__(self) -> int:
        return STAYS + 8 * self.corpus.shape[0]


class About(NamedTuple):
    """What is added up over all parts before documents can be weighted."""

    documents: int
    unique: float
    """The sum of the numbers of different terms of documents."""


def threads() -> int:
    """How many a task may use."""
    try:
        from distributed import get_worker

        return int(get_worker().state.nthreads)
    except (ImportError, ValueError):
        return 1


def open_source(anchor: object, source: Source, width: int, build: Build | None) -> Opened:
    return Opened(source, width, build)


def about(opened: Opened) -> About:
    counts = opened.rows._counts
    unique = [m.unique if live is None else m.unique[live] for m, live in counts]
    return About(sum(map(len, unique)), sum(float(each.sum()) for each in unique))


def frequencies(opened: Opened) -> NDArray[np.int64]:
    return opened.rows.frequencies


def weighed(rows: LocalCollection, factors: Factors) -> LocalCorpus:
    segments = [factors.segment(matrix, live, rows.threads) for matrix, live in rows.matrices]
    return LocalCorpus(segments, factors, threads=rows.threads)


def make_part(opened: Opened, weighting: Any, col: Floats, mean: float) -> Part:
    return Part(opened, weighting, col, mean)


def some(part: Whole, ids: Ids) -> Some:
    return Some(part, ids)


def told(part: Whole) -> tuple[int, float]:
    """The number of documents, and the length of the longest."""
    squares = part.corpus.squares
    return len(squares), float(squares.max(initial=0.0)) ** 0.5


def squares(part: Whole) -> Floats:
    return np.asarray(part.corpus.squares)


def scores(part: Whole, w: Any) -> Any:
    return part.corpus.scores(w)


def summed(part: Whole, piece: int, program: Program, *leaves: Any) -> Any:
    """The weighted sum of documents, by weights that are computed here."""
    (a,) = program(leaves, piece)
    size = part.corpus.shape[0]
    weights = np.full(size, a, np.result_type(a)) if np.ndim(a) == 0 else a
    return part.corpus.weighted_sum(np.ascontiguousarray(weights))


def fused(
    part: Whole, piece: int, weigh: Callable[..., Any], w: Any, program: Program, *leaves: Any
) -> tuple[Any, Any]:
    size = part.corpus.shape[0]
    along = [np.full(size, a) if np.ndim(a) == 0 else a for a in program(leaves, piece)]
    return part.corpus.fused(w, weigh, *along)


def first(pair: tuple[Any, Any]) -> Any:
    return pair[0]


def second(pair: tuple[Any, Any]) -> Any:
    return pair[1]


def itself(value: Any) -> Any:
    """Brings a vector to the workers: those that need it take it from each other."""
    return value


def rows(part: Whole, ids: Ids) -> Csr:
    return part.corpus.rows(ids)


def exact(part: Whole, ids: Ids, w: Any) -> Floats:
    return part.corpus.exact(ids, w)


def top(
    part: Whole, w: Any, k: int, bits: NDArray[Any] | None, positive: bool
) -> list[tuple[int, float]]:
    keep = None if bits is None else kept(bits, part.corpus.shape[0])
    return part.corpus.top(w, k, keep, positive=positive)


def stored_rows(part: Whole, ids: Ids) -> tuple[list[Stored], NDArray[np.int64]]:
    """Some documents as they are stored, and the place of each among the ids."""
    corpus: Any = part.corpus
    while isinstance(corpus, Subset):
        ids, corpus = corpus._ids[ids], corpus._base
    found, order = [], [np.zeros(0, np.int64)]
    for segment, places, local in corpus._located(ids):
        found.append(_stored(segment.part, local, corpus.shape[1]))
        order.append(places)
    return found, np.concatenate(order)


def _stored(part: Any, ids: NDArray[np.uint32], width: int) -> Stored:
    """Some rows of a part by the columns of the corpus."""
    if isinstance(part, CountPart):
        own = () if part.columns is None else (part.columns.numbers,)
        chosen = part.matrix.rows.select(ids, *own)
        return Stored(chosen, width, trusted=True)
    if isinstance(part, DensePart):
        factors = None if part.factors is None else part.factors[ids].astype(np.float32)
        numbers: Any = np.ascontiguousarray(part.numbers[ids])
        return Stored(numbers, width, factors=factors)
    assert isinstance(part, ValuePart)
    starts = part.arrays["starts"].astype(np.int64)
    pieces = [slice(starts[i], starts[i + 1]) for i in ids.tolist()]
    ends = np.cumsum([0, *(piece.stop - piece.start for piece in pieces)]).astype(np.uint32)
    stored: Any = part.arrays
    columns, values = (
        np.concatenate([stored[name][:0], *(stored[name][piece] for piece in pieces)])
        for name in ("columns", "values")
    )
    return Stored({"starts": ends, "columns": columns, "values": values}, width)


def brought(stored: Sequence[Stored], width: int, factors: Factors, threads: int) -> LocalCorpus:
    """In the client: a local corpus of documents that came from workers."""
    return weighed(LocalEngine().collection(stored, width, threads), factors)
