"""One search, seen with each weighting that a method of feedback asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.feedback.situation import Situation
from likewise.feedback.table import FEEDBACK
from likewise.search.examples import count_rows

if TYPE_CHECKING:
    from likewise.corpus import Corpus, SparseVector
    from likewise.search.examples import Gathered
    from likewise.search.generation import Generation

    Seen = tuple[Corpus, Corpus, SparseVector | None]


class Situations:
    """`base` has the weighting that was asked for, or the index' default; all share judgements."""

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
        name = generation.weighting(weighting).name
        given = {} if examples is None else _labels(examples)
        self.base = Situation(*self._seen(name), given, seed)
        self._made = {name: self.base}

    def weighting(self, method: str) -> str:
        """What was asked for, else what the method is best with, if it fits the index."""
        return self._generation.weighting(self._asked, FEEDBACK[method].weighting).name

    def of(self, method: str) -> Situation:
        name = self.weighting(method)
        if name not in self._made:
            self._made[name] = self.base.seen_as(*self._seen(name))
        return self._made[name]

    def _seen(self, weighting: str) -> Seen:
        generation, examples = self._generation, self._examples
        corpus = learned_from = generation.words(weighting)
        if examples is not None and examples.outside:
            learned_from = corpus.extended(count_rows(examples.outside, generation.snapshot))
        words = None if self._words is None else generation.query_of(self._words, weighting)
        return corpus, learned_from, words


def _labels(examples: Gathered) -> dict[int, bool]:
    liked = dict.fromkeys(examples.liked.tolist(), True)
    return liked | dict.fromkeys(examples.disliked.tolist(), False)
