"""The table of methods by name: what each one learns, and the options that it takes.

The defaults of C were measured. On 15,000 arXiv abstracts (10 categories, MAP) the best slack
weight of an example grew slowly with their number: for `steady` .3, .3, 1 and 3 at 2, 5, 20 and 100
examples, which √l/4 follows; for `ba` 1 was good from 2 to 100, and for `rank`, on the bundled
collection, from 2 to 20. `pr` and `f1` with C = l found almost nothing from few examples; 3·l²/u is
near the best C at 20 and 100 (.08 and 2), and was good on the bundled collection from 2 to 40.
For rows that are not of unit length, C is divided by their mean squared length.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.engines.arrays import NUMPY
from likewise.errors import UsageError
from likewise.losses import F1, PrecisionAt, PrecisionRecall, RecallAt
from likewise.solvers import problems
from likewise.solvers.stopping import first_of, gap_below, passes

if TYPE_CHECKING:
    from likewise.corpus import Corpus
    from likewise.losses import Measure
    from likewise.solvers.blocks import Blocks
    from likewise.solvers.solution import Solution
    from likewise.solvers.stopping import Report, Stop


@dataclass(frozen=True)
class Options:
    """Options for learning; None is the default of the method."""

    C: float | None = None
    C_per_example: float | None = None
    at: int | None = None  # k of p@k and r@k, the examples included
    scaling: str | None = None
    tol: float | None = None
    max_passes: int | None = None
    sample_unlabeled: int | None = None
    seed: int | None = None
    weights: Sequence[float] | None = (
        None  # one per liked example; a file's weight applies to each document in it
    )
    views: str | Sequence[str] | Mapping[str, float] | None = None  # names, or names with factors
    budget: str | float | None = None  # for auto: online, offline, or seconds

    @property
    def tolerance(self) -> float:
        return 1e-3 if self.tol is None else self.tol

    @property
    def stop(self) -> Stop:
        limit = 1000 if self.max_passes is None else self.max_passes
        if not self.tolerance > 0:
            raise UsageError(f"tol is {self.tolerance}: it must be above 0")
        if limit < 1:
            raise UsageError(f"max_passes is {limit}: it must be 1 or more")
        spent = passes(limit)
        # A solver may use a pass before its first step, and always takes that step.
        return first_of(lambda now: now.iterations > 0 and spent(now), gap_below(self.tolerance))


Solve = Callable[["Corpus", "Blocks", Options, "Report | None"], "Solution"]


class Method(NamedTuple):
    """A row of the table. `online`: reads only the examples; `takes`: the options that it uses."""

    about: str
    online: bool
    takes: frozenset[str]
    solve: Solve


def _centroid(corpus: Corpus, blocks: Blocks, options: Options, report: Report | None) -> Solution:
    return problems.centroid(corpus, blocks)


def _rocchio(corpus: Corpus, blocks: Blocks, options: Options, report: Report | None) -> Solution:
    return problems.rocchio(corpus, blocks)


def _one_class(corpus: Corpus, blocks: Blocks, options: Options, report: Report | None) -> Solution:
    given = {} if options.C is None else {"C": options.C}
    return problems.one_class(corpus, blocks, **given, stop=options.stop, report=report)


def square_length(corpus: Corpus, blocks: Blocks) -> float:
    """The mean squared length of the examples that are not empty."""
    rows = corpus.rows(blocks.positives)
    filled = int(np.count_nonzero(np.diff(rows.starts)))
    return NUMPY.dot(rows.values, rows.values) / max(filled, 1) or 1.0


def _balanced(loss: str, *, bias: bool, each_of: Callable[[int], float]) -> Solve:
    def solve(corpus: Corpus, blocks: Blocks, options: Options, report: Report | None) -> Solution:
        each = options.C_per_example
        if options.C is None and each is None and options.scaling != "printed":
            each = each_of(len(blocks.positives)) / square_length(corpus, blocks)
        return problems.balanced(
            corpus,
            blocks,
            options.C,
            C_per_example=each,
            loss=loss,
            bias=bias,
            scaling=options.scaling or "balanced",
            stop=options.stop,
            report=report,
        )

    return solve


def _by_number(examples: int, unlabeled: int) -> float:
    return float(examples)


def _by_share(examples: int, unlabeled: int) -> float:
    return 3.0 * examples**2 / max(unlabeled, 1)


def _multivariate(
    measure: Callable[[Blocks, Options], Measure],
    cost: Callable[[int, int], float] = _by_number,
) -> Solve:
    def solve(corpus: Corpus, blocks: Blocks, options: Options, report: Report | None) -> Solution:
        C = options.C
        if C is None and options.scaling != "printed":
            C = cost(len(blocks.positives), len(blocks.unlabeled))
            C /= square_length(corpus, blocks)
        return problems.multivariate(
            corpus,
            blocks,
            measure(blocks, options),
            C,
            scaling=options.scaling or "balanced",
            stop=options.stop,
            report=report,
        )

    return solve


def _rank(corpus: Corpus, blocks: Blocks, options: Options, report: Report | None) -> Solution:
    from likewise.solvers import ranking

    if options.C is not None and options.C_per_example is not None:
        raise UsageError("C and C_per_example both set the cost: give one of them")
    total = options.C
    if total is None:
        each = options.C_per_example or 1.0 / square_length(corpus, blocks)
        total = each * len(blocks.positives)
    return ranking.rank(corpus, blocks, total, budget=1, stop=options.stop, report=report)


_MEAN = frozenset({"weights"})
_SVM = _MEAN | {"C", "tol", "max_passes"}
_UNLABELED = frozenset({"sample_unlabeled", "seed"})
_PAPER = _SVM | _UNLABELED | {"scaling"}

METHODS = {
    "centroid": Method("the mean of the examples", True, _MEAN, _centroid),
    "1c": Method("a one-class SVM of the examples", True, _SVM, _one_class),
    "rocchio": Method(
        "the mean of the examples minus the mean of the rest", False, _MEAN | _UNLABELED, _rocchio
    ),
    "ba": Method(
        "an SVM for balanced accuracy",
        False,
        _PAPER | {"C_per_example"},
        _balanced("hinge", bias=False, each_of=lambda examples: 1.0),
    ),
    "pr": Method(
        "an SVM for precision × recall",
        False,
        _PAPER,
        _multivariate(lambda blocks, options: PrecisionRecall(), _by_share),
    ),
    "p@k": Method(
        "an SVM for precision at k",
        False,
        _PAPER | {"at"},
        _multivariate(lambda b, o: PrecisionAt(problems.table_size(o.at, b))),
    ),
    "r@k": Method(
        "an SVM for recall at k",
        False,
        _PAPER | {"at"},
        _multivariate(lambda b, o: RecallAt(problems.table_size(o.at, b))),
    ),
    "f1": Method("an SVM for F1", False, _PAPER, _multivariate(lambda b, o: F1(), _by_share)),
    "prbep": Method(
        "an SVM for the precision-recall break-even point",
        False,
        _PAPER,
        _multivariate(lambda blocks, options: RecallAt(len(blocks.positives))),
    ),
    "rank": Method(
        "an SVM for the order of every example and every other document",
        False,
        _SVM | _UNLABELED | {"C_per_example"},
        _rank,
    ),
    "steady": Method(
        "an SVM for balanced accuracy with the squared hinge and a bias",
        False,
        _SVM | _UNLABELED | {"C_per_example"},
        _balanced("squared_hinge", bias=True, each_of=lambda examples: examples**0.5 / 4),
    ),
}
AUTO = "chooses method, views and settings for the examples given"
ABOUT = {"auto": AUTO} | {name: method.about for name, method in METHODS.items()}


def refuse_unused(name: str, reason: str, options: Options) -> None:
    """Raise an error for an option that the method does not use."""
    for option in fields(options):
        if getattr(options, option.name) is not None and option.name not in METHODS[name].takes:
            raise UsageError(f"method {name} ({reason}) does not use {option.name}: leave it out")


def without_unused(name: str, options: Options) -> Options:
    """The options without those that the method does not use."""
    unused = {
        field.name: None for field in fields(options) if field.name not in METHODS[name].takes
    }
    return replace(options, **unused)
