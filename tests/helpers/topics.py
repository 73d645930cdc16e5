"""Synthetic documents of words by Zipf's law, the first of them also about a topic."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array


def topics(
    examples: int,
    documents: int,
    terms: int,
    *,
    length: int,
    topic: int,
    shares: tuple[float, float],
    exponent: float,
) -> tuple[csr_array, np.ndarray]:
    """Rows of unit length, if no term were drawn twice, and which are relevant. Terms below `topic`
    are those of the topic; `shares` are how often relevant and other documents use them.
    """
    rng = np.random.default_rng(0)
    relevant = np.arange(documents) < examples
    about = rng.random((documents, length)) < np.where(relevant, *shares)[:, None]
    others = rng.zipf(exponent, size=about.shape) % terms
    columns = np.where(about, rng.integers(0, topic, size=about.shape), others)
    starts = np.arange(0, columns.size + 1, length)
    values = np.full(columns.size, length**-0.5)
    return csr_array((values, columns.ravel(), starts), (documents, terms)), relevant
