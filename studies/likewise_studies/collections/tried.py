"""Other settings of `auto`: `python -m likewise_studies.collections.tried DATA SIZE [SEEDS]`.

MAP of each as a multiple of that of `auto` as it is, on the development halves and on the narrow
topics that no table reports: what may be looked at to decide. docs/auto-measured.md has a summary.
"""

from __future__ import annotations

import math
import sys
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from likewise.evaluation.by_example import experiment
from likewise.search import auto
from likewise_studies.collections import data, narrow

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from likewise.evaluation.by_example.collection import Collection

SETTINGS: dict[str, dict[str, Any]] = {
    "as it is": {},
    "nothing joins": {"LIKELY": 0},
    "at most five join": {"LIKELY": 5},
    "narrow from 0.35": {"NARROW": 0.35},
    "a quarter of the cost": {"COST": auto.COST / 4},
    "twice the cost": {"COST": 2 * auto.COST},
    "2,000 others": {"NEAR": (1_000, 1_000), "FAR": (1_000, 1_000)},
    "6,000 others": {"NEAR": (4_000, 4_000), "FAR": (2_000, 2_000)},
}
SMALL = ("cacm", "cisi", "cranfield", "csfcube", "med", "nfcorpus", "npl", "scifact", "time")
NAMES = (*SMALL, "reuters")
ENOUGH = 5  # topics


@contextmanager
def setting(values: Mapping[str, Any]) -> Iterator[None]:
    """`auto` with other constants."""
    before = {name: getattr(auto, name) for name in values}
    try:
        for name, value in values.items():
            setattr(auto, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(auto, name, value)


def measured(found: Collection, topics: list[str], size: int, seeds: int) -> list[float]:
    """MAP by each setting."""
    jobs = [
        {"method": "auto", "size": size, "topic": topic, "seed": seed}
        for topic in topics
        for seed in range(seeds)
    ]
    means = []
    for values in SETTINGS.values():
        with setting(values):
            means.append(fmean(experiment.run(job, found)["AP"] for job in jobs))
    return means


def _collections(folder: Path, size: int) -> Iterator[tuple[str, Collection, list[str]]]:
    for name in NAMES:
        found = data.collection(name, folder)
        known = data.chosen()[name]
        topics = [t for t in data.topics(name, "development") if known[t] >= 2 * size]
        yield name, found, topics
    for name, found in narrow._collections(folder):
        yield name, found, [t for t, members in found.topics.items() if len(members) >= 2 * size]


def main(folder: Path, size: int, seeds: int = 1) -> None:
    print(f"| {size} examples | topics | {' | '.join(SETTINGS)} |")
    print("|---" * (2 + len(SETTINGS)) + "|")
    ratios: dict[bool, list[list[float]]] = {}
    for name, found, topics in _collections(folder, size):
        if len(topics) >= ENOUGH:
            means = measured(found, topics, size, seeds)
            shown = " | ".join(f"{mean:.3f}" for mean in means)
            print(f"| {name} | {len(topics)} | {shown} |", flush=True)
            ratios.setdefault(name in NAMES, []).append([mean / means[0] for mean in means])
    for judged, rows in ratios.items():
        columns = list(zip(*rows, strict=True))
        means = [math.exp(fmean(map(math.log, column))) for column in columns]
        better = [sum(ratio > 1 for ratio in column) for column in columns]
        shown = " | ".join(f"{m:.3f} ({b})" for m, b in zip(means, better, strict=True))
        print(f"| {'collections' if judged else 'narrow'} (better) | {len(rows)} | {shown} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), *map(int, sys.argv[3:]))
