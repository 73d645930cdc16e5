"""Ranking by pairs drawn while learning (active sampling): ASRankSVM and ASCRC of Shen & Lin.

Algorithm 1: learn w from some random pairs, select further pairs by it, and continue learning from
the last solution, until `budget` pairs are drawn. Nothing takes time or memory for each of all
pairs; single rows are read in place (core/pairs.h, draws.h).

With probability gamma a pair is drawn, otherwise a point, from either class with the same
probability. So the sampled problem is budget·C·[gamma·(mean loss over pairs) + (1 − gamma)·(half
the mean loss over the upper points + half of that over the lower)].
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likewise.errors import UsageError
from likewise.solvers.blocks import check_above_zero
from likewise.solvers.ranking import BUDGET, COST, LOSSES, check_loss, sides_of, total_weight
from likewise.solvers.solution import Solution
from likewise.solvers.stopping import Progress, first_of, gap_below, iterations

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from likewise.corpus import Corpus, Draws, Floats, Ids, RowAccess, Vector
    from likewise.losses import Sides
    from likewise.solvers.blocks import Blocks
    from likewise.solvers.stopping import Stop

    Numbers = NDArray[np.uint32]

STRATEGIES = {
    "random": ("soft", "random"),
    "soft-close": ("soft", "close"),
    "soft-correct": ("soft", "correct"),
    "hard-close": ("hard", "close"),
    "hard-correct": ("hard", "correct"),
}
DRAWS = 10_000  # at most per wanted pair; then drawing stops
MEANWHILE = 0.05  # relative gap before the last batch
HOPE = 2.0  # as in solvers/descent.py
CHECK_EVERY = 8  # epochs between exact checks, unless estimates ask for one earlier


@dataclass(frozen=True)
class Sampling:
    """How pairs are drawn; gamma `uniform` is the share of pairs among pairs and points."""

    strategy: str = "soft-correct"
    budget: int = BUDGET
    batch: int = 100
    gamma: float | str = 1.0
    threshold: bool = False
    bias_correction: bool = True
    seed: int = 0
    threads: int = 1

    def check(self) -> None:
        if self.strategy not in STRATEGIES:
            known = ", ".join(STRATEGIES)
            raise UsageError(f"unknown strategy {self.strategy!r}: choose {known}")
        for name, value in (("budget", self.budget), ("batch", self.batch)):
            check_above_zero(name, value)
            if value % 1 != 0:
                raise UsageError(f"{name} must be a whole number, not {value!r}")
        if self.gamma != "uniform" and not (isinstance(self.gamma, Real) and 0 <= self.gamma <= 1):
            raise UsageError(f"gamma must be a number from 0 to 1 or 'uniform', not {self.gamma!r}")

    def share(self, upper: int, lower: int) -> float:
        """Gamma as a number."""
        if self.gamma == "uniform":
            return upper * lower / (upper * lower + upper + lower)
        return float(self.gamma)


class Step(NamedTuple):
    """The progress: pairs and points drawn so far, and rejected draws of the last batch."""

    pairs: int
    rejected: int
    solve: Callable[[], tuple[Vector, float]]

    @property
    def w(self) -> tuple[Vector, float]:
        """The current query vector and its bias."""
        return self.solve()


class Chosen(NamedTuple):
    """The pairs learned from, as document numbers; −1 for the missing one of a point."""

    upper: Ids
    lower: Ids
    costs: Floats
    alphas: Floats


class Ranked(NamedTuple):
    solution: Solution
    chosen: Chosen
    rejected: list[int]  # rejected draws of each batch


def active(
    corpus: Corpus,
    blocks: Blocks,
    C: float = COST,
    sampling: Sampling | None = None,
    *,
    loss: str = "hinge",
    negative_weight: float = 0.5,
    stop: Stop | None = None,
    callback: Callable[[Step], object] | None = None,
) -> Ranked:
    """Learn from `budget` drawn pairs; from all pairs if there are not more."""
    sampling = sampling or Sampling()
    sampling.check()
    check_loss(loss, LOSSES)
    total_weight(C, sampling.budget)
    sides = sides_of(corpus, blocks, negative_weight)
    search = _Search(corpus, sides, C, sampling, loss)
    stop = stop or first_of(iterations(1000), gap_below(1e-3))
    search.run(stop, callback)
    return search.result()


class _Search:
    def __init__(
        self, corpus: Corpus, sides: Sides, C: float, sampling: Sampling, loss: str
    ) -> None:
        self._corpus, self._sides, self._C, self._sampling = corpus, sides, C, sampling
        self._ids = np.concatenate([sides.upper, sides.lower])
        self._zero = {"logistic": 0.6931471805599453}.get(loss, 1.0)  # the loss at margin 0
        self._gamma = sampling.share(len(sides.upper), len(sides.lower))
        self._rows = access(corpus, self._ids)
        self._pairs = self._rows.pairs(loss=loss, threshold=sampling.threshold, seed=sampling.seed)
        self._upper, self._lower = _numbers(), _numbers()
        self._chances, self._costs = np.zeros(0), np.zeros(0)
        self._rejected: list[int] = []
        self._rounds, self._progress = 0, Progress(0, 0, 0.0, 0.0, 0.0)

    def run(self, stop: Stop, callback: Callable[[Step], object] | None) -> None:
        if self._sampling.budget >= self._candidates:
            self._choose_all()
        else:
            self._choose(stop, callback)
        self._refit(stop)
        self._tell(callback)

    def _choose(self, stop: Stop, callback: Callable[[Step], object] | None) -> None:
        budget, batch = int(self._sampling.budget), int(self._sampling.batch)
        self._draw("random", min(batch, budget))
        while len(self._upper) < budget:
            self._refit_meanwhile(stop)
            self._tell(callback)
            if not self._draw(self._sampling.strategy, min(batch, budget - len(self._upper))):
                break

    @property
    def _candidates(self) -> int:
        upper, lower = len(self._sides.upper), len(self._sides.lower)
        pairs = upper * lower if self._gamma > 0 else 0
        return pairs + (upper + lower if self._gamma < 1 else 0)

    @cached_property
    def _draws(self) -> Draws:
        sampling = self._sampling
        return draws_of(self._rows, self._sides, self._gamma, sampling.seed, sampling.threads)

    def _draw(self, strategy: str, count: int) -> bool:
        """Draw `count` further pairs; returns whether there were as many."""
        how, kind = STRATEGIES[strategy]
        if how == "hard":
            upper, lower, chances, rejected = self._draws.hard(self._pairs, kind, count)
        else:
            most = DRAWS * count
            upper, lower, chances, rejected = self._draws.soft(self._pairs, kind, count, most)
        self._take(upper, lower, chances)
        self._rejected.append(rejected)
        if len(upper) < count:
            warnings.warn(
                f"no more pairs are accepted: {len(self._upper)} of "
                f"budget={self._sampling.budget} were drawn with strategy={strategy!r}; lower the "
                "budget, or use soft-close",
                stacklevel=7,
            )
        return len(upper) == count

    def _take(self, upper: Numbers, lower: Numbers, chances: Floats) -> None:
        self._pairs.add(upper, lower)
        self._upper = np.concatenate([self._upper, upper])
        self._lower = np.concatenate([self._lower, lower])
        self._chances = np.concatenate([self._chances, chances])
        corrected = self._sampling.bias_correction
        inverse = 1.0 / self._chances if corrected else np.ones_like(self._chances)
        self._set_costs(len(self._upper) * self._C * inverse / max(inverse.sum(), 1e-300))

    def _set_costs(self, costs: Floats) -> None:
        self._costs = np.ascontiguousarray(costs)
        self._pairs.set_costs(self._costs)

    def _choose_all(self) -> None:
        """Use all pairs and points, with the weights that they have on average when drawn."""
        sides, sampling = self._sides, self._sampling
        warnings.warn(
            f"budget={sampling.budget} is not below the {self._candidates} pairs and points: "
            "all are used, and nothing is drawn",
            stacklevel=6,
        )
        upper, lower = len(sides.upper), len(sides.lower)
        tops, bottoms = sides.shares[sides.upper], sides.shares[sides.lower]
        first, second = np.arange(upper), upper + np.arange(lower)
        pieces: list[tuple[Any, Any, Any]] = []
        if self._gamma > 0:
            weights = self._gamma * np.outer(tops, bottoms).ravel()
            pieces.append((np.repeat(first, lower), np.tile(second, upper), weights))
        if self._gamma < 1:
            half = 0.5 * (1.0 - self._gamma)
            pieces.append((first, np.full(upper, self._rows.nobody), half * tops))
            pieces.append((np.full(lower, self._rows.nobody), second, half * bottoms))
        ups, lows, weights = (np.concatenate(each) for each in zip(*pieces, strict=True))
        self._upper, self._lower = ups.astype(np.uint32), lows.astype(np.uint32)
        self._pairs.add(self._upper, self._lower)
        self._rejected.append(0)
        self._set_costs(sampling.budget * self._C * weights)

    def _refit_meanwhile(self, stop: Stop) -> None:
        """Continue from the current multipliers, to a rough gap: more pairs will follow.

        The gap is the estimate of an epoch, without an exact check.
        """
        rounds, progress = 0, Progress(0, 0, 0.0, 0.0, self._at_zero)
        near = first_of(stop, gap_below(MEANWHILE))
        while rounds == 0 or not near(progress):
            primal, dual, _ = self._pairs.epoch()
            rounds += 1
            if rounds == 1:  # the only epoch that visits all pairs
                progress = progress._replace(bound=dual)
            gap = max(primal - dual, 0.0) / HOPE
            progress = progress._replace(objective=progress.bound + gap, iterations=rounds)
        self._rounds += rounds

    def _refit(self, stop: Stop) -> None:
        """Continue from the current multipliers, to an exact gap."""
        rounds, progress = 0, self._exact(0)
        while not stop(progress):
            primal, dual, _ = self._pairs.epoch()
            rounds += 1
            hoped = progress._replace(
                objective=progress.bound + max(primal - dual, 0.0) / HOPE, iterations=rounds
            )
            if rounds % CHECK_EVERY == 0 or stop(hoped):
                progress = self._exact(rounds)
        self._rounds += rounds
        self._progress = progress

    def _tell(self, callback: Callable[[Step], object] | None) -> None:
        if callback is not None:
            callback(Step(len(self._upper), self._rejected[-1], self._query))

    @property
    def _at_zero(self) -> float:
        return self._zero * float(self._costs.sum())

    def _exact(self, rounds: int) -> Progress:
        primal, dual, visits = self._pairs.check()
        at_zero = self._at_zero
        passes = -(-2 * visits // max(len(self._ids), 1))
        return Progress(passes, rounds, min(primal, at_zero), dual, at_zero)

    def _query(self) -> tuple[Vector, float]:
        support, weights = self._weights()
        w = self._corpus.rows(support).weighted_sum(weights)
        return self._corpus.arrays.vector(w), -self._pairs.theta

    def _weights(self) -> tuple[Ids, Floats]:
        """The documents that w is a weighted sum of, and their weights."""
        alpha, weights = self._pairs.alpha, np.zeros(len(self._ids) + 1)
        last = len(self._ids)  # the zero vector
        np.add.at(weights, np.minimum(self._upper, last), alpha)
        np.add.at(weights, np.minimum(self._lower, last), -alpha)
        used = np.flatnonzero(weights[:last])
        return self._ids[used], weights[used]

    def result(self) -> Ranked:
        support, weights = self._weights()
        w, bias = self._query()
        progress = self._progress._replace(iterations=max(self._rounds, 1))
        numbers = np.append(self._ids, -1)
        upper = numbers[np.minimum(self._upper, len(self._ids))]
        lower = numbers[np.minimum(self._lower, len(self._ids))]
        chosen = Chosen(upper, lower, self._costs, self._pairs.alpha)
        solution = Solution(self._corpus.arrays, w, weights, progress, bias, support)
        return Ranked(solution, chosen, self._rejected)


def access(corpus: Corpus, ids: Ids) -> RowAccess:
    rows = corpus.row_access(ids)
    if rows is None:
        raise UsageError(
            "drawing pairs needs access to single rows, which this engine does not have: use "
            "RankSVM, which works in passes"
        )
    return rows


def draws_of(rows: RowAccess, sides: Sides, gamma: float, seed: int, threads: int = 1) -> Draws:
    upper, lower = sides.shares[sides.upper], sides.shares[sides.lower]
    return rows.draws(upper, lower, gamma=gamma, seed=seed, threads=threads)


def _numbers() -> Numbers:
    return np.zeros(0, np.uint32)
