"""Screening 23 reviews from one relevant and one other record, beside ASReview's elas_u4.

All see the same records and begin with the same two of them, drawn by the seed. Reviews in even
places, by name, are the development half, on which costs, terms and weighting were chosen. Factors
of views are chosen by each half from a few, and measured on the other.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from likewise.evaluation.simulation import Setting, draw_priors, read, replay
from likewise_studies.reviews.asreview import PEER, asreview
from likewise_studies.reviews.ours import FEW, OURS, VARIANTS, WORDS_ALONE, Ours, vectors
from likewise_studies.reviews.sections import sections

if TYPE_CHECKING:
    from pathlib import Path

    from likewise.evaluation.simulation import Collection, Run
    from likewise.evaluation.studies import Job, Numbers

__all__ = ["jobs", "run", "sections"]

VERSION = dict.fromkeys((PEER, WORDS_ALONE, *VARIANTS), 1) | {"*": 2}

REVIEWS = (
    "bannachbrown2019",
    "cleftar2017_CD007427",
    "cleftar2017_CD008691",
    "cleftar2017_CD009020",
    "cleftar2017_CD009185",
    "cleftar2017_CD009551",
    "cleftar2017_CD009944",
    "cleftar2017_CD010386",
    "cleftar2017_CD010542",
    "cleftar2017_CD010633",
    "cleftar2017_CD011134",
    "cohen2006_ADHD",
    "cohen2006_AtypicalAntipsychotics",
    "cohen2006_CalciumChannelBlockers",
    "cohen2006_NSAIDS",
    "cohen2006_OralHypoglycemics",
    "cohen2006_SkeletalMuscleRelaxants",
    "cohen2006_UrinaryIncontinence",
    "howard2016_fluoride",
    "kwok2020_virus",
    "radjenovic2013",
    "wallace_copd",
    "yu2019_testprioritization",
)


METHODS = (*OURS, PEER)


def jobs(seeds: int) -> list[Job]:
    return [
        {
            "data": f"review/{review}",
            "topic": review,
            "method": method,
            "half": ("development", "report")[place % 2],
            "seed": seed,
        }
        for method in METHODS
        for place, review in enumerate(REVIEWS)
        for seed in range(min(seeds, FEW) if method in VARIANTS else seeds)
    ]


def run(job: Job, data: Path) -> Numbers:
    """The measures, and the ranks of the relevant records found, from which they come."""
    path = data / job["data"] / "records.jsonl.gz"
    ours = OURS.get(job["method"], Ours())
    setting = Setting(weighting=ours.weighting, views=ours.views)
    made = _replay(job, path, _collection(path, _index(ours)), setting)
    ranks = np.flatnonzero(made.relevance) + 1
    return made.measures() | {
        "updates a second": made.updates / max(made.seconds, 1e-9),
        "judged": len(made.order),
        "records": len(made.relevance),
        "ranks": ranks.tolist(),
    }


def _index(ours: Ours) -> Ours:
    """What the index depends on: factors, and how terms weigh, are of the ranking."""
    return Ours(ours.stop_words, ours.bigrams, embeddings=float(ours.embeddings > 0))


@lru_cache(maxsize=2)
def _collection(path: Path, ours: Ours) -> Collection:
    """The records as terms, for all seeds; the files of their index are gone but mapped."""
    terms = read(path, stop_words=ours.stop_words, bigrams=ours.bigrams, latent=0, threads=1)
    with terms as collection:
        if ours.embeddings:
            collection.index.embed(vectors(path), collection.ids)
        for weighting in (None, "tfidf"):  # maps what is needed
            replay(collection, Setting(weighting=weighting, most=1))
    return collection


def _replay(job: Job, path: Path, collection: Collection, setting: Setting) -> Run:
    if job["method"] == PEER:
        return asreview(path, draw_priors(collection, setting, job["seed"]), job["seed"])
    return replay(collection, setting, job["seed"])
