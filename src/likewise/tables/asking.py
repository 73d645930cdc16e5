"""An index asked as a contender is: every document's score, and no word on what is on the way."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from likewise.errors import NotConverged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from likewise.index import Index
    from likewise.learned import LearnedQuery


def all_scores(index: Index, query: LearnedQuery) -> NDArray[np.floating]:
    """Every document's score for a query that was learned on this index."""
    corpus = index.corpus(query.weighting)
    columns, weights = query.vector
    if len(columns) and columns[-1] >= corpus.shape[1]:  # of other views than words as well
        return _by_hits(index, query)
    w = np.zeros(corpus.shape[1])
    w[columns] = weights
    return corpus.scores(w)


def _by_hits(index: Index, query: LearnedQuery) -> NDArray[np.floating]:
    found = {hit.id: hit.score for hit in index.run(query, len(index))}
    return np.array([found.get(id, -np.inf) for id in index.ids()])


@contextmanager
def quiet() -> Iterator[list[warnings.WarningMessage]]:
    """Warnings are not shown; those of learning that did not come to its end are collected."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", NotConverged)
        yield caught
