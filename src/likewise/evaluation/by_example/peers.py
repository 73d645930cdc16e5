"""Other programs: scores from examples, each set up as its authors recommend.

Each takes a collection and the numbers of the examples. Without examples it only prepares what
all queries share, so that this is not timed.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from likewise.evaluation.studies import CannotError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from likewise.evaluation.by_example.collection import Collection

    Ids = NDArray[np.int64]
    Scores = NDArray[np.floating]
    Score = Callable[[Collection, Ids], Scores]

TERMS, MIN_TF, MIN_DF = 25, 2, 5  # the defaults of Lucene's MoreLikeThis
BAGS = 15


def more_like_this(collection: Collection, examples: Ids) -> Scores:
    """BM25 with the examples' best terms by tf·idf, as Lucene's MoreLikeThis chooses them."""
    bm25 = collection.bm25
    counts = Counter(token for number in examples for token in bm25.tokens[number])
    chosen = best_terms(counts, bm25.df, len(collection))
    if not chosen:
        return np.zeros(len(collection))
    scores: Scores = bm25.retriever.get_scores(chosen)
    return scores


def concatenated(collection: Collection, examples: Ids) -> Scores:
    """BM25 with all examples as one long query, each term as often as it occurs."""
    bm25 = collection.bm25
    query = [token for number in examples for token in bm25.tokens[number]]
    if not query:
        return np.zeros(len(collection))
    scores: Scores = bm25.retriever.get_scores(query)
    return scores


def best_terms(counts: Counter[int], df: NDArray[np.int64], documents: int) -> list[int]:
    """Terms that occur often here and are rare elsewhere, best first.

    If no term occurs twice, as in a title, once is enough.
    """
    known = {term: tf for term, tf in counts.items() if df[term] >= MIN_DF}
    often = {term: tf for term, tf in known.items() if tf >= MIN_TF} or known
    idf = {term: 1 + np.log((documents + 1) / (df[term] + 1)) for term in often}
    return sorted(often, key=lambda term: (-often[term] * idf[term], term))[:TERMS]


def linear_svc(C: float) -> Score:
    """arxiv-sanity-lite (C = 0.01) and LangChain's SVMRetriever (C = 0.1): all else negative."""
    return lambda collection, examples: _svc(collection.tfidf, examples, C)


def linear_svc_words(C: float) -> Score:
    """The same without pairs of words."""
    return lambda collection, examples: _svc(collection.tfidf_words, examples, C)


def minilm_svc(collection: Collection, examples: Ids) -> Scores:
    """LangChain's SVMRetriever on its usual kind of vectors."""
    return _svc(collection.embeddings, examples, 0.1)


def minilm_mean(collection: Collection, examples: Ids) -> Scores:
    """The cosine with the mean of the examples' embeddings, which are of unit length."""
    vectors = collection.embeddings
    if not len(examples):
        return np.zeros(0)
    scores: Scores = vectors @ vectors[examples].mean(axis=0)
    return scores


def bagging(collection: Collection, examples: Ids) -> Scores:
    """Bags of all examples and the same number of unlabeled documents (Mordelet & Vert 2014)."""
    from pulearn import BaggingPuClassifier
    from sklearn.linear_model import LogisticRegression

    X = collection.tfidf
    if not len(examples):
        return np.zeros(0)
    bags = BaggingPuClassifier(
        LogisticRegression(solver="liblinear"),
        n_estimators=BAGS,
        max_samples=max(2, len(examples)),
        oob_score=False,
        random_state=0,
    )
    scores: Scores = bags.fit(X, _labels(X, examples)).decision_function(X)
    return scores


def elkan_noto(collection: Collection, examples: Ids) -> Scores:
    """Elkan & Noto 2008; it accepts only arrays, so the documents are latent vectors."""
    from pulearn import ElkanotoPuClassifier
    from sklearn.linear_model import LogisticRegression

    X = collection.latent
    if not len(examples):
        return np.zeros(0)
    learner = ElkanotoPuClassifier(
        LogisticRegression(C=10.0, max_iter=1000), hold_out_ratio=0.1, random_state=0
    )
    try:
        learner.fit(X, _labels(X, examples))
    except ValueError as error:
        reason = str(error).partition(". ")[0].partition(", but")[0]
        raise CannotError(f"pulearn: {reason.lower()}") from error
    scores: Scores = learner.predict_proba(X)[:, 1]
    return scores


def _svc(X: Any, examples: Ids, C: float) -> Scores:
    from sklearn.svm import LinearSVC

    if not len(examples):
        return np.zeros(0)
    learner = LinearSVC(C=C, class_weight="balanced", max_iter=10_000, tol=1e-6, random_state=0)
    scores: Scores = learner.fit(X, _labels(X, examples)).decision_function(X)
    return scores


def _labels(X: Any, examples: Ids) -> NDArray[np.int64]:
    labels = np.zeros(X.shape[0], np.int64)
    labels[examples] = 1
    return labels
