"""Queries by twenty examples, in the forms that likewise and its peers take."""

from __future__ import annotations

import math
import random
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likewise.estimators import OneClassSVM
from problems import labelled

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

EXAMPLES, TERMS = 20, 40


class Query(NamedTuple):
    """Examples by their ids, the vector learned from them, and their heaviest terms."""

    ids: list[str]
    vector: NDArray[np.float32]
    terms: list[str]


def example_sets(source: Path, count: int) -> list[list[int]]:
    """The numbers of twenty documents of one category, so many times."""
    members: dict[str, list[int]] = {}
    for number, document in enumerate(labelled(source)):
        for category in document.cats:
            members.setdefault(category, []).append(number)
    large = sorted(category for category, found in members.items() if len(found) >= EXAMPLES)
    draw = random.Random(0)
    return [draw.sample(members[draw.choice(large)], EXAMPLES) for _ in range(count)]


def make_queries(
    sets: Sequence[list[int]], ids: Sequence[str], matrix: Any, tokens: Any
) -> list[Query]:
    """`matrix` has the documents' vectors and `tokens` bm25s's tokens, both in the ids' order."""
    weigher = TermWeigher(tokens)
    return [
        Query([ids[number] for number in numbers], learned(matrix[numbers]), weigher.best(numbers))
        for numbers in sets
    ]


def learned(examples: Any) -> NDArray[np.float32]:
    fitted = OneClassSVM().fit(examples, np.ones(examples.shape[0], np.int64))
    coefficients = fitted.coef_
    dense = coefficients if isinstance(coefficients, np.ndarray) else coefficients.toarray()
    return np.asarray(dense, np.float32).ravel()


class TermWeigher:
    def __init__(self, tokens: Any) -> None:
        self._documents = tokens.ids
        self._words = {number: word for word, number in tokens.vocab.items()}
        self._df = Counter(token for document in tokens.ids for token in set(document))

    def best(self, numbers: Sequence[int]) -> list[str]:
        """The terms of these documents that are heaviest by tf·idf, summed."""
        counts = Counter(token for number in numbers for token in self._documents[number])
        total = len(self._documents) + 1
        weights = {token: tf * math.log(total / self._df[token]) for token, tf in counts.items()}
        heaviest = sorted(weights, key=weights.__getitem__, reverse=True)[:TERMS]
        return [self._words[token] for token in heaviest]
