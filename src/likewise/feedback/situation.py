"""All that a feedback method may look at: the corpus, the words, and who was judged how.

Documents are numbers here. Those from outside the index, which examples may be, stand behind its
own in `learned_from`, and are never shown.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likewise.corpus import SparseVector
    from likewise.local import LocalCorpus

    Numbers = NDArray[np.int64]


class State(StrEnum):
    """What there is to learn from, examples included, which decides who can learn from it."""

    NOTHING = "no document is known to be relevant or not"
    NON_RELEVANT = "only non-relevant documents are known"
    RELEVANT = "relevant documents are known"


class Situation:
    def __init__(
        self,
        corpus: LocalCorpus,
        learned_from: LocalCorpus | None = None,
        words: SparseVector | None = None,
        given: Mapping[int, bool] | None = None,
        seed: int = 0,
    ) -> None:
        self.corpus, self.words, self.seed = corpus, words, seed
        self.learned_from = corpus if learned_from is None else learned_from
        self.documents = documents = corpus.shape[0]
        self.given = dict(given or {})
        """The examples that the search began with, and whether they are liked."""
        self.judged: dict[int, bool] = {}
        self.unjudged = np.ones(documents, np.bool_)
        self._hide(self.given)

    @property
    def labels(self) -> dict[int, bool]:
        """Examples and judgements; a judgement weighs more than an example."""
        return self.given | self.judged

    @property
    def relevant(self) -> Numbers:
        return np.array([n for n, liked in self.labels.items() if liked], np.int64)

    @property
    def others(self) -> Numbers:
        return np.array([n for n, liked in self.labels.items() if not liked], np.int64)

    @cached_property
    def squares(self) -> NDArray[np.float64]:
        """The documents' squared lengths."""
        return self.corpus.squares

    @property
    def state(self) -> State:
        labels = self.labels
        if not labels:
            return State.NOTHING
        return State.RELEVANT if any(labels.values()) else State.NON_RELEVANT

    def judge(self, judged: dict[int, bool]) -> None:
        """All judgements in force, in place of those before."""
        self.unjudged[list(self.judged)] = True
        self.judged = judged
        self._hide(judged)
        self._hide(self.given)

    def _hide(self, numbers: Mapping[int, bool]) -> None:
        self.unjudged[[n for n in numbers if n < self.documents]] = False
