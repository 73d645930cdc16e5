"""scikit-learn estimators that learn a query vector from examples: fit(X, y), then rank by it.

X is an array, a sparse matrix or a Corpus. y is 1 for an example, 0 for an unlabeled document and
−1 for one judged non-relevant; if there is no 0, −1 means unlabeled. A sample weight multiplies
a document's share of the loss, and 0 leaves the document out. Any other two labels will do: the
greater one is that of the examples.

They rank: decision_function is what they are for, and `coef_`, the query vector, has one dimension.
predict compares it with `threshold_`, found on the fitted documents. With two labels, they work in
cross_val_predict and CalibratedClassifierCV, which makes probabilities of scores. `score` is the
average precision of y = 1 against the rest; for those of estimators/ranking.py, in which all others
(0 or −1) should rank below the examples, it is the AUC. GridSearchCV needs an example in each fold.

NuOneClassSVM and SVDD are outlier detectors, which learn from X alone.
"""

from likewise.estimators.means import Centroid, Rocchio
from likewise.estimators.measures import (
    F1SVM,
    BreakEvenSVM,
    PrecisionAtK,
    PrecisionRecallSVM,
    RecallAtK,
)
from likewise.estimators.oneclass import SVDD, NuOneClassSVM
from likewise.estimators.ranking import (
    ActiveRankSVM,
    CombinedRankingRegression,
    Curve,
    RankSVM,
    WeightedSVM,
)
from likewise.estimators.svms import BalancedSVM, OneClassSVM

__all__ = [
    "F1SVM",
    "SVDD",
    "ActiveRankSVM",
    "BalancedSVM",
    "BreakEvenSVM",
    "Centroid",
    "CombinedRankingRegression",
    "Curve",
    "NuOneClassSVM",
    "OneClassSVM",
    "PrecisionAtK",
    "PrecisionRecallSVM",
    "RankSVM",
    "RecallAtK",
    "Rocchio",
    "WeightedSVM",
]
