"""The same screening by ASReview's own classes, with its model elas_u4."""

from __future__ import annotations

import gzip
import time
import warnings
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from likewise.evaluation.simulation import Run
from likewise.evaluation.studies import MissingError

if TYPE_CHECKING:
    from pathlib import Path

PEER = "asreview elas_u4"


def asreview(path: Path, priors: list[int], seed: int, most: int | None = None) -> Run:
    """A simulation by ASReview's own classes, to the last relevant record or after so many."""
    try:
        from asreview.learner import ActiveLearningCycle
        from asreview.models.models import get_ai_config
        from asreview.simulation.simulate import Simulate
    except ImportError as error:
        raise MissingError("needs asreview: pip install 'likewise[bench]'") from error
    features, labels = _features(path)  # not a part of the time
    np.random.seed(seed)  # which LinearSVC draws from
    cycle = ActiveLearningCycle.from_meta(get_ai_config("elas_u4")["value"])
    stop = None if most is None else most + len(priors)
    simulation = Simulate(
        features, labels, cycle, stopper=stop, skip_transform=True, print_progress=False
    )
    simulation.label(priors)
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        simulation.review()
    seconds = time.process_time() - began
    order = simulation._results["record_id"].astype(int).tolist()[len(priors) :]
    found = (labels[order] == 1).tolist()
    return Run(
        collection=str(path),
        method=PEER,
        seed=seed,
        priors=priors,
        order=order,
        found=found,
        missed=int(labels.sum() - labels[priors].sum() - sum(found)),
        documents=len(labels),
        updates=len(order),
        seconds=seconds,
    )


@lru_cache(maxsize=1)
def _features(path: Path) -> tuple[Any, Any]:
    """What elas_u4 makes of the records' texts, the same for all seeds, and their labels."""
    from asreview.learner import ActiveLearningCycle
    from asreview.models.models import get_ai_config

    records, labels = _records(path)
    cycle = ActiveLearningCycle.from_meta(get_ai_config("elas_u4")["value"])
    return cycle.transform(records), labels


def _records(path: Path) -> tuple[Any, Any]:
    import pandas as pd

    with gzip.open(path, "rb") as lines:
        found = [msgspec.json.decode(line) for line in lines]
    texts = {name: [each.get(name) or "" for each in found] for name in ("title", "abstract")}
    return pd.DataFrame(texts), np.array([int(each["label"]) for each in found])
