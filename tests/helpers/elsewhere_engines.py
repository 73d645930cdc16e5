"""Engines that an exported query runs on: tantivy, Qdrant's local mode, SQLite, and Lucene.

Each has its own analysis and its own BM25. Lucene needs a JVM and its jars, which
LIKEWISE_LUCENE names as a class path.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from likewise.search.elsewhere.weighted import murmur3

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from likewise import Index

CLASS_PATH = os.environ.get("LIKEWISE_LUCENE", "")
SOURCE = Path(__file__).with_name("LuceneSearch.java")
AVERAGE, K, B = 256.0, 1.2, 0.75  # of Qdrant's model for BM25


def texts(index: Index) -> dict[str, str]:
    """Title and text of each document, as one field."""
    return {one.id: f"{one.title}\n{one.text}" for one in index.documents(index.ids())}


class Tantivy:
    def __init__(self, documents: Mapping[str, str]) -> None:
        import tantivy

        schema = tantivy.SchemaBuilder()
        schema.add_text_field("id", stored=True, tokenizer_name="raw")
        schema.add_text_field("text", tokenizer_name="en_stem")
        self._index = tantivy.Index(schema.build())
        writer = self._index.writer(15_000_000, 1)
        for id, text in documents.items():
            writer.add_document(tantivy.Document(id=id, text=text))
        writer.commit()
        self._index.reload()
        self._searcher = self._index.searcher()

    def by_text(self, query: str, k: int) -> list[str]:
        """Lucene's syntax, but that all documents are * and not *:*."""
        return self._best(self._index.parse_query(query.replace("*:*", "*"), ["text"]), k)

    def by_body(self, body: Mapping[str, Any], k: int) -> list[str]:
        """The body of a search of Elasticsearch, clause by clause as tantivy's queries."""
        return self._best(self._query(body["query"]), k)

    def _best(self, query: Any, k: int) -> list[str]:
        hits = self._searcher.search(query, k).hits
        return [self._searcher.doc(address)["id"][0] for _, address in hits]

    def _query(self, clause: Mapping[str, Any]) -> Any:
        from tantivy import Occur, Query

        ((kind, asked),) = clause.items()
        if kind == "match":
            ((field, one),) = asked.items()
            word = self._index.parse_query(f'"{one["query"]}"', [field])
            return Query.boost_query(word, one.get("boost", 1.0))
        if kind == "constant_score":
            return Query.const_score_query(self._query(asked["filter"]), asked["boost"])
        assert kind == "bool", kind
        assert set(asked) <= {"must", "should", "must_not", "minimum_should_match"}
        sides = {"must": Occur.Must, "should": Occur.Should, "must_not": Occur.MustNot}
        parts = [(o, self._query(one)) for name, o in sides.items() for one in asked.get(name, ())]
        if set(asked) == {"must_not"}:
            parts.append((Occur.Must, Query.all_query()))
        return Query.boolean_query(parts)


class Qdrant:
    """`vectors` of documents are as Qdrant's model for BM25 makes them, or as given."""

    def __init__(self, vectors: Mapping[str, Mapping[int, float]], *, idf: bool) -> None:
        from qdrant_client import QdrantClient, models

        self._ids = list(vectors)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._client = QdrantClient(":memory:")
        modifier = models.Modifier.IDF if idf else None
        self._client.create_collection(
            "papers", {}, {"text": models.SparseVectorParams(modifier=modifier)}
        )
        points = [
            models.PointStruct(
                id=number,
                vector={"text": models.SparseVector(indices=list(one), values=list(one.values()))},
            )
            for number, one in enumerate(vectors.values())
        ]
        self._client.upsert("papers", points)

    def by_body(self, body: Mapping[str, Any], k: int) -> list[str]:
        from qdrant_client import models

        found = self._client.query_points(
            "papers",
            query=models.SparseVector(**body["query"]),
            using=body["using"],
            limit=k,
        )
        return [self._ids[int(point.id)] for point in found.points]

    def close(self) -> None:
        self._client.close()


def bm25_vectors(index: Index) -> dict[str, dict[int, float]]:
    """As Qdrant/bm25 of fastembed makes them: stems by their hash, without idf."""
    found = {}
    for one in index.documents(index.ids()):
        terms = index.analyzer(f"{one.title} {one.text}")
        norm = K * (1 - B + B * len(terms) / AVERAGE)
        found[one.id] = {
            abs(murmur3(term.encode())): count * (K + 1) / (count + norm)
            for term, count in Counter(terms).items()
        }
    return found


def own_vectors(index: Index) -> dict[str, dict[int, float]]:
    """The vectors of the index itself, by the same hash."""
    places = [abs(murmur3(term.encode())) for term in index.terms()]
    matrix, found = index.matrix(), {}
    for row, id in enumerate(index.ids()):
        first, last = matrix.indptr[row], matrix.indptr[row + 1]
        pairs = zip(matrix.indices[first:last], matrix.data[first:last], strict=True)
        found[id] = {places[column]: float(value) for column, value in pairs}
    return found


class Sqlite:
    def __init__(self, documents: Mapping[str, str]) -> None:
        self._database = sqlite3.connect(":memory:")
        self._database.execute("create virtual table papers using fts5(id unindexed, text)")
        self._database.executemany("insert into papers values (?, ?)", documents.items())

    def found(self, query: str) -> set[str]:
        rows = self._database.execute("select id from papers where papers match ?", (query,))
        return {id for (id,) in rows}


class Lucene:
    """Lucene's own index, analyzer for English and classic query parser, in a JVM."""

    def __init__(self, documents: Mapping[str, str], folder: Path) -> None:
        self._documents = folder / "documents.tsv"
        lines = [f"{id}\t{_line(text)}\n" for id, text in documents.items()]
        self._documents.write_text("".join(lines))
        self._queries = folder / "queries.txt"

    def by_text(self, queries: Sequence[str], k: int) -> list[list[str]]:
        self._queries.write_text("".join(f"{_line(query)}\n" for query in queries))
        done = subprocess.run(
            ["java", "-cp", CLASS_PATH, SOURCE, self._documents, self._queries, str(k)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return [line.split("\t")[1:] for line in done.stdout.splitlines() if line.startswith("=")]


def lucene_is_there() -> bool:
    return bool(CLASS_PATH and shutil.which("java"))


def _line(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def overlap(ours: Sequence[str], theirs: Sequence[str], left_out: Iterable[str], k: int) -> float:
    """The share of our first k that are among their first k, without those left out."""
    gone = set(left_out)
    theirs = [id for id in theirs if id not in gone][:k]
    return len(set(ours[:k]) & set(theirs)) / min(k, len(ours))


def mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))
