"""How often the interval held the truth, by moment and by run; what stopping by a rule costs."""

from __future__ import annotations

from statistics import fmean, median
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likewise.evaluation.report.averages import counted
from likewise.evaluation.report.values import Number, Row, Section

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from likewise.evaluation.runs import Result

NEEDED = 0.93  # of the moments: below it, an estimate is not to be shown
SLACK = 1e-5  # numbers are rounded
TARGET = 0.95
RESAMPLED = 2000
PHASES: dict[str, Callable[[float], bool]] = {
    "early": lambda recall: recall < 0.5,
    "middle": lambda recall: 0.5 <= recall < 0.95,
    "late": lambda recall: 0.95 <= recall < 1 - SLACK,
    "all found": lambda recall: recall >= 1 - SLACK,
}


class Look(NamedTuple):
    """What a rule said at a moment."""

    judged: float
    truth: float
    low: float | None
    recall: float | None
    high: float | None
    stop: float

    @property
    def is_defined(self) -> bool:
        return self.low is not None

    @property
    def holds(self) -> bool:
        low, high = self.low, self.high
        return low is not None and high is not None and low - SLACK <= self.truth <= high + SLACK


class Measured(NamedTuple):
    """A rule on one review from one start."""

    job: dict[str, Any]
    records: int
    draws: int
    looks: list[Look]

    @property
    def defined(self) -> list[Look]:
        return [look for look in self.looks if look.is_defined]

    def series(self) -> Iterable[list[Look]]:
        """The moments of one draw each: what one reviewer would have seen."""
        for draw in range(self.draws):
            yield self.looks[draw :: self.draws]


def sections(results: Sequence[Result]) -> list[Section]:
    rules: dict[str, list[Measured]] = {}
    for result in results:
        if result.missing is None:
            rules.setdefault(result.job["method"], []).append(_measured(result))
    bounded = {name: runs for name, runs in rules.items() if any(run.defined for run in runs)}
    return [_coverage(bounded), _widths(bounded), _halves(bounded), _stops(rules)]


def _measured(result: Result) -> Measured:
    numbers = result.numbers
    looks = [
        Look(*row)
        for row in zip(
            *(numbers[name] for name in ("judged", "truth", "low", "recall", "high", "stop")),
            strict=True,
        )
    ]
    return Measured(result.job, numbers["records"], numbers["draws"], looks)


def _coverage(rules: dict[str, list[Measured]]) -> Section:
    rows: list[Row] = []
    for name, runs in rules.items():
        looks = [look for run in runs for look in run.defined]
        row: Row = {"estimate": name, "moments": len(looks), "all": _share(looks, 4)}
        open_ = [look for look in looks if not PHASES["all found"](look.truth)]
        row["before all are found"] = _share(open_, 4)
        for phase, belongs in list(PHASES.items())[:-1]:
            row[phase] = _share([look for look in looks if belongs(look.truth)])
        row["always"] = Number(_always(runs), 3)
        row["worst"] = Number(_worst(runs), 3)
        row["reliable"] = "yes" if is_reliable(looks) else "no"
        rows.append(row)
    first = next(iter(rules.values()), [])
    reviews = len({run.job["topic"] for run in first})
    starts = len({run.job["seed"] for run in first})
    notes = [
        "The share of moments at which the 95 % interval held the true recall. Phases are by true "
        "recall: early below 50 %, middle below 95 %, late below 100 %. Moments of one run are "
        "not independent: 'always' is the share of runs in which it held at every moment, and "
        "'worst' the lowest share of a review.",
        f"Reliable are those that hold in at least {100 * NEEDED:g} % of all moments and of those "
        "before all are found.",
    ]
    title = f"Coverage: {counted(reviews, 'review')}, {counted(starts, 'start')} each"
    return Section(title, rows, notes)


def is_reliable(looks: Sequence[Look]) -> bool:
    open_ = [look for look in looks if not PHASES["all found"](look.truth)]
    parts = [[look.holds for look in part] for part in (looks, open_) if part]
    return bool(parts) and all(fmean(part) >= NEEDED for part in parts)


def _share(looks: Sequence[Look], digits: int = 3) -> Number:
    return Number(fmean(look.holds for look in looks) if looks else None, digits)


def _by_review(runs: Sequence[Measured]) -> list[tuple[int, int]]:
    """Of each review: how often it held, of how many moments."""
    found: dict[str, list[bool]] = {}
    for run in runs:
        found.setdefault(run.job["topic"], []).extend(look.holds for look in run.defined)
    return [(sum(holds), len(holds)) for holds in found.values() if holds]


def _interval(runs: Sequence[Measured]) -> str:
    """Of the share, by drawing reviews with replacement."""
    held, of = np.array(_by_review(runs)).T
    drawn = np.random.default_rng(0).integers(0, len(held), (RESAMPLED, len(held)))
    shares = held[drawn].sum(axis=1) / of[drawn].sum(axis=1)
    low, high = np.quantile(shares, [0.025, 0.975])
    return f"{low:.3f} to {high:.3f}"


def _always(runs: Sequence[Measured]) -> float:
    series = [
        all(look.holds for look in looks if look.is_defined)
        for run in runs
        for looks in run.series()
        if any(look.is_defined for look in looks)
    ]
    return fmean(series)


def _worst(runs: Sequence[Measured]) -> float:
    return min(held / of for held, of in _by_review(runs))


def _widths(rules: dict[str, list[Measured]]) -> Section:
    rows: list[Row] = []
    for name, runs in rules.items():
        looks = [look for run in runs for look in run.defined]
        row: Row = {"estimate": name, "bias": Number(_bias(looks), 3)}
        row["lower bound below recall by"] = Number(
            fmean(look.truth - (look.low or 0.0) for look in looks), 3
        )
        for phase, belongs in PHASES.items():
            there = [look for look in looks if belongs(look.truth)]
            row[phase] = Number(fmean(map(_width, there)) if there else None, 3)
        rows.append(row)
    notes = [
        "bias: the mean of the point estimate less the true recall; none where a rule gives "
        "bounds only. The last four columns are the mean width of the interval."
    ]
    return Section("Bias and width", rows, notes)


def _width(look: Look) -> float:
    return (look.high or 0.0) - (look.low or 0.0)


def _bias(looks: Sequence[Look]) -> float | None:
    off = [look.recall - look.truth for look in looks if look.recall is not None]
    return fmean(off) if off else None


def _halves(rules: dict[str, list[Measured]]) -> Section:
    rows: list[Row] = []
    for name, runs in rules.items():
        row: Row = {"estimate": name, "95 % interval of the share": _interval(runs)}
        for half in ("development", "report"):
            looks = [look for run in runs if run.job["half"] == half for look in run.defined]
            row[half] = _share(looks)
            row[f"reliable by {half}"] = "yes" if looks and is_reliable(looks) else "no"
        rows.append(row)
    note = (
        "The interval comes from drawing reviews anew, with replacement. Beside each half stands "
        "whether it alone would call an estimate reliable."
    )
    return Section("Coverage by half of the reviews", rows, [note])


def _stops(rules: dict[str, list[Measured]]) -> Section:
    rows: list[Row] = []
    for name, runs in rules.items():
        stops = [(_first_stop(looks), run) for run in runs for looks in run.series() if looks]
        there = [(look, run) for look, run in stops if look is not None]
        recalls = [look.truth for look, _ in there]
        judged = [look.judged / run.records for look, run in there]
        row: Row = {"rule": name, "runs": len(stops), "stopped": len(there)}
        row["records judged by then, median"] = Number(median(judged) if judged else None, 3)
        row["recall then, median"] = Number(median(recalls) if recalls else None, 3)
        row["least"] = Number(min(recalls) if recalls else None, 3)
        reached = [recall >= TARGET - SLACK for recall in recalls]
        row[f"recall of {100 * TARGET:g} % reached"] = Number(
            fmean(reached) if reached else None, 3
        )
        rows.append(row)
    note = (
        "The first moment at which a rule says stop, with fewer than all records judged; rules "
        "look again and again, as people do. A target set promises a recall of 70 % only."
    )
    return Section("Stopping", rows, [note])


def _first_stop(looks: Sequence[Look]) -> Look | None:
    return next((look for look in looks if look.stop), None)
