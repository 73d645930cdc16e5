"""Nine open collections with topics, each as an index."""

from __future__ import annotations

import tempfile
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from likewise.index import Index
from likewise.readers import trec
from likewise.search.typed import weighting_name

WEIGHTINGS = ("tfidf", "pivoted")


class Topic(NamedTuple):
    id: str
    text: str
    relevant: frozenset[int]


@lru_cache(maxsize=1)
def load(folder: Path) -> tuple[Index, list[Topic]]:
    """An index whose files are gone but mapped, and the topics that have a relevant document."""
    with tempfile.TemporaryDirectory(prefix="likewise-") as place:
        index = Index.create(Path(place) / "index", threads=1)
        index.add(folder / "docs.jsonl.gz")
        for weighting in WEIGHTINGS:
            index.corpus(weighting)  # maps what is needed
            index.search("a word", weighting=weighting_name(weighting))
    numbers = {id: number for number, id in enumerate(index.ids())}
    qrels = trec.read_qrels(folder / "qrels.tsv")
    topics = []
    for topic in trec.read_topics(folder / "queries.jsonl.gz"):
        grades = qrels.get(topic.id, {})
        relevant = [numbers[id] for id, grade in grades.items() if grade > 0 and id in numbers]
        if relevant:
            topics.append(Topic(topic.id, topic.text, frozenset(relevant)))
    return index, topics
