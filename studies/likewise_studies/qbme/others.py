"""What Zhang & Lee (2009) leave to future work, as contenders on the same documents.

SVM_2c (OP 3) and Biased-SVM (Liu et al., ICDM 2003) beside SVM_pr; a bias for the measures of the
family (footnote 2), by one more feature of value 1; the voted perceptron in its averaged form
(Freund & Schapire 1999) and AdaBoost; and kernel features, Nyström's of a latent space, as one more
view. Each makes scores of all rows from the rows and y, 1 for examples and 0 for the rest.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Scores = NDArray[np.float64]

EACH = 1.5625  # the cost of an example, as for SVM_ba
NEGATIVE_COSTS = (0.01, 0.1, 0.61)  # of Biased-SVM: the ends and the middle of the paper's range
RATIOS = (10, 50, 200)  # of its positive costs to these
HELD_OUT = 0.3  # of the examples, and of the rest
ROUNDS = 50  # of AdaBoost
LEAST = 5  # documents that have a term which AdaBoost may use
DIMENSIONS, LANDMARKS, FACTOR = 100, 300, 0.7  # latent space, kernel features, their weight


def two_class(X: Any, y: Any) -> Scores:
    """OP 3: the same cost for the slack of every document."""
    return _svc(X, y, EACH, EACH)(X)


def biased(X: Any, y: Any) -> Scores:
    """The costs of both classes by r²/Pr[f(x) > 0] on held-out documents, then on all."""
    rng = np.random.default_rng(0)
    held = rng.random(len(y)) < HELD_OUT
    best, chosen = -1.0, (NEGATIVE_COSTS[0], RATIOS[0])
    for cost in NEGATIVE_COSTS:
        for ratio in RATIOS:
            above = _svc(X[~held], y[~held], ratio * cost, cost, bias=True)(X[held]) > 0
            recall = above[y[held] == 1].mean() if (y[held] == 1).any() else 0.0
            value = recall**2 / max(above.mean(), 1 / len(above))
            if value > best:
                best, chosen = value, (cost, ratio)
    cost, ratio = chosen
    return _svc(X, y, ratio * cost, cost, bias=True)(X)


def _svc(
    X: Any, y: Any, positive: float, negative: float, *, bias: bool = False
) -> Callable[[Any], Scores]:
    from sklearn.svm import LinearSVC

    weights = {1: positive, 0: negative}
    made = LinearSVC(
        C=1.0, loss="hinge", fit_intercept=bias, class_weight=weights, random_state=0, max_iter=2000
    )
    return made.fit(X, y).decision_function  # type: ignore[no-any-return]


def measured(name: str, X: Any, y: Any, *, bias: bool) -> Scores:
    """A measure of the family with its default C, with or without a feature of value 1."""
    from scipy.sparse import csr_matrix, hstack

    from likewise.estimators import PrecisionAtK, PrecisionRecallSVM, RecallAtK

    examples = int(np.count_nonzero(y))
    share = 3 * examples**2 / (len(y) - examples)
    made = {
        "pr": partial(PrecisionRecallSVM, C=share),
        "p@k": partial(PrecisionAtK, C=examples),
        "r@k": partial(RecallAtK, C=examples),
    }
    rows = hstack([X, csr_matrix(np.ones((len(y), 1)))]).tocsr() if bias else X
    return made[name]().fit(rows, y).decision_function(rows)


def perceptron(X: Any, y: Any) -> Scores:
    """Ten rounds, an example counting as much as all others of the rest together do on average."""
    from sklearn.linear_model import SGDClassifier

    made = SGDClassifier(
        loss="perceptron",
        penalty=None,
        learning_rate="constant",
        eta0=1.0,
        average=True,
        class_weight="balanced",
        max_iter=10,
        tol=None,
        random_state=0,
    )
    return made.fit(X, y).decision_function(X)  # type: ignore[no-any-return]


def boosted(X: Any, y: Any) -> Scores:
    """AdaBoost of single terms, both classes with the same weight."""
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.utils.class_weight import compute_sample_weight

    used = X.tocsc()[:, np.bincount(X.indices, minlength=X.shape[1]) >= LEAST]
    made = AdaBoostClassifier(n_estimators=ROUNDS, random_state=0)
    made.fit(used, y, sample_weight=compute_sample_weight("balanced", y))
    return made.decision_function(used)  # type: ignore[no-any-return]


def kernel(X: Any, y: Any) -> Scores:
    """`steady` over the words and, beside them, Nyström's features of a latent space."""
    from scipy.sparse import csr_matrix, hstack
    from sklearn.decomposition import TruncatedSVD
    from sklearn.kernel_approximation import Nystroem
    from sklearn.preprocessing import normalize

    from likewise.estimators import BalancedSVM

    few = min(DIMENSIONS, min(X.shape) - 1)
    latent = normalize(TruncatedSVD(few, random_state=0).fit_transform(X))
    marks = min(LANDMARKS, X.shape[0])
    features = Nystroem(gamma=1.0, n_components=marks, random_state=0).fit_transform(latent)
    rows = hstack([X, csr_matrix(FACTOR * normalize(features - features.mean(axis=0)))]).tocsr()
    cost = np.count_nonzero(y) ** 0.5 / 4
    made = BalancedSVM(C_per_example=cost, loss="squared_hinge", fit_intercept=True)
    return made.fit(rows, y).decision_function(rows)


OTHERS: dict[str, Callable[[Any, Any], Scores]] = {
    "2c": two_class,
    "biased": biased,
    **{name: partial(measured, name, bias=False) for name in ("p@k", "r@k")},
    **{f"{name} bias": partial(measured, name, bias=True) for name in ("pr", "p@k", "r@k")},
    "perceptron": perceptron,
    "adaboost": boosted,
    "kernel": kernel,
}
LABELS = {
    "2c": "SVM_2c, 1.5625 for each document",
    "biased": "Biased-SVM, nine pairs of costs",
    "p@k": "SVM_p@k, k = 2l, C = l",
    "r@k": "SVM_r@k, k = 2l, C = l",
    "pr bias": "SVM_pr, C = 3·l²/u, with a bias",
    "p@k bias": "SVM_p@k with a bias",
    "r@k bias": "SVM_r@k with a bias",
    "perceptron": "averaged perceptron",
    "adaboost": "AdaBoost, 50 terms",
    "kernel": "SVM_ba, squared hinge, words and kernel features",
}
# Set, weighting, and of its topics every so many.
WHERE = (("news20", "tfidf", 1), ("scene", "counts", 1), ("reuters", "tfidf", 3))
