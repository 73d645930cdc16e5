"""A Dask cluster of processes on this machine, started once for all tests that want it."""

from __future__ import annotations

import atexit
from functools import cache
from typing import TYPE_CHECKING

from helpers.corpora import collection_by, in_shards, with_deletions
from likewise.engines.cluster.collection import ClusterEngine
from likewise.engines.cluster.tasks import Cluster
from likewise.weighting import WEIGHTINGS

if TYPE_CHECKING:
    import numpy as np

    from likewise.corpus import Corpus

PROCESSES = 4


@cache
def cluster() -> Cluster:
    made = Cluster(f"local:{PROCESSES}")
    atexit.register(made.close)
    return made


def engine() -> ClusterEngine:
    return ClusterEngine(cluster())


def clustered(counts: np.ndarray, weighting: str, threads: int = 1) -> Corpus:
    """Two parts, with deleted documents."""
    return collection_by(engine(), *with_deletions(counts)).corpus(WEIGHTINGS[weighting])


def clustered_in_shards(counts: np.ndarray, weighting: str, threads: int = 1) -> Corpus:
    """More parts, with numbers of their own; one is empty."""
    return collection_by(engine(), *in_shards(counts)).corpus(WEIGHTINGS[weighting])
