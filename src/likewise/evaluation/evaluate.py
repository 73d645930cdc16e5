"""Compare methods on a user's own collection: by example, by words, and runs of other programs.

Some of each topic's relevant documents are examples; the task is to find the others. Examples are
left out of every ranking and of the judgements, also for words and other programs' runs, so that
all rows have the same task.
"""

from __future__ import annotations

import hashlib
import time
import zlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.errors import UsageError
from likewise.evaluation import measure_names, provenance
from likewise.evaluation.judged import Files, JudgedCollection, load
from likewise.evaluation.report.averages import counted
from likewise.evaluation.scores import all_scores, quiet
from likewise.evaluation.studies import CannotError
from likewise.readers import trec
from likewise.search.methods import METHODS
from likewise.search.typed import method_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise.evaluation.studies import Job, Numbers

VERSION = provenance.released(2)

WORDS = "words"
RUN = "run:"  # before the path of a run
DEFAULT_MEASURES = ("AP@1000", "P@10", "nDCG@20", "R@1000", "PRBEP")


@dataclass(frozen=True)
class Plan:
    """The methods to compare, and the collection to compare them on."""

    folder: Path
    files: Files
    methods: tuple[str, ...] = ()
    runs: tuple[Path, ...] = ()
    examples: int = 5
    seeds: int = 1
    measures: tuple[str, ...] = DEFAULT_MEASURES

    def checked(self) -> Plan:
        """The plan with default methods filled in; raises for unknown methods and measures."""
        measure_names.check(self.measures)
        words = (WORDS,) if self.files.topics else ()
        methods = self.methods or (*words, "auto", "rocchio", "centroid")
        for method in methods:
            if method not in (WORDS, "auto", *METHODS):
                known = ", ".join((WORDS, "auto", *METHODS))
                raise UsageError(f"unknown method {method!r}: choose {known}")
        if WORDS in methods and self.files.topics is None:
            raise UsageError("method words needs topics with words: name them with --topics")
        return Plan(**{**self.__dict__, "methods": methods})


class Topics(NamedTuple):
    """The topics used, and those left out, by reason."""

    taking_part: list[str]
    too_few: list[str]  # no relevant document besides the examples
    unnamed: list[str]  # judged, but not in the file of topics


def topics(plan: Plan) -> Topics:
    """The collection's topics; raises if none can be used."""
    collection = load(plan.folder, plan.files)
    named = list(collection.topics) or sorted(collection.qrels)
    found = Topics([], [], sorted(set(collection.qrels) - set(named)))
    for topic in named:
        relevant, given = collection.relevant(topic), _given(collection, topic)
        left = len(set(relevant) - set(given)) - (0 if given else plan.examples)
        (found.taking_part if left > 0 else found.too_few).append(topic)
    if not found.taking_part:
        raise UsageError(_why_none(plan, collection, found))
    return found


def _why_none(plan: Plan, collection: JudgedCollection, found: Topics) -> str:
    judged = sum(map(len, collection.judged.values()))
    if collection.unknown == judged:
        theirs = next(id for grades in collection.judged.values() for id in grades)
        return (
            f"{plan.files.qrels}: no document that is judged is here; ids there are as "
            f"{theirs!r}, here as {collection.ids[0]!r}"
        )
    if collection.topics and not collection.topics.keys() & collection.judged.keys():
        return (
            f"{plan.files.qrels}: no topic of {plan.files.topics} is judged; topics there are as "
            f"{next(iter(collection.judged))!r}, here as {next(iter(collection.topics))!r}"
        )
    why = f"no topic has more than {counted(plan.examples, 'relevant document')}"
    some = f"; {collection.unknown:,} of {judged:,} judgements are of documents that are not here"
    return why + (some if collection.unknown else "")


def jobs(plan: Plan) -> list[Job]:
    """One job for each method or run, topic and seed; it holds everything its numbers depend on."""
    taking_part = topics(plan).taking_part
    contenders = [*plan.methods, *(f"{RUN}{path}" for path in plan.runs)]
    common = {
        "data": ".",
        "topics": str(plan.files.topics) if plan.files.topics else None,
        "qrels": str(plan.files.qrels) if plan.files.qrels else None,
        "labels": plan.files.labels,
        "files": _checksum([plan.files.topics, plan.files.qrels, *plan.runs]),
        "examples": plan.examples,
        "measures": list(plan.measures),
    }
    return [
        {"method": contender, "topic": topic, "seed": seed, **common}
        for contender in contenders
        for topic in taking_part
        for seed in range(plan.seeds)
    ]


def run(job: Job, data: Path) -> Numbers:
    topics_file, qrels_file = (Path(job[n]) if job[n] else None for n in ("topics", "qrels"))
    collection = load(data, Files(topics_file, qrels_file, job["labels"]))
    examples = choose(collection, job["topic"], job["examples"], job["seed"])
    began = time.process_time()
    ranking = rank(collection, job["method"], job["topic"], examples)
    seconds = time.process_time() - began
    grades = to_find(collection, job["topic"], examples)
    ids = [id for id, _ in ranking]
    measured = measure_names.values(
        job["measures"], measure_names.Ranking(ids, grades, len(found(ranking)))
    )
    return {**measured, "seconds": seconds}


def choose(collection: JudgedCollection, topic: str, size: int, seed: int) -> set[str]:
    """The topic's own examples, or some of its relevant documents."""
    given = _given(collection, topic)
    if given:
        return set(given)
    relevant = collection.relevant(topic)
    generator = np.random.default_rng([seed, zlib.crc32(topic.encode())])
    return {relevant[i] for i in generator.permutation(len(relevant))[:size]}


def to_find(collection: JudgedCollection, topic: str, examples: set[str]) -> dict[str, int]:
    """A topic's judgements, without those of its examples."""
    return {id: grade for id, grade in collection.qrels[topic].items() if id not in examples}


def rank(
    collection: JudgedCollection, contender: str, topic: str, examples: set[str]
) -> list[tuple[str, float]]:
    """All documents but the examples, best first; ties in document order.

    Those that were not found come last, with the score −∞.
    """
    scores = _scores(collection, contender, topic, examples)
    order = np.argsort(-scores, kind="stable")
    return [(id, float(scores[i])) for i in order if (id := collection.ids[i]) not in examples]


def found(ranking: Sequence[tuple[str, float]]) -> Sequence[tuple[str, float]]:
    """The ranking without documents that were not found."""
    return [(id, score) for id, score in ranking if score > -np.inf]


def _scores(
    collection: JudgedCollection, contender: str, topic: str, examples: set[str]
) -> NDArray[np.floating]:
    """Documents that were not found score −∞."""
    if contender.startswith(RUN):
        known: dict[str, float] = read_run(Path(contender.removeprefix(RUN))).get(topic, {})
    elif contender == WORDS:
        hits = collection.index.search(collection.topics[topic].text, k=len(collection.ids))
        known = {hit.id: hit.score for hit in hits}
    elif not examples:
        raise CannotError("this method needs examples")
    else:
        with quiet():
            query = collection.index.learn(sorted(examples), method=method_name(contender))
        return all_scores(query)
    return np.array([known.get(id, -np.inf) for id in collection.ids])


def read_run(path: Path) -> trec.Run:
    """A run of another program, read once for all topics."""
    return _kept_run(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=4)
def _kept_run(path: Path, changed: int) -> trec.Run:
    return trec.read_run(path)


def _given(collection: JudgedCollection, topic: str) -> list[str]:
    known = collection.topics.get(topic)
    return [id for id in known.examples if id in collection.numbers] if known else []


def _checksum(paths: Sequence[Path | None]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes() if path and path.exists() else b"")
    return digest.hexdigest()[:16]
