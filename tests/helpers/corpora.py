"""Corpora for tests: every kind that keeps the contract of corpus.py, of a matrix of counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from helpers import host_card
from helpers import reference_products as reference
from helpers.strict import StrictCorpus, StrictEngine
from likewise import _core
from likewise.corpus import Collection, Corpus, Stored
from likewise.engines import engine_of
from likewise.engines.memory import DenseMatrix
from likewise.engines.stack import Stack, View
from likewise.store import packing
from likewise.store.arrays import listed_rows
from likewise.views.precision import packed
from likewise.weighting import WEIGHTINGS

if TYPE_CHECKING:
    from collections.abc import Callable


def stored_counts(counts: np.ndarray, live: np.ndarray | None = None) -> Stored:
    return Stored(reference.count_arrays(counts), counts.shape[1], live)


def packed_columns(columns: np.ndarray, width: int) -> np.ndarray:
    """In the type for a matrix of such a width."""
    return np.concatenate([*packing.packed(columns, width), packing.end(width)])


def stored_packed(counts: np.ndarray, width: int) -> Stored:
    """Counts whose columns are packed as in a wider matrix, also those of the inverted file, which
    lists the terms that it has.
    """
    rows = reference.count_arrays(counts)
    listed = np.flatnonzero(counts.any(axis=0)).astype(np.uint32)
    inverted = listed_rows(_core.Counts(rows, counts.shape[1]).transpose(), listed)
    rows, inverted = (
        {**arrays, "columns": packed_columns(arrays["columns"], width)}
        for arrays in (rows, inverted)
    )
    return Stored(rows, counts.shape[1], inverted=lambda: inverted, listed=listed)


def stored_values(x: np.ndarray, live: np.ndarray | None = None) -> Stored:
    """The non-zero entries of an array, as a sparse matrix of single precision."""
    row, column = np.nonzero(x)
    starts = np.searchsorted(row, np.arange(len(x) + 1)).astype(np.uint32)
    values = x[row, column].astype(np.float32)
    rows = {"starts": starts, "columns": column.astype(np.uint32), "values": values}
    return Stored(rows, x.shape[1], live)


def stored_dense(x: np.ndarray, live: np.ndarray | None = None) -> Stored:
    return Stored(x, x.shape[1], live)


def stored_bytes(x: np.ndarray, live: np.ndarray | None = None) -> Stored:
    """Rows rounded to a byte a number."""
    rows = packed(x.astype(np.float32), "int8")
    return Stored(rows.numbers, x.shape[1], live, factors=rows.factors)


def collection(engine: str, *stored: Stored, threads: int = 1) -> Collection:
    """By name, also those of tests: `strict` and `gpu by NumPy`."""
    tests = {
        "strict": StrictEngine(),
        "gpu by NumPy": host_card.ENGINE,
        "gpu by NumPy, two cards": host_card.TWO_CARDS,
        "gpu in partitions": host_card.SmallPartitions(_card_with_few),
        "gpu in partitions, two cards": host_card.SmallPartitions(_card_with_few, cards=2),
    }
    made: Any = tests[engine] if engine in tests else engine_of(engine)
    return collection_by(made, *stored, threads=threads)


def collection_by(engine: Any, *stored: Stored, threads: int = 1) -> Collection:
    numbered = [each.numbers for each in stored if each.numbers is not None]
    widths = [each.width for each in stored if each.numbers is None]
    widths += [int(numbers.max()) + 1 if len(numbers) else 0 for numbers in numbered]
    made: Collection = engine.collection(stored, max(widths), threads)
    return made


def corpus(engine: str, *stored: Stored, weighting: str, threads: int = 1) -> Corpus:
    return collection(engine, *stored, threads=threads).corpus(WEIGHTINGS[weighting])


def with_deletions(counts: np.ndarray) -> list[Stored]:
    """Two segments of two dictionaries' lengths, with deleted documents before, between, behind."""
    documents, terms = counts.shape
    noise = np.full((1, terms), 3, counts.dtype)
    half = documents // 2
    used = np.flatnonzero(counts[:half].any(axis=0))
    early = int(used[-1]) + 1 if len(used) else 0
    first = np.concatenate([noise[:, :early], counts[:half, :early], noise[:, :early]])
    second = np.concatenate([counts[half:], noise])
    return [
        stored_counts(first, np.arange(1, half + 1, dtype=np.uint32)),
        stored_counts(second, np.arange(documents - half, dtype=np.uint32)),
    ]


def in_shards(counts: np.ndarray) -> list[Stored]:
    """Three shards with numbers of their own for their terms; one is empty, and the last has two
    segments, the first of which lacks some terms, with a deleted document.
    """
    documents, terms = counts.shape
    cut, rng = documents // 3, np.random.default_rng(documents)
    one, last = counts[:cut], counts[cut:]
    own = rng.permutation(np.flatnonzero(one.any(axis=0)))
    half = len(last) // 2
    early = rng.permutation(np.flatnonzero(last[:half].any(axis=0)))
    numbers = np.concatenate([early, rng.permutation(np.setdiff1d(np.arange(terms), early))])
    first = np.concatenate([last[:half, early], np.full((1, len(early)), 3, counts.dtype)])
    found = [
        (stored_counts(one[:, own]), own),
        (stored_counts(np.zeros((0, 0), np.int64)), own[:0]),
        (stored_counts(first, np.arange(half, dtype=np.uint32)), numbers),
        (stored_counts(last[half:, numbers]), numbers),
    ]
    unsigned = {id(each): each.astype(np.uint32) for _, each in found}
    return [stored._replace(numbers=unsigned[id(each)]) for stored, each in found]


def local(counts: np.ndarray, weighting: str, threads: int = 1) -> Corpus:
    return corpus("local", stored_counts(counts), weighting=weighting, threads=threads)


def local_with_deletions(counts: np.ndarray, weighting: str, threads: int = 1) -> Corpus:
    return corpus("local", *with_deletions(counts), weighting=weighting, threads=threads)


def local_two_bytes(counts: np.ndarray, weighting: str, threads: int = 1) -> Corpus:
    return corpus("local", stored_packed(counts, 1 << 16), weighting=weighting, threads=threads)


def local_three_bytes(counts: np.ndarray, weighting: str, threads: int = 1) -> Corpus:
    return corpus("local", stored_packed(counts, 1 << 24), weighting=weighting, threads=threads)


def local_in_shards(counts: np.ndarray, weighting: str, threads: int = 1) -> Corpus:
    return corpus("local", *in_shards(counts), weighting=weighting, threads=threads)


def memory_in_shards(counts: np.ndarray, weighting: str, threads: int = 1) -> Corpus:
    return corpus("memory", *in_shards(counts), weighting=weighting, threads=threads)


def gpu_in_shards(counts: np.ndarray, weighting: str, threads: int = 1) -> Corpus:
    return corpus("gpu by NumPy", *in_shards(counts), weighting=weighting, threads=threads)


def memory(counts: np.ndarray, weighting: str, threads: int = 1) -> Corpus:
    return corpus("memory", stored_counts(counts), weighting=weighting, threads=threads)


def memory_with_deletions(counts: np.ndarray, weighting: str, threads: int = 1) -> Corpus:
    return corpus("memory", *with_deletions(counts), weighting=weighting, threads=threads)


def stack_of_matrices(counts: np.ndarray, weighting: str, threads: int = 1) -> Corpus:
    """The columns in two views, one of them with a factor."""
    x = reference.weights(counts, weighting)
    half = x.shape[1] // 2
    return Stack(
        [View("left", DenseMatrix(4 * x[:, :half]), 0.25), View("right", DenseMatrix(x[:, half:]))]
    )


def stack_of_strict(counts: np.ndarray, weighting: str, threads: int = 1) -> Corpus:
    """The same where vectors are not NumPy's."""
    x = reference.weights(counts, weighting)
    half = x.shape[1] // 2
    left, right = StrictCorpus(4 * x[:, :half]), StrictCorpus(x[:, half:])
    return Stack([View("left", left, 0.25), View("right", right)])


def strict(counts: np.ndarray, weighting: str, threads: int = 1) -> Corpus:
    return corpus("strict", stored_counts(counts), weighting=weighting, threads=threads)


def by_engine(engine: str) -> Callable[..., Corpus]:
    def make(counts: np.ndarray, weighting: str, threads: int = 1) -> Corpus:
        return corpus(engine, *with_deletions(counts), weighting=weighting, threads=threads)

    return make


def _card_with_few() -> Any:
    from likewise.engines.gpu.cuda import CudaCard

    return CudaCard(few=3)


def has_card() -> bool:
    """Whether an NVIDIA card and CuPy are here."""
    try:
        import cupy

        return bool(cupy.cuda.runtime.getDeviceCount())
    except Exception:  # no module, no driver, no card
        return False


CARD = ["gpu"] if has_card() else []
ON_CARD = ("gpu", "gpu in partitions", "gpu in partitions, two cards")

CORPORA = {
    "local": local,
    "local, segments and deletions": local_with_deletions,
    "local, columns of two bytes": local_two_bytes,
    "local, columns of three bytes": local_three_bytes,
    "local, shards": local_in_shards,
    "memory": memory,
    "memory, segments and deletions": memory_with_deletions,
    "memory, shards": memory_in_shards,
    "a stack": stack_of_matrices,
    "strict": strict,
    "a stack of strict": stack_of_strict,
    "gpu by NumPy": by_engine("gpu by NumPy"),
    "gpu by NumPy, two cards": by_engine("gpu by NumPy, two cards"),
    "gpu by NumPy, shards": gpu_in_shards,
    **({name: by_engine(name) for name in ON_CARD} if CARD else {}),
}
