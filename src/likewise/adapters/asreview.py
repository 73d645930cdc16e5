"""An extension of ASReview 3: the records as likewise sees them, and the model that learns there.

asreview simulate records.csv --feature-extractor likewise --classifier likewise --querier max

This module is found by entry points and needs nothing of ASReview: what it takes are components
with scikit-learn's interface.
"""

from __future__ import annotations

import math
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from likewise.document import Document
from likewise.engines.memory import as_corpus
from likewise.errors import UsageError
from likewise.feedback.twoclass import COST, ROUNDS, SHARE, TOL
from likewise.feedback.views import FACTORS, views_of
from likewise.index import Index
from likewise.losses import SquaredHinge
from likewise.solvers.descent import descend
from likewise.solvers.problems import smooth
from likewise.solvers.stopping import first_of, gap_below, iterations

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

__all__ = ["METADATA", "Likewise", "Records"]

NAME = "likewise"
METADATA = {
    "classifiers": {NAME: {"label": "likewise: two-class SVM"}},
    "feature_extractors": {NAME: {"label": "likewise: words and parts of titles"}},
}
WEIGHTING = "smooth"


class Records(BaseEstimator):  # type: ignore[misc]
    """Feature extractor: stemmed words of title and abstract, and parts of titles beside them.

    These are the rows that review sessions of likewise learn from, scaled to a mean square of 1.
    `columns` are those of the title and of the text; `language` is that of stemming and stop words.
    """

    name = NAME
    label = METADATA["feature_extractors"][NAME]["label"]

    def __init__(
        self, columns: Sequence[str] = ("title", "abstract"), language: str = "english"
    ) -> None:
        self.columns = columns
        self.language = language

    def fit_transform(self, X: Any, y: Any = None) -> csr_array:
        """A row for each record of a DataFrame."""
        if len(self.columns) != 2:
            raise UsageError(f"columns are {self.columns!r}: give that of the title and the text")
        for name in self.columns:
            if name not in X.columns:
                raise UsageError(f"the records have no column {name!r}: name others as columns")
        with TemporaryDirectory(prefix="likewise-") as folder:
            index = Index.create(
                Path(folder) / "records.idx", language=self.language, latent=0, titles=True
            )
            index.add(self._documents(X))
            views = views_of(index.searcher, FACTORS)
            rows = index.matrix(weighting=WEIGHTING, views=views.factors)
        return csr_array(rows / math.sqrt(views.length))

    def _documents(self, X: Any) -> Iterator[Document]:
        title, text = (X[name].fillna("").astype(str) for name in self.columns)
        for number, (heading, body) in enumerate(zip(title, text, strict=True)):
            yield Document(str(number), body, heading)


class Likewise(BaseEstimator):  # type: ignore[misc]
    """Classifier: the two-class SVM of likewise's reviews (likewise.feedback.twoclass).

    ½‖w‖² + ½b² + Σ c_i·max(0, 1 − y_i(w·x_i + b))²: it weighs relevant and other records itself, by
    how many there are of each, so it goes without a balancer. `cost` and `share` are those there.
    """

    name = NAME
    label = METADATA["classifiers"][NAME]["label"]

    def __init__(self, cost: float = COST, share: float = SHARE, tol: float = TOL) -> None:
        self.cost = cost
        self.share = share
        self.tol = tol

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from records X with labels y, 1 for those that are relevant."""
        if sample_weight is not None:
            raise UsageError("likewise weighs records itself: leave the balancer out")
        labels = np.asarray(y)
        signs = np.where(labels == 1, 1.0, -1.0)
        relevant = int((signs > 0).sum())
        others = len(signs) - relevant
        if not relevant or not others:
            raise UsageError("there are labels of one kind only: label a record of each")
        each = self.cost * math.sqrt(len(signs) / relevant)
        other = each * self.share * relevant / others
        corpus = as_corpus(X)
        arrays = corpus.arrays
        costs = np.where(signs > 0, each, other)
        loss = SquaredHinge(arrays, arrays.vector(costs), arrays.vector(signs))
        stop = first_of(iterations(ROUNDS), gap_below(self.tol))
        solution = descend(corpus, loss, 1.0, stop, bias=True)
        if solution is None:  # the engine has only passes
            solution = smooth(corpus, loss, 1.0, stop, None, bias=True)
        self.coef_ = arrays.host(solution.w)
        self.intercept_ = solution.bias
        self.classes_ = np.array([0, 1])
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        check_is_fitted(self)
        return np.asarray(X @ self.coef_, np.float64) + self.intercept_

    def predict(self, X: Any) -> NDArray[np.int64]:
        return (self.decision_function(X) > 0).astype(np.int64)
