"""`auto` beside the best peer on each collection and for each number of examples."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likewise.evaluation.by_example.contenders import ABLATIONS
from likewise.evaluation.by_example.contenders import CONTENDERS as ALL
from likewise.evaluation.report.averages import Group, counted, groups
from likewise.evaluation.report.values import Number, Row, Section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.evaluation.runs import Result

WORDS = ("rocchio", "bm25", "bm25-all", "svc-words-0.01", "svc-words-0.1", "svc-0.01", "svc-0.1")
MODEL = ("minilm-mean", "minilm-svc")
ENOUGH = 20  # topics, for a cell to count by itself
LEAST = 0.98  # of the best peer


class Comparison(NamedTuple):
    auto: str
    peers: tuple[str, ...]
    title: str


COMPARISONS = (
    Comparison("auto", WORDS, "by words"),
    Comparison("auto-minilm", (*WORDS, *MODEL), "by words and embeddings"),
)
CONTENDERS = ("auto", *ABLATIONS, *WORDS, "auto-minilm", *MODEL)
FRACTIONS = (*ABLATIONS, "rocchio", "auto-minilm")  # shown as a share of auto


class Cell(NamedTuple):
    """One collection and number of examples: `auto` beside the peer with the best mean."""

    collection: str
    size: int
    topics: int
    auto: Group
    peer: str
    best: Group

    def ratio(self, measure: str) -> float | None:
        own, other = self.auto.mean(measure), self.best.mean(measure)
        return own / other if own is not None and other else None


def sections(results: Sequence[Result]) -> list[Section]:
    found = groups(
        results,
        row=lambda r: r.job["method"],
        block=lambda r: (r.job["half"], r.job["collection"], r.job["size"]),
    )
    made = []
    for half in dict.fromkeys(key[0] for key in found):
        for comparison in COMPARISONS:
            cells = [c for key, rows in found.items() if (c := _cell(key, half, rows, comparison))]
            if cells:
                made += [_summary(half, cells, comparison), _table(half, cells, comparison)]
        made += _parts(half, found)
    return made


def _cell(
    key: tuple[Any, ...], half: str, rows: dict[str, Group], comparison: Comparison
) -> Cell | None:
    auto = rows.get(comparison.auto)
    means = {
        name: mean
        for name in comparison.peers
        if name in rows and (mean := rows[name].mean("AP")) is not None
    }
    if key[0] != half or auto is None or auto.mean("AP") is None or not means:
        return None
    best = max(means, key=lambda name: means[name])
    topics = len({r.job["topic"] for r in auto.results})
    return Cell(key[1], key[2], topics, auto, best, rows[best])


def _table(half: str, cells: Sequence[Cell], comparison: Comparison) -> Section:
    rows: list[Row] = []
    for cell in cells:
        row: Row = {"collection": cell.collection, "examples": cell.size, "topics": cell.topics}
        row |= {"auto": Number(cell.auto.mean("AP")), "best peer": Number(cell.best.mean("AP"))}
        row["who"] = ALL[cell.peer].label
        row["auto / best"] = Number(cell.ratio("AP"), 3)
        row["p"] = Number(difference(cell), 4)
        for measure, name in (("P@10", "P@10"), ("R@100", "recall@100")):
            row[f"{name}, auto"] = Number(cell.auto.mean(measure))
            row[f"{name}, that peer"] = Number(cell.best.mean(measure))
        rows.append(row)
    seeds = len({r.job["seed"] for r in cells[0].auto.results})
    note = (
        "Means over topics and draws. p: two-sided t-test over topics, each the mean of its draws. "
        "A topic takes part where it has at least twice as many documents as examples."
    )
    title = f"Collections, {half} half, {comparison.title}: MAP, {counted(seeds, 'draw')} a topic"
    return Section(title, rows, [note])


def difference(cell: Cell) -> float | None:
    """The p-value of a two-sided paired t-test over topics; None where nothing differs."""
    from scipy.stats import ttest_1samp

    by_topic: dict[str, list[float]] = {}
    for (topic, seed), result in cell.auto.topics.items():
        other = cell.best.topics[topic, seed].numbers["AP"]
        by_topic.setdefault(topic, []).append(result.numbers["AP"] - other)
    values = np.array([fmean(found) for found in by_topic.values()])
    if len(values) < 2 or not values.any() or not values.std():
        return None
    return float(ttest_1samp(values, 0.0).pvalue)


def _summary(half: str, cells: Sequence[Cell], comparison: Comparison) -> Section:
    """What was asked for, on one screen."""
    large = [cell for cell in cells if cell.topics >= ENOUGH]
    small = [cell for cell in cells if cell.topics < ENOUGH]
    behind = [cell for cell in large if (cell.ratio("AP") or 0.0) < LEAST]
    worse = [
        cell
        for cell in small
        if (cell.ratio("AP") or 0.0) < 1.0 and (difference(cell) or 1.0) < 0.05
    ]
    rows: list[Row] = [
        _said("MAP, auto / best peer, mean over collections and sizes", _mean(cells, "AP")),
        _said("P@10, the same", _mean(cells, "P@10")),
        _said("recall@100, the same", _mean(cells, "R@100")),
        _said(f"cells with {ENOUGH} or more topics", float(len(large)), 0),
        _said(f"of these below {LEAST} × the best peer", float(len(behind)), 0),
        _said("smaller cells", float(len(small)), 0),
        _said("of these significantly worse (p < .05)", float(len(worse)), 0),
    ]
    named = ", ".join(f"{c.collection} {c.size} ({c.ratio('AP'):.3f})" for c in behind)
    notes = [f"Below {LEAST}: {named}."] if named else []
    return Section(f"Collections, {half} half, {comparison.title}: summary", rows, notes)


def _parts(half: str, found: dict[Any, dict[str, Group]]) -> list[Section]:
    """What each view adds: other ways beside `auto`, by number of examples."""
    rows: list[Row] = []
    for name in FRACTIONS:
        shares: dict[int, list[float]] = {}
        for (part, _, size), groups_ in found.items():
            both = [groups_.get(one) for one in (name, COMPARISONS[0].auto)]
            means = [None if group is None else group.mean("AP") for group in both]
            if part == half and means[0] is not None and means[1]:
                shares.setdefault(size, []).append(means[0] / means[1])
        if shares:
            every = [share for of_size in shares.values() for share in of_size]
            row: Row = {"method": ALL[name].label, "collections and sizes": Number(len(every), 0)}
            row |= {counted(n, "example"): Number(fmean(shares[n]), 3) for n in sorted(shares)}
            rows.append(row | {"all": Number(fmean(every), 3), "lowest": Number(min(every), 3)})
    title = f"Collections, {half} half: MAP as a share of auto's, mean over collections"
    return [Section(title, rows)] if rows else []


def _said(what: str, value: float | None, digits: int = 3) -> Row:
    return {"what": what, "value": Number(value, digits)}


def _mean(cells: Sequence[Cell], measure: str) -> float | None:
    ratios = [ratio for cell in cells if (ratio := cell.ratio(measure)) is not None]
    return fmean(ratios) if ratios else None
