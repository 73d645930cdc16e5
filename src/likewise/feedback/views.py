"""The views that feedback learns from: words, and what else the index has, each with a factor.

A view's rows are first brought to the length of the words' rows, which is 1; embeddings from which
a centre was taken are shorter. Beside ASReview's elas_u4 on 23 reviews, words alone have .92 of its
loss, titles bring that to .88 and embeddings to .83; each half of the reviews chooses both views,
with .4 or .6 for titles, and the other half confirms it (benchmarks/tables/reviews.md). The latent
space is not among them: beside the words of all judged documents it adds nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.views import EMBEDDINGS, ONLY_WORDS, TITLES, WORDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likewise.search.generation import Generation

FACTORS = {TITLES: 0.5, EMBEDDINGS: 0.5}  # words have 1
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
