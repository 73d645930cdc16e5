"""Checks of the arguments of a Corpus' methods, shared by all engines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from likewise.engines.arrays import NUMPY
from likewise.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.corpus import Corpus, Ids, Mask, SparseVector

UNIT = 2.0**-24  # relative rounding error of single precision


def checked_vectors(
    vectors: NDArray[np.floating], shape: tuple[int, int], axis: int
) -> NDArray[np.floating]:
    """Float vectors of the right length, or an error that names both lengths."""
    checked: NDArray[np.floating] = checked_arrays(np, vectors, shape, axis)
    return checked


def checked_arrays(xp: Any, vectors: Any, shape: tuple[int, int], axis: int) -> Any:
    """The same for arrays of another namespace."""
    vectors = xp.asarray(vectors)
    if vectors.dtype not in (np.float32, np.float64):
        vectors = vectors.astype(np.float64)
    if vectors.ndim not in (1, 2) or len(vectors) != shape[axis]:
        things = ("documents", "terms")[axis]
        raise UsageError(f"vectors of shape {vectors.shape} for {shape[axis]} {things}")
    return vectors


def checked_ids(ids: Ids, documents: int) -> NDArray[np.int64]:
    numbers = np.asarray(ids, np.int64)
    if len(numbers) and (numbers.min() < 0 or numbers.max() >= documents):
        raise UsageError(f"document numbers must be from 0 to {documents - 1}")
    return numbers


def check_k(k: int) -> None:
    if k < 1:
        raise UsageError(f"k is {k}: it must be 1 or more")


def check_top(k: int, keep: Mask | None, documents: int) -> None:
    check_k(k)
    if keep is not None and keep.shape != (documents,):
        raise UsageError(f"keep has shape {keep.shape} for {documents} documents")


def spread_out(w: SparseVector, width: int) -> NDArray[np.float64]:
    """A sparse vector as a dense one."""
    out = np.zeros(width)
    out[w.columns] = w.weights
    return out


def rounding(weights: NDArray[np.floating], longest: float, times: float) -> float:
    """A bound on the error of scores in single precision, of rows up to a length: it is added so
    many times.
    """
    wide = np.asarray(weights, np.float64)
    return float(times * UNIT * longest * np.sqrt(NUMPY.dot(wide, wide)))


def best_by_scores(
    corpus: Corpus, narrow: Any, w: Any, k: int, keep: Mask | None, *, positive: bool
) -> list[tuple[int, float]]:
    """The k best by w: candidates by scores in single precision, of `narrow`, scored again exactly.

    Such a score may be off by the corpus' slack: all within that of the k-th best are candidates.
    """
    found = corpus.arrays.best(corpus.scores(narrow), k, keep, corpus.slack(w))
    return best_first(found, corpus.exact(found, w), k, positive=positive)


def best_first(
    found: Ids, scores: NDArray[np.floating], k: int, *, positive: bool
) -> list[tuple[int, float]]:
    """The k best documents and their scores, ties by number; with `positive`, scores above 0."""
    if positive:
        found, scores = found[scores > 0], scores[scores > 0]
    order = np.lexsort((found, -scores))[:k]
    return list(zip(found[order].tolist(), scores[order].tolist(), strict=True))
