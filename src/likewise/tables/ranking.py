"""Bipartite ranking (Shen & Lin), tables 2-6: AUC, t-tests and time of eight ways to rank.

Five folds, or the test file where the paper used one; --seeds is the number of initial pools, 10
in the paper. Where the paper does not say how values are scaled: mnist is divided by 255 and letter
scaled to [0, 1], with which WSVM comes to the paper's AUC (in [−1, 1], as LIBSVM's page has letter,
to .969 and not .981); the others are as on that page.
"""

from __future__ import annotations

import time
import warnings
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likewise.tables.ranking_sections import sections
from likewise.tables.values import MissingError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from likewise.tables.values import Job, Numbers

__all__ = ["jobs", "run", "sections"]

FOLDS = 5
POOLED = {
    "random": "random",
    "soft-close": "soft-close",
    "soft-correct": "soft-correct",
    "soft-close plain": "soft-close",
    "soft-correct plain": "soft-correct",
    "hard-close": "hard-close",
    "hard-correct": "hard-correct",
}


class Source(NamedTuple):
    """A folder under ranking/: its columns, whether it has a test file, and (x + shift)/divisor."""

    features: int
    has_test: bool = False
    shift: float = 0.0
    divisor: float = 1.0


SOURCES = {
    "shuttle": Source(9, has_test=True),
    "a9a": Source(123, has_test=True),
    "letter": Source(16, shift=1.0, divisor=2.0),
    "ijcnn1": Source(22),
    "rcv1.binary": Source(47236),
    "covtype.binary": Source(54),
    "connect-4": Source(126),
    "mnist": Source(780, has_test=True, divisor=255.0),
}


def jobs(seeds: int) -> list[Job]:
    made: list[Job] = []
    for name in SOURCES:
        made += [_job(name, method, 0) for method in ("wsvm", "ranksvm", "crr")]
        made += [_job(name, method, seed) for method in POOLED for seed in range(seeds)]
    return made


def _job(name: str, method: str, seed: int) -> Job:
    return {"data": f"ranking/{name}", "set": name, "method": method, "seed": seed}


def run(job: Job, data: Path) -> Numbers:
    parts = load(job["set"], data)
    estimator = estimator_of(job["method"], job["seed"])
    auc, seconds, rejected = [], [], 0
    for train, test in parts.splits():
        began = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a gap that max_iter left
            estimator.fit(parts.X[train], parts.y[train])
        seconds.append(time.process_time() - began)
        auc.append(estimator.score(parts.X[test], parts.y[test]))
        rejected += getattr(estimator, "n_rejected_", 0)
    return {
        "AUC": float(np.mean(auc)),
        "folds": auc,
        "seconds": float(np.mean(seconds)),
        "rejected": rejected / len(auc),
    }


def estimator_of(method: str, seed: int) -> Any:
    from likewise.estimators import ActiveRankSVM, CombinedRankingRegression, RankSVM, WeightedSVM

    if method in POOLED:
        plain = method.endswith(" plain")
        return ActiveRankSVM(
            strategy=POOLED[method], random_state=seed, bias_correction=not plain, tol=1e-2
        )
    fixed = {
        "wsvm": WeightedSVM(),
        "ranksvm": RankSVM(),
        "crr": CombinedRankingRegression(points="as_pairs"),
    }
    return fixed[method]


class Parts(NamedTuple):
    X: Any
    y: Any
    tested: int  # of the last rows, if there is a test file

    def splits(self) -> Iterator[tuple[Any, Any]]:
        """Rows to learn from, and to rank."""
        from sklearn.model_selection import StratifiedKFold

        if self.tested:
            rows, first = np.arange(len(self.y)), len(self.y) - self.tested
            return iter([(rows[:first], rows[first:])])
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
        return folds.split(np.zeros(len(self.y)), self.y)  # type: ignore[no-any-return]


@lru_cache(maxsize=1)
def load(name: str, data: Path) -> Parts:
    from scipy.sparse import vstack

    source, folder = SOURCES[name], data / "ranking" / name
    X, y = _read(folder, "train", source)
    if not source.has_test:
        return Parts(X, y, 0)
    other, labels = _read(folder, "test", source)
    return Parts(vstack([X, other]).tocsr(), np.append(y, labels), len(labels))


def _read(folder: Path, part: str, source: Source) -> tuple[Any, Any]:
    from scipy.sparse import csr_matrix
    from sklearn.datasets import load_svmlight_file

    found = sorted(folder.glob(f"{part}.svm*"))
    if not found:
        raise MissingError(f"{folder / part}.svm is not there: name the folder of data with --data")
    X, y = load_svmlight_file(str(found[0]), n_features=source.features)
    if source.shift:
        X = csr_matrix(X.toarray() + source.shift)
    return X / source.divisor, np.where(y > 0, 1, -1)
