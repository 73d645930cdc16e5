"""What a query holds beside words, and how it is carried to another index.

The latent part of a query is exact in the space it was learned in. It is also a weight for each
word: w·z(d) = Σ_t [f(tf)/‖f(tf)·F‖]·(F·w)_t − w·centre. So another index that has a latent space
takes the query there that comes nearest to these weights, and one that has none adds them to
the words', times what a document's latent vector is shorter than the document, on average.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from likewise.corpus import SparseVector

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from likewise.views.latent import LatentModel

    Floats = NDArray[np.float64]

MOST_TERMS = 2000  # that a saved query names for its latent part


class LatentPart(msgspec.Struct, frozen=True):
    """`weights` are what the vector amounts to in words; `stretch` is part of them."""

    space: str
    factor: float
    vector: tuple[float, ...]
    terms: tuple[str, ...]
    weights: tuple[float, ...]
    stretch: float


class EmbeddingPart(msgspec.Struct, frozen=True):
    """`probe` tells the model that made the embeddings, where one did."""

    source: str
    factor: float
    vector: tuple[float, ...]
    probe: tuple[float, ...] = ()


class Parts(NamedTuple):
    """A query's vector by views, and the factor of each view."""

    vectors: Mapping[str, Floats]
    factors: Mapping[str, float]


def as_words(model: LatentModel, vector: Floats, col: Floats, stretch: float) -> SparseVector:
    """What a vector of the latent space amounts to in words: V·w, stretched."""
    along = model.basis.astype(np.float64) @ vector
    used = col[model.terms]
    weights = np.divide(stretch * along, used, out=np.zeros_like(along), where=used > 0)
    return SparseVector(model.terms.astype(np.int32), weights)


def heaviest(words: SparseVector, count: int = MOST_TERMS) -> SparseVector:
    """The part of a query that weighs most, columns ascending."""
    if len(words.columns) <= count:
        return words
    kept = np.sort(np.argsort(-np.abs(words.weights), kind="stable")[:count])
    return SparseVector(words.columns[kept], words.weights[kept])


def fitted(model: LatentModel, columns: Sequence[int], weights: Floats, col: Floats) -> Floats:
    """The vector of a latent space that comes nearest to these weights of words."""
    numbers = np.asarray(columns, np.int64)
    places = np.searchsorted(model.terms, numbers)
    places = np.minimum(places, max(len(model.terms) - 1, 0))
    known = np.flatnonzero(model.terms[places] == numbers) if len(model.terms) else places[:0]
    if not len(known):
        return np.zeros(model.dimensions)
    basis = model.basis[places[known]].astype(np.float64)
    target = weights[known] * col[numbers[known]]
    solved = np.linalg.lstsq(basis, target, rcond=1e-6)[0]
    return np.asarray(solved, np.float64)
