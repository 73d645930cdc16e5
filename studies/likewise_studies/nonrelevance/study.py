"""Feedback where the first page has nothing relevant (Onoda et al.): tables II, III, figure 10.

Onoda, Murata & Yamada (2005) show page after page of N documents and count the relevant ones on
each, until there is one. Topics are those of nine collections, and of three whose labels are
topics, without a relevant document among the first N by cosine. Topics in even places are the
development half, on which the default was chosen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.evaluation.measures import interpolated
from likewise.feedback.situation import Situations
from likewise_studies.nonrelevance.data import LABELLED, WEIGHTINGS, load
from likewise_studies.nonrelevance.others import CONTENDERS, KERNEL
from likewise_studies.nonrelevance.paper import PAGES, ROUNDS
from likewise_studies.nonrelevance.sections import sections

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from likewise.evaluation.studies import Job, Numbers
    from likewise.feedback.situation import Situation
    from likewise_studies.nonrelevance.data import Topic

COLLECTIONS = (
    "cacm",
    "cisi",
    "cranfield",
    "csfcube",
    "med",
    "nfcorpus",
    "npl",
    "scifact",
    "time",
)
FOLDERS = {
    **{name: f"ir/{name}" for name in COLLECTIONS},
    "debian": "corpora/debian-packages",
    "arxiv": "corpora/arxiv150k",
    "reuters": "qbme/reuters21578",
}
METHODS = ("one-class", "svdd", "none", "rocchio", "anchored", "expanded", "away")
COMPARED = ("none", "anchored", "expanded", "away")  # where topics are labels
CURVE = 2  # the iteration of figure 10
DIGITS = 4  # of a curve that are kept

__all__ = ["jobs", "run", "sections"]

VERSION = 1


def jobs(seeds: int) -> list[Job]:
    """Nothing is random: one seed does. Those of one collection follow each other."""
    paper = [
        _job(collection, method, weighting, page)
        for collection in COLLECTIONS
        for weighting in WEIGHTINGS
        for page in PAGES
        for method in METHODS
    ]
    labelled = [
        _job(collection, method, WEIGHTINGS[0], PAGES[0])
        for collection in LABELLED
        for method in COMPARED
    ]
    contender = [_job(name, KERNEL, WEIGHTINGS[0], PAGES[0]) for name in FOLDERS]
    return paper + labelled + contender


def _job(collection: str, method: str, weighting: str, page: int) -> Job:
    return {
        "data": FOLDERS[collection],
        "topic": collection,
        "method": method,
        "weighting": weighting,
        "page": page,
    }


def run(job: Job, data: Path) -> Numbers:
    """Of each topic that takes part, in their order: its id, the relevant documents on each page
    up to the first that has any, and, if the first has none, the curve at the second iteration.
    """
    index, topics = load(job["topic"], data / job["data"])
    cosine, method = index.corpus("tfidf"), CONTENDERS[job["method"]]
    numbers: Numbers = {"topics": [], "found": [], "curves": []}
    for topic in topics:
        first = [
            n for n, _ in cosine.top(index.searcher.query_of(topic.text, "tfidf"), job["page"])
        ]
        if topic.relevant.intersection(first):
            continue
        situations = Situations(index.searcher, job["weighting"], topic.text)
        situation = situations.of(job["weighting"], method.views)
        found, curve = _search(job, situation, topic, first)
        numbers["topics"].append(topic.id)
        numbers["found"].append(found)
        numbers["curves"].append(curve)
    return numbers


def _search(
    job: Job, situation: Situation, topic: Topic, page: Sequence[int]
) -> tuple[list[int], list[float]]:
    """Judge page after page; nothing on the first one is relevant."""
    method = CONTENDERS[job["method"]]
    rank = method.make()
    found: list[int] = []
    curve: list[float] = []
    while len(found) < ROUNDS and not sum(found):
        for number in page:
            situation.judge(number, False)
        everything = len(found) + 1 == CURVE
        wanted = situation.documents if everything else job["page"]
        shown = method.select(rank(situation), situation, wanted, situation.unjudged)
        ranking = [number for number, _ in shown]
        if everything:
            curve = _curve(ranking, topic)
        page = ranking[: job["page"]]
        found.append(len(topic.relevant.intersection(page)))
    return found, curve


def _curve(ranking: Sequence[int], topic: Topic) -> list[float]:
    """Of all documents that have not been shown, in the order in which they would be."""
    relevance = np.array([number in topic.relevant for number in ranking], np.bool_)
    return [round(value, DIGITS) for value in interpolated(relevance, len(topic.relevant))]
