"""An index asked as a contender is: every document's score, and no word on what is on the way."""

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
    """The score of every document of the index that a query was learned on, over all its views."""
    corpus = query.generation.stacked(query.weighting, query.views)
    return corpus.arrays.host(corpus.scores(query.solution.w))


@contextmanager
def quiet() -> Iterator[list[warnings.WarningMessage]]:
    """Warnings are not shown; those of learning that did not come to its end are collected."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", NotConverged)
        yield caught
