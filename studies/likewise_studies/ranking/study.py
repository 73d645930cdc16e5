"""Bipartite ranking (Shen & Lin), tables 2-7 and figures 1-6: AUC, t-tests, time, curves and gamma.

Five folds, or the test file where the paper used one; --seeds is the number of initial pools, 10
in the paper. What takes longest is tried with fewer: ranking_jobs says which.
"""

from __future__ import annotations

import time
import warnings
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from likewise_studies.ranking.data import load
from likewise_studies.ranking.jobs import CHECKPOINTS, LARGER, POOLED, jobs
from likewise_studies.ranking.others import OTHERS
from likewise_studies.ranking.sections import sections

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from likewise.estimators import Curve
    from likewise.evaluation.studies import Job, Numbers

__all__ = ["jobs", "run", "sections"]

VERSION = 1


def run(job: Job, data: Path) -> Numbers:
    parts, estimator = load(job["set"], data), estimator_of(job)
    auc, seconds, rejected, curves = [], [], 0, []
    for train, test in islice(parts.splits(), job.get("folds")):
        watch = _watch(job, parts.X[test], parts.y[test])
        if watch is not None:
            estimator.set_params(callback=watch)
            curves.append(watch.curve)
        began = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a gap that max_iter left
            estimator.fit(parts.X[train], parts.y[train])
        seconds.append(time.process_time() - began - (watch.seconds if watch else 0.0))
        auc.append(estimator.score(parts.X[test], parts.y[test]))
        rejected += getattr(estimator, "n_rejected_", 0)
    return {
        "AUC": float(np.mean(auc)),
        "folds": auc,
        "seconds": float(np.mean(seconds)),
        "rejected": rejected / len(auc),
        **_mean_curve(curves),
    }


def estimator_of(job: Job) -> Any:
    from likewise.estimators import ActiveRankSVM, CombinedRankingRegression, RankSVM, WeightedSVM

    method = job["method"]
    if method in OTHERS:
        return OTHERS[method](job["seed"])
    if method in POOLED:
        given = {
            name: job[name] for name in ("budget", "batch", "gamma", "threshold") if name in job
        }
        return ActiveRankSVM(
            strategy=POOLED[method],
            random_state=job["seed"],
            bias_correction=not method.endswith(" plain"),
            tol=1e-2,
            **given,
        )
    fixed = {
        "wsvm": WeightedSVM(),
        "ranksvm": RankSVM(),
        "crr": CombinedRankingRegression(points="as_pairs"),
    }
    return fixed[method]


class _Watch:
    """A curve, and the CPU seconds spent on it, which are not the method's."""

    def __init__(self, curve: Curve) -> None:
        self.curve, self.seconds = curve, 0.0

    def __call__(self, step: Any) -> None:
        began = time.process_time()
        self.curve(step)
        self.seconds += time.process_time() - began


def _watch(job: Job, X: Any, y: Any) -> _Watch | None:
    from likewise.estimators import Curve

    if job["method"] not in POOLED or job["part"] == "gamma":
        return None
    at = LARGER[job["set"]].checkpoints if job["part"] == "budget" else CHECKPOINTS
    return _Watch(Curve(X, y, at=at))


def _mean_curve(curves: Sequence[Curve]) -> Numbers:
    """The mean over folds, as far as all of them came: drawing may end before the budget does."""
    if not curves:
        return {}
    shortest = min(curves, key=lambda curve: len(curve.pairs))
    points = len(shortest.pairs)
    return {
        "pairs": shortest.pairs,
        "curve": [float(np.mean([c.auc[i] for c in curves])) for i in range(points)],
        "rejections": [float(np.mean([c.rejected[i] for c in curves])) for i in range(points)],
    }
