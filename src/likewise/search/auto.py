"""What `auto` chooses, and why: views, method, cost of errors, and similar documents to add.

docs/auto-measured.md has the measurements behind the numbers here. They were made on the
development halves of the thirteen English collections of `likewise tables collections`, and on
topics of a handful of documents that no table reports.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from likewise.errors import UsageError
from likewise.views import EMBEDDINGS, LATENT, ONLY_WORDS, TITLES, WORDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from likewise.search.methods import Options

FACTORS = {TITLES: 0.5, LATENT: 0.5, EMBEDDINGS: 0.7}  # weight of a view; words have 1
WEIGHTING = "damped"  # of words, unless another is asked for, in an index of counts
USED = (TITLES, LATENT, EMBEDDINGS)  # views that are used unless others are asked for
BROAD, NARROW = 0.2, 0.5  # cosines of examples and the document nearest to them by words
SHORT, LONG = 12.0, 24.0  # different terms of an example: of few, a latent space knows little
COST = 1 / 2  # of an error on an example, for each example, in a collection of USUAL documents
USUAL = 5_000  # more documents to learn from allow a larger cost: it grows with their square root
MOST_COST = (10.0, 600.0)  # of an error on an example; on all examples together
LARGE_SHARE = 0.02  # if examples are more than this share of all documents, average two methods
CAUTION = 0.5  # factor of costs then: examples may differ from the rest for other reasons
ALSO_COST = 1.6  # cost of an error on an example for the second of these methods
LIKELY = 10  # similar documents that join the examples in the second round, at most
LIKELY_SHARE = 100  # at most one in this many documents joins
WORTH = 1 / 6  # weight of a similar document, as a share of an example, where topics are broad
ENOUGH = 50  # with more examples, nothing joins, and how narrow they are is not looked at
NEAR = (1_000, 4_000)  # the nearest other documents to learn from, at least and at most
NEAR_EACH = 100  # for each example: from few examples, more change nothing but the time
FAR = (1_000, 2_000)  # those of a sample of the rest: half as many, at least and at most
READS = 3  # passes over all documents
ROUNDS = 30  # passes over the documents that are learned from
TOLERANCE = 5e-2  # relative gap: rankings do not change below it, and 1e-2 takes longer


@dataclass(frozen=True)
class Given:
    """What the choice depends on."""

    examples: int
    documents: int
    entries: int  # stored numbers of the documents' vectors, in all views
    views: Sequence[str] = ()
    budget: str | float | None = None
    _: KW_ONLY
    speed: float  # entries that the engine processes in a second
    asked: Mapping[str, float] | None = None  # the factors of views, if a user names them
    breadth: float = 1.0  # 0 if the examples' topic looks narrow, 1 if it looks broad
    terms: float = LONG  # different ones that an example has, on average


class Plan(NamedTuple):
    """What to learn with. With `twice`, a first round finds documents similar to the examples.

    Up to `likely` of them join the examples, each with the weight `worth`. If `near` is not None,
    the second round learns from the `near` best other documents and a sample of `far` of the rest.
    """

    method: str
    factors: Mapping[str, float] = ONLY_WORDS
    twice: bool = False
    likely: int = 0
    worth: float = 0.0
    near: int | None = None
    far: int = 0
    C_per_example: float | None = None
    also: str | None = None  # a second method; the two queries are averaged
    also_cost: float | None = None
    sample: int | None = None
    reasons: tuple[str, ...] = ()

    def scaled(self, length: float) -> Plan:
        """The plan for rows with this squared length instead of 1."""
        costs = (self.C_per_example, self.also_cost)
        own, other = (None if cost is None else cost / length for cost in costs)
        return self._replace(C_per_example=own, also_cost=other)

    def options(self, given: Options) -> Options:
        """The user's options; the plan fills in those that are not given."""
        C, sample = given.C_per_example, given.sample_unlabeled
        if given.C is None and C is None:
            C = self.C_per_example
        if sample is None and self.sample is not None:
            sample = self.sample
        tol = TOLERANCE if given.tol is None and self.C_per_example is not None else given.tol
        return replace(
            given, C_per_example=C, sample_unlabeled=sample, tol=tol, budget=None, views=None
        )


def breadth_of(nearest: float) -> float:
    """From 0 to 1: how broad a topic looks by the cosine of its examples and what is nearest.

    Where another document shares most of the examples' words, the words tell what belongs to the
    topic, and what only resembles it in a latent space leads away. Where none does, words alone
    miss most of it.
    """
    return min(max((NARROW - nearest) / (NARROW - BROAD), 0.0), 1.0)


def choose(given: Given) -> Plan:
    seconds = _seconds(given.budget)
    if given.budget == "online" or (seconds is not None and READS * _pass(given) > seconds):
        why = "online, to stay within the budget: only the examples and the inverted file are read"
        return Plan("centroid", reasons=(why,))
    plan = _learner(given)._replace(factors=given.asked or _factors(given))
    near, far = others(given.examples)
    few = None if given.budget == "offline" else near
    plan = plan._replace(sample=_sample(given, seconds), near=few, far=far)
    reasons = [*plan.reasons, *_about_views(plan.factors), *_about_others(plan)]
    return plan._replace(reasons=tuple(reasons))


def _factors(given: Given) -> dict[str, float]:
    """The weight of each view; the latent space counts as far as topic and examples are broad."""
    factors = {WORDS: 1.0} | {name: FACTORS[name] for name in given.views}
    if LATENT in factors:
        long = min(max((given.terms - SHORT) / (LONG - SHORT), 0.0), 1.0)
        factors[LATENT] = round(factors[LATENT] * math.sqrt(given.breadth * long), 2)
    return {name: factor for name, factor in factors.items() if factor}


def cost(examples: int, documents: int) -> float:
    """Of an error on an example. A single one should be followed loosely, twenty closely."""
    each, all_together = MOST_COST
    wanted = COST * examples * math.sqrt(documents / USUAL)
    return min(wanted, each, all_together / examples)


def others(examples: int) -> tuple[int, int]:
    """How many other documents to learn from: the nearest, and of a sample of the rest."""
    near = min(max(NEAR_EACH * examples, NEAR[0]), NEAR[1])
    return near, min(max(near // 2, FAR[0]), FAR[1])


def likely(examples: int, documents: int) -> int:
    """How many similar documents may join the examples."""
    if examples > ENOUGH:
        return 0
    return min(2 * examples + 1, LIKELY, documents // LIKELY_SHARE)


def _learner(given: Given) -> Plan:
    count = "1 example" if given.examples == 1 else f"{given.examples} examples"
    reasons = [f"{count} against the other documents"]
    joining, worth = likely(given.examples, given.documents), WORTH * given.breadth
    if not given.breadth:
        joining = 0
        reasons.append("the topic looks narrow: other documents share most of the examples' words")
    if joining:
        some = "1 similar document" if joining == 1 else f"{joining} similar documents"
        weak = "a weak example" if joining == 1 else "weak examples"
        share = f"{100 * worth:.2g} %{'' if joining == 1 else ' each'}"
        reasons.append(f"a second round adds up to {some} as {weak} ({share})")
    large = given.examples > max(ENOUGH, LARGE_SHARE * given.documents)
    also = "ba" if large else None
    if also:
        reasons.append(
            f"averaged with method {also}, because the examples are a large part of the collection"
        )
    return Plan(
        "steady",
        twice=True,
        also=also,
        also_cost=ALSO_COST if also else None,
        likely=joining,
        worth=worth if joining else 0.0,
        C_per_example=cost(given.examples, given.documents) * (CAUTION if large else 1.0),
        reasons=tuple(reasons),
    )


def _about_views(factors: Mapping[str, float]) -> list[str]:
    return [f"view{'s' if len(factors) > 1 else ''}: {', '.join(factors)}"]


def _about_others(plan: Plan) -> list[str]:
    if plan.sample is None:
        return []
    return [f"only {plan.sample:,} other documents are read, to stay within the budget"]


def _seconds(budget: str | float | None) -> float | None:
    """The time allowed; None if it is not limited."""
    if budget is None or budget in ("online", "offline"):
        return None
    try:
        seconds = -1.0 if isinstance(budget, bool) else float(budget)
    except (ValueError, TypeError):
        seconds = -1.0
    if not 0 < seconds < float("inf"):
        raise UsageError(f"budget is {budget!r}: it may be online, offline or seconds above 0")
    return seconds


def _pass(given: Given) -> float:
    """Seconds for one pass over all documents."""
    return max(given.entries, 1) / given.speed


def _sample(given: Given, seconds: float | None) -> int | None:
    """How many other documents can be read and learned from in that time; None for all."""
    if seconds is None:
        return None
    readable = given.documents * seconds / _pass(given)
    most = readable / (READS + ROUNDS)
    used = sum(others(given.examples))
    if most > used:  # only so many of a larger sample are learned from
        most = (readable - ROUNDS * used) / READS
    size = max(int(most), 20 * given.examples, 1000)
    return size if size < given.documents else None
