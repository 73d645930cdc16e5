"""The tables of bipartite ranking, ours beside the paper's figures."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean, stdev
from typing import TYPE_CHECKING, NamedTuple

from likewise.tables.ranking_paper import SPREAD_4, TABLE_3, TABLE_4, TABLE_5, TABLE_6
from likewise.tables.values import Compared, Number, Section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.tables.values import Result, Row

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
FOLDERS = {"rcv1.binary": "rcv1", "covtype.binary": "covtype", "connect-4": "connect"}
NEAR = 0.002
LEVEL = 0.05


class Pools(NamedTuple):
    """A method's AUC and seconds on one set, pool by pool."""

    auc: list[float]
    seconds: list[float]
    missing: str | None

    @property
    def mean(self) -> float | None:
        return fmean(self.auc) if self.auc else None

    @property
    def spread(self) -> float | None:
        return stdev(self.auc) if len(self.auc) > 1 else None


Found = dict[str, dict[str, Pools]]


def sections(results: Sequence[Result]) -> list[Section]:
    found = _by_set(results)
    return [_auc(found), _near(found), _tests(found), _seconds(found), _correction(found)]


def _by_set(results: Sequence[Result]) -> Found:
    found: Found = defaultdict(dict)
    for result in results:
        job = result.job
        pools = found[job["set"]].setdefault(job["method"], Pools([], [], result.missing))
        if result.missing is None:
            pools.auc.append(result.numbers["AUC"])
            pools.seconds.append(result.numbers["seconds"])
    return found


def _paper(table: dict[str, dict[str, float]], name: str, method: str) -> float | None:
    return table[FOLDERS.get(name, name)].get(method)


def _auc(found: Found) -> Section:
    rows: list[Row] = [
        {
            "set": name,
            "method": NAMES[method],
            "AUC": Compared(_paper(TABLE_4, name, method), pools.mean, 4),
            "std, paper": Number(_paper(SPREAD_4, name, method), 4),
            "std, ours": Number(pools.spread, 4),
            "pools": len(pools.auc),
            "remark": pools.missing or "",
        }
        for name, methods in found.items()
        for method, pools in methods.items()
        if method in NAMES
    ]
    note = (
        "B = 8000, b = 100, C = 0.1, gamma = 1. rcv1.binary has other documents of the same corpus "
        "than the paper's file. CRR is the program's that the paper ran: hinge loss of points."
    )
    return Section("Table 4: AUC", rows, [note])


def _near(found: Found) -> Section:
    rows: list[Row] = []
    for name, methods in found.items():
        row: Row = {"set": name}
        for method in list(NAMES)[:6]:
            paper, pools = _paper(TABLE_4, name, method), methods.get(method)
            if pools is None or pools.mean is None or paper is None:
                continue
            off = pools.mean - paper
            row[NAMES[method]] = f"{off:+.4f}" + ("" if off >= -NEAR else " below")
        rows.append(row)
    reached = sum(not str(row.get("soft-correct", "below")).endswith("below") for row in rows)
    note = f"soft-correct is at most {NEAR} below the paper's AUC on {reached} of {len(rows)} sets."
    return Section("Ours minus the paper's", rows, [note])


def _tests(found: Found) -> Section:
    rows: list[Row] = []
    tally: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for name, methods in found.items():
        best, row = methods.get("soft-correct"), {"set": name}
        if best is None or len(best.auc) < 2:
            continue
        for method in NAMES:
            if method == "soft-correct" or method not in methods or not methods[method].auc:
                continue
            p = right_tail(best.auc, methods[method].auc)
            tally[method][0 if p < LEVEL else 1 if p > 1 - LEVEL else 2] += 1
            printed = _paper(TABLE_5, name, method)
            row[NAMES[method]] = f"{p:.2g}" + ("" if printed is None else f" ({printed:.2g})")
        rows.append(dict(row))
    counts = {NAMES[method]: "/".join(map(str, each)) for method, each in tally.items()}
    rows.append({"set": "win/loss/tie", **counts})
    note = "p-values of right-tail t-tests of soft-correct against the others; the paper's behind."
    return Section("Table 5: is soft-correct better?", rows, [note])


def right_tail(ours: Sequence[float], others: Sequence[float]) -> float:
    """The p-value of ours being the larger: one sample against a number, or two samples."""
    from scipy.stats import ttest_1samp, ttest_ind

    if len(others) == 1:
        return float(ttest_1samp(ours, others[0], alternative="greater").pvalue)
    return float(ttest_ind(ours, others, alternative="greater").pvalue)


def _seconds(found: Found) -> Section:
    rows: list[Row] = [
        {
            "set": name,
            "method": NAMES[method],
            "CPU seconds": Compared(
                _paper(TABLE_6, name, method), fmean(pools.seconds) if pools.seconds else None, 2
            ),
        }
        for name, methods in found.items()
        for method, pools in methods.items()
        if method in NAMES
    ]
    note = "For one fit; the paper's machine was another one. WSVM here is WeightedSVM."
    return Section("Table 6: CPU time", rows, [note])


def _correction(found: Found) -> Section:
    rows: list[Row] = []
    for name, methods in found.items():
        row: Row = {"set": name}
        for method in ("soft-close", "soft-correct"):
            with_, without = methods.get(method), methods.get(f"{method} plain")
            if with_ and without and with_.mean is not None and without.mean is not None:
                paper = _paper(TABLE_3, name, method)
                row[method] = Compared(paper, with_.mean - without.mean, 5)
        if len(row) > 1:
            rows.append(row)
    return Section("Table 3: what correcting the bias adds to the AUC", rows)
