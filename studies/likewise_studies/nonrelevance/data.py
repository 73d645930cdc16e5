"""Open collections with topics, each as an index: nine with judged queries, three with labels.

Where topics are labels, the words of a label are the query: the last part of a Debian tag, the name
of an arXiv category, a topic of Reuters. Of these only labels of few documents are of use, since
others are on the first page.
"""

from __future__ import annotations

import bz2
import re
import tempfile
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from likewise.document import Document
from likewise.feedback.situation import Situations
from likewise.feedback.views import BY_WORDS
from likewise.index import Index
from likewise.readers import trec
from likewise.search.typed import weighting_name
from likewise_studies.collections.data import Record, records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

WEIGHTINGS = ("tfidf", "pivoted")
ABSTRACTS = 15_000  # of arXiv
MOST = 300  # documents of a label


class Topic(NamedTuple):
    id: str
    text: str
    relevant: frozenset[int]


@lru_cache(maxsize=1)
def load(name: str, folder: Path) -> tuple[Index, list[Topic]]:
    """An index whose files are gone but mapped, and the topics that have a relevant document."""
    found = list(LABELLED[name](folder)) if name in LABELLED else []
    with tempfile.TemporaryDirectory(prefix="likewise-") as place:
        index = Index.create(Path(place) / "index", threads=1)
        if found:
            index.add(Document(one.id, one.text, one.title) for one in found)
        else:
            index.add(folder / "docs.jsonl.gz")
        for weighting in WEIGHTINGS:
            index.corpus(weighting)  # maps what is needed
            index.search("a word", weighting=weighting_name(weighting))
            Situations(index.searcher, weighting, "a word").of(weighting, BY_WORDS)
    numbers = {id: number for number, id in enumerate(index.ids())}
    topics = _labels(name, folder, found) if found else _judged(folder)
    relevant = {
        id: (text, frozenset(numbers[one] for one in ids if one in numbers))
        for id, text, ids in topics
    }
    return index, [Topic(id, text, those) for id, (text, those) in relevant.items() if those]


def _judged(folder: Path) -> Iterator[tuple[str, str, list[str]]]:
    qrels = trec.read_qrels(folder / "qrels.tsv")
    for topic in trec.read_topics(folder / "queries.jsonl.gz"):
        grades = qrels.get(topic.id, {})
        yield topic.id, topic.text, [id for id, grade in grades.items() if grade > 0]


def _labels(name: str, folder: Path, found: list[Record]) -> Iterator[tuple[str, str, list[str]]]:
    members: dict[str, list[str]] = {}
    for one in found:
        for label in one.topics:
            members.setdefault(label, []).append(one.id)
    names = _categories(folder) if name == "arxiv" else {}
    for label, ids in sorted(members.items()):
        words = names.get(label, re.sub(r"\W+", " ", label.rpartition("::")[2]))
        if len(ids) <= MOST and (label in names or name != "arxiv"):
            yield label, words, ids


def _arxiv(folder: Path) -> Iterator[Record]:
    with bz2.open(folder / "docs.jsonl.bz2") as file:
        for line in islice(file, ABSTRACTS):
            one = msgspec.json.decode(line)
            yield Record(one["id"], one["title"], one["text"], tuple(one["cats"]))


def _categories(folder: Path) -> Mapping[str, str]:
    lines = (folder / "categories.jsonl").read_bytes().splitlines()
    return {one["id"]: one["text"] for one in map(msgspec.json.decode, lines)}


LABELLED: dict[str, Callable[[Path], Iterator[Record]]] = {
    "debian": lambda folder: records("debian", folder),
    "arxiv": _arxiv,
    "reuters": lambda folder: records("reuters", folder),
}
