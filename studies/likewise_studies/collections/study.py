"""Collections: query by 1 to 20 examples on fourteen of them, beside programs that others use.

Examples are drawn from a topic's relevant documents; the rest are unlabeled. Topics are in two
halves: methods are tuned on the first and reported on the second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.evaluation.by_example import experiment
from likewise.evaluation.by_example.contenders import ABLATIONS
from likewise_studies.collections import data as collections
from likewise_studies.collections.sections import CONTENDERS, sections

if TYPE_CHECKING:
    from pathlib import Path

    from likewise.evaluation.studies import Job, Numbers

__all__ = ["VERSION", "jobs", "run", "sections"]

VERSION = dict.fromkeys(("auto", "auto-minilm", *ABLATIONS), 5) | {"*": 1}


def jobs(seeds: int) -> list[Job]:
    return collections.jobs(CONTENDERS, seeds)


def run(job: Job, data: Path) -> Numbers:
    return experiment.run(job, collections.collection(job["collection"], data))
