"""The input of a feedback method: the corpus, the words, and the judgements so far.

Documents are numbers here. Examples from outside the index have the numbers after its own in
`learned_from`, and are never shown.
"""

from __future__ import annotations

from copy import copy
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from likewise.feedback.views import Views, views_of, words_in
from likewise.search.learning import outside_too

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likewise.corpus import Corpus, SparseVector, Vector
    from likewise.search.examples import Gathered
    from likewise.search.generation import Generation

    Numbers = NDArray[np.int64]
    Weighted = tuple[Corpus, Corpus, SparseVector | None]
    Choice = tuple[tuple[str, float], ...]

NO_VIEWS: Mapping[str, float] = MappingProxyType({})


class State(StrEnum):
    """What is known, including examples; a method can learn in some of these states."""

    NOTHING = "nothing has been judged yet"
    NON_RELEVANT = "nothing relevant has been found yet"
    RELEVANT = "relevant documents have been found"


class Situation:
    """`labels` are examples and judgements: number -> relevant; a judgement overrides an example.
    `log` has every document whose label has changed, in order, so that a learner can continue from
    its last solution.
    """

    def __init__(
        self,
        corpus: Corpus,
        learned_from: Corpus | None = None,
        words: SparseVector | None = None,
        given: Mapping[int, bool] | None = None,
        seed: int = 0,
    ) -> None:
        self.corpus, self.words, self.seed = corpus, words, seed
        self.learned_from = corpus if learned_from is None else learned_from
        self.length = 1.0  # squared, of a document's vector on average
        self.documents = corpus.shape[0]
        self.unjudged = np.ones(self.documents, np.bool_)
        self.given = dict(given or {})
        self.judged: dict[int, bool] = {}
        self.labels: dict[int, bool] = {}
        self.log: list[int] = []
        self._counts = [0, 0]
        for number, liked in self.given.items():
            self._label(number, liked)

    def seen_as(
        self,
        corpus: Corpus,
        learned_from: Corpus | None = None,
        words: SparseVector | None = None,
        *,
        length: float = 1.0,
    ) -> Situation:
        """The same search with another weighting or views; both share the judgements."""
        other = copy(self)
        other.length = length
        other.__dict__.pop("squares", None)
        other.corpus, other.words = corpus, words
        other.learned_from = corpus if learned_from is None else learned_from
        return other

    def judge(self, number: int, relevant: bool) -> None:
        """Add or change a judgement."""
        self.judged[number] = relevant
        self._label(number, relevant)

    def judge_all(self, judged: Mapping[int, bool]) -> None:
        """Replace all judgements."""
        for number in self.judged.keys() - judged.keys():
            del self.judged[number]
            self._label(number, self.given.get(number))
        for number, relevant in judged.items():
            if self.judged.get(number) is not relevant:
                self.judge(number, relevant)

    @property
    def state(self) -> State:
        if self._counts[True]:
            return State.RELEVANT
        return State.NON_RELEVANT if self._counts[False] else State.NOTHING

    @property
    def only_examples(self) -> bool:
        """Whether there are examples and nothing is judged yet."""
        return self.state is State.RELEVANT and not self.judged

    def count(self, relevant: bool) -> int:
        """How many documents have this label."""
        return self._counts[relevant]

    @property
    def relevant(self) -> Numbers:
        return self._labelled(True)

    @property
    def others(self) -> Numbers:
        return self._labelled(False)

    @cached_property
    def squares(self) -> Vector:
        """The documents' squared lengths."""
        return self.corpus.squares

    def _labelled(self, label: bool) -> Numbers:
        return np.array([n for n, relevant in self.labels.items() if relevant is label], np.int64)

    def _label(self, number: int, label: bool | None) -> None:
        old = self.labels.pop(number, None)
        if old is not None:
            self._counts[old] -= 1
        if label is not None:
            self.labels[number] = label
            self._counts[label] += 1
        if number < self.documents:
            self.unjudged[number] = label is None
        self.log.append(number)


class Situations:
    """One search with each weighting and with each choice of views, as feedback methods use them;
    all share the judgements.

    `base` has the given weighting, or the index' default, and words alone.
    """

    def __init__(
        self,
        generation: Generation,
        weighting: str | None = None,
        words: str | None = None,
        examples: Gathered | None = None,
        seed: int = 0,
    ) -> None:
        self._generation, self._asked = generation, weighting
        self._words, self._examples = words, examples
        self._views: dict[Choice, Views] = {(): Views()}
        given = {} if examples is None else _labels(examples)
        name = self.weighting(None)
        self.base = Situation(*self._weighted(name, Views()), given, seed)
        self._made: dict[tuple[str, Choice], Situation] = {(name, ()): self.base}

    def weighting(self, preferred: str | None) -> str:
        """The given weighting, or the one that a method prefers, if it fits the index."""
        return self._generation.weighting(self._asked, preferred).name

    def views(self, wanted: Mapping[str, float]) -> Views:
        """Those of the wanted views that the index has, beside the words."""
        choice = tuple(wanted.items())
        if choice not in self._views:
            self._views[choice] = views_of(self._generation, wanted)
        return self._views[choice]

    def of(self, preferred: str | None, wanted: Mapping[str, float] = NO_VIEWS) -> Situation:
        name, choice = self.weighting(preferred), tuple(wanted.items())
        if (name, choice) not in self._made:
            views = self.views(wanted)
            seen = self._weighted(name, views)
            self._made[name, choice] = self.base.seen_as(*seen, length=views.length)
        return self._made[name, choice]

    def _weighted(self, weighting: str, views: Views) -> Weighted:
        generation, examples = self._generation, self._examples
        corpus = learned_from = generation.stacked(weighting, views.factors)
        if examples is not None and examples.outside:
            learned_from = outside_too(generation, examples, weighting, views.factors)
        words = None
        if self._words is not None:
            words = words_in(generation, self._words, weighting, views.factors)
        return corpus, learned_from, words


def _labels(examples: Gathered) -> dict[int, bool]:
    liked = dict.fromkeys(examples.liked.tolist(), True)
    return liked | dict.fromkeys(examples.disliked.tolist(), False)
