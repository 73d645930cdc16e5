"""A saved query: terms and weights, so that it outlives the index it was learned on.

The latent part of a query is exact in the space it was learned in. It is also a weight for each
word: w·z(d) = Σ_t [f(tf)/‖f(tf)·F‖]·(F·w)_t − w·centre. So another index that has a latent space
takes the query there that comes nearest to these weights, and one that has none adds them to
the words', times what a document's latent vector is shorter than the document, on average.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec
import numpy as np

from likewise.corpus import SparseVector
from likewise.errors import InputError, sentence
from likewise.store.disk import replace_file

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import NDArray

LARGEST = 1e30  # of a weight: products with it stay finite
FORMAT = 2  # a query of words alone is saved as 1, which older versions read


class Support(NamedTuple):
    """A document that shaped the query, by its id, and by how much."""

    id: str
    weight: float


class Weight(NamedTuple):
    term: str
    weight: float


class Learned(msgspec.Struct, frozen=True):
    """How a query came about."""

    method: str
    reason: str = ""
    examples: int = 0
    unlike: int = 0
    unlabeled: int = 0
    objective: float | None = None
    gap: float | None = None
    """Relative: how far, at most, the objective is above its minimum."""
    tol: float | None = None
    """The gap that learning aimed at; None where nothing was minimised, or in older files."""
    converged: bool = True
    """False if learning stopped early, with a gap above `tol`."""
    passes: int = 0
    seconds: float = 0.0
    views: dict[str, float] = {}
    """The views learned from, and how much each counts."""
    notes: tuple[str, ...] = ()
    """What there is to know about how it was learned."""


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


class Dictionary(Protocol):
    def term_numbers(self, terms: Sequence[str]) -> NDArray[np.int64]: ...


class _Header(msgspec.Struct):
    format: int


class Query(msgspec.Struct, frozen=True):
    """score(d) = Σ weight · (weight of the term in d); `weighting` says how documents weigh it."""

    terms: tuple[str, ...]
    weights: tuple[float, ...]
    weighting: str
    learned: Learned
    support: tuple[Support, ...] = ()
    exclude: tuple[str, ...] = ()
    """Ids of the judged documents, which results leave out."""
    latent: LatentPart | None = None
    embeddings: EmbeddingPart | None = None
    format: int = 1

    @property
    def in_words(self) -> list[Weight]:
        """All that the query says about words, its latent part included."""
        total = dict(zip(self.terms, self.weights, strict=True))
        if self.latent is not None:
            factor = self.latent.factor
            for term, weight in zip(self.latent.terms, self.latent.weights, strict=True):
                total[term] = total.get(term, 0.0) + factor * weight
        return [Weight(term, weight) for term, weight in total.items()]

    def problem(self) -> str:
        """What is wrong with its numbers, in words; nothing if they make a query."""
        if not len(set(self.terms)) == len(self.terms) == len(self.weights):
            return "its terms and weights do not go together"
        numbers: list[tuple[float, ...]] = [self.weights]
        if part := self.latent:
            if not len(set(part.terms)) == len(part.terms) == len(part.weights):
                return "its latent terms and weights do not go together"
            if not part.stretch > 0:
                return "its latent part has no stretch"
            numbers += [part.vector, part.weights, (part.factor, part.stretch)]
        if embedded := self.embeddings:
            numbers += [embedded.vector, embedded.probe, (embedded.factor,)]
        if not all(-LARGEST <= number <= LARGEST for some in numbers for number in some):
            return "a number in it is not finite or too large"
        return ""

    def bind(self, dictionary: Dictionary) -> SparseVector:
        """The query in an index' own numbers; terms that it does not know are left out."""
        numbers = dictionary.term_numbers(self.terms)
        weights = np.array(self.weights, np.float64)
        known = np.flatnonzero(numbers >= 0)
        order = known[np.argsort(numbers[known])]
        return SparseVector(numbers[order].astype(np.int32), weights[order])

    def known(self, dictionary: Dictionary) -> float:
        """Which part of the query's weight an index knows, from 0 to 1."""
        terms = self.in_words
        size = np.abs(np.array([term.weight for term in terms], np.float64))
        if not size.sum():
            return 0.0
        known = dictionary.term_numbers([term.term for term in terms]) >= 0
        return float(size[known].sum() / size.sum())

    def heaviest(self, count: int = 10) -> tuple[list[Weight], list[Weight]]:
        """The terms that pull most upwards and most downwards."""
        pairs = sorted(self.in_words, key=lambda pair: -abs(pair.weight))
        up = [pair for pair in pairs if pair.weight > 0]
        down = [pair for pair in pairs if pair.weight < 0]
        return up[:count], down[:count]

    def save(self, path: str | os.PathLike[str]) -> None:
        """In one step: what was at `path` stays until all is written. A pipe is written to."""
        replace_file(Path(path), msgspec.json.encode(self))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Query:
        try:
            content = Path(path).read_bytes()
            if msgspec.json.decode(content, type=_Header).format > FORMAT:
                raise InputError(f"{path} was saved by a newer likewise: upgrade to use it")
            query = msgspec.json.decode(content, type=cls)
        except OSError as error:
            raise InputError(f"cannot read the query {path}: {error.strerror}") from error
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise InputError(f"{path} is not a saved query: {sentence(error)}") from error
        if problem := query.problem():
            raise InputError(f"{path} is damaged: {problem}: learn the query anew")
        return query
