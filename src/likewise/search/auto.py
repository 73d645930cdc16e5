"""What `auto` chooses, and why: views, method, cost of errors, and similar documents to add.

docs/auto-measured.md has the measurements behind the numbers here. They were made on the
development half of the arXiv table's categories.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from likewise.errors import UsageError
from likewise.views import EMBEDDINGS, LATENT, ONLY_WORDS, TITLES, WORDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from likewise.search.methods import Options

FACTORS = {TITLES: 0.5, LATENT: 0.5, EMBEDDINGS: 1.0}  # weight of a view; words have 1
USED = (LATENT, EMBEDDINGS)  # views that are used unless others are asked for
VERY_FEW = 2  # up to this many examples the query should stay close to their mean
COSTS = (2.0, 10.0)  # of an error on an example: up to VERY_FEW examples, and beyond
MOST_COST = 1400.0  # of errors on all examples together
LARGE_SHARE = 0.02  # if examples are more than this share of all documents, average two methods
CAUTION = 0.5  # factor of costs then: examples may differ from the rest for other reasons
ALSO_COST = 1.6  # cost of an error on an example for the second of these methods
LIKELY = 20  # similar documents that join the examples in the second round
LIKELY_SHARE = 100  # at most one in this many documents joins
ENOUGH = 50  # with more examples, similar documents add nothing
FEW_SHARE, SHARE = 1.0, 0.3  # weight of all similar documents, as a share of all examples
MOST_WORTH = 0.5  # highest weight of one similar document, as a share of an example
NEAR, FAR = 10_000, 5_000  # other documents to learn from: the nearest, and a sample of the rest
READS = 3  # passes over all documents
ROUNDS = 30  # passes over the documents that are learned from
TOLERANCE = 1e-2  # relative gap: rankings do not change below it, and 1e-3 takes twice as long


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


def choose(given: Given) -> Plan:
    seconds = _seconds(given.budget)
    if given.budget == "online" or (seconds is not None and READS * _pass(given) > seconds):
        why = "online, to stay within the budget: only the examples and the inverted file are read"
        return Plan("centroid", reasons=(why,))
    factors = {WORDS: 1.0} | {name: FACTORS[name] for name in given.views}
    plan = _learner(given)._replace(factors=factors)
    near = None if given.budget == "offline" else NEAR
    plan = plan._replace(sample=_sample(given, seconds), near=near, far=FAR)
    reasons = [*plan.reasons, *_about_views(given), *_about_others(plan)]
    return plan._replace(reasons=tuple(reasons))


def worth(examples: int) -> float:
    """The weight of a similar document, as a share of an example."""
    share = FEW_SHARE if examples <= VERY_FEW else SHARE
    return min(MOST_WORTH, share * examples / LIKELY)


def _learner(given: Given) -> Plan:
    count = "1 example" if given.examples == 1 else f"{given.examples} examples"
    few = given.examples <= VERY_FEW
    likely = min(LIKELY, given.documents // LIKELY_SHARE) if given.examples <= ENOUGH else 0
    reasons = [f"{count} against the other documents"]
    if few:
        reasons[0] += ", with low costs because there are so few"
    if likely:
        some = "1 similar document" if likely == 1 else f"{likely} similar documents"
        weak = "a weak example" if likely == 1 else "weak examples"
        share = f"{100 * worth(given.examples):.2g} %{'' if likely == 1 else ' each'}"
        reasons.append(f"a second round adds up to {some} as {weak} ({share})")
    large = given.examples > max(ENOUGH, LARGE_SHARE * given.documents)
    also = "ba" if large else None
    cost = min(COSTS[not few], MOST_COST / given.examples) * (CAUTION if large else 1.0)
    if also:
        reasons.append(
            f"averaged with method {also}, because the examples are a large part of the collection"
        )
    return Plan(
        "steady",
        twice=True,
        also=also,
        also_cost=ALSO_COST if also else None,
        likely=likely,
        worth=worth(given.examples) if likely else 0.0,
        C_per_example=cost,
        reasons=tuple(reasons),
    )


def _about_views(given: Given) -> list[str]:
    names = ", ".join([WORDS, *given.views])
    return [f"view{'s' if given.views else ''}: {names}"]


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
    if most > NEAR + FAR:  # only NEAR + FAR of a larger sample are learned from
        most = (readable - ROUNDS * (NEAR + FAR)) / READS
    size = max(int(most), 20 * given.examples, 1000)
    return size if size < given.documents else None
