"""From examples to a query: who is who among the documents, and a method that learns from it."""

from __future__ import annotations

import time
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from likewise.errors import NotConverged, UsageError
from likewise.learned import LearnedQuery
from likewise.named import METHODS, Method, Options, choose, refuse_unused
from likewise.query import Learned
from likewise.solvers.blocks import Blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise.examples import Gathered
    from likewise.local import LocalCorpus
    from likewise.solvers.solution import Solution
    from likewise.solvers.stopping import Progress, Report
    from likewise.store.snapshot import Snapshot

CALLS = 6  # from a user's line to the warning, through Index


def learn(
    snapshot: Snapshot,
    corpus: LocalCorpus,
    gathered: Gathered,
    method: str,
    weighting: str,
    options: Options,
    report: Report | None = None,
) -> LearnedQuery:
    """`corpus` holds the index' documents and, behind them, those from outside."""
    began = time.perf_counter()
    if not len(gathered.liked):
        raise UsageError("no example was given: at least one document to be liked is needed")
    name, reason = choose(method, len(gathered.liked))
    refuse_unused(name, reason, options)
    blocks = _blocks(len(snapshot), gathered, METHODS[name], options)
    solution = _solve(corpus, blocks, METHODS[name], options, report)
    progress = solution.progress
    measured = not np.isnan(progress.objective)
    if measured and progress.relative_gap > options.tolerance:
        _warn(name, progress, options)
    learned = Learned(
        method=name,
        reason=reason,
        examples=len(gathered.liked),
        unlike=len(gathered.disliked),
        unlabeled=len(blocks.unlabeled),
        objective=progress.objective if measured else None,
        gap=progress.relative_gap if measured else None,
        passes=progress.passes,
        seconds=time.perf_counter() - began,
    )
    return LearnedQuery(snapshot, solution, gathered, weighting, learned)


def _warn(method: str, progress: Progress, options: Options) -> None:
    warnings.warn(
        f"method {method} stopped after {progress.passes} passes over the documents with a "
        f"relative gap of {progress.relative_gap:.2g}, above tol={options.tolerance:g}: "
        "raise max_passes or tol, or lower C",
        NotConverged,
        stacklevel=CALLS,
    )


def _blocks(documents: int, gathered: Gathered, method: Method, options: Options) -> Blocks:
    unlabeled = np.zeros(0, np.int64)
    if not method.online:
        judged = np.concatenate([gathered.liked, gathered.disliked])
        unlabeled = _sample(np.setdiff1d(np.arange(documents), judged), options)
    weights = None
    if options.weights is not None:
        weights = np.ones(documents + len(gathered.outside))
        given = _checked(options.weights, gathered.given)
        weights[gathered.liked] = [given[place] for place in gathered.origins]
    return Blocks(gathered.liked, unlabeled, gathered.disliked, weights)


def _checked(weights: Sequence[float], examples: int) -> Sequence[float]:
    if len(weights) != examples:
        raise UsageError(f"{len(weights)} weights for {examples} examples")
    if not all(0 < weight < float("inf") for weight in weights):
        raise UsageError("weights of examples must be numbers above 0")
    return weights


def _sample(unlabeled: NDArray[np.int64], options: Options) -> NDArray[np.int64]:
    size = options.sample_unlabeled
    if size is None:
        if options.seed is not None:
            raise UsageError("a seed needs sample_unlabeled: all else is not random")
        return unlabeled
    if size < 1:
        raise UsageError(f"a sample of {size} unlabeled documents: ask for at least one")
    seed = options.seed or 0
    if seed < 0:
        raise UsageError(f"seed is {seed}: it must be 0 or more")
    if size >= len(unlabeled):
        return unlabeled
    return np.sort(np.random.default_rng(seed).choice(unlabeled, size, replace=False))


def _solve(
    corpus: LocalCorpus, blocks: Blocks, method: Method, options: Options, report: Report | None
) -> Solution:
    """Over the whole corpus or, where most of it counts for nothing, over a view of the rest."""
    used = [blocks.positives, blocks.unlabeled, blocks.negatives]
    if method.online or 2 * sum(map(len, used)) > corpus.shape[0]:
        return method.solve(corpus, blocks, options, report)
    ids = np.concatenate(used)
    ends = np.cumsum([len(block) for block in used])
    positives, unlabeled, negatives = np.split(np.arange(len(ids)), ends[:-1])
    weights = None if blocks.weights is None else blocks.weights[ids]
    chosen = Blocks(positives, unlabeled, negatives, weights)
    solution = method.solve(corpus.take(ids), chosen, options, report)
    return replace(solution, support=ids[solution.support])
