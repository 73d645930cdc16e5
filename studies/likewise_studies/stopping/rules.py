"""What is measured: a rule, on which screenings, and what it is shown of them at each moment."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.reviews.stopping import (
    Chances,
    Chao,
    Control,
    Estimate,
    Exponential,
    Knee,
    PowerLaw,
    QuantCI,
    Quantile,
    RandomSample,
    RankedUrn,
    Rule,
    Sample,
    SampledUrn,
    Screening,
    Target,
)
from likewise_studies.stopping.recording import ENSEMBLE, MIXED, RANKED

if TYPE_CHECKING:
    from likewise_studies.stopping.recording import Moment, Recording

DRAWS = 5  # of the samples that a rule needs, at each moment

Shown = Callable[["Recording", "Moment", np.random.Generator], Screening | None]
"""A screening as a rule sees it at a moment; None where the rule has no use for it."""


class Measured(NamedTuple):
    rule: Rule
    shown: Shown
    kind: str = RANKED
    draws: int = 1


class Surest:
    """What the first sentence says: the higher of both lower bounds."""

    source = "here"

    def __init__(self) -> None:
        self._rules: tuple[Rule, ...] = (RandomSample(), RankedUrn())

    def __str__(self) -> str:
        return "sentence"

    def __call__(self, screening: Screening) -> Estimate:
        said = [one for rule in self._rules if (one := rule(screening)).low is not None]
        if not said:
            return Estimate(str(self), False, "")
        best = max(said, key=lambda one: one.low or 0.0)
        return best._replace(recall=None, high=1.0)


def _gains(recording: Recording, judged: int) -> np.ndarray:
    gains = np.zeros(judged, np.bool_)
    gains[[rank for rank in recording.ranks if rank < judged]] = True
    return gains


def plain(recording: Recording, moment: Moment, rng: np.random.Generator) -> Screening:
    """What was judged, and what the model holds likely."""
    chances = None if moment.chances is None else Chances(*moment.chances)
    gains = _gains(recording, moment.judged).tolist()
    return Screening(recording.documents, gains, chances=chances)


def several(recording: Recording, moment: Moment, rng: np.random.Generator) -> Screening:
    """Several rankings, and how many of them found what."""
    captures = [times for times, n in enumerate(moment.captures, 1) for _ in range(n)]
    gains = [True] * moment.found + [False] * (moment.judged - moment.found)
    return Screening(recording.documents, gains, captures=captures)


def random_pages(recording: Recording, moment: Moment, rng: np.random.Generator) -> Screening:
    """Random pages among the others."""
    gains = _gains(recording, moment.judged)
    samples = [
        Sample(
            recording.documents - start,
            n,
            int(gains[start : start + n].sum()),
            int(gains[:start].sum()),
        )
        for start, n in recording.draws
        if start < moment.judged
    ]
    places = [place for start, n in recording.draws for place in range(start, start + n)]
    at_random = [place for place in places if place < moment.judged]
    return Screening(recording.documents, gains.tolist(), samples, at_random)


def drawn(size: int) -> Shown:
    """So many are drawn at random at this moment, and judged."""

    def shown(recording: Recording, moment: Moment, rng: np.random.Generator) -> Screening | None:
        left = recording.documents - moment.judged
        if left < size:
            return None
        every = _gains(recording, recording.documents)
        before, rest = every[: moment.judged], every[moment.judged :]
        sample = rest[rng.permutation(left)[:size]]
        taken = Sample(left, size, int(sample.sum()), int(before.sum()))
        gains = [*before.tolist(), *sample.tolist()]
        return Screening(recording.documents, gains, [taken], range(moment.judged, len(gains)))

    return shown


def aside(relevant: int) -> Shown:
    """So many relevant records are set aside before the ranking begins."""

    def shown(recording: Recording, moment: Moment, rng: np.random.Generator) -> Screening | None:
        if recording.relevant < relevant:
            return None
        ranks = rng.choice(recording.ranks, relevant, replace=False)
        control = Control(relevant, int((ranks < moment.judged).sum()))
        gains = _gains(recording, moment.judged).tolist()
        return Screening(recording.documents, gains, control=control)

    return shown


MEASURED: dict[str, Measured] = {
    "ranked urn": Measured(RankedUrn(), plain),
    "power law": Measured(PowerLaw(), plain),
    "exponential rate": Measured(Exponential(), plain),
    "QuantCI": Measured(QuantCI(), plain),
    "Chao with 4 rankings": Measured(Chao(), several, ENSEMBLE),
    "knee": Measured(Knee(), plain),
    "quantile bound with 20 set aside": Measured(Quantile(), aside(20), RANKED, DRAWS),
    "target set of 10": Measured(Target(), aside(10), RANKED, DRAWS),
    "sample of 200 looked at once": Measured(SampledUrn(), drawn(200), RANKED, DRAWS),
    "random sample of 100": Measured(RandomSample(), drawn(100), RANKED, DRAWS),
    "random sample of 200": Measured(RandomSample(), drawn(200), RANKED, DRAWS),
    "random sample of 400": Measured(RandomSample(), drawn(400), RANKED, DRAWS),
    "random sample of every 10th page": Measured(RandomSample(), random_pages, MIXED),
    "ranked urn beside random pages": Measured(RankedUrn(), random_pages, MIXED),
    "sentence with random pages": Measured(Surest(), random_pages, MIXED),
    "sentence after a sample of 200": Measured(Surest(), drawn(200), RANKED, DRAWS),
}
