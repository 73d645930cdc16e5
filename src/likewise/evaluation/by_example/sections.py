"""The tables by example: all contenders for each number of examples, and `auto` beside the best."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

from likewise.evaluation.by_example.contenders import CONTENDERS, OURS, WITH_MODEL, WITHOUT_MODEL
from likewise.evaluation.report.averages import Group, counted, groups, superiority
from likewise.evaluation.report.values import Number, Plot, Row, Section, Series

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.evaluation.runs import Result

SHOWN = {"P@10": "P@10", "nDCG@20": "nDCG@20", "R@1000": "recall@1000", "AP": "MAP"}
BASELINE, AUTO, AUTO_EMBEDDED, UNIT_OF_COST = "rocchio", "auto", "auto-minilm", "ba"


def sections(results: Sequence[Result], where: str) -> list[Section]:
    """One table for each number of examples; methods in it share topics and seeds."""
    found = groups(
        results,
        row=lambda r: r.job["method"],
        block=lambda r: (r.job.get("half", ""), r.job["size"]),
    )
    tables = [_section(half, size, rows, where) for (half, size), rows in found.items()]
    halves = dict.fromkeys(half for half, _ in found)
    for half in halves:
        tables += [
            _verdict(half, found, comparison, where)
            for comparison in COMPARISONS
            if any(half == part and comparison.auto in rows for (part, _), rows in found.items())
        ]
    return tables + [_curves(half, found, where) for half in halves]


def _section(half: str, size: int, rows: dict[str, Group], where: str) -> Section:
    topics = len({r.job["topic"] for group in rows.values() for r in group.results})
    seeds = len({r.job["seed"] for group in rows.values() for r in group.results})
    some = counted(size, "example")
    part = f", {half} half" if half else ""
    return Section(
        f"{where}, {some} each{part}: means over {counted(topics, 'topic')}, "
        f"{counted(seeds, 'seed')}",
        [_row(name, group, rows.get(BASELINE)) for name, group in rows.items()],
        _notes(rows),
    )


def _row(name: str, group: Group, baseline: Group | None) -> Row:
    row: Row = {"method": CONTENDERS[name].label}
    for measure, shown in SHOWN.items():
        row[shown] = Number(group.mean(measure))
    if baseline is not None:
        row["p, MAP above Rocchio"] = _p(group, baseline)
    row["CPU s a query"] = Number(group.mean("seconds"), 4)
    row["remark"] = group.problem or ""
    return row


def _p(group: Group, baseline: Group) -> Number:
    if baseline is group or group.problem or baseline.problem:
        return Number(None)
    return Number(superiority(group.values("AP"), baseline.values("AP")), 4)


def _notes(rows: dict[str, Group]) -> list[str]:
    notes = []
    for name, group in rows.items():
        stopped = sum(r.numbers.get("converged") == 0 for r in group.results)
        if stopped:
            label = CONTENDERS[name].label
            queries = "1 query" if stopped == 1 else f"{stopped:,} queries"
            notes.append(f"{label}: {queries} stopped before the tolerance was reached.")
    return notes


def _curves(half: str, found: dict[Any, dict[str, Group]], where: str) -> Section:
    sizes = [size for part, size in found if part == half]
    names = dict.fromkeys(
        name for part, size in found if part == half for name in found[part, size]
    )
    series = [
        Series(CONTENDERS[name].label, [_mean(found[half, size].get(name)) for size in sizes])
        for name in names
    ]
    topics = [
        len({r.job["topic"] for g in found[half, s].values() for r in g.results}) for s in sizes
    ]
    part = f", {half} half" if half else ""
    rows: list[Row] = [
        {"examples": size, "topics": topics[i]} | {s.label: Number(s.values[i]) for s in series}
        for i, size in enumerate(sizes)
    ]
    plot = Plot("MAP", sizes, series, x_label="examples", log=True)
    note = "Only topics with at least twice as many documents take part at a number of examples."
    return Section(f"{where}{part}: MAP by number of examples", rows, [note], [plot])


def _mean(group: Group | None) -> float | None:
    return group.mean("AP") if group else None


class Comparison(NamedTuple):
    """What `auto` is compared with: methods that use the same views of the documents."""

    auto: str
    title: str
    fixed: tuple[str, ...]
    peers: tuple[str, ...]


COMPARISONS = (
    Comparison(AUTO, "by words", tuple(m for m in OURS if m != AUTO), WITHOUT_MODEL),
    Comparison(
        AUTO_EMBEDDED,
        "by words and embeddings",
        (),
        (*WITHOUT_MODEL, *(m for m in WITH_MODEL if m != AUTO_EMBEDDED)),
    ),
)


def _verdict(
    half: str, found: dict[Any, dict[str, Group]], comparison: Comparison, where: str
) -> Section:
    """By number of examples: MAP of `auto`, of the best fixed method and of the best peer."""
    rows: list[Row] = []
    above: list[float] = []
    for (part, size), groups_ in found.items():
        if part != half or comparison.auto not in groups_:
            continue
        auto = groups_[comparison.auto].mean("AP")
        row: Row = {"examples": size, "auto": Number(auto)}
        row |= _beside("Rocchio", auto, _best(groups_, (BASELINE,)), named=False)
        row |= _beside("best fixed", auto, _best(groups_, comparison.fixed))
        best = _best(groups_, comparison.peers)
        row |= _beside("best peer", auto, best)
        if auto is not None and best is not None:
            above.append(auto / best[1] - 1.0)
        row["CPU, × SVM_ba"] = Number(_ratio(groups_, comparison.auto), 1)
        rows.append(row)
    part = f", {half} half" if half else ""
    notes = ["A difference is relative to what auto is beside."]
    if above:
        notes.append(f"Above the best peer on average over the sizes: {fmean(above):+.1%}.")
    return Section(f"{where}{part}: auto beside the best, {comparison.title}, MAP", rows, notes)


def _best(rows: dict[str, Group], names: Sequence[str]) -> tuple[str, float] | None:
    means = {name: rows[name].mean("AP") for name in names if name in rows}
    known = {name: mean for name, mean in means.items() if mean is not None}
    if not known:
        return None
    name = max(known, key=lambda name: known[name])
    return CONTENDERS[name].label, known[name]


def _beside(
    title: str, auto: float | None, other: tuple[str, float] | None, *, named: bool = True
) -> Row:
    label, mean = other or ("", None)
    above = None if auto is None or not mean else 100 * (auto / mean - 1.0)
    row: Row = {title: Number(mean), f"above {title}, %": Number(above, 1)}
    return {f"{title}: who": label, **row} if named else row


def _ratio(rows: dict[str, Group], name: str) -> float | None:
    """CPU seconds as a multiple of those of one SVM for balanced accuracy."""
    own, unit = (rows[n].mean("seconds") if n in rows else None for n in (name, UNIT_OF_COST))
    return own / unit if own is not None and unit else None
