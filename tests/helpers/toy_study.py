"""Numbers that need no computing: what tests of the tables run."""

from __future__ import annotations

from likewise.evaluation.report.averages import groups
from likewise.evaluation.report.values import Compared, Section
from likewise.evaluation.studies import CannotError, MissingError

VERSION = 1


def jobs(seeds):
    return [
        {"data": "toy", "method": method, "topic": topic, "seed": seed}
        for method in ("good", "bad", "cannot", "absent")
        for topic in ("a", "b", "c")
        for seed in range(seeds)
    ]


def run(job, data):
    with (data / "ran.txt").open("a") as ran:
        ran.write(f"{job['method']} {job['topic']} {job['seed']}\n")
    if job["method"] == "cannot" and job["topic"] == "c":
        raise CannotError("it never could")
    if job["method"] == "absent":
        raise MissingError("not installed: pip install absent")
    factor = float((data / "toy" / "factor.txt").read_text())
    return {"AP": {"good": 0.5, "bad": 0.25, "cannot": 0.1}[job["method"]] * factor}


def sections(results):
    rows = groups(results, row=lambda r: r.job["method"])[None]
    return [
        Section(
            "Toys",
            [
                {"method": name, "MAP": Compared(0.4, g.mean("AP")), "remark": g.problem or ""}
                for name, g in rows.items()
            ],
        )
    ]
