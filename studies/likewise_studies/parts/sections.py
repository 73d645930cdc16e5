"""The tables of `parts`: `auto` beside fixed costs, and the paper's best number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.evaluation.report.averages import counted, groups
from likewise.evaluation.report.values import Number, Row, Section
from likewise_studies.qbme.paper import PRINTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.evaluation.report.averages import Group
    from likewise.evaluation.runs import Result

LABELS = {
    "auto, all views": "likewise auto, words and the latent space",
    "auto, words": "likewise auto, words",
    "auto, counts": "likewise auto, words by plain counts",
}
PAPER = {"news20": "news20", "reuters": "reuters-21578"}


def sections(results: Sequence[Result]) -> list[Section]:
    """Over each half of the topics, and over all where there are both."""
    made = []
    for name in dict.fromkeys(r.job["set"] for r in results):
        mine = [r for r in results if r.job["set"] == name]
        halves = list(dict.fromkeys(r.job["half"] for r in mine))
        made += [
            _section(name, half, [r for r in mine if r.job["half"] == half]) for half in halves
        ]
        if len(halves) > 1:
            made.append(_section(name, "", mine))
    return made


def _section(name: str, half: str, results: Sequence[Result]) -> Section:
    (rows,) = groups(results, row=lambda r: r.job["method"]).values()
    topics = {r.job["topic"] for r in results}
    where = f"{half} half" if half else "all topics"
    seeds = {r.job["seed"] for r in results}
    means = f"means over {counted(len(topics), 'topic')}, {counted(len(seeds), 'split')}"
    title = f"{name}, {where}: {means}"
    return Section(
        title, [_row(method, group) for method, group in rows.items()], _notes(name, rows)
    )


def _row(method: str, group: Group) -> Row:
    return {
        "method": LABELS.get(method, method),
        "MAP": Number(group.mean("AP"), 4),
        "PRBEP": Number(group.mean("Rprec"), 4),
        "P@10": Number(group.mean("P@10")),
        "remark": group.problem or "",
    }


def _notes(name: str, rows: dict[str, Group]) -> list[str]:
    fixed = {m: group.mean("AP") for m, group in rows.items() if m not in LABELS}
    known = {method: value for method, value in fixed.items() if value is not None}
    notes = []
    if known:
        best = max(known, key=lambda method: known[method])
        notes.append(f"The best of what is fixed: {best}, MAP {known[best]:.4f}.")
    if name in PAPER:
        printed = max(printed.ap for printed in PRINTED[PAPER[name]].values())
        notes.append(f"The best MAP that the paper prints for {PAPER[name]}: {printed:.4f}.")
    return notes
