"""From twenty examples to the ten best documents."""

from __future__ import annotations

import math
import random
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import peers
from bench_products import scipy_matrix
from harness import latencies
from problems import labelled
from rows import Row, at_most

from likewise import Index
from likewise.estimators import OneClassSVM

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from workspace import Workspace

METHOD = (
    "index.like(twenty ids of one category, method='1c', k=10): learning, retrieval and titles, "
    "for sets drawn by a seed. The peers only retrieve: scipy multiplies its float32 CSR by a "
    "query learned beforehand and picks the ten best, bm25s scores the examples' 40 heaviest "
    "terms. That the ten are the best by scipy's scores, too, is checked. A million: the 150,000 "
    "abstracts repeated under new ids."
)
PACKAGES = ("likewise", "scipy", "bm25s", "numba")
SETS, EXAMPLES, TERMS, K = 100, 20, 40, 10
CHECKED = 10
ROUNDS = 3
LIMIT = at_most(50)


class Query(NamedTuple):
    """The same examples as each candidate takes them."""

    ids: list[str]
    vector: NDArray[np.float32]
    tokens: list[str]


def rows(workspace: Workspace) -> list[Row]:
    sets = example_sets(workspace.arxiv, 5 if workspace.quick else SETS)
    tokens = peers.bm25s_tokens([r.all_text for r in peers.records(workspace.arxiv)])
    found = []
    for path, prefix in ((workspace.arxiv_index, ""), (workspace.million_index, "0/")):
        found += compare(path, prefix, sets, tokens, workspace.rounds(ROUNDS))
    return found


def compare(
    path: Path, prefix: str, sets: Sequence[list[int]], tokens: Any, rounds: int
) -> list[Row]:
    index = Index.open(path)
    corpus = index.corpus(weighting="tfidf")
    matrix = scipy_matrix(corpus)
    documents = corpus.shape[0]
    retriever = peers.bm25s_from_tokens(tokens, documents)
    queries = make_queries(matrix, tokens, sets, names(path, prefix))
    for query in queries[:CHECKED]:
        check(corpus, matrix, query)
    engines = {
        "likewise": lambda query: index.like(query.ids, method="1c", k=K),
        "scipy, retrieval only": lambda query: scipy_top(matrix, query.vector),
        f"bm25s ({retriever.backend}), {TERMS} terms": lambda query: retriever.retrieve(
            [query.tokens], k=K, show_progress=False
        ),
    }
    times = latencies(engines, queries, rounds)
    return [
        Row(
            f"{documents:,} documents, {name}",
            "ms",
            times["likewise"].quantile(share, 1000),
            peer,
            times[peer].quantile(share, 1000),
            LIMIT if prefix else None,
        )
        for name, share in (("median", 0.5), ("p99", 0.99))
        for peer in list(engines)[1:]
    ]


def example_sets(source: Path, count: int) -> list[list[int]]:
    """Twenty documents each of a category that has as many."""
    members: dict[str, list[int]] = {}
    for number, document in enumerate(labelled(source)):
        for category in document.cats:
            members.setdefault(category, []).append(number)
    large = sorted(category for category, found in members.items() if len(found) >= EXAMPLES)
    draw = random.Random(0)
    return [draw.sample(members[draw.choice(large)], EXAMPLES) for _ in range(count)]


def make_queries(
    matrix: Any, tokens: Any, sets: Sequence[list[int]], ids: Sequence[str]
) -> list[Query]:
    df = Counter(token for document in tokens.ids for token in set(document))
    words = {number: word for word, number in tokens.vocab.items()}
    queries = []
    for numbers in sets:
        examples = matrix[numbers]
        vector = OneClassSVM(C=100).fit(examples, np.ones(len(numbers), np.int64)).coef_
        weights: Counter[int] = Counter()
        for number in numbers:
            for token in tokens.ids[number]:
                weights[token] += math.log((len(tokens.ids) + 1) / df[token])
        heaviest = [words[token] for token, _ in weights.most_common(TERMS)]
        dense = np.asarray(vector, np.float32).ravel()
        queries.append(Query([ids[number] for number in numbers], dense, heaviest))
    return queries
