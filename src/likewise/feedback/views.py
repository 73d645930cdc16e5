"""The views that feedback learns from: words, and what else the index has, each with a factor.

A view's rows are first brought to the length of the words' rows, which is 1; embeddings from which
a centre was taken are shorter. Beside ASReview's elas_u4 on 23 reviews, words alone have .92 of its
loss, titles bring that to .88 and embeddings to .83; each half of the reviews chooses both views,
with .4 or .6 for titles, and the other half confirms it (benchmarks/tables/reviews.md). The latent
space is not among them: beside the words of all judged documents it adds nothing.

Where nothing relevant is known, the words of a query are all there is, and the latent space and the
titles find documents that lack them. There are no embeddings of a query.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.corpus import SparseVector
from likewise.search.examples import count_rows
from likewise.search.keywords import parse
from likewise.views import EMBEDDINGS, LATENT, ONLY_WORDS, TITLES, WORDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likewise.search.generation import Generation

FACTORS = {TITLES: 0.5, EMBEDDINGS: 0.5}  # words have 1
BY_WORDS = {TITLES: 0.45, LATENT: 0.77}  # squared, as in a score: 0.2 and 0.6
DIGITS = 3  # of a factor: rows that are stored in bytes are not exactly of length 1


class Views(NamedTuple):
    """Factors by view, words first, and the mean squared length of a document in all of them."""

    factors: Mapping[str, float] = ONLY_WORDS
    length: float = 1.0


def views_of(generation: Generation, wanted: Mapping[str, float]) -> Views:
    """The views of an index that some of its documents have a row in."""
    factors, length = {WORDS: 1.0}, 1.0
    for name, factor in wanted.items():
        if name not in generation.views:
            continue
        view = generation.view(name)
        squares = view.arrays.host(view.squares)
        there = squares > 0
        if there.any():
            factors[name] = round(float(factor / np.sqrt(squares[there].mean())), DIGITS)
            length += factor**2 * float(there.mean())
    return Views(factors, length)


def words_in(
    generation: Generation, words: str, weighting: str, factors: Mapping[str, float]
) -> SparseVector:
    """A query in all views: in each it is a vector like those of the documents, titles included,
    as long as the view's factor.
    """
    own = generation.query_of(words, weighting)
    if list(factors) == [WORDS]:
        return own
    asked = parse(words).words
    terms = count_rows([generation.analyzer(asked)], generation.snapshot)
    corpus = generation.stacked(weighting, factors, terms, titled=[asked])
    row = corpus.rows(np.array([len(generation)]))
    columns = generation.columns(factors)
    parts = {WORDS: own}
    for name in list(factors)[1:]:
        part = columns.part(SparseVector(row.columns, row.values), name)
        length = float(np.sqrt(part.weights @ part.weights))
        scale = factors[name] / length if length else 0.0
        parts[name] = part._replace(weights=scale * part.weights)
    return columns.joined(parts)
