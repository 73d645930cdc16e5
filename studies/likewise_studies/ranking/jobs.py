"""What is measured of bipartite ranking: ways to rank, larger budgets, and points among pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from likewise_studies.ranking.data import SOURCES
from likewise_studies.ranking.others import DRAWN, OTHERS

if TYPE_CHECKING:
    from likewise.evaluation.studies import Job

WHOLE = ("wsvm", "ranksvm", "crr")  # learn from all there is
ANSWER = {"crr": {"answer": "mean of steps"}}  # it was the last of them before
POOLED = {
    "random": "random",
    "soft-close": "soft-close",
    "soft-correct": "soft-correct",
    "soft-close plain": "soft-close",
    "soft-correct plain": "soft-correct",
    "hard-close": "hard-close",
    "hard-correct": "hard-correct",
}
BUDGET = 8000
CHECKPOINTS = (100, 200, 500, 1000, 2000, 3000, 4000, 6000, BUDGET)


class Larger(NamedTuple):
    """A budget beyond the others', and how many pools it is tried with at most."""

    budget: int
    batch: int
    pools: int

    @property
    def checkpoints(self) -> tuple[int, ...]:
        """The first batch, and twenty parts of the budget."""
        step = self.budget // 20
        return (self.batch, *range(step, self.budget + 1, step))


LARGER = {
    "a9a": Larger(100_000, 1250, 3),
    "rcv1.binary": Larger(50_000, 1250, 3),
    "mnist": Larger(40_000, 1000, 1),
}
DRAWN_MORE = ("random", "soft-close", "soft-correct")

SOFT = ("soft-close", "soft-correct")
# 1.0 is among the ways to rank.
GAMMAS: tuple[float | str, ...] = ("uniform", *(tenths / 10 for tenths in range(1, 10)))

# What takes longest is tried with fewer pools; gamma and larger budgets on the first of the folds.
GAMMA_POOLS = {"mnist": 3}
OTHER_GAMMA_POOLS = 5
HARD_POOLS = {"covtype.binary": 3}


def jobs(seeds: int) -> list[Job]:
    """All of them, the ways to rank on all sets first; the larger sets come last."""
    return [
        *(job for name in SOURCES for job in _ways(name, seeds)),
        *(job for name in LARGER for job in _larger(name, seeds)),
        *(job for name in SOURCES for job in _gammas(name, seeds)),
        *(job for name in SOURCES for job in _others(name, seeds)),
    ]


def _others(name: str, seeds: int) -> list[Job]:
    """On the test file, or on the first of the folds."""
    return [
        _job("others", name, method, seed, folds=1)
        for method in OTHERS
        for seed in range(min(seeds, DRAWN.get(method, 1)))
    ]


def _ways(name: str, seeds: int) -> list[Job]:
    whole = [_job("ways", name, method, 0, **ANSWER.get(method, {})) for method in WHOLE]
    hard = min(seeds, HARD_POOLS.get(name, seeds))
    return whole + [
        _job("ways", name, way, seed)
        for way in POOLED
        for seed in range(hard if way.startswith("hard") else seeds)
    ]


def _larger(name: str, seeds: int) -> list[Job]:
    larger = LARGER[name]
    return [
        _job("budget", name, way, seed, budget=larger.budget, batch=larger.batch, folds=1)
        for way in DRAWN_MORE
        for seed in range(min(seeds, larger.pools))
    ]


def _gammas(name: str, seeds: int) -> list[Job]:
    return [
        _job("gamma", name, way, seed, gamma=gamma, threshold=threshold, folds=1)
        for way in SOFT
        for threshold in (False, True)
        for gamma in GAMMAS
        for seed in range(min(seeds, GAMMA_POOLS.get(name, OTHER_GAMMA_POOLS)))
    ]


def _job(part: str, name: str, method: str, seed: int, **others: Any) -> Job:
    job = {"data": f"ranking/{name}", "part": part, "set": name, "method": method, "seed": seed}
    return {**job, **others}
