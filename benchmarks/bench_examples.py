"""From twenty examples to the ten best documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import peers
from example_queries import TERMS, example_sets, make_queries
from harness import latencies
from likewise import Index
from rows import Row, at_most
from scipy_peer import scipy_matrix

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from example_queries import Query
    from harness import Latencies
    from likewise.corpus import Corpus
    from workspace import Workspace

METHOD = (
    "index.like(twenty ids of one category, method='1c', k=10): learning, retrieval and titles, "
    "for 100 sets drawn by a seed. The peers only retrieve: scipy multiplies its float32 CSR by a "
    "query learned beforehand and picks the ten best, bm25s scores the examples' 40 heaviest "
    "terms. It is checked that the ten best by scipy's scores are what Corpus.top finds. A "
    "million: the 150,000 abstracts repeated under new ids."
)
PACKAGES = ("likewise", "scipy", "bm25s", "numba")
SETS, QUICK_SETS, CHECKED, K = 100, 5, 10, 10
ROUNDS = 3
SHARES = {"median": 0.5, "p99": 0.99}


def rows(workspace: Workspace) -> list[Row]:
    sets = example_sets(workspace.arxiv, QUICK_SETS if workspace.quick else SETS)
    records = list(peers.records(workspace.arxiv))
    tokens = peers.bm25s_tokens([record.all_text for record in records])
    found = []
    for path, prefix in ((workspace.arxiv_index, ""), (workspace.million_index, "0/")):
        index = Index.open(path)
        ids = [prefix + record.id for record in records]
        times = measure(index, ids, sets, tokens, workspace.rounds(ROUNDS))
        found += table_rows(index.corpus(weighting="tfidf").shape[0], times)
    return found


def measure(
    index: Index, ids: Sequence[str], sets: Sequence[list[int]], tokens: Any, rounds: int
) -> dict[str, Latencies]:
    corpus = index.corpus(weighting="tfidf")
    matrix = scipy_matrix(corpus)
    queries = make_queries(sets, ids, matrix, tokens)
    for query in queries[:CHECKED]:
        check_exact(corpus, matrix, query)
    retriever = peers.bm25s_from_tokens(tokens, corpus.shape[0])
    engines = {
        "likewise": lambda query: index.like(query.ids, method="1c", k=K),
        "scipy, retrieval only": lambda query: scipy_top(matrix @ query.vector),
        f"bm25s ({retriever.backend}), {TERMS} terms": lambda query: retriever.retrieve(
            [query.terms], k=K, show_progress=False
        ),
    }
    return latencies(engines, queries, rounds)


def scipy_top(scores: NDArray[np.floating]) -> NDArray[np.intp]:
    best = np.argpartition(scores, -K)[-K:]
    return best[np.argsort(-scores[best], kind="stable")]


def check_exact(corpus: Corpus, matrix: Any, query: Query) -> None:
    found = [score for _, score in corpus.top(query.vector, K)]
    scores = matrix @ query.vector
    np.testing.assert_allclose(found, scores[scipy_top(scores)], rtol=1e-4)


def table_rows(documents: int, times: Mapping[str, Latencies]) -> list[Row]:
    goal = at_most(50) if documents >= 1_000_000 else None
    return [
        Row(
            f"{documents:,} documents, {name}",
            "ms",
            times["likewise"].quantile(share, 1000),
            peer,
            times[peer].quantile(share, 1000),
            goal,
        )
        for name, share in SHARES.items()
        for peer in list(times)[1:]
    ]
