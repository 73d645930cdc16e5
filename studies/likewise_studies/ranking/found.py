"""What was measured of bipartite ranking, by set and method, and the paper's t-test."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from likewise.evaluation.report.values import Row
    from likewise.evaluation.runs import Result
    from likewise.evaluation.studies import Job, Numbers

# Names as the paper has them; in its order.
NAMES = {
    "wsvm": "WSVM",
    "ranksvm": "ERankSVM",
    "crr": "CRR",
    "random": "random",
    "soft-close": "soft-close",
    "soft-correct": "soft-correct",
    "hard-close": "hard-close",
    "hard-correct": "hard-correct",
}
# The paper's name for our folders, and its sets that we do not have.
FOLDERS = {"rcv1.binary": "rcv1", "covtype.binary": "covtype", "connect-4": "connect"}
ABSENT = ("protein", "news20", "bank", "acoustic", "real-sim", "url")
LEVEL = 0.05


class Pools:
    """A method's numbers on one set, by initial pool; `missing` says what is not there, and why."""

    def __init__(self, by_seed: dict[int, Numbers] | None = None, missing: str = "") -> None:
        self.by_seed = by_seed or {}
        self._lacking, self.why = 0, missing

    def add(self, result: Result) -> None:
        if result.missing is None:
            self.by_seed[result.job["seed"]] = result.numbers
        else:
            self._lacking, self.why = self._lacking + 1, result.missing

    @property
    def missing(self) -> str:
        if not (self._lacking and self.by_seed):
            return self.why
        return f"{self._lacking} of {self._lacking + len(self)} pools are missing: {self.why}"

    def of(self, seeds: Iterable[int]) -> Pools:
        """Some of them: a comparison is over the same pools."""
        some = {seed: self.by_seed[seed] for seed in seeds if seed in self.by_seed}
        return Pools(some, self.missing)

    def first_fold(self) -> Pools:
        """The AUC on the first of the folds, or on the test file."""
        first = {seed: {"AUC": each["folds"][0]} for seed, each in self.by_seed.items()}
        return Pools(first, self.missing)

    def __len__(self) -> int:
        return len(self.by_seed)

    def values(self, name: str) -> list[Any]:
        return [numbers[name] for numbers in self.by_seed.values()]

    @property
    def auc(self) -> list[float]:
        return self.values("AUC")

    @property
    def mean(self) -> float | None:
        return fmean(self.auc) if self.by_seed else None

    @property
    def spread(self) -> float | None:
        return stdev(self.auc) if len(self) > 1 else None

    def curve(self, name: str, at: Sequence[int]) -> list[float | None]:
        """Means over pools at these numbers of pairs; none where not all of them came so far."""
        looks = [
            dict(zip(numbers["pairs"], numbers[name], strict=True))
            for numbers in self.by_seed.values()
        ]
        return [
            fmean(look[pairs] for look in looks)
            if looks and all(pairs in look for look in looks)
            else None
            for pairs in at
        ]

    def looks(self) -> list[int]:
        """The numbers of pairs that any pool was looked at."""
        return sorted({pairs for numbers in self.by_seed.values() for pairs in numbers["pairs"]})


Methods = dict[Any, Pools]
Found = dict[str, Methods]


def by_set(
    results: Sequence[Result], part: str, key: Callable[[Job], Hashable] | None = None
) -> Found:
    """One part's results, by set and by method, or another key of their jobs."""
    found: Found = defaultdict(lambda: defaultdict(Pools))
    for result in results:
        job = result.job
        if job["part"] == part:
            found[job["set"]][key(job) if key else job["method"]].add(result)
    return {name: dict(methods) for name, methods in found.items()}


def absent() -> list[Row]:
    """A row for each of the paper's sets that is not in the data."""
    return [{"set": name, "remark": "not in the data"} for name in ABSENT]


def unmeasured(name: str, methods: Methods) -> Row:
    """A row that says why there is nothing of a set."""
    reasons = sorted({pools.why for pools in methods.values()} - {""})
    return {"set": name, "remark": "; ".join(reasons) or "not measured"}


def printed(table: dict[str, dict[str, float]], name: str, method: str) -> float | None:
    """What the paper has for one of our sets."""
    return table[FOLDERS.get(name, name)].get(method)


def right_tail(ours: Sequence[float], others: Sequence[float]) -> float:
    """The p-value of ours being the larger: one sample against a number, or two samples."""
    from scipy.stats import ttest_1samp, ttest_ind

    if len({*ours}) == len({*others}) == 1:
        return 0.5 + 0.5 * ((others[0] > ours[0]) - (others[0] < ours[0]))  # nothing varies
    if len(others) == 1:
        return float(ttest_1samp(ours, others[0], alternative="greater").pvalue)
    return float(ttest_ind(ours, others, alternative="greater").pvalue)


def verdict(p: float) -> str:
    return "win" if p < LEVEL else "loss" if p > 1 - LEVEL else "tie"


def tally(verdicts: Sequence[str]) -> str:
    return "/".join(str(verdicts.count(each)) for each in ("win", "loss", "tie"))
