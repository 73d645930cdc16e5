"""The QBME tables and figures, in the paper's order and with its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.evaluation.report.averages import Group, groups, superiority
from likewise.evaluation.report.values import Compared, Number, Plot, Row, Section, Series
from likewise_studies.qbme.data import SOURCES
from likewise_studies.qbme.others import LABELS as OTHER_LABELS
from likewise_studies.qbme.others import OTHERS
from likewise_studies.qbme.paper import (
    EFFECTIVENESS,
    EFFICIENCY,
    FIGURES,
    OPTIMISED,
    PRINTED,
    VECTORS,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.evaluation.runs import Result

LABELS = {
    "centroid": "Centroid",
    "1c": "SVM_1c, C = 100",
    "rocchio": "Rocchio",
    "ba": "SVM_ba, C = 500",
    "pr": "SVM_pr, C = 1000",
    "ba per example": "SVM_ba, 1.5625 per example",
    "pr per example": "SVM_pr, 1 per example",
    "pr by share": "SVM_pr, C = 3·l²/u",
    "steady": "SVM_ba, squared hinge and bias, √l/4 per example",
    "ba printed": "SVM_ba as printed, C = 100",
    "pr printed": "SVM_pr as printed, C = 100",
}
TESTS = (
    ("ba", "rocchio", "PRBEP"),
    ("pr", "rocchio", "PRBEP"),
    ("ba", "rocchio", "AP"),
    ("pr", "rocchio", "AP"),
    ("ba per example", "rocchio", "AP"),
    ("pr by share", "rocchio", "AP"),
    ("steady", "rocchio", "AP"),
    ("centroid", "1c", "nonzeros"),
    ("rocchio", "ba", "nonzeros"),
    ("rocchio", "pr", "nonzeros"),
)
BESIDE = ("rocchio", "ba per example", "pr by share", "steady")
SETTINGS = (
    "p is of a one-sided paired t-test over topics of the average precision. Biased-SVM chooses "
    "from three costs of the rest and three ratios by 30 % held out; the perceptron has ten "
    "rounds; AdaBoost 50 rounds of single terms; kernel features are Nyström's, 300 of 100 latent "
    "dimensions, with a factor of 0.7."
)
FIVE = ("centroid", "1c", "rocchio", "ba", "pr")


def sections(results: Sequence[Result]) -> list[Section]:
    found = groups(
        [result for result in results if result.job["method"] not in OTHERS],
        row=lambda r: r.job["method"],
        block=lambda r: (r.job["set"], r.job["weighting"]),
    )
    made = []
    for (name, weighting), rows in found.items():
        made.append(_effectiveness(name, weighting, rows))
        made.append(_efficiency(name, weighting, rows))
        made.append(_tests(name, weighting, rows))
    return [*made, _table9(), _table10(), *_beyond(results)]


def _beyond(results: Sequence[Result]) -> list[Section]:
    """What the paper leaves to future work, beside its methods on the same topics and split."""
    names = LABELS | OTHER_LABELS
    wanted = {_place(r) for r in results if r.job["method"] in OTHERS}
    found = groups(
        [
            r
            for r in results
            if _place(r) in wanted
            and r.job["seed"] == 0
            and (r.job["method"] in OTHERS or r.job["method"] in BESIDE)
        ],
        row=lambda r: r.job["method"],
        block=lambda r: (r.job["set"], r.job["weighting"]),
    )
    made = []
    for (name, weighting), rows in found.items():
        shown: list[Row] = [
            {
                "method": names[method],
                "PRBEP": Number(group.mean("PRBEP"), 4),
                "MAP": Number(group.mean("AP"), 4),
                "CPU seconds": Number(group.mean("seconds"), 2),
                "p, above SVM_pr": Number(_above(rows, method), 4),
                "remark": group.problem or "",
            }
            for method, group in rows.items()
        ]
        made.append(Section(f"Future work, {_where(name, weighting, rows)}", shown, [SETTINGS]))
    return made


def _place(result: Result) -> tuple[str, ...]:
    return tuple(result.job[field] for field in ("set", "weighting", "topic"))


def _above(rows: dict[str, Group], method: str) -> float | None:
    mine, others = rows[method], rows.get("pr by share")
    if others is None or mine is others or mine.problem or others.problem:
        return None
    return superiority(mine.values("AP"), others.values("AP"))


def _where(name: str, weighting: str, rows: dict[str, Group]) -> str:
    topics = len({r.job["topic"] for group in rows.values() for r in group.results})
    seeds = len({r.job["seed"] for group in rows.values() for r in group.results})
    return f"{name}, {weighting}: means over {topics} topics" + (
        f" and {seeds} splits" if seeds > 1 else ""
    )


def _printed(name: str, method: str, field: str) -> float | None:
    """The paper's number for what comes nearest to it: all variants of a method stand beside it."""
    paper = PRINTED[SOURCES[name].paper].get(method.partition(" ")[0])
    return getattr(paper, field) if paper and SOURCES[name].comparable else None


def _effectiveness(name: str, weighting: str, rows: dict[str, Group]) -> Section:
    shown: list[Row] = [
        {
            "method": LABELS[method],
            "PRBEP": Compared(_printed(name, method, "prbep"), group.mean("PRBEP"), 4),
            "MAP": Compared(_printed(name, method, "ap"), group.mean("AP"), 4),
            "remark": group.problem or "",
        }
        for method, group in rows.items()
    ]
    table = EFFECTIVENESS[SOURCES[name].paper]
    title = f"Table {table}, {_where(name, weighting, rows)}"
    return Section(title, shown, [SOURCES[name].differs], _figure(name, rows))


def _figure(name: str, rows: dict[str, Group]) -> list[Plot]:
    """PRBEP by topic, the hardest for the centroid first."""
    shown = {method: rows[method] for method in FIVE if method in rows}
    if "centroid" not in shown or any(group.problem for group in shown.values()):
        return []
    topics = sorted(shown["centroid"].topics, key=repr)
    hardness = dict(zip(topics, shown["centroid"].values("PRBEP"), strict=True))
    order = sorted(range(len(topics)), key=lambda i: hardness[topics[i]])
    names = [str(topics[i][0]) for i in order]
    series = []
    for method, group in shown.items():
        values = group.values("PRBEP")
        series.append(Series(LABELS[method], [values[i] for i in order]))
    number = FIGURES.get(SOURCES[name].paper)
    title = f"Figure {number}: PRBEP by topic" if number else "PRBEP by topic"
    return [Plot(title, names, series, kind="bars", x_label="topic")]


def _efficiency(name: str, weighting: str, rows: dict[str, Group]) -> Section:
    shown: list[Row] = []
    for method, group in rows.items():
        printed = (_printed(name, method, field) for field in ("seconds", "nonzeros"))
        seconds, nonzeros = printed
        shown.append(
            {
                "method": LABELS[method],
                "CPU seconds": Compared(seconds, group.mean("seconds"), 4),
                "non-zeros": Compared(nonzeros, group.mean("nonzeros"), 0),
                "passes": Number(group.mean("passes"), 1),
                "remark": group.problem or _stopped(group),
            }
        )
    table = EFFICIENCY[SOURCES[name].paper]
    note = "The paper's seconds were taken on a Pentium 4 of 3 GHz."
    return Section(f"Table {table}, {_where(name, weighting, rows)}", shown, [note])


def _stopped(group: Group) -> str:
    stopped = sum(r.numbers.get("converged") == 0 for r in group.results)
    return f"{stopped} stopped before the tolerance was reached" if stopped else ""


def _tests(name: str, weighting: str, rows: dict[str, Group]) -> Section:
    shown: list[Row] = []
    for better, worse, measure in TESTS:
        if better not in rows or worse not in rows:
            continue
        pair = rows[better], rows[worse]
        p = None
        if not any(group.problem for group in pair):
            p = superiority(pair[0].values(measure), pair[1].values(measure))
        shown.append(
            {
                "larger": LABELS[better],
                "than": LABELS[worse],
                "measure": "MAP" if measure == "AP" else measure,
                "p": Number(p, 5),
                "paper": "p < 0.005",
            }
        )
    title = f"One-sided paired t-tests, {name}, {weighting}"
    return Section(title, shown)


def _table9() -> Section:
    rows: list[Row] = [
        {"method": LABELS[method].partition(",")[0], "query vector": vector}
        for method, vector in VECTORS.items()
    ]
    return Section("Table 9, query vectors", rows)


def _table10() -> Section:
    rows: list[Row] = [
        {"method": method, "optimises": what, "time, paper": paper, "time, ours": ours}
        for method, (what, paper, ours) in OPTIMISED.items()
    ]
    return Section("Table 10, training time", rows)
