"""The collections: nine with relevance judgements, five with topics as labels.

`topics.json` says which topics take part and how many documents each has; `choose.py` made it.
Those in even places are the development half, on which methods may be tuned, the others the report
half.
"""

from __future__ import annotations

import gzip
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from likewise.evaluation import provenance
from likewise.evaluation.by_example.collection import ENGLISH, Collection
from likewise.evaluation.studies import MissingError
from likewise_studies.arxiv import data as arxiv
from likewise_studies.collections import german

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from likewise.evaluation.studies import Job

SIZES = (1, 2, 5, 10, 20)
JUDGED = ("cacm", "cisi", "cranfield", "csfcube", "med", "nfcorpus", "npl", "scifact", "time")
LABELLED = ("debian", "arxiv", "news20", "reuters", "german")
NAMES = (*JUDGED, *LABELLED)
FOLDERS = {
    **{name: f"ir/{name}" for name in JUDGED},
    "debian": "corpora/debian-packages",
    "arxiv": arxiv.FOLDER,
    "news20": "qbme/news20",
    "reuters": "qbme/reuters21578",
    "german": german.FOLDER,
}
LANGUAGES = {"german": "german"}  # of the others, English
MODEL = "minilm"  # methods with this in their name know English only
HALVES = ("development", "report")
DRAWS = {"debian": 1, "arxiv": 1, "news20": 1}  # at most, where documents are many
ABSTRACTS = 15_000  # of arXiv, as many as can be embedded without a GPU


class Record(NamedTuple):
    """A document and the topics that it is relevant to."""

    id: str
    title: str
    text: str
    topics: tuple[str, ...]


@lru_cache(maxsize=1)
def chosen() -> dict[str, dict[str, int]]:
    """The topics of each collection and how many documents they have."""
    text = files("likewise_studies.collections").joinpath("topics.json").read_bytes()
    return msgspec.json.decode(text, type=dict[str, dict[str, int]])


def jobs(methods: tuple[str, ...], seeds: int) -> list[Job]:
    """Every method, size, topic and draw; a topic has at least twice as many as examples."""
    return [
        {
            "data": FOLDERS[name],
            "collection": name,
            "half": half,
            "method": method,
            "size": size,
            "topic": topic,
            "seed": seed,
        }
        for name in NAMES
        for method in methods
        if name not in LANGUAGES or MODEL not in method
        for half in HALVES
        for size in SIZES
        for topic in topics(name, half)
        if chosen()[name][topic] >= 2 * size
        for seed in range(min(seeds, DRAWS.get(name, seeds)))
    ]


def topics(name: str, half: str) -> list[str]:
    return list(chosen()[name])[HALVES.index(half) :: 2]


@lru_cache(maxsize=1)
def collection(name: str, data: Path) -> Collection:
    """All documents with the numbers of each topic's; an index and vectors of them are kept."""
    if name == "arxiv":
        return arxiv.collection(data, ABSTRACTS)
    folder = data / FOLDERS[name]
    found = list(records(name, folder))
    members: dict[str, list[int]] = {}
    for number, record in enumerate(found):
        for topic in record.topics:
            members.setdefault(topic, []).append(number)
    numbers = {topic: np.array(members.get(topic, ()), np.int64) for topic in chosen()[name]}
    ids, titles, texts = ([getattr(one, field) for one in found] for field in Record._fields[:3])
    language = LANGUAGES.get(name, ENGLISH)
    checksum = _checksum(folder)
    return Collection(f"collections-{name}", checksum, ids, titles, texts, numbers, language)


def _checksum(folder: Path) -> str:
    return provenance.checksum(folder)


def records(name: str, folder: Path) -> Iterator[Record]:
    read = READ.get(name, _judged)
    try:
        yield from read(folder)
    except FileNotFoundError as error:
        raise MissingError(f"there is no file {error.filename}") from error


def _judged(folder: Path) -> Iterator[Record]:
    """Documents with the queries that they were judged relevant to, by any grade above 0."""
    relevant: dict[str, list[str]] = {}
    for line in (folder / "qrels.tsv").read_text().splitlines():
        query, document, grade = line.split("\t")
        if float(grade) > 0:
            relevant.setdefault(document, []).append(query)
    for one in _lines(folder / "docs.jsonl.gz"):
        topics = tuple(dict.fromkeys(relevant.get(str(one["id"]), ())))
        yield Record(str(one["id"]), one.get("title") or "", one.get("text") or "", topics)


def _debian(folder: Path) -> Iterator[Record]:
    """One package of each source, since others have nearly the same description."""
    met: set[str] = set()
    for one in _lines(folder / "docs.jsonl.gz"):
        if one.get("tags") and one.get("text") and one["source"] not in met:
            met.add(one["source"])
            yield Record(one["id"], one["title"], one["text"], tuple(dict.fromkeys(one["tags"])))


def _news20(folder: Path) -> Iterator[Record]:
    for one in _lines(folder / "20news-bydate.jsonl.gz"):
        yield Record(str(one["id"]), "", one["text"], (one["label"],))


def _reuters(folder: Path) -> Iterator[Record]:
    for one in _lines(folder / "reuters21578.jsonl.gz"):
        if one["topics"] and one.get("text"):
            topics = tuple(dict.fromkeys(one["topics"]))
            yield Record(str(one["id"]), one.get("title") or "", one["text"], topics)


READ: dict[str, Callable[[Path], Iterator[Record]]] = {
    "debian": _debian,
    "news20": _news20,
    "reuters": _reuters,
    "german": _debian,
}


def _lines(path: Path) -> Iterable[dict[str, Any]]:
    with gzip.open(path, "rb") as file:
        for line in file:
            yield msgspec.json.decode(line)
