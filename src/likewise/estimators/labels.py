"""From labels y to Blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.errors import UsageError
from likewise.solvers.blocks import Blocks

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def blocks_of(y: ArrayLike, sample_weight: ArrayLike | None, n: int) -> Blocks:
    """Examples, unlabeled and negative documents, by the labels 1, 0 and −1 of n documents."""
    labels = np.asarray(y)
    if labels.shape != (n,):
        raise UsageError(f"y has shape {labels.shape} for {n} documents: give one label for each")
    unknown = np.setdiff1d(labels, [1, 0, -1])
    if len(unknown):
        raise UsageError(f"y has {unknown[:3].tolist()}: it must be 1, 0 or −1 for each document")
    weights, used = _weights(sample_weight, n)
    positive, unlabeled, negative = ((labels == label) & used for label in (1, 0, -1))
    if not (labels == 0).any():
        unlabeled, negative = negative, unlabeled
    return Blocks(
        np.flatnonzero(positive), np.flatnonzero(unlabeled), np.flatnonzero(negative), weights
    )


def _weights(
    sample_weight: ArrayLike | None, n: int
) -> tuple[NDArray[np.float64] | None, NDArray[np.bool_]]:
    """The weights (None if all are equal), and a mask of those that are not 0."""
    if sample_weight is None:
        return None, np.ones(n, dtype=bool)
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(n, float(weights))
    if weights.shape != (n,):
        raise UsageError(
            f"sample_weight has shape {weights.shape} for {n} documents: give one weight for each"
        )
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise UsageError("sample_weight must be finite and at least 0 for each document")
    if n and not weights.any():
        raise UsageError("all sample weights are zero: at least one must be above 0")
    return weights, weights > 0
