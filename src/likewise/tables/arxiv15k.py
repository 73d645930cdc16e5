"""arXiv, the first 15,000 abstracts: as `arxiv`, small enough for embeddings as well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.tables import arxiv_collection, by_example
from likewise.tables.contenders import OURS, WITH_MODEL, WITHOUT_MODEL

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from likewise.tables.values import Job, Numbers, Result, Section

VERSION = 1
DOCUMENTS = 15_000


def jobs(seeds: int) -> list[Job]:
    return arxiv_collection.jobs((*OURS, *WITHOUT_MODEL, *WITH_MODEL), seeds, part=True)


def run(job: Job, data: Path) -> Numbers:
    return by_example.run(job, arxiv_collection.collection(data, DOCUMENTS))


def sections(results: Sequence[Result]) -> list[Section]:
    return by_example.sections(results, "arXiv, 15,000 abstracts")
