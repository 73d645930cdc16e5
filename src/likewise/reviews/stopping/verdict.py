"""One sentence about stopping, from bounds that hold."""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING, NamedTuple

from likewise.reviews.stopping.bisection import first
from likewise.reviews.stopping.screening import Estimate, Sample, Screening
from likewise.reviews.stopping.sequence import RandomSample

if TYPE_CHECKING:
    from collections.abc import Iterable

TARGET = 0.95
CONFIDENCE = 0.95


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


def decide(screening: Screening, estimates: Iterable[Estimate], target: float = TARGET) -> Stopping:
    """The sentence, by the highest lower bound of rules that can be relied on."""
    known = [one for one in estimates if one.low is not None]
    best = max(known, key=lambda one: one.low or 0.0, default=None)
    low = None if best is None else best.low
    confidence = CONFIDENCE if best is None or best.confidence is None else best.confidence
    stop = low is not None and low >= target
    done = bool(screening.gains) and not screening.left
    since = _since(screening)
    if done:
        sentence, stop = "You are done: every record has been judged.", True
    elif stop:
        sentence = (
            f"You can stop: with {down(confidence)} confidence at least {down(low or 0.0)} "
            "of the relevant ones are found."
        )
    else:
        sentence = f"Go on: {_because(screening, since)}."
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


def _because(screening: Screening, since: int | None) -> str:
    judged = len(screening.gains)
    if not judged:
        return "nothing has been judged yet"
    if since is None:
        return f"nothing relevant has been found in {_records(judged)} so far"
    if not since:
        return "the last record was relevant"
    return f"the last relevant record was {_records(since)} ago"


def _since(screening: Screening) -> int | None:
    places = [place for place, relevant in enumerate(screening.gains) if relevant]
    return len(screening.gains) - 1 - places[-1] if places else None


def _records(n: int) -> str:
    return f"{n:,} record{'' if n == 1 else 's'}"


def down(share: float) -> str:
    """Rounded down: a bound must not say more than it does."""
    return f"{floor(100 * share + 1e-9)} %"
