"""How many terms learned queries have: fewer terms, faster retrieval."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.datasets import load_svmlight_file
from sklearn.preprocessing import normalize

from harness import Figure
from likewise.estimators import (
    BalancedSVM,
    Centroid,
    OneClassSVM,
    PrecisionRecallSVM,
    Rocchio,
)
from rows import Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from workspace import Workspace

METHOD = (
    "Non-zero weights of a query, mean over a collection's topics, unit rows of term counts, "
    "beside tables 5 and 8 of Zhang & Lee (Query by multiple examples, 2009). news20: 80 % of the "
    "published training file in a seeded order give the examples, the rest is unlabeled; "
    "reuters-21578: ModApte split, topics with more than five documents in both parts, title and "
    "body without stemming, so with another vocabulary than the paper's. siam-competition2007 and "
    "mediamill (tables 6 and 7) cannot be had in the paper's form."
)
PACKAGES = ("likewise", "scikit-learn", "scipy")
NEWS = "qbme/news20/news20.bz2"
REUTERS = "qbme/reuters21578/modapte_{part}.svm.gz"
METHODS = {
    "Centroid": Centroid(),
    "SVM_1c, C = 100": OneClassSVM(C=100),
    "Rocchio": Rocchio(),
    "SVM_ba, C = 500": BalancedSVM(C=500),
    "SVM_pr, C = 1000": PrecisionRecallSVM(C=1000),
}
PAPER = {
    "news20": (11533, 5179, 41023, 22919, 22943),
    "reuters-21578": (1306, 1048, 7241, 4786, 4391),
}


class Topic(NamedTuple):
    examples: Any
    unlabeled: Any


def rows(workspace: Workspace) -> list[Row]:
    collections = {"news20": news_topics(workspace), "reuters-21578": reuters_topics(workspace)}
    found = []
    for collection, topics in collections.items():
        chosen = topics[:2] if workspace.quick else topics
        for (name, method), published in zip(METHODS.items(), PAPER[collection], strict=True):
            mean = statistics.fmean(terms(method, topic) for topic in chosen)
            work = f"{collection}, {len(chosen)} topics, {name}"
            figure = Figure(published, published)
            found.append(Row(work, "terms", Figure(mean, mean), "the paper", figure))
    return found


def terms(method: Any, topic: Topic) -> int:
    labels = np.repeat([1, 0], [topic.examples.shape[0], topic.unlabeled.shape[0]])
    fitted = method.fit(sparse.vstack([topic.examples, topic.unlabeled], "csr"), labels)
    coefficients = fitted.coef_
    dense = coefficients.toarray() if sparse.issparse(coefficients) else coefficients
    return int(np.count_nonzero(dense))


def news_topics(workspace: Workspace) -> list[Topic]:
    counts, classes = load_svmlight_file(str(workspace.file(NEWS)))
    order = np.random.default_rng(0).permutation(counts.shape[0])
    first, rest = np.split(order, [int(0.8 * len(order))])
    unit = normalize(counts)
    return [Topic(unit[first[classes[first] == c]], unit[rest]) for c in np.unique(classes)]


def reuters_topics(workspace: Workspace) -> list[Topic]:
    (examples, known), (unlabeled, hidden) = (
        load_part(workspace, part) for part in ("train", "test")
    )
    return [
        Topic(examples[members(known, topic)], unlabeled)
        for topic in sorted(set().union(*known))
        if min(len(members(known, topic)), len(members(hidden, topic))) > 5
    ]


def load_part(workspace: Workspace, part: str) -> tuple[Any, Sequence[tuple[float, ...]]]:
    path = workspace.file(REUTERS.format(part=part))
    counts, topics = load_svmlight_file(str(path), n_features=15542, multilabel=True)
    return normalize(counts), topics


def members(topics: Sequence[tuple[float, ...]], topic: float) -> NDArray[np.intp]:
    return np.flatnonzero([topic in found for found in topics])
