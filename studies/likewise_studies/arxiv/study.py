"""arXiv: 144,171 abstracts, 40 categories, 1 to 300 random examples each, the rest unlabeled.

Our methods beside other programs that need no model. The categories are in two halves: `auto` is
tuned on the first and reported on the second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.evaluation.by_example import experiment
from likewise.evaluation.by_example.contenders import OURS, WITHOUT_MODEL
from likewise_studies.arxiv import data as arxiv

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from likewise.evaluation.report.values import Section
    from likewise.evaluation.runs import Result
    from likewise.evaluation.studies import Job, Numbers

VERSION = {"auto": 5, "*": 1}


def jobs(seeds: int) -> list[Job]:
    return arxiv.jobs((*OURS, *WITHOUT_MODEL), seeds, part=False)


def run(job: Job, data: Path) -> Numbers:
    return experiment.run(job, arxiv.collection(data))


def sections(results: Sequence[Result]) -> list[Section]:
    return experiment.sections(results, "arXiv")
