"""arXiv: 144,171 abstracts, 40 categories, 1 to 300 random examples each, the rest unlabeled.

Our methods beside other programs that need no model. The categories are in two halves: `auto` is
tuned on the first and reported on the second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.tables import arxiv_collection, by_example
from likewise.tables.contenders import OURS, WITHOUT_MODEL

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from likewise.tables.values import Job, Numbers, Result, Section

VERSION = 1


def jobs(seeds: int) -> list[Job]:
    return arxiv_collection.jobs((*OURS, *WITHOUT_MODEL), seeds, part=False)


def run(job: Job, data: Path) -> Numbers:
    return by_example.run(job, arxiv_collection.collection(data))


def sections(results: Sequence[Result]) -> list[Section]:
    return by_example.sections(results, "arXiv")
