"""A saved query: terms and weights, so that it can run on other indexes.

The latent part of a query is exact in the space it was learned in. It can also be written as a
weight for each word: w·z(d) = Σ_t [f(tf)/‖f(tf)·F‖]·(F·w)_t − w·centre. So another index with a
latent space uses the vector there that is nearest to these weights. An index without one adds them
to those of the words, scaled by the mean ratio of a latent vector's length to its document's.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec
import numpy as np

from likewise.corpus import SparseVector
from likewise.document import brief
from likewise.errors import InputError, sentence
from likewise.store.disk import replace_file
from likewise.views.titles import WIDTH

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise.search.elsewhere import Exported
    from likewise.search.typed import TargetName

LARGEST = 1e30  # of a weight: products with it stay finite
FORMAT = 2  # a query of words alone is saved as 1, so that older versions can read it


class Support(NamedTuple):
    """A document that the query is a weighted sum of, and its weight."""

    id: str
    weight: float


class Weight(NamedTuple):
    term: str
    weight: float


def described(learned: Learned, weights: Sequence[Weight], terms: int) -> str:
    """A query on one line."""
    most = ", ".join(f"{brief(term, 30)} {weight:+.3g}" for term, weight in weights)
    examples = f"{learned.examples:,} example{'s' if learned.examples != 1 else ''}"
    return f"<query by {brief(learned.method, 30)} of {examples}, {terms:,} terms: {most}, …>"


class Learned(msgspec.Struct, frozen=True):
    """How a query was learned."""

    method: str
    reason: str = ""
    examples: int = 0
    unlike: int = 0
    unlabeled: int = 0
    objective: float | None = None
    gap: float | None = None
    """Relative duality gap: a bound on how far the objective is above its minimum."""
    tol: float | None = None
    """The gap at which the solver stops; None if nothing was minimised, or in older files."""
    converged: bool = True
    """False if the solver stopped early, with a gap above `tol`."""
    passes: int = 0
    seconds: float = 0.0
    views: dict[str, float] = {}
    """The views learned from, with their factors."""
    notes: tuple[str, ...] = ()
    """Remarks on how it was learned, such as examples without an embedding."""


class LatentPart(msgspec.Struct, frozen=True):
    """`weights` are those of words that the vector corresponds to; they include `stretch`."""

    space: str
    factor: float
    vector: tuple[float, ...]
    terms: tuple[str, ...]
    weights: tuple[float, ...]
    stretch: float


class EmbeddingPart(msgspec.Struct, frozen=True):
    """`probe` identifies the model that made the embeddings, if one did."""

    source: str
    factor: float
    vector: tuple[float, ...]
    probe: tuple[float, ...] = ()


class TitlesPart(msgspec.Struct, frozen=True):
    """Weights of parts of titles, by their columns, which are the same in every index."""

    factor: float
    columns: tuple[int, ...]
    weights: tuple[float, ...]


class Dictionary(Protocol):
    def term_numbers(self, terms: Sequence[str]) -> NDArray[np.int64]: ...


class _Header(msgspec.Struct):
    format: int


class Query(msgspec.Struct, frozen=True):
    """score(d) = Σ weight · (weight of the term in d, by `weighting`)."""

    terms: tuple[str, ...]
    weights: tuple[float, ...]
    weighting: str
    learned: Learned
    support: tuple[Support, ...] = ()
    exclude: tuple[str, ...] = ()
    """Ids of the judged documents, which results leave out."""
    latent: LatentPart | None = None
    embeddings: EmbeddingPart | None = None
    titles: TitlesPart | None = None
    format: int = 1

    @property
    def in_words(self) -> list[Weight]:
        """The weights of words, including those of the latent part."""
        total = dict(zip(self.terms, self.weights, strict=True))
        if self.latent is not None:
            factor = self.latent.factor
            for term, weight in zip(self.latent.terms, self.latent.weights, strict=True):
                total[term] = total.get(term, 0.0) + factor * weight
        return [Weight(term, weight) for term, weight in total.items()]

    def problem(self) -> str:
        """What is wrong with its numbers, in words; empty if they are valid."""
        if not len(set(self.terms)) == len(self.terms) == len(self.weights):
            return "it has not one weight for each term"
        numbers: list[tuple[float, ...]] = [self.weights]
        if part := self.latent:
            if not len(set(part.terms)) == len(part.terms) == len(part.weights):
                return "it has not one weight for each latent term"
            if not part.stretch > 0:
                return "the stretch of its latent part is not positive"
            numbers += [part.vector, part.weights, (part.factor, part.stretch)]
        if embedded := self.embeddings:
            numbers += [embedded.vector, embedded.probe, (embedded.factor,)]
        if titled := self.titles:
            ordered = all(a < b for a, b in pairwise((-1, *titled.columns, WIDTH)))
            if not (ordered and len(titled.columns) == len(titled.weights)):
                return "it has not one weight for each part of titles"
            numbers += [titled.weights, (titled.factor,)]
        if not all(-LARGEST <= number <= LARGEST for some in numbers for number in some):
            return "it has a number that is not finite or too large"
        return ""

    def bind(self, dictionary: Dictionary) -> SparseVector:
        """The query as a vector over an index' terms; terms that are not in it are left out."""
        numbers = dictionary.term_numbers(self.terms)
        weights = np.array(self.weights, np.float64)
        known = np.flatnonzero(numbers >= 0)
        order = known[np.argsort(numbers[known])]
        return SparseVector(numbers[order].astype(np.int32), weights[order])

    def known(self, dictionary: Dictionary) -> float:
        """The share of the query's weight on terms of an index, from 0 to 1."""
        terms = self.in_words
        size = np.abs(np.array([term.weight for term in terms], np.float64))
        if not size.sum():
            return 0.0
        known = dictionary.term_numbers([term.term for term in terms]) >= 0
        return float(size[known].sum() / size.sum())

    def heaviest(self, count: int = 10) -> tuple[list[Weight], list[Weight]]:
        """The terms with the highest and with the lowest weights."""
        pairs = sorted(self.in_words, key=lambda pair: -abs(pair.weight))
        up = [pair for pair in pairs if pair.weight > 0]
        down = [pair for pair in pairs if pair.weight < 0]
        return up[:count], down[:count]

    def __repr__(self) -> str:
        up, down = self.heaviest(3)
        return described(self.learned, [*up, *down], len(self.terms))

    def _repr_html_(self) -> str:
        from likewise.search.html import TERMS, query

        return query(self.learned, self.heaviest(TERMS), {}, len(self.terms))

    def export(self, to: TargetName, *, terms: int = 50, fields: Sequence[str] = ()) -> Exported:
        """Write the query for an engine that ranks, without an index: see Index.export_query."""
        from likewise.search.elsewhere import export_query

        return export_query(self, to, terms=terms, fields=fields)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write in one step: a file at `path` stays until all is written; a pipe is written to."""
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
            raise InputError(f"{path} is damaged: {problem}; learn the query again")
        return query
