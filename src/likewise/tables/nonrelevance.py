"""Rounds to the first relevant document where the first page has none: tables II and III.

Onoda, Murata & Yamada (2005) count how many pages of N non-relevant documents a user must judge
until one is relevant. Topics are those of nine collections without a relevant document among the
first N by cosine; what is not found in ten rounds counts as eleven. Topics in even places are the
development half, on which the default was chosen.
"""

from __future__ import annotations

import gzip
import tempfile
from collections import defaultdict
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from likewise.feedback.situation import Situation
from likewise.feedback.table import FEEDBACK
from likewise.index import Index
from likewise.tables.values import Number, Section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.corpus import SparseVector
    from likewise.local import LocalCorpus
    from likewise.tables.values import Job, Numbers, Result, Row

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
METHODS = ("none", "rocchio", "one-class", "svdd", "anchored", "expanded")
WEIGHTINGS = ("tfidf", "pivoted")
PAGES = (10, 20)
ROUNDS = 10
HALVES = ("development", "report")


class Topic(NamedTuple):
    text: str
    relevant: frozenset[int]


def jobs(seeds: int) -> list[Job]:
    """Nothing is random: one seed does."""
    return [
        {
            "data": f"ir/{collection}",
            "topic": collection,
            "method": method,
            "weighting": weighting,
            "page": page,
        }
        for page in PAGES
        for weighting in WEIGHTINGS
        for method in METHODS
        for collection in COLLECTIONS
    ]


def run(job: Job, data: Path) -> Numbers:
    """The rounds of every topic, by half."""
    index, topics = _collection(data / job["data"])
    words = [index.searcher.words(topic.text, job["weighting"]) for topic in topics]
    corpus = index.corpus(job["weighting"])
    cosine = index.corpus("tfidf")
    found: dict[str, list[int]] = {half: [] for half in HALVES}
    place = 0
    for topic, vector in zip(topics, words, strict=True):
        first = [n for n, _ in cosine.top(index.searcher.words(topic.text, "tfidf"), job["page"])]
        if topic.relevant.intersection(first):
            continue
        found[HALVES[place % 2]].append(_rounds(job, corpus, vector, topic, first))
        place += 1
    return dict(found)


def _rounds(
    job: Job, corpus: LocalCorpus, words: SparseVector, topic: Topic, page: Sequence[int]
) -> int:
    situation, method = Situation(corpus, words=words), FEEDBACK[job["method"]]
    rank = method.make()
    for done in range(ROUNDS):
        for number in page:
            situation.judge(number, False)
        shown = method.select(rank(situation), situation, job["page"], situation.unjudged)
        page = [number for number, _ in shown]
        if topic.relevant.intersection(page):
            return done + 1
    return ROUNDS + 1


@lru_cache(maxsize=1)
def _collection(folder: Path) -> tuple[Index, list[Topic]]:
    """An index whose files are gone but mapped, and the topics that have a relevant document."""
    with tempfile.TemporaryDirectory(prefix="likewise-") as place:
        index = Index.create(Path(place) / "index", threads=1)
        index.add(folder / "docs.jsonl.gz")
        for weighting in WEIGHTINGS:
            index.corpus(weighting)  # maps what is needed
            index.search("a word", weighting=weighting)
    numbers = {id: number for number, id in enumerate(index.ids())}
    relevant = defaultdict(set)
    for line in (folder / "qrels.tsv").read_text().splitlines():
        topic, id, grade = line.split("\t")
        if int(grade) > 0 and id in numbers:
            relevant[topic].add(numbers[id])
    with gzip.open(folder / "queries.jsonl.gz", "rb") as lines:
        queries = [msgspec.json.decode(line) for line in lines]
    topics = [Topic(q["text"], frozenset(relevant[q["id"]])) for q in queries if relevant[q["id"]]]
    return index, topics


def sections(results: Sequence[Result]) -> list[Section]:
    pages = dict.fromkeys((r.job["page"], r.job["weighting"]) for r in results)
    return [
        _section(page, weighting, half, [r for r in results if _is(r, page, weighting)])
        for page, weighting in pages
        for half in HALVES
    ]


def _is(result: Result, page: int, weighting: str) -> bool:
    return bool((result.job["page"], result.job["weighting"]) == (page, weighting))


def _section(page: int, weighting: str, half: str, results: Sequence[Result]) -> Section:
    rows: list[Row] = []
    count = 0
    for method in dict.fromkeys(r.job["method"] for r in results):
        mine = [r for r in results if r.job["method"] == method]
        row: Row = {"method": method}
        every = [rounds for r in mine for rounds in r.numbers.get(half, [])]
        count = len(every)
        row["mean rounds"] = Number(fmean(every) if every else None, 2)
        for r in mine:
            rounds = r.numbers.get(half, [])
            row[r.job["topic"]] = Number(fmean(rounds) if rounds else None, 2)
        row["found at once"] = Number(float(np.mean(np.array(every) == 1)) if every else None, 3)
        rows.append(row)
    return Section(
        f"First {page} not relevant, rows {weighting}, {half} half: rounds until one is, "
        f"{count} topics",
        rows,
    )
