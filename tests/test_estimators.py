"""The scikit-learn face: parameters, checks, kinds of input, and figures on real data."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from likewise.estimators import (
    F1SVM,
    BalancedSVM,
    BreakEvenSVM,
    Centroid,
    OneClassSVM,
    PrecisionAtK,
    PrecisionRecallSVM,
    RecallAtK,
    Rocchio,
)
from likewise.matrix import as_corpus
from likewise.measures import AveragePrecision, RPrecision, ranked
from likewise.solvers import methods

ALL = [
    Centroid(),
    Rocchio(),
    OneClassSVM(),
    BalancedSVM(),
    BalancedSVM(loss="squared_hinge", fit_intercept=True),
    PrecisionRecallSVM(),
    F1SVM(),
    BreakEvenSVM(),
    PrecisionAtK(),
    RecallAtK(),
]
LEARNING_FROM_U = [e for e in ALL if not isinstance(e, Centroid | OneClassSVM)]
SVMS = [e for e in ALL if not isinstance(e, Centroid | Rocchio)]

EXPECTED_FAILURES: dict[str, str] = {}


@parametrize_with_checks(ALL, expected_failed_checks=lambda e: EXPECTED_FAILURES)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
