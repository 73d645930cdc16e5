"""When to stop: whether estimates of recall hold the truth, on 23 reviews at some 30 moments each.

Each review is screened from several starts by the product's ranker (see recording.py). At each
moment a rule says what recall is, and the labels say what it was. Nothing of a rule was fitted to
these reviews.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise_studies.reviews.study import REVIEWS
from likewise_studies.stopping.recording import recording
from likewise_studies.stopping.rules import MEASURED
from likewise_studies.stopping.sections import sections

if TYPE_CHECKING:
    from pathlib import Path

    from likewise.evaluation.studies import Job, Numbers

__all__ = ["jobs", "run", "sections"]

VERSION = {"Chao with 4 rankings": 1, "*": 2}


def jobs(seeds: int) -> list[Job]:
    return [
        {
            "data": f"review/{review}",
            "topic": review,
            "half": ("development", "report")[place % 2],
            "seed": seed,
            "method": method,
        }
        for place, review in enumerate(REVIEWS)
        for seed in range(seeds)
        for method in MEASURED
    ]


def run(job: Job, data: Path) -> Numbers:
    """Of each moment what was true and what was said; a moment appears once for each draw."""
    measured = MEASURED[job["method"]]
    made = recording(data / job["data"] / "records.jsonl.gz", measured.kind, job["seed"])
    rows: list[list[float | None]] = []
    for moment in made.moments:
        for draw in range(measured.draws):
            rng = np.random.default_rng([job["seed"], draw])  # what is set aside stays the same
            screening = measured.shown(made, moment, rng)
            if screening is None:
                continue
            said = measured.rule(screening)
            truth = screening.found / made.relevant
            rows.append(
                [len(screening.gains), truth, said.low, said.recall, said.high, float(said.stop)]
            )
    names = ("judged", "truth", "low", "recall", "high", "stop")
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    return {
        **{name: _short(values) for name, values in zip(names, columns, strict=True)},
        "records": made.documents,
        "relevant": made.relevant,
        "draws": measured.draws,
    }


def _short(values: tuple[float | None, ...]) -> list[float | None]:
    """Six digits are enough, and keep the file small."""
    return [None if value is None else round(float(value), 6) for value in values]
