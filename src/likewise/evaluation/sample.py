"""The bundled collection: 2,000 arXiv abstracts, 8 topics, examples drawn at random.

It needs no other data, and shows in a minute what the larger tables look like.
"""

from __future__ import annotations

import gzip
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from likewise.datasets import ARXIV_TOPICS, arxiv_sample
from likewise.evaluation import provenance
from likewise.evaluation.by_example import experiment
from likewise.evaluation.by_example.collection import Collection
from likewise.evaluation.by_example.contenders import OURS, WITHOUT_MODEL

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from likewise.evaluation.report.values import Section
    from likewise.evaluation.runs import Result
    from likewise.evaluation.studies import Job, Numbers

VERSION = provenance.released(2)
SIZES = (1, 5, 20)


def jobs(seeds: int) -> list[Job]:
    return [
        {"method": method, "size": size, "topic": topic, "seed": seed}
        for size in SIZES
        for method in (*OURS, *WITHOUT_MODEL)
        for topic in ARXIV_TOPICS
        for seed in range(seeds)
    ]


def run(job: Job, data: Path) -> Numbers:
    return experiment.run(job, _collection())


def sections(results: Sequence[Result]) -> list[Section]:
    return experiment.sections(results, "arXiv sample")


@lru_cache(maxsize=1)
def _collection() -> Collection:
    with gzip.open(arxiv_sample(), "rb") as lines:
        found = [msgspec.json.decode(line) for line in lines]
    numbers = {
        topic: np.array([i for i, d in enumerate(found) if topic in d["cats"]])
        for topic in ARXIV_TOPICS
    }
    ids, titles, texts = ([d[name] for d in found] for name in ("id", "title", "text"))
    return Collection("sample", "bundled", ids, titles, texts, numbers)
