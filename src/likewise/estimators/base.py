"""Base classes of the estimators."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import average_precision_score
from sklearn.utils import ClassifierTags, Tags, assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from likewise.engines.memory import as_corpus, is_corpus
from likewise.engines.sparse import check_sparse
from likewise.errors import UsageError
from likewise.estimators.labels import blocks_of, labels_of, threshold_of
from likewise.solvers.blocks import check_above_zero
from likewise.solvers.solution import sparse
from likewise.solvers.stopping import first_of, gap_below, iterations

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from likewise.corpus import Corpus, SparseVector
    from likewise.solvers.blocks import Blocks
    from likewise.solvers.solution import Solution
    from likewise.solvers.stopping import Stop


def validated(estimator: Any, X: Any, *y: ArrayLike, reset: bool = True) -> Any:
    """X, or X and y, checked by scikit-learn, which assumes that a sparse X is well-formed.

    Whether the numbers of a sparse X are finite is left to `_matrix`.
    """
    dense = not issparse(X)
    if not dense:
        check_sparse(X)
    given = {"accept_sparse": "csr", "dtype": np.float64, "ensure_all_finite": dense}
    return validate_data(estimator, X, *y, reset=reset, **given)


def documents_of(estimator: Any, X: Any, *, reset: bool) -> Corpus:
    """X as a corpus, to fit on (`reset`) or to score; it must then have the fitted features."""
    if not is_corpus(X):
        return _matrix(estimator, validated(estimator, X, reset=reset))
    if reset:
        estimator.n_features_in_ = X.shape[1]
    elif X.shape[1] != estimator.n_features_in_:
        name, known = type(estimator).__name__, estimator.n_features_in_
        raise UsageError(f"X has {X.shape[1]} terms, but {name} was fitted on {known}")
    return as_corpus(X)


def _matrix(estimator: Any, X: Any) -> Corpus:
    """A corpus of validated X. The lengths of sparse rows tell what is not finite: fitting needs
    them, and they are had faster than by looking at each number.
    """
    corpus = as_corpus(X, checked=True)
    if issparse(X) and not np.isfinite(corpus.squares).all():
        assert_all_finite(X, input_name="X", estimator_name=type(estimator).__name__)
    return corpus


def scores_of(corpus: Corpus, w: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores with NumPy arrays in and out, on any device."""
    scores = corpus.arrays.host(corpus.scores(corpus.arrays.vector(w)))
    return np.asarray(scores, np.float64)


def _known_scores(solution: Solution) -> NDArray[np.float64] | None:
    """Those of all documents, if the solver knows them."""
    if solution.scores is None or solution.ids is not None:
        return None
    return np.asarray(solution.arrays.host(solution.scores), np.float64)


class Query(BaseEstimator):  # type: ignore[misc]
    """A query vector.

    classes_: the labels of y; threshold_: the score above which `predict` says example.
    coef_: the vector (n_features,); sparse_coef_: its non-zero weights; intercept_: the bias.
    support_: the documents that it is a weighted sum of; dual_coef_: their weights,
    coef_ = Σ dual_coef_[i]·X[support_[i]]; passes_: the number of passes over the documents.
    """

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the query vector from documents X and their labels y.

        X: an array, a sparse matrix or a Corpus, a row for each document. y: 1 for an example, 0
        for an unlabeled document, −1 for one judged non-relevant; or any two labels, the greater
        one for the examples. sample_weight: multiplies a document's share of the loss; 0 leaves
        it out. Returns the estimator itself.
        """
        corpus, given = self._checked(X, y)
        labels = labels_of(given, corpus.shape[0])
        solution = self._solve(corpus, blocks_of(labels, sample_weight))
        self.coef_ = corpus.arrays.host(solution.w)
        self.intercept_ = solution.bias
        self.support_ = solution.support
        self.dual_coef_ = solution.alphas
        self.passes_ = solution.progress.passes
        self.n_iter_ = max(solution.progress.iterations, 1)
        self.classes_, self._others = labels.classes, labels.others
        scores = _known_scores(solution)
        scores = scores_of(corpus, self.coef_) if scores is None else scores
        self.threshold_ = threshold_of(scores + self.intercept_, labels, sample_weight)
        self._note(solution)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The label of the examples for documents that score above `threshold_`.

        That is where balanced accuracy was highest on the documents it was fitted on, whose scores
        are better than those of new ones: TunedThresholdClassifierCV finds one by cross-validation.
        """
        found = self.decision_function(X) > self.threshold_
        labels: NDArray[Any] = np.where(found, self.classes_[-1], self._others)
        return labels

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The documents' scores: higher is more similar to the examples."""
        check_is_fitted(self)
        return scores_of(self._corpus(X), self.coef_) + self.intercept_

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """The average precision of y = 1 against the rest."""
        check_is_fitted(self)
        relevant = np.asarray(y) == self.classes_[-1]
        if not relevant.any():
            raise UsageError(f"no document has y = {self.classes_[-1]}: score needs at least one")
        scores = self.decision_function(X)
        return float(average_precision_score(relevant, scores, sample_weight=sample_weight))

    @property
    def sparse_coef_(self) -> SparseVector:
        check_is_fitted(self)
        return sparse(self.coef_)

    def _solve(self, corpus: Corpus, blocks: Blocks) -> Solution:
        raise NotImplementedError

    def _note(self, solution: Solution) -> None:
        """Set attributes that only some estimators have."""

    def _checked(self, X: Any, y: ArrayLike) -> tuple[Corpus, ArrayLike]:
        """X and y to fit on."""
        if is_corpus(X):
            self.n_features_in_ = X.shape[1]
            return as_corpus(X), y
        X, labels = validated(self, X, y)
        if labels.dtype.kind not in "biu":  # whole numbers are labels
            check_classification_targets(labels)
        return _matrix(self, X), labels

    def _corpus(self, X: Any) -> Corpus:
        """X to score; it must have the fitted features."""
        return documents_of(self, X, reset=False)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.estimator_type = "classifier"
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags


class SVM(Query):
    """A query vector that minimises ½‖w‖² + C·loss.

    objective_: its final value; duality_gap_: a bound on how far that is above the minimum. The
    gap is at most tol times the objective, and tol times the decrease from w = 0.
    """

    tol: float
    max_iter: int

    def _stop(self) -> Stop:
        check_above_zero("tol", self.tol)
        check_above_zero("max_iter", self.max_iter)
        return first_of(iterations(self.max_iter), gap_below(self.tol))

    def _note(self, solution: Solution) -> None:
        progress = solution.progress
        self.objective_, self.duality_gap_ = progress.objective, progress.gap
        if progress.relative_gap > self.tol:
            warnings.warn(
                f"{type(self).__name__} stopped after {progress.iterations} iterations with a "
                f"relative gap of {progress.relative_gap:.2g}, above tol={self.tol:g}: raise "
                "max_iter or tol, or lower C",
                ConvergenceWarning,
                stacklevel=3,
            )
