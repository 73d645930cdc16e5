"""Runs of a simulation: means as a table, or every run for programs."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from likewise.cli.printing import stdout
from likewise.cli.printing.text import table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from likewise.evaluation.simulation import Run

    Labelled = tuple[Run, list[str]]


def print_runs(runs: Sequence[Labelled], format: str) -> None:
    """`runs` come with the ids of their collection."""
    stdout.put(FORMATS[format](runs))


def _table(runs: Sequence[Labelled]) -> str:
    rows = [_header(runs)]
    groups: dict[tuple[str, str], list[Run]] = {}
    for run, _ in runs:
        groups.setdefault((run.collection, run.method), []).append(run)
    rows += [_row(name, method, group) for (name, method), group in groups.items()]
    if len({name for name, _ in groups}) > 1:
        for method in dict.fromkeys(method for _, method in groups):
            rows.append(_row("all", method, [run for run, _ in runs if run.method == method]))
    return table(rows, stdout.width(), right=0)


def _header(runs: Sequence[Labelled]) -> list[str]:
    measures = runs[0][0].measures() if runs else {}
    return ["collection", "method", *measures, "judged", "updates/s"]


def _row(name: str, method: str, runs: Sequence[Run]) -> list[str]:
    each = [run.measures() for run in runs]
    means = [sum(m[key] for m in each) / len(each) for key in each[0]]
    judged = sum(len(run.order) for run in runs) / len(runs)
    seconds = sum(run.seconds for run in runs)
    speed = sum(run.updates for run in runs) / max(seconds, 1e-9)
    return [name, method, *(f"{mean:.4f}" for mean in means), f"{judged:.0f}", f"{speed:.0f}"]


def _facts(run: Run) -> dict[str, Any]:
    return {
        "collection": run.collection,
        "method": run.method,
        "seed": run.seed,
        **run.measures(),
        "documents": run.documents,
        "judged": len(run.order),
        "updates": run.updates,
        "seconds": round(run.seconds, 6),
    }


def _json(runs: Sequence[Labelled]) -> str:
    def one(run: Run, ids: list[str]) -> dict[str, Any]:
        return _facts(run) | {
            "priors": [ids[number] for number in run.priors],
            "order": [ids[number] for number in run.order],
            "relevant": [int(found) for found in run.found],
        }

    return stdout.as_json({"runs": [one(run, ids) for run, ids in runs]})


def _csv(runs: Sequence[Labelled]) -> str:
    from likewise.readers.cells import neutral

    rows = [_facts(run) for run, _ in runs]
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        {name: neutral(cell) if isinstance(cell, str) else cell for name, cell in row.items()}
        for row in rows
    )
    return out.getvalue()


FORMATS: dict[str, Callable[[Sequence[Labelled]], str]] = {
    "table": _table,
    "json": _json,
    "csv": _csv,
}
