"""One sentence about stopping, from bounds that hold."""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING, NamedTuple

from likewise.reviews.stopping.bisection import first
from likewise.reviews.stopping.screening import Estimate, Sample, Screening
from likewise.reviews.stopping.sequence import RandomSample

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

TARGET = 0.95
CONFIDENCE = 0.95
DONE = "You are done: every record has been judged."


class Stopping(NamedTuple):
    """Whether to stop. `stop` is only true where a bound on recall has reached the target."""

    stop: bool
    sentence: str
    since: int | None
    """Records judged since the last relevant one; None before the first."""
    low: float | None
    """The share of the relevant records that is found, at least, with the confidence."""
    confidence: float
    target: float
    rule: str | None
    """Which rule gives that bound."""


class Prospect(NamedTuple):
    """What a random sample would tell, if nothing in it were relevant."""

    size: int
    low: float | None
    """The share of the relevant records that is found, at least; None while none is found."""
    needed: int | None
    """The size that would reach the target; None if no size does."""
    target: float
    confidence: float


def decide(
    screening: Screening, estimates: Iterable[Estimate], target: float, gain: Sequence[int]
) -> Stopping:
    """The sentence, by the highest lower bound of rules that can be relied on.

    `gain` is the number of relevant documents after each one judged, decided on or not.
    """
    known = [one for one in estimates if one.low is not None]
    best = max(known, key=lambda one: one.low or 0.0, default=None)
    low = None if best is None else best.low
    confidence = CONFIDENCE if best is None or best.confidence is None else best.confidence
    stop = low is not None and low >= target
    since = len(gain) - 1 - gain.index(gain[-1]) if screening.found else None
    if gain and len(gain) == screening.documents:
        stop = not screening.left
        sentence = DONE if stop else f"Every record has been judged; {_undecided(screening)}."
    elif stop:
        sentence = (
            f"You can stop: with {down(confidence)} confidence at least {down(low or 0.0)} "
            "of the relevant ones are found."
        )
    else:
        sentence = f"Go on: {_because(len(gain), since)}."
    rule = None if best is None else best.rule
    return Stopping(stop, sentence, since, low, confidence, target, rule)


def prospect(
    screening: Screening, size: int, target: float = TARGET, confidence: float = CONFIDENCE
) -> Prospect:
    """What drawing so many at random now would tell."""
    most = screening.left
    size = min(size, most)
    if not screening.found or size < 1:
        return Prospect(max(size, 0), None, None, target, confidence)

    def low(n: int) -> float:
        return _if_none(screening, n, target, confidence)

    needed = first(lambda n: low(n) >= target, 1, most)
    reached = low(needed) >= target
    return Prospect(size, low(size), needed if reached else None, target, confidence)


def _if_none(screening: Screening, n: int, target: float, confidence: float) -> float:
    drawn = Sample(screening.left, n, 0, screening.found)
    after = screening._replace(
        gains=[*screening.gains, *[False] * n], samples=[*screening.samples, drawn]
    )
    return RandomSample(target, confidence)(after).low or 0.0


def _because(judged: int, since: int | None) -> str:
    if not judged:
        return "nothing has been judged yet"
    if since is None:
        return f"nothing relevant has been found in {_records(judged)} so far"
    if not since:
        return "the last record was relevant"
    return f"the last relevant record was {_records(since)} ago"


def _undecided(screening: Screening) -> str:
    return f"{screening.left:,} {'is' if screening.left == 1 else 'are'} not decided on"


def _records(n: int) -> str:
    return f"{n:,} record{'' if n == 1 else 's'}"


def down(share: float) -> str:
    """Rounded down: a bound must not say more than it does."""
    return f"{floor(100 * share + 1e-9)} %"
