"""From examples to a query vector: each method sets up its problem and hands it to a solver.

The problems are those of Zhang & Lee, Query-By-Multiple-Examples using Support Vector Machines
(2009). `scaling` is `balanced` (the examples' weights sum to 1, the unlabeled documents' too) or
`printed` (as in the paper). Negatives are a third block that shares `negative_weight` times
what the unlabeled documents share; they need no unlabeled documents beside them in `centroid`
and `one_class`, which look at the judged documents alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.errors import UsageError
from likewise.losses import Both, FreeTables, Loss, SizedTables, SquaredHinge
from likewise.solvers.blocks import (
    Blocks,
    Side,
    check_C,
    check_examples,
    check_k,
    hinge,
    scale_of,
)
from likewise.solvers.bundle import bundle
from likewise.solvers.corpora import Biased
from likewise.solvers.dual import dual
from likewise.solvers.newton import newton
from likewise.solvers.solution import Solution
from likewise.solvers.stopping import Progress, first_of, gap_below, iterations

if TYPE_CHECKING:
    from likewise.corpus import Corpus, Ids
    from likewise.losses import Floats, FreeMeasure, Hinge, SizedMeasure
    from likewise.solvers.stopping import Report, Stop

NEGATIVE_WEIGHT = 0.5  # β of Rocchio's feedback formula
FEW = 1000  # documents whose products with each other are formed
CONVERGED = first_of(iterations(1000), gap_below(1e-3))


def centroid(
    corpus: Corpus, blocks: Blocks, *, negative_weight: float = NEGATIVE_WEIGHT
) -> Solution:
    """w = mean(P) − negative_weight · mean(N); only these documents are read."""
    check_examples(corpus, blocks)
    judged = np.concatenate([blocks.positives, blocks.negatives])
    weights = blocks.mean(blocks.positives, corpus.shape[0])
    if len(blocks.negatives):
        weights -= negative_weight * blocks.mean(blocks.negatives, corpus.shape[0])
    return _mean(corpus.take(judged), judged, weights[judged])


def rocchio(
    corpus: Corpus, blocks: Blocks, *, negative_weight: float = NEGATIVE_WEIGHT
) -> Solution:
    """w = mean(P) − mean(U) − negative_weight · mean(N)."""
    check_examples(corpus, blocks, with_unlabeled=True)
    n = corpus.shape[0]
    weights = blocks.mean(blocks.positives, n) - blocks.mean(blocks.unlabeled, n)
    if len(blocks.negatives):
        weights -= negative_weight * blocks.mean(blocks.negatives, n)
    return _mean(corpus, np.arange(n), weights)
