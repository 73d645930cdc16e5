"""A collection of one's own: methods by example, words and others' runs on the same topics.

Of each topic's relevant documents some are examples, the others are to be found. Examples are left
out of every ranking and of the judgements, those of words and of others' runs too, so that all
rows are of the same task.
"""

from __future__ import annotations

import hashlib
import time
import zlib
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise import trec
from likewise.errors import UsageError
from likewise.named import METHODS
from likewise.tables import measuring
from likewise.tables.asking import all_scores, quiet
from likewise.tables.ground import Files, Ground, load
from likewise.tables.values import CannotError
from likewise.tables.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise.tables.values import Job, Numbers

# With each release, methods may rank otherwise: what users measured before is measured again.
VERSION = f"1, likewise {version('likewise')}"

WORDS = "words"
RUN = "run:"  # before the path of a run
DEFAULT_MEASURES = ("AP", "P@10", "nDCG@20", "R@1000", "PRBEP")
BEST = 10


@dataclass(frozen=True)
class Plan:
    """What is to be compared on which collection."""

    folder: Path
    files: Files
    methods: tuple[str, ...] = ()
    runs: tuple[Path, ...] = ()
    examples: int = 5
    seeds: int = 1
    measures: tuple[str, ...] = DEFAULT_MEASURES

    def checked(self) -> Plan:
        """With the methods that make sense where none were named; refuses what makes none."""
        measuring.check(self.measures)
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
    """Who takes part, and who does not, and why."""

    taking_part: list[str]
    too_few: list[str]  # relevant documents, to find any beside the examples
    unnamed: list[str]  # judged, but not in the file of topics


def topics(plan: Plan) -> Topics:
    """Those of the collection; refuses if none can take part."""
    ground = load(plan.folder, plan.files)
    named = list(ground.topics) or sorted(ground.qrels)
    found = Topics([], [], sorted(set(ground.qrels) - set(named)))
    for topic in named:
        relevant, given = ground.relevant(topic), _given(ground, topic)
        left = len(set(relevant) - set(given)) - (0 if given else plan.examples)
        (found.taking_part if left > 0 else found.too_few).append(topic)
    if not found.taking_part:
        raise UsageError(_why_none(plan, ground, found))
    return found


def _why_none(plan: Plan, ground: Ground, found: Topics) -> str:
    judged = sum(map(len, ground.judged.values()))
    if ground.unknown == judged:
        theirs = next(id for grades in ground.judged.values() for id in grades)
        return (
            f"{plan.files.qrels}: no document that is judged is here; ids there are as "
            f"{theirs!r}, here as {ground.ids[0]!r}"
        )
    if ground.topics and not ground.topics.keys() & ground.judged.keys():
        return (
            f"{plan.files.qrels}: no topic of {plan.files.topics} is judged; topics there are as "
            f"{next(iter(ground.judged))!r}, here as {next(iter(ground.topics))!r}"
        )
    why = f"no topic has more than {counted(plan.examples, 'relevant document')}"
    some = f"; {ground.unknown:,} of {judged:,} judgements are of documents that are not here"
    return why + (some if ground.unknown else "")


def jobs(plan: Plan) -> list[Job]:
    """Every contender, topic and seed; all that decides about a number is in its job."""
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
    ground = load(data, Files(topics_file, qrels_file, job["labels"]))
    examples = choose(ground, job["topic"], job["examples"], job["seed"])
    began = time.process_time()
    ranking = rank(ground, job["method"], job["topic"], examples)
    seconds = time.process_time() - began
    grades = to_find(ground, job["topic"], examples)
    ids = [id for id, _ in ranking]
    measured = measuring.values(
        job["measures"], measuring.Ranking(ids, grades, len(found(ranking)))
    )
    return {**measured, "seconds": seconds}


def choose(ground: Ground, topic: str, size: int, seed: int) -> set[str]:
    """The topic's own examples, or some of its relevant documents."""
    given = _given(ground, topic)
    if given:
        return set(given)
    relevant = ground.relevant(topic)
    generator = np.random.default_rng([seed, zlib.crc32(topic.encode())])
    return {relevant[i] for i in generator.permutation(len(relevant))[:size]}


def to_find(ground: Ground, topic: str, examples: set[str]) -> dict[str, int]:
    """The judgements that a topic is measured by."""
    return {id: grade for id, grade in ground.qrels[topic].items() if id not in examples}


def rank(ground: Ground, contender: str, topic: str, examples: set[str]) -> list[tuple[str, float]]:
    """All documents but the examples, best first; ties in document order.

    Those that were not found come last, with the score −∞.
    """
    scores = _scores(ground, contender, topic, examples)
    order = np.argsort(-scores, kind="stable")
    return [(id, float(scores[i])) for i in order if (id := ground.ids[i]) not in examples]


def found(ranking: Sequence[tuple[str, float]]) -> Sequence[tuple[str, float]]:
    """The part of a ranking that a run has: without those that were not found."""
    return [(id, score) for id, score in ranking if score > -np.inf]


def _scores(ground: Ground, contender: str, topic: str, examples: set[str]) -> NDArray[np.floating]:
    """Documents that were not found score −∞."""
    if contender.startswith(RUN):
        known: dict[str, float] = read_run(Path(contender.removeprefix(RUN))).get(topic, {})
    elif contender == WORDS:
        hits = ground.index.search(ground.topics[topic].text, k=len(ground.ids))
        known = {hit.id: hit.score for hit in hits}
    elif not examples:
        raise CannotError("learning needs examples")
    else:
        with quiet():
            query = ground.index.learn(sorted(examples), method=contender)
        return all_scores(query)
    return np.array([known.get(id, -np.inf) for id in ground.ids])


def read_run(path: Path) -> trec.Run:
    """Another's run, read once for all topics."""
    return _kept_run(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=4)
def _kept_run(path: Path, changed: int) -> trec.Run:
    return trec.read_run(path)


def _given(ground: Ground, topic: str) -> list[str]:
    known = ground.topics.get(topic)
    return [id for id in known.examples if id in ground.numbers] if known else []


def _checksum(paths: Sequence[Path | None]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes() if path and path.exists() else b"")
    return digest.hexdigest()[:16]
