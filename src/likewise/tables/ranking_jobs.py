"""What is measured of bipartite ranking: ways to rank, larger budgets, and points among pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from likewise.tables.ranking_data import SOURCES

if TYPE_CHECKING:
    from likewise.tables.values import Job

WHOLE = ("wsvm", "ranksvm", "crr")  # learn from all there is
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
CHECKPOINTS = (
    100, 200, 400, 600, 800, 1000, 1500, 2000, 2500, 3000, 4000, 5000, 6000, 7000, BUDGET
)  # fmt: skip


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
    "rcv1.binary": Larger(50_000, 1250, 2),
    "mnist": Larger(40_000, 1000, 1),
}
DRAWN_MORE = ("random", "soft-close", "soft-correct")

SOFT = ("soft-close", "soft-correct")
# 1.0 is among the ways to rank.
GAMMAS: tuple[float | str, ...] = ("uniform", *(tenths / 10 for tenths in range(1, 10)))
GAMMA_POOLS = 5
FEWER = {"rcv1.binary": 3, "connect-4": 3, "covtype.binary": 3, "mnist": 3}  # these take longer


def jobs(seeds: int) -> list[Job]:
    """All of them, the ways to rank on all sets first; the larger sets come last."""
    return [
        *(job for name in SOURCES for job in _ways(name, seeds)),
        *(job for name in LARGER for job in _larger(name, seeds)),
        *(
            job
            for name in SOURCES
            for job in _gammas(name, min(seeds, FEWER.get(name, GAMMA_POOLS)))
        ),
    ]


def _ways(name: str, seeds: int) -> list[Job]:
    whole = [_job("ways", name, method, 0) for method in WHOLE]
    return whole + [_job("ways", name, way, seed) for way in POOLED for seed in range(seeds)]


def _larger(name: str, seeds: int) -> list[Job]:
    larger = LARGER[name]
    return [
        _job("budget", name, way, seed, budget=larger.budget, batch=larger.batch)
        for way in DRAWN_MORE
        for seed in range(min(seeds, larger.pools))
    ]


def _gammas(name: str, seeds: int) -> list[Job]:
    return [
        _job("gamma", name, way, seed, gamma=gamma, threshold=threshold)
        for way in SOFT
        for threshold in (False, True)
        for gamma in GAMMAS
        for seed in range(seeds)
    ]


def _job(part: str, name: str, method: str, seed: int, **others: Any) -> Job:
    job = {"data": f"ranking/{name}", "part": part, "set": name, "method": method, "seed": seed}
    return {**job, **others}
