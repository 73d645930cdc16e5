"""Every document's score by a query, and warnings collected while it is learned."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING

from likewise.errors import NotConverged

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from likewise.search.bound import LearnedQuery


def all_scores(query: LearnedQuery) -> NDArray[np.floating]:
    """The score of every document in the index the query was learned on, over all its views."""
    corpus = query.generation.stacked(query.weighting, query.views)
    return corpus.arrays.host(corpus.scores(query.solution.w))


@contextmanager
def quiet() -> Iterator[list[warnings.WarningMessage]]:
    """Hide warnings; those of learning that did not converge are collected."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", NotConverged)
        yield caught
