"""What `auto` chooses, and why: views, method, cost of errors, and likely examples to add.

docs/auto.md has the measurements behind the numbers here; they were made on the development half
of the arXiv table's categories.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.corpora import EMBEDDINGS, LATENT, ONLY_WORDS, WORDS
from likewise.errors import UsageError
from likewise.solvers.solution import Solution

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from likewise.corpus import Corpus, Ids
    from likewise.named import Options

FACTORS = {LATENT: 0.7, EMBEDDINGS: 2.0}  # how much a view counts beside the words' 1
FEW = 5  # examples up to which their mean is good enough to find likely documents by
VERY_FEW = 2  # examples up to which a query should be hardly more than their mean
COSTS = (1.0, 4.0)  # of an example's error, up to so few and beyond …
MOST_COST = 600.0  # … and of all together
ALSO_COST = 1.6  # the same for the method that the first one is averaged with
LIKELY = 20  # documents that are taken for examples in a second round
LIKELY_SHARE = 100  # of this many documents, one may be taken so
ENOUGH = 50  # examples beyond which likely documents add nothing
LARGE_SHARE = 0.02  # of all documents, beyond which two methods are better than one
MOST_WORTH = 0.5  # of a likely document, in examples, where these are not very few
MOST_UNLABELED = 200_000  # documents that are learned from where nothing is said about time
SPEED = 2e8  # entries of the corpus that training goes through in a second, cautiously
ROUNDS = 30  # how often it goes through them
TOLERANCE = 1e-2  # gap at which rankings do not change any more, in a half of the time 1e-3 takes


@dataclass(frozen=True)
class Given:
    """What there is to decide from."""

    examples: int
    documents: int
    entries: int  # of the documents' vectors, all views together
    views: Sequence[str] = ()
    budget: str | float | None = None


class Plan(NamedTuple):
    """`likely` documents are added to the examples, together worth `worth` of all of them."""

    method: str
    factors: Mapping[str, float] = ONLY_WORDS
    first: str = "rocchio"  # the method that finds likely documents
    likely: int = 0
    worth: float = 0.0
    C_per_example: float | None = None
    also: str | None = None  # another method, whose query is averaged with the first one's
    also_cost: float | None = None
    sample: int | None = None
    reasons: tuple[str, ...] = ()

    def scaled(self, length: float) -> Plan:
        """For rows whose squared length is not 1 but this."""
        costs = (self.C_per_example, self.also_cost)
        own, other = (None if cost is None else cost / length for cost in costs)
        return self._replace(C_per_example=own, also_cost=other)

    def options(self, given: Options) -> Options:
        """The user's options, and where nothing was said, what was chosen."""
        C, sample = given.C_per_example, given.sample_unlabeled
        if given.C is None and C is None:
            C = self.C_per_example
        if sample is None and self.sample is not None:
            sample = self.sample
        tol = TOLERANCE if given.tol is None and self.C_per_example is not None else given.tol
        return replace(
            given, C_per_example=C, sample_unlabeled=sample, tol=tol, budget=None, views=None
        )


def choose(given: Given) -> Plan:
    seconds = _seconds(given.budget)
    if given.budget == "online" or (seconds is not None and _pass(given) > seconds):
        why = "only the examples and the index of terms are read, to answer online"
        return Plan("centroid", reasons=(why,))
    factors = {WORDS: 1.0} | {name: FACTORS[name] for name in given.views}
    plan = _learner(given)._replace(factors=factors)
    sample = _sample(given, seconds)
    reasons = [*plan.reasons, *_about_views(given)]
    if sample is not None:
        reasons.append(f"a sample of {sample:,} other documents keeps to the time allowed")
    return plan._replace(sample=sample, reasons=tuple(reasons))


def worth(examples: int) -> float:
    """What likely documents are worth, all of them, as a part of the examples."""
    return 1.0 if examples <= VERY_FEW else min(0.3, MOST_WORTH * LIKELY / examples)


def _learner(given: Given) -> Plan:
    count = "one example is" if given.examples == 1 else f"{given.examples} examples are"
    few = given.examples <= VERY_FEW
    likely = min(LIKELY, given.documents // LIKELY_SHARE) if given.examples <= ENOUGH else 0
    reasons = [f"{count} weighed against the rest"]
    if few:
        reasons[0] += ", gently as there are so few"
    if likely:
        reasons.append(
            f"what is found first ({likely}) joins them in a second round, worth "
            f"{worth(given.examples):.0%} of them"
        )
    large = given.examples > max(ENOUGH, LARGE_SHARE * given.documents)
    also = "ba" if large else None
    if also:
        reasons.append(
            f"the query is averaged with that of {also}: their errors differ where examples and "
            "the rest differ for other reasons than what is looked for"
        )
    return Plan(
        "steady",
        first="rocchio" if given.examples <= FEW else "steady",
        also=also,
        also_cost=ALSO_COST if also else None,
        likely=likely,
        worth=worth(given.examples) if likely else 0.0,
        C_per_example=min(COSTS[not few], MOST_COST / given.examples),
        reasons=tuple(reasons),
    )


def _about_views(given: Given) -> list[str]:
    if not given.views:
        return ["words are the only view"]
    names = " and ".join(given.views)
    return [f"words and {names} side by side"]


def _seconds(budget: str | float | None) -> float | None:
    """The time allowed, None where there is no end to it."""
    if budget is None or budget in ("online", "offline"):
        return None
    try:
        seconds = float(budget)
    except ValueError:
        seconds = -1.0
    if not 0 < seconds < float("inf"):
        raise UsageError(f"budget is {budget!r}: it may be online, offline or seconds above 0")
    return seconds


def _pass(given: Given) -> float:
    """How long it takes to read all documents once."""
    return given.entries / SPEED


def _sample(given: Given, seconds: float | None) -> int | None:
    """How many other documents can be learned from in that time, None for all."""
    if given.budget == "offline":
        return None
    most: float = MOST_UNLABELED
    if seconds is not None:
        most = given.documents * seconds / (ROUNDS * _pass(given))
    size = max(int(most), 20 * given.examples, 1000)
    return size if size < given.documents else None


def likely_documents(scores: NDArray[np.floating], unlabeled: Ids, count: int) -> Ids:
    """The best of the unlabeled documents; ties go to the lower number."""
    found = scores[unlabeled]
    count = min(count, len(unlabeled))
    if not count:
        return unlabeled[:0]
    least = np.partition(found, len(found) - count)[len(found) - count]
    near = np.flatnonzero(found >= least)
    order = np.lexsort((unlabeled[near], -found[near]))[:count]
    return np.sort(unlabeled[near[order]])


def averaged(solutions: Sequence[Solution], corpus: Corpus, unlabeled: Ids) -> Solution:
    """The mean of several queries, each scaled so that the unlabeled documents' scores vary by 1.

    Its progress is that of the one that is furthest from its optimum.
    """
    w, weights = np.zeros(corpus.shape[1]), np.zeros(corpus.shape[0])
    for solution in solutions:
        spread = float(np.std(corpus.scores(solution.w)[unlabeled])) or 1.0
        share = 1.0 / (spread * len(solutions))
        w += share * solution.w
        weights[solution.support] += share * solution.alphas
    support = np.flatnonzero(weights)
    worst = max(solutions, key=lambda solution: solution.progress.relative_gap).progress
    passes = sum(solution.progress.passes + 1 for solution in solutions)
    return Solution(w, support, weights[support], worst._replace(passes=passes))
