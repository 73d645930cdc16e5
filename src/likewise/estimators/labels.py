"""From labels y to Blocks, and from scores back to labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likewise.errors import UsageError
from likewise.solvers.blocks import Blocks

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


class Labels(NamedTuple):
    """What y says of each document: 1 for an example, 0 for an unlabeled one, −1 for a negative.

    `classes` are the labels as given; `others` is the one that stands for what is no example.
    """

    codes: NDArray[np.int64]
    classes: NDArray[Any]
    others: Any


def labels_of(y: ArrayLike, n: int) -> Labels:
    """Labels 1, 0 and −1, or any two, the greater of which is that of the examples.

    0, 1 and 2 are −1, 0 and 1 as LabelEncoder writes them, which cross_val_predict does.
    """
    given = np.asarray(y)
    if given.shape != (n,):
        raise UsageError(f"y has shape {given.shape} for {n} documents: give one label for each")
    classes = _classes(given)
    if {*classes.tolist()} <= {1, 0, -1}:
        codes = given.astype(np.int64)
    elif classes.tolist() == [0, 1, 2]:
        codes = given.astype(np.int64) - 1
    elif len(classes) == 2:
        codes = np.where(given == classes[1], 1, -1)
    else:
        raise UsageError(
            f"y has {classes[:3].tolist()}: it must be 1, 0 or −1 for each document, or one of two "
            "labels, the greater one for the examples"
        )
    rest = given[codes == 0] if (codes == 0).any() else given[codes < 0]
    return Labels(codes, classes, rest[0] if len(rest) else 0)


def _classes(given: NDArray[Any]) -> NDArray[Any]:
    """The different labels, ascending; where they are few numbers, not by sorting all of them."""
    if len(given) and given.dtype.kind in "iu" and int(given.max()) - int(given.min()) <= 2:
        low, high = int(given.min()), int(given.max())
        there = [label for label in range(low, high + 1) if label in (low, high) or label in given]
        return np.array(there, given.dtype)
    return np.unique(given)


def threshold_of(
    scores: NDArray[np.float64], labels: Labels, sample_weight: ArrayLike | None
) -> float:
    """The score at which balanced accuracy is highest; halfway between two documents.

    It is highest right below an example, so that the others need not be ordered with the examples.
    """
    weights, used = _weights(sample_weight, len(scores))
    example = labels.codes == 1
    sides = [_ascending(scores, weights, used & chosen) for chosen in (example, ~example)]
    (ours, right), (theirs, wrong) = sides
    if not len(theirs):  # there is one class only
        return -np.inf
    gain = right[np.searchsorted(ours, ours)] - wrong[np.searchsorted(theirs, ours)]
    least = ours[len(ours) - 1 - int(gain[::-1].argmax())]
    places = [(side, int(np.searchsorted(side, least))) for side, _ in sides]
    below = [side[place - 1] for side, place in places if place]
    return float((least + max(below)) / 2 if below else np.nextafter(least, -np.inf))


def _ascending(
    scores: NDArray[np.float64], weights: NDArray[np.float64] | None, chosen: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The scores of some documents, and the share of their weight from each of them upwards."""
    own = scores[chosen]
    if weights is None:
        return np.sort(own), np.arange(len(own), -1, -1) / max(len(own), 1)
    order = np.argsort(own)
    upwards = np.cumsum(weights[chosen][order][::-1])[::-1]
    return own[order], np.append(upwards, 0.0) / max(upwards[:1].sum(), 1e-300)


def blocks_of(labels: Labels, sample_weight: ArrayLike | None) -> Blocks:
    """Examples, unlabeled and negative documents; without unlabeled ones, the negatives are so."""
    codes, n = labels.codes, len(labels.codes)
    weights, used = _weights(sample_weight, n)
    positive, unlabeled, negative = ((codes == code) & used for code in (1, 0, -1))
    if not (codes == 0).any():
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
