"""scikit-learn estimators that learn a query vector from examples: fit(X, y), then rank by it.

X is an array, a sparse matrix or a Corpus. y is 1 for an example, 0 for an unlabeled document and
−1 for one judged non-relevant; where no 0 occurs, −1 means unlabeled. A sample weight multiplies
a document's share of the loss, and 0 leaves it out.

They rank and do not classify: there is decision_function but no predict, and `coef_`, the query
vector, has one dimension. `score` is the average precision of y = 1 against the rest. GridSearchCV
needs examples in every fold: give it cv=StratifiedKFold(…).
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import average_precision_score
from sklearn.utils.validation import check_is_fitted, validate_data

from likewise.corpus import Corpus, SparseVector
from likewise.errors import UsageError
from likewise.losses import F1, Measure, PrecisionAt, PrecisionRecall, RecallAt
from likewise.matrix import as_corpus, is_corpus
from likewise.solvers import methods
from likewise.solvers.blocks import Blocks
from likewise.solvers.stopping import Stop, first_of, gap_below, iterations

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from likewise.solvers.solution import Solution

    Examples = Corpus | ArrayLike | Any
