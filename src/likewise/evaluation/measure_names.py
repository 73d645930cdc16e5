"""Measures by name: our own, and all others by ir-measures."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likewise.errors import UsageError
from likewise.evaluation import measures

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

DEPTH = 1000  # documents of a ranking given to ir-measures, as is usual in runs


class Ranking(NamedTuple):
    """All documents, best first, and the grades of those that were judged.

    If only some were found, the others follow in the order of the index.
    """

    ids: Sequence[str]
    grades: Mapping[str, int]
    found: int | None = None  # how many were found; None means all

    @property
    def relevance(self) -> NDArray[np.bool_]:
        return np.array([self.grades.get(id, 0) > 0 for id in self.ids], np.bool_)

    @property
    def n_relevant(self) -> int:
        return sum(grade > 0 for grade in self.grades.values())


LOWER_IS_BETTER = ("atd", "loss")
Own = Callable[[Ranking], float]
AVERAGE_PRECISION = re.compile(r"ap(@[1-9]\d*)?", re.IGNORECASE)
PERCENT = re.compile(r"(wss|recall)@(\d{1,3})(%?)", re.IGNORECASE)


def own(name: str) -> Own | None:
    """Our own measure of this name: average precision, and those that ir-measures lacks."""
    plain: dict[str, measures.Effort] = {"atd": measures.TimeToDiscovery(), "loss": measures.Loss()}
    if (found := plain.get(name.lower())) is not None:
        return _effort(found)
    if (percent := PERCENT.fullmatch(name)) and (percent[1].lower() == "wss") != bool(percent[3]):
        kind = measures.WorkSaved if percent[1].lower() == "wss" else measures.RecallAtShare
        return _effort(kind(int(percent[2])))
    if name.lower() in ("prbep", "auc"):
        measure = measures.parse(name)
        return lambda ranking: measure(ranking.relevance, int(ranking.relevance.sum()))
    if AVERAGE_PRECISION.fullmatch(name):
        precision = measures.parse(name)
        return lambda ranking: precision(ranking.relevance[: ranking.found], ranking.n_relevant)
    return None


def _effort(measure: measures.Effort) -> Own:
    return lambda ranking: measure(ranking.relevance)


def lower_is_better(name: str) -> bool:
    return name.lower() in LOWER_IS_BETTER


def split(text: str) -> tuple[str, ...]:
    """The names in a list; commas inside parentheses are part of a name."""
    return tuple(name.strip() for name in re.split(r",(?![^()]*\))", text))


def check(names: Sequence[str]) -> None:
    """Raise for unknown measures before anything is measured."""
    if not names:
        raise UsageError("no measure was given: name at least one, such as AP")
    for name in names:
        if own(name) is None:
            _refuse_unsupported(name)


def _refuse_unsupported(name: str) -> None:
    """Some of ir-measures' measures need packages that may not be installed."""
    measure = _theirs(name)
    import ir_measures

    try:
        ir_measures.evaluator([measure], {"1": {"a": 1}})
    except ValueError as error:
        raise UsageError(f"measure {name} cannot be computed here: {error}") from error


def values(names: Sequence[str], ranking: Ranking) -> dict[str, float]:
    """Each measure's value for one topic; ir-measures gets only documents that were found."""
    found = {name: own_measure(ranking) for name in names if (own_measure := own(name))}
    theirs = {name: _theirs(name) for name in names if name not in found}
    if theirs:
        import ir_measures

        seen = ranking.ids[: ranking.found][:DEPTH]
        # A topic for which nothing was found is not in a run.
        run = {"1": {id: -float(rank) for rank, id in enumerate(seen)}} if seen else {}
        qrels = {"1": dict(ranking.grades)}
        calculated = ir_measures.iter_calc(list(set(theirs.values())), qrels, run)
        by_measure = {metric.measure: float(metric.value) for metric in calculated}
        found |= {name: by_measure[measure] for name, measure in theirs.items()}
    return {name: found[name] for name in names}


def _theirs(name: str) -> Any:
    try:
        import ir_measures
    except ImportError:
        raise UsageError(
            f"measure {name} needs ir-measures: pip install 'likewise[eval]'"
        ) from None
    try:
        return ir_measures.parse_measure(name)
    except (NameError, SyntaxError, ValueError, TypeError, AttributeError) as error:
        raise UsageError(
            f"unknown measure {name!r}: use AP, AP@1000, PRBEP, AUC, WSS@95, recall@10%, ATD, "
            "loss, or one of ir-measures, as P@10, nDCG@20, R@1000"
        ) from error
