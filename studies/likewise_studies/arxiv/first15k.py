"""arXiv, the first 15,000 abstracts: as `arxiv`, small enough for embeddings as well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.evaluation.by_example import experiment
from likewise.evaluation.by_example.contenders import OURS, WITH_MODEL, WITHOUT_MODEL
from likewise_studies.arxiv import data as arxiv

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from likewise.evaluation.report.values import Section
    from likewise.evaluation.runs import Result
    from likewise.evaluation.studies import Job, Numbers

VERSION = {"auto": 5, "auto-minilm": 5, "minilm-mean": 2, "minilm-svc": 2, "*": 1}
DOCUMENTS = 15_000


def jobs(seeds: int) -> list[Job]:
    return arxiv.jobs((*OURS, *WITHOUT_MODEL, *WITH_MODEL), seeds, part=True)


def run(job: Job, data: Path) -> Numbers:
    return experiment.run(job, arxiv.collection(data, DOCUMENTS))


def sections(results: Sequence[Result]) -> list[Section]:
    return experiment.sections(results, "arXiv, 15,000 abstracts")
