"""Examples from one part of a collection, another searched: what `auto` makes of all views.

20 Newsgroups as LIBSVM has it and Reuters-21578 in ModApte's split, beside the best number of Zhang
& Lee (2009), and 20 Newsgroups by date, where examples are older than what is searched. Half of the
topics are for development, the others for the report.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.evaluation import measures
from likewise.evaluation.scores import quiet
from likewise.search.auto import WEIGHTING, Given, Plan, choose
from likewise.search.methods import Options
from likewise.search.rounds import carry_out
from likewise.solvers.blocks import Blocks
from likewise.views import LATENT
from likewise_studies.parts.data import SOURCES, load
from likewise_studies.parts.sections import sections

if TYPE_CHECKING:
    from pathlib import Path

    from likewise.evaluation.studies import Job, Numbers

__all__ = ["jobs", "run", "sections"]

AUTO = ("auto, all views", "auto, words", "auto, counts")
COSTS = (0.3, 1.0, 3.0)
FIXED = {
    f"{method}, {cost:g} per example": (method, cost)
    for method in ("ba", "steady")
    for cost in COSTS
}
METHODS = (*AUTO, "rocchio", *FIXED)
VERSION = dict.fromkeys(AUTO, 5) | {"*": 1}


def jobs(seeds: int) -> list[Job]:
    return [
        {
            "data": source.folder,
            "set": name,
            "half": "report" if topic in source.topics[source.report] else "development",
            "method": method,
            "topic": topic,
            "seed": seed,
        }
        for name, source in SOURCES.items()
        for method in METHODS
        for topic in source.topics
        for seed in range(seeds if name == "news20" else 1)
    ]


def run(job: Job, data: Path) -> Numbers:
    split = load(job["set"], data, job["seed"])
    relevant = np.array([job["topic"] in labels for labels in split.labels])
    examples, searched = np.flatnonzero(split.before & relevant), np.flatnonzero(~split.before)
    weighting, plan = _plan(job["method"], len(examples), len(searched))
    rows = split.documents.searcher.stacked(weighting, plan.factors)
    corpus = rows.take(np.concatenate([examples, searched]))
    blocks = Blocks(np.arange(len(examples)), np.arange(len(examples), corpus.shape[0]))
    with quiet() as caught:
        solution = carry_out(
            corpus, blocks, plan, plan.options(Options(tol=None if job["method"] in AUTO else 1e-3))
        )
    ranking = measures.ranked(corpus.scores(solution.w)[len(examples) :], relevant[searched])
    found = int(relevant[searched].sum())
    values = {str(m): m(ranking, found) for m in map(measures.parse, ("AP", "P@10", "Rprec"))}
    return {**values, "examples": len(examples), "relevant": found, "converged": float(not caught)}


def _plan(method: str, examples: int, documents: int) -> tuple[str, Plan]:
    """The weighting of words, and what is done with them and with the other views."""
    if method in AUTO:
        views = [LATENT] if method == "auto, all views" else []
        plan = choose(Given(examples, documents, 0, views, speed=np.inf))  # there is no budget
        return ("counts" if method == "auto, counts" else WEIGHTING), plan
    name, cost = FIXED.get(method, (method, None))
    return "tfidf", Plan(name, C_per_example=cost)
