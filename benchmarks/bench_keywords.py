"""Keyword search: two to five words, the ten best documents and their titles."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

import peers
from harness import latencies
from likewise import Index
from rows import Row, times

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from workspace import Workspace

    Search = Callable[[str], list[str]]

METHOD = (
    "Queries of two to five words from random titles (seeded; four letters or more, no stop "
    "words) on the arXiv abstracts, one after another from Python, the ten best hits with their "
    "titles. tantivy: the words as a disjunction over title and text, and over one field that "
    "holds both. Each peer analyses the query in the measured time."
)
PACKAGES = ("likewise", "tantivy", "bm25s", "numba")
QUERIES = 500
ROUNDS = 5
K = 10


def rows(workspace: Workspace) -> list[Row]:
    source = workspace.arxiv
    bm25s, backend = bm25s_search(source)
    engines = {
        "likewise": likewise_search(workspace.arxiv_index),
        "tantivy, two fields": tantivy_search(source, workspace.fresh("two"), joined=False),
        "tantivy, one field": tantivy_search(source, workspace.fresh("one"), joined=True),
        f"bm25s ({backend})": bm25s,
    }
    queries = random_queries(source, QUERIES)
    found = latencies(engines, queries, workspace.rounds(ROUNDS))
    return [
        Row(
            f"{len(queries)} queries, {name}",
            "ms",
            found["likewise"].quantile(share, 1000),
            peer,
            found[peer].quantile(share, 1000),
            times(1),
        )
        for name, share in (("median", 0.5), ("p99", 0.99))
        for peer in list(engines)[1:]
    ]


def random_queries(source: Path, count: int) -> list[str]:
    draw = random.Random(0)
    words = [title_words(record.title) for record in peers.records(source)]
    enough = [found for found in words if len(found) >= 2]
    return [
        " ".join(draw.sample(found, min(len(found), draw.randint(2, 5))))
        for found in draw.choices(enough, k=count)
    ]


def title_words(title: str) -> list[str]:
    """The different words that a user might search for."""
    words = dict.fromkeys(re.findall(r"[a-z]{4,}", title.lower()))
    return [word for word in words if word not in ENGLISH_STOP_WORDS]


def likewise_search(path: Path) -> Search:
    index = Index.open(path)
    return lambda query: [hit.title for hit in index.search(query, k=K)]


def tantivy_search(source: Path, directory: Path, *, joined: bool) -> Search:
    index = peers.tantivy_index(source, directory, joined=joined)
    searcher = index.searcher()
    fields = ["text"] if joined else ["title", "text"]

    def search(query: str) -> list[str]:
        hits = searcher.search(index.parse_query(query, fields), K).hits
        return [searcher.doc(address)["title"][0] for _, address in hits]

    return search


def bm25s_search(source: Path) -> tuple[Search, str]:
    """Search, and the name of the backend that was found."""
    retriever = peers.bm25s_index(source)
    titles = [record.title for record in peers.records(source)]

    def search(query: str) -> list[str]:
        tokens = peers.bm25s_tokens([query], return_ids=False)
        found = retriever.retrieve(tokens, k=K, show_progress=False)
        return [titles[number] for number in found.documents[0]]

    return search, retriever.backend
