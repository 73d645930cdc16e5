"""Ranks one generation of an index by the judgements so far."""

from __future__ import annotations

import time
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.errors import UsageError
from likewise.feedback.columns import FEW
from likewise.feedback.documents import Documents
from likewise.feedback.methods import FEEDBACK, check, choose, selecting
from likewise.feedback.select import best as best_first
from likewise.feedback.situation import Situations
from likewise.feedback.twoclass import TwoClass
from likewise.search.bound import LearnedQuery
from likewise.search.examples import Gathered
from likewise.search.hits import Hits, as_hits
from likewise.search.learning import convergence, learn
from likewise.search.query import Learned

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from likewise.corpus import Mask
    from likewise.feedback.methods import Feedback, Rank
    from likewise.feedback.select import Found, Ranked
    from likewise.feedback.situation import Situation
    from likewise.search.examples import Examples
    from likewise.search.generation import Generation
    from likewise.search.hits import AnyQuery
    from likewise.solvers.solution import Solution
    from likewise.solvers.stopping import Report


AHEAD = 150  # documents: the next pages of those who judge together, without all scores again


class Start(NamedTuple):
    """The start of a search: words, liked examples and disliked ones."""

    words: str | None = None
    examples: Examples = ()
    unlike: Examples = ()


class Page(NamedTuple):
    """Documents to judge, best first, the method that chose them, and why it was used."""

    hits: Hits
    method: str
    reason: str
    query: AnyQuery | None
    """The query for `explain`; None if documents are in random order."""
    seconds: float


class Ranking(NamedTuple):
    """What was learned from the judgements so far."""

    method: str
    reason: str
    ranked: Ranked | None
    """None while nothing is judged: then it is a search by example, over all views."""
    seconds: float


class Ahead(NamedTuple):
    """More of the best than a page shows: several who judge together each get the next ones.

    `keep` may be the mask of what is unjudged now, which changes only with the ranking.
    """

    ranking: Ranking
    keep: Mask
    found: Found

    def left(self, now: Ranking, keep: Mask) -> Found:
        """The first of the best of these documents; none where others may be better."""
        if now is not self.ranking or np.greater(keep, self.keep).any():
            return []
        return [one for one in self.found if keep[one[0]]]


class Ranker:
    """`judge` sets all current judgements; `page` returns the next documents to judge.

    `situation` has the judgements by document number, for callers without ids. `report` is called
    with the progress of learning from examples. `views` are the factors of the views beside the
    words for all methods that use views; by default each has its own (`feedback.views`).
    """

    def __init__(
        self,
        generation: Generation,
        start: Start,
        *,
        method: str = "auto",
        selection: str | None = None,
        weighting: str | None = None,
        seed: int = 0,
        documents: Documents | None = None,
        views: Mapping[str, float] | None = None,
    ) -> None:
        check(method, selection)
        self._generation, self._start = generation, start
        self._method, self._selection, self._weighting = method, selection, weighting
        self._documents = documents or Documents(generation.snapshot)
        self._learners: dict[str, Rank] = {}
        gathered = generation.gather(start.examples, start.unlike)
        numbers = [*gathered.liked.tolist(), *gathered.disliked.tolist()]
        self._examples = dict(zip(numbers, gathered.ids, strict=True))
        self._situations = Situations(generation, weighting, start.words, gathered, seed)
        self._views = views
        self.situation: Situation = self._situations.base
        self.report: Report | None = None
        self._current: Ranking | None = None
        self._asked: tuple[Ranking, LearnedQuery] | None = None
        self._ahead: Ahead | None = None
        self._learned_at = -1  # length of the situation's log at that time

    @property
    def size(self) -> int:
        """Bytes that grow with each judgement: what learners keep of all documents."""
        learners = list(self._learners.values())  # another thread may be adding one
        return sum(one.size for one in learners if isinstance(one, TwoClass))

    def judge(self, judged: Mapping[str, bool]) -> None:
        """Set all current judgements: id -> relevant. Ids that are not in the index are ignored."""
        self.situation.judge_all(dict(self._numbered(judged)))

    def page(
        self,
        n: int = 10,
        *,
        leave_out: Collection[str] = (),
        among: Collection[str] | None = None,
        free: Mask | None = None,
        explained: bool = True,
    ) -> Page:
        """The next n documents to judge, best first; fewer if no more are left.

        With `among` only of those, and with `free`, by number, of those. The query takes as long
        as the ranking: where nothing is to be `explained`, it is left out.
        """
        if n < 1:
            raise UsageError(f"a page of {n} documents: it must have 1 or more")
        began = time.perf_counter()
        keep = self._kept(leave_out, among, free)
        if not keep.any():
            name, reason = choose(self._method, self.situation)
            return Page(Hits([]), name, reason, None, time.perf_counter() - began)
        found = self.best(n, keep)
        hits = as_hits(self._generation.snapshot, found)
        self._documents.remember((number for number, _ in found), (hit.id for hit in hits))
        query, now = self.query if explained else None, self._ranking
        shown = Hits(hits, query if isinstance(query, LearnedQuery) else None)
        return Page(shown, now.method, now.reason, query, time.perf_counter() - began)

    def best(self, n: int, keep: Mask | None = None) -> Found:
        """The numbers and scores of the n best documents, by default of all unjudged ones."""
        now = self._ranking
        keep = self.situation.unjudged if keep is None else keep
        if now.ranked is None:
            query = self._by_example
            return self._generation.stacked(query.weighting, query.views).top(query.vector, n, keep)
        method = FEEDBACK[now.method]
        select = selecting(method, self._selection)
        if select is not best_first or now.ranked.learner is None:
            return select(now.ranked, self._situation_of(method), n, keep)
        left = self._ahead.left(now, keep) if self._ahead is not None else []
        if len(left) < n:
            left = now.ranked.learner.best(n + AHEAD, keep)
            self._ahead = Ahead(now, keep, left)
        return left[:n]

    @property
    def query(self) -> AnyQuery | None:
        """The current query; None if documents are in random order."""
        if not self.situation.unjudged.any():
            return None
        now = self._ranking
        if now.ranked is None:
            return self._by_example
        if now.ranked.query is None:
            return None
        if now.method == "none" and self._start.words is not None:
            return self._start.words
        if self._asked is None or self._asked[0] is not now:  # a page asks for it twice
            self._asked = (now, self._learned(now, now.ranked.query()))
        return self._asked[1]

    def learn(self, judged: Mapping[str, bool]) -> None:
        """Set all current judgements, and learn from them now, not when a page is asked for.

        From a few new ones it is learned one after another, as they came: that changes fewer
        weights than all at once, and a page needs those of the end alone.
        """
        known, now = self.situation.judged, self._current
        learner = self._learners.get(now.method) if now is not None else None
        all_of_them = self._numbered(judged)
        new = [
            (n, is_relevant) for n, is_relevant in all_of_them if known.get(n) is not is_relevant
        ]
        if now is not None and isinstance(learner, TwoClass) and len(new) <= FEW:
            seen = self._situation_of(FEEDBACK[now.method])
            for number, is_relevant in new[:-1]:
                self.situation.judge(number, is_relevant)
                learner.approach(seen)
        self.situation.judge_all(dict(all_of_them))
        _ = self._ranking

    def _numbered(self, judged: Mapping[str, bool]) -> list[tuple[int, bool]]:
        numbers = zip(self._documents.numbers(judged), judged.values(), strict=True)
        return [(number, bool(relevant)) for number, relevant in numbers if number >= 0]

    @property
    def _ranking(self) -> Ranking:
        """The current ranking; learned again if a judgement has changed."""
        if self._current is None or self._learned_at != len(self.situation.log):
            self._current, self._learned_at = self._rank(), len(self.situation.log)
        return self._current

    def _rank(self) -> Ranking:
        began = time.perf_counter()
        name, reason = choose(self._method, self.situation)
        if self._method == "auto" and self.situation.only_examples and self._start.words is None:
            told = self._by_example.learned
            return Ranking(told.method, told.reason, None, time.perf_counter() - began)
        if name not in self._learners:
            self._learners[name] = FEEDBACK[name].make()
        ranked = self._learners[name](self._situation_of(FEEDBACK[name]))
        return Ranking(name, reason, ranked, time.perf_counter() - began)

    def _situation_of(self, method: Feedback) -> Situation:
        return self._situations.of(method.weighting, self._wanted(method))

    def _wanted(self, method: Feedback) -> Mapping[str, float]:
        return self._views if method.views and self._views is not None else method.views

    def _used(self, method: Feedback) -> dict[str, float]:
        """The views of a method with their factors, words first; none if it uses words alone."""
        return dict(self._situations.views(self._wanted(method)).factors) if method.views else {}

    @cached_property
    def _by_example(self) -> LearnedQuery:
        """The query of a search by example, used before anything is judged."""
        liked, disliked = self._start.examples, self._start.unlike
        return learn(
            self._generation, liked, disliked, weighting=self._weighting, report=self.report
        )

    def _kept(
        self,
        leave_out: Collection[str],
        among: Collection[str] | None,
        free: Mask | None,
    ) -> Mask:
        keep = self.situation.unjudged if free is None else self.situation.unjudged & free
        if among is not None:
            only = np.zeros_like(keep)
            only[[number for number in self._documents.numbers(among) if number >= 0]] = True
            keep = keep & only
        if leave_out:
            keep = keep.copy()
            numbers = np.array(self._documents.numbers(leave_out), np.int64)
            keep[numbers[numbers >= 0]] = False
        return keep

    def _learned(self, now: Ranking, solution: Solution) -> LearnedQuery:
        """The query of a page, for explanations."""
        progress, method = solution.progress, FEEDBACK[now.method]
        liked, disliked = self.situation.relevant, self.situation.others
        gathered = Gathered(liked, disliked, self._ids(liked, disliked), [], len(liked), [], [])
        learned = Learned(
            method=now.method,
            reason=now.reason,
            examples=len(liked),
            unlike=len(disliked),
            passes=progress.passes,
            seconds=now.seconds,
            views=dict(self._situations.views(self._wanted(method)).factors)
            if method.views
            else {},
            **convergence(progress, method.tol),
        )
        weighting = self._situations.weighting(method.weighting)
        return LearnedQuery(self._generation, solution, gathered, weighting, learned)

    def _ids(self, *groups: np.ndarray) -> list[str]:
        numbers = np.concatenate(groups).tolist()
        judged = [number for number in numbers if number not in self._examples]
        known = dict(zip(judged, self._documents.ids(judged), strict=True)) | self._examples
        return [known[number] for number in numbers]
