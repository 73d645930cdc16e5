"""Means over topics and tests between methods, only over the same topics."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean
from typing import TYPE_CHECKING, Any

from likewise.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from likewise.evaluation.runs import Result

TOPIC = ("topic", "seed")


class Group:
    """Results of one row: of one method, over topics and seeds."""

    def __init__(self, results: Sequence[Result], expected: frozenset[tuple[Any, ...]]) -> None:
        self.results = results
        self.topics = {_topic(r): r for r in results if r.missing is None}
        self._expected = expected

    @property
    def problem(self) -> str | None:
        """Why there is no mean, as a sentence for the row."""
        lacking = len(self._expected - self.topics.keys())
        if not lacking:
            return None
        reasons = sorted({r.missing for r in self.results if r.missing})
        why = "; ".join(reasons) or "not measured"
        if lacking == len(self._expected):
            return why
        return f"{lacking} of {len(self._expected)} topics are missing: {why}"

    def values(self, name: str) -> list[float]:
        """One number per topic, in the order of topics."""
        return [self.topics[topic].numbers[name] for topic in sorted(self.topics, key=repr)]

    def mean(self, name: str) -> float | None:
        """The mean over all topics; None if any is missing."""
        if self.problem or not self.topics:
            return None
        values = self.values(name)
        return None if any(value is None for value in values) else fmean(values)


def groups(
    results: Iterable[Result],
    row: Callable[[Result], Hashable],
    block: Callable[[Result], Hashable] = lambda result: None,
) -> dict[Any, dict[Any, Group]]:
    """Results by block and row; rows of one block must have the same topics, or have no mean."""
    sorted_: dict[Hashable, dict[Hashable, list[Result]]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        sorted_[block(result)][row(result)].append(result)
    return {name: _alike(rows) for name, rows in sorted_.items()}


def _alike(rows: dict[Hashable, list[Result]]) -> dict[Hashable, Group]:
    expected = frozenset(_topic(r) for results in rows.values() for r in results)
    return {row: Group(results, expected) for row, results in rows.items()}


def superiority(better: Sequence[float], worse: Sequence[float]) -> float:
    """The p-value of a one-sided paired t-test over the same topics; nan if nothing differs."""
    import numpy as np
    from scipy.stats import t

    if len(better) != len(worse):
        raise UsageError(
            f"a paired test of {len(better)} and {len(worse)} topics: both need the same topics"
        )
    differences = np.subtract(better, worse)
    if len(differences) < 2 or not differences.any():
        return float("nan")
    with np.errstate(divide="ignore"):  # equal differences have no variance: p is 0 or 1
        error = differences.std(ddof=1) / np.sqrt(len(differences))
        return float(t.sf(differences.mean() / error, len(differences) - 1))


def counted(number: int, noun: str) -> str:
    """A number and its noun, as in 1 topic and 2 topics."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def _topic(result: Result) -> tuple[Any, ...]:
    return tuple(result.job.get(name) for name in TOPIC)
