"""What screening cost, by half, review and seed, recall against effort, and factors by halves."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from math import exp, log
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from likewise.evaluation.measures import EFFORTS
from likewise.evaluation.report.averages import Group, counted, groups, superiority
from likewise.evaluation.report.values import Number, Plot, Row, Section, Series
from likewise_studies.reviews.ours import (
    AUTO,
    CHOICES,
    EMBEDDED,
    FEW,
    SHOWN,
    VARIANTS,
    WORDS_ALONE,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from likewise.evaluation.report.values import Cell
    from likewise.evaluation.runs import Result

OURS, PEER = AUTO, "asreview elas_u4"
LEAST = 1e-4  # added to a loss of a ratio: the loss of some runs is 0
LOWER = ("loss", "ATD")  # the less, the better
SHARES = (5, 20, 50)  # of the records screened, beside the measures' 10 %
STEPS = (*range(10), *range(10, 30, 2), *range(30, 101, 5))  # percent, where the curve is drawn
EVERY = "all"

Rows = dict[str, Group]


class Pair(NamedTuple):
    """Ours and the peer's, a number a review: means over seeds."""

    ours: list[float]
    peer: list[float]


def sections(results: Sequence[Result]) -> list[Section]:
    shown = [r for r in results if r.job["method"] in (*SHOWN, PEER)]
    halves: dict[str, Rows] = groups(
        shown, row=lambda r: r.job["method"], block=lambda r: r.job["half"]
    )
    if len(halves) > 1:
        halves |= groups(shown, row=lambda r: r.job["method"], block=lambda r: EVERY)
    made = [_means(half, rows) for half, rows in halves.items()]
    both = {half: rows for half, rows in halves.items() if _comparable(rows)}
    if both:
        made += [_tests(both), _by_seed(both), _by_review(next(reversed(both.values())))]
    every = groups(results, row=lambda r: r.job["method"], block=lambda r: EVERY).get(EVERY, {})
    if EVERY in both:
        made[:0] = [_ratios(every)]
        made += [_factors(every)]
    return made + _variants(results)


def _variants(results: Sequence[Result]) -> list[Section]:
    """Words alone with one setting changed, and as they are, from the same few starts."""
    if not any(r.job["method"] in VARIANTS for r in results):
        return []
    few = [
        r for r in results if r.job["method"] in (WORDS_ALONE, *VARIANTS) and r.job["seed"] < FEW
    ]
    halves = groups(few, row=lambda r: r.job["method"], block=lambda r: r.job["half"])
    return [
        replace(section, title=f"Variants of words alone. {section.title}", plots=())
        for section in (_means(half, rows) for half, rows in halves.items())
    ]


def _ratios(rows: Rows) -> Section:
    """Our loss beside the peer's, review by review, as a factor."""
    measured = [name for name in (WORDS_ALONE, AUTO, EMBEDDED) if _is_there(rows, name)]
    found = [(name, "default", _log_ratios(rows, name)) for name in measured]
    for family, names in CHOICES.items():
        there = [name for name in names if _is_there(rows, name)]
        if len(there) > 1:
            found.append((family, "chosen by the other half", _crossed(rows, there)))
    shown = [_ratio_row(*one) for one in found]
    note = (
        "The ratio is the geometric mean over reviews of our loss and elas_u4's, each the mean of "
        "its seeds; below 1 is better. Chosen by the other half: the factors that have the lowest "
        "ratio on one half of the reviews are measured on the other, and the reverse; the last "
        "table has what there was to choose from. p is that of Wilcoxon's signed ranks of the "
        "logarithms over all reviews, one-sided."
    )
    return Section("Loss beside elas_u4's", shown, [note])


def _ratio_row(name: str, factors: str, ratios: Mapping[str, float]) -> Row:
    values = list(ratios.values())
    nothing = [0.0] * len(values)
    return {
        "views": name,
        "factors": factors,
        "ratio": Number(exp(fmean(values)), 3),
        "better in": f"{sum(value < 0 for value in values)} of {len(values)}",
        "p": Number(_by_ranks(nothing, values), 4),
    }


def _crossed(rows: Rows, names: Sequence[str]) -> dict[str, float]:
    """The ratios of each half with what the other has chosen."""
    found: dict[str, float] = {}
    for half in _halves(rows):
        chosen = _best(rows, names, but=half)
        found |= _of_half(rows, _log_ratios(rows, chosen), half)
    return found


def _factors(rows: Rows) -> Section:
    shown: list[Row] = []
    names = dict.fromkeys(name for some in CHOICES.values() for name in some)
    for name in (one for one in names if _is_there(rows, one)):
        ratios = _log_ratios(rows, name)
        row: Row = {"factors": name}
        for half in _halves(rows):
            row[f"{half} half"] = Number(exp(fmean(_of_half(rows, ratios, half).values())), 3)
        shown.append(row | {"all": Number(exp(fmean(ratios.values())), 3)})
    return Section("Ratios by half, for each choice of factors", shown)


def _best(rows: Rows, names: Sequence[str], but: str) -> str:
    """Of these the one with the lowest ratio on the other half."""

    def ratio(name: str) -> float:
        ratios = _log_ratios(rows, name)
        own = _of_half(rows, ratios, but)
        return fmean(value for topic, value in ratios.items() if topic not in own)

    return min(names, key=ratio)


def _log_ratios(rows: Rows, name: str) -> dict[str, float]:
    ours, peer = (_by_topic(rows[one], "loss") for one in (name, PEER))
    return {topic: log((ours[topic] + LEAST) / (peer[topic] + LEAST)) for topic in ours}


def _of_half(rows: Rows, ratios: Mapping[str, float], half: str) -> dict[str, float]:
    halves = {r.job["topic"]: r.job["half"] for r in rows[PEER].results}
    return {topic: value for topic, value in ratios.items() if halves[topic] == half}


def _halves(rows: Rows) -> list[str]:
    return sorted({r.job["half"] for r in rows[PEER].results})


def _is_there(rows: Rows, name: str) -> bool:
    return name in rows and not rows[name].problem


def _means(half: str, rows: Rows) -> Section:
    shown = [_mean_row(name, group) for name, group in rows.items()]
    measured = {name: group for name, group in rows.items() if not group.problem}
    title = f"Reviews, {_named(half)}"
    plot = Plot(
        f"Recall against the share of records screened, {_named(half)}",
        STEPS,
        [Series(name, _curve(group)) for name, group in measured.items()],
        x_label="% of the records screened",
        y_label="recall, mean over reviews",
    )
    return Section(
        f"{title}: means over {counted(_count(rows, 'topic'), 'review')}, "
        f"{counted(_count(rows, 'seed'), 'seed')}",
        shown,
        plots=[plot] if measured else [],
    )


def _mean_row(name: str, group: Group) -> Row:
    row: Row = {"method": name}
    for effort in EFFORTS:
        row[str(effort)] = Number(group.mean(str(effort)), 4)
    for share in SHARES:
        curve = None if group.problem else _at(group, share)
        row[f"recall@{share}%"] = Number(curve, 4)
    row["updates a CPU second"] = Number(group.mean("updates a second"), 0)
    row["remark"] = group.problem or ""
    return row


def _curve(group: Group) -> list[float | None]:
    return [_at(group, share) for share in STEPS]


def _at(group: Group, percent: int) -> float:
    """The mean recall when this share of the records was screened."""
    return fmean(
        bisect_right(r.numbers["ranks"], r.numbers["records"] * percent // 100)
        / len(r.numbers["ranks"])
        for r in group.topics.values()
    )


def _comparable(rows: Rows) -> bool:
    return all(name in rows and not rows[name].problem for name in (OURS, PEER))


def _pair(rows: Rows, measure: str) -> Pair:
    return Pair(*(list(_by_topic(rows[name], measure).values()) for name in (OURS, PEER)))


def _by_topic(group: Group, measure: str) -> dict[str, float]:
    """Means over seeds, in the order of reviews."""
    found: dict[str, list[float]] = {}
    for result in group.results:
        found.setdefault(result.job["topic"], []).append(result.numbers[measure])
    return {topic: fmean(found[topic]) for topic in sorted(found)}


def _tests(halves: dict[str, Rows]) -> Section:
    rows: list[Row] = []
    for half, methods in halves.items():
        for effort in EFFORTS:
            pair, lower = _pair(methods, str(effort)), str(effort) in LOWER
            better, worse = (pair.peer, pair.ours) if lower else (pair.ours, pair.peer)
            rows.append(
                {
                    "reviews": _named(half),
                    "measure": str(effort),
                    "auto": Number(fmean(pair.ours), 4),
                    "elas_u4": Number(fmean(pair.peer), 4),
                    "auto is better in": _wins(better, worse),
                    "p, t-test": Number(superiority(better, worse), 4),
                    "p, ranks": Number(_by_ranks(better, worse), 4),
                }
            )
    note = (
        "One-sided paired tests over reviews, each the mean of its seeds: Student's t, which a "
        "single review with a large difference can decide or spoil, and Wilcoxon's signed ranks."
    )
    return Section("Is auto better than elas_u4?", rows, [note])


def _by_ranks(better: Sequence[float], worse: Sequence[float]) -> float | None:
    from scipy.stats import wilcoxon

    if all(a == b for a, b in zip(better, worse, strict=True)):
        return None
    return float(wilcoxon(better, worse, alternative="greater").pvalue)


def _wins(better: Sequence[float], worse: Sequence[float]) -> str:
    wins = sum(a > b for a, b in zip(better, worse, strict=True))
    return f"{wins} of {len(better)}"


def _by_seed(halves: dict[str, Rows]) -> Section:
    rows: list[Row] = []
    for half, methods in halves.items():
        for seed in sorted({r.job["seed"] for r in methods[OURS].results}):
            row: Row = {"reviews": _named(half), "seed": seed}
            rows.append(row | {name: _seed_loss(methods[name], seed) for name in (OURS, PEER)})
    note = "A seed draws the two records that are known beforehand, the same for both."
    return Section("Mean loss by seed", rows, [note])


def _seed_loss(group: Group, seed: int) -> Cell:
    return Number(fmean(r.numbers["loss"] for r in group.results if r.job["seed"] == seed), 4)


def _by_review(methods: Rows) -> Section:
    halves = {r.job["topic"]: r.job["half"] for r in methods[OURS].results}
    ours, peer = (_by_topic(methods[name], "loss") for name in (OURS, PEER))
    rows: list[Row] = [
        {
            "review": name,
            "half": halves[name],
            "auto": Number(ours[name], 4),
            "elas_u4": Number(peer[name], 4),
            "difference": f"{ours[name] - peer[name]:+.4f}".replace("-", "−"),
        }
        for name in ours
    ]
    return Section("Loss by review, means over seeds", rows)


def _named(half: str) -> str:
    return "all" if half == EVERY else f"{half} half"


def _count(rows: Rows, field: str) -> int:
    return len({r.job[field] for group in rows.values() for r in group.results})
