"""One generation of an index, and what the judgements taught about it so far."""

from __future__ import annotations

import time
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from likewise.errors import UsageError
from likewise.feedback.page import Page, Start
from likewise.feedback.situations import Situations
from likewise.feedback.table import FEEDBACK, check, choose, selecting
from likewise.search.bound import LearnedQuery
from likewise.search.examples import Gathered
from likewise.search.hits import Hits, as_hits
from likewise.search.learning import learn
from likewise.search.query import Learned

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from likewise.corpus import Mask
    from likewise.feedback.ranked import Ranked
    from likewise.feedback.table import Rank
    from likewise.search.generation import Generation
    from likewise.search.hits import AnyQuery


class Ranker:
    """`judge` tells it all judgements in force, `page` what to look at next."""

    def __init__(
        self,
        generation: Generation,
        start: Start,
        *,
        method: str = "auto",
        selection: str | None = None,
        weighting: str | None = None,
        seed: int = 0,
    ) -> None:
        check(method, selection)
        self._generation, self._start = generation, start
        self._method, self._selection = method, selection
        self._numbers: dict[str, int] = {}
        self._learners: dict[str, Rank] = {}
        self._weighting = weighting
        gathered = generation.gather(start.examples, start.unlike)
        numbers = [*gathered.liked.tolist(), *gathered.disliked.tolist()]
        self._ids = dict(zip(numbers, gathered.ids, strict=True))
        self._situations = Situations(generation, weighting, start.words, gathered, seed)
        self._situation = self._situations.base

    def judge(self, judged: Mapping[str, bool]) -> None:
        """All judgements in force: id -> relevant. Ids that are not in the index are left out."""
        new = [id for id in judged if id not in self._numbers]
        found = self._generation.snapshot.numbers(new).tolist() if new else []
        self._numbers.update(zip(new, found, strict=True))
        numbers = ((self._numbers[id], relevant) for id, relevant in judged.items())
        self._situation.judge_all({n: bool(relevant) for n, relevant in numbers if n >= 0})

    def page(self, n: int = 10, *, leave_out: Collection[str] = ()) -> Page:
        """The next n documents to judge, best first; fewer where no more are left."""
        if n < 1:
            raise UsageError(f"a page of {n} documents: ask for at least one")
        began = time.perf_counter()
        name, reason = choose(self._method, self._situation)
        keep = self._kept(leave_out)
        if not keep.any():
            return Page(Hits([]), name, reason, None, time.perf_counter() - began)
        if self._method == "auto" and self._situation.only_examples and self._start.words is None:
            return self._like(n, keep, began)
        ranked = self._rank(name)
        select = selecting(FEEDBACK[name], self._selection)
        found = select(ranked, self._situations.of(name), n, keep)
        hits = as_hits(self._generation.snapshot, found)
        seconds = time.perf_counter() - began
        query = self._query(name, reason, ranked, seconds)
        shown = Hits(hits, query if isinstance(query, LearnedQuery) else None)
        return Page(shown, name, reason, query, seconds)

    def _like(self, n: int, keep: Mask, began: float) -> Page:
        """What a search by example shows, over all views: judgements have not begun."""
        query, generation = self._by_example, self._generation
        corpus = generation.stacked(query.weighting, query.views)
        hits = Hits(as_hits(generation.snapshot, corpus.top(query.vector, n, keep)), query)
        told = query.learned
        return Page(hits, told.method, told.reason, query, time.perf_counter() - began)

    @cached_property
    def _by_example(self) -> LearnedQuery:
        liked, disliked = self._start.examples, self._start.unlike
        return learn(self._generation, liked, disliked, weighting=self._weighting)

    def _rank(self, name: str) -> Ranked:
        if name not in self._learners:
            self._learners[name] = FEEDBACK[name].make()
        return self._learners[name](self._situations.of(name))

    def _kept(self, leave_out: Collection[str]) -> Mask:
        keep = self._situation.unjudged
        if leave_out:
            numbers = self._generation.snapshot.numbers(list(leave_out))
            keep = keep.copy()
            keep[numbers[numbers >= 0]] = False
        return keep

    def _query(self, name: str, reason: str, ranked: Ranked, seconds: float) -> AnyQuery | None:
        """What explains the page: the words themselves where nothing else was learned."""
        if ranked.query is None:
            return None
        if name == "none" and self._start.words is not None:
            return self._start.words
        situation, solution = self._situation, ranked.query()
        progress = solution.progress
        liked, disliked = situation.relevant, situation.others
        gathered = Gathered(liked, disliked, self._named(liked, disliked), [], len(liked), [], [])
        measured = not np.isnan(progress.objective)
        learned = Learned(
            method=name,
            reason=reason,
            examples=len(liked),
            unlike=len(disliked),
            objective=progress.objective if measured else None,
            gap=progress.relative_gap if measured else None,
            passes=progress.passes,
            seconds=seconds,
        )
        weighting = self._situations.weighting(name)
        return LearnedQuery(self._generation, solution, gathered, weighting, learned)

    def _named(self, *groups: np.ndarray) -> list[str]:
        numbers = np.concatenate(groups).tolist()
        missing = [number for number in numbers if number not in self._ids]
        self._ids.update(zip(missing, self._generation.snapshot.ids(missing), strict=True))
        return [self._ids[number] for number in numbers]
