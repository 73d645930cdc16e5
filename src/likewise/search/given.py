"""Queries that somebody else learned: a vector, weights of terms, or a fitted linear model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from likewise import arguments
from likewise.corpus import SparseVector
from likewise.errors import UsageError
from likewise.search.bound import LearnedQuery, what_it_is
from likewise.search.examples import Gathered
from likewise.search.found import Hits
from likewise.search.learning import factors_of
from likewise.search.query import LARGEST, Learned
from likewise.solvers.solution import Solution
from likewise.solvers.stopping import UNMEASURED
from likewise.views import ONLY_WORDS, WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from likewise.search.generation import Generation

GIVEN = "given"  # the name of the method, where a vector came without one
NO_QUERY = (
    "{} no query: give a learned one, a vector, weights by term, or a fitted linear model; for "
    "words there is search"
)
NOTHING = UNMEASURED._replace(passes=0, iterations=0)


def given_query(
    generation: Generation,
    vector: Any,
    *,
    weighting: str | None = None,
    views: Any = None,
    exclude: Iterable[Any] = (),
) -> LearnedQuery:
    """A query of this index with that vector: filters, explanations and saving work as for others.

    `views` are those that it is over, side by side; by default the words alone.
    """
    factors = ONLY_WORDS if views is None else factors_of(views, generation.views)
    # First: to a Series, each of its labels is an attribute, be it `fit` or `coef_`.
    model = vector.to_dict() if _is_labelled(vector) else _fitted(vector)
    name = type(model).__name__ if hasattr(model, "coef_") else GIVEN
    columns = generation.columns(factors)
    w = _vector(generation, _weights(model), columns.width, factors)
    corpus = generation.stacked(weighting, factors)
    none = np.zeros(0, np.int64)
    w = corpus.arrays.vector(w)
    solution = Solution(corpus.arrays, w, np.zeros(0), NOTHING)
    learned = Learned(
        method=name,
        reason="it was learned elsewhere, and given as a vector",
        views=dict(factors),
    )
    left_out = arguments.ids(exclude)
    numbers = np.array([generation.number(id) for id in left_out], np.int64)
    gathered = Gathered(none, numbers, left_out, [], 0, [], [])
    used = generation.weighting(weighting).name
    return LearnedQuery(generation, solution, gathered, used, learned)


def matrix(
    generation: Generation,
    ids: list[str] | None,
    *,
    weighting: str | None = None,
    views: Any = None,
) -> csr_array:
    """Rows of documents over the words or other views, as SciPy's sparse array."""
    from scipy.sparse import csr_array

    factors = ONLY_WORDS if views is None else factors_of(views, generation.views)
    numbers = (
        np.arange(len(generation))
        if ids is None
        else np.array([generation.number(id) for id in ids], np.int64)
    )
    rows = generation.stacked(weighting, factors).rows(numbers)
    # Some learners take indices of 32 bits only.
    small = rows.starts[-1] < 2**31
    starts = rows.starts.astype(np.int32) if small else rows.starts
    return csr_array((rows.values, rows.columns, starts), shape=rows.shape)


def _fitted(given: Any) -> Any:
    """The model inside what scikit-learn wraps around one: a search, a pipeline."""
    inner = getattr(given, "best_estimator_", given)
    if hasattr(inner, "steps") and hasattr(inner, "predict"):
        if len(inner.steps) > 1:
            raise UsageError(
                "the pipeline changes the vectors before its last step: give a model that was "
                "fitted on index.matrix() itself"
            )
        inner = inner.steps[-1][1]
    if hasattr(inner, "fit") and not hasattr(inner, "coef_"):
        name = type(inner).__name__
        raise UsageError(
            f"{name} has no coef_: fit it first, and give a linear model, which has one weight "
            "for each term"
        )
    return inner


def _weights(given: Any) -> Any:
    """The weights of a model, which may be one row of a matrix."""
    return getattr(given, "coef_", given)


def _vector(
    generation: Generation, given: Any, width: int, factors: Mapping[str, float]
) -> NDArray[np.float64]:
    """The weights, one for each column."""
    if isinstance(given, Mapping):
        return _by_term(generation, given, width)
    if isinstance(given, Hits):
        raise UsageError(NO_QUERY.format(what_it_is(given)))
    if isinstance(given, SparseVector):
        w = np.zeros(width)
        if len(given.columns) and int(given.columns.max()) >= width:
            raise UsageError(_mismatch(generation, int(given.columns.max()) + 1, width, factors))
        w[given.columns] = given.weights
        return _checked(w)
    if hasattr(given, "toarray"):  # a sparse matrix of SciPy
        given = given.toarray()
    try:
        w = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        w = np.array(0.0)
    if not w.ndim:
        raise UsageError(NO_QUERY.format(what_it_is(given)))
    if w.ndim == 2 and 1 in w.shape:
        w = w.ravel()
    if w.ndim == 2:
        raise UsageError(
            f"there are {len(w)} vectors: give one of them, as in coef_[0], to rank by one class"
        )
    if w.shape != (width,):
        raise UsageError(_mismatch(generation, w.size, width, factors))
    return _checked(w.copy())


def _by_term(generation: Generation, weights: Mapping[Any, Any], width: int) -> NDArray[np.float64]:
    terms = [arguments.text("a term", term) for term in weights]
    arguments.numbers(weights, terms)
    numbers = generation.snapshot.term_numbers(terms)
    for term in (term for term, number in zip(terms, numbers, strict=True) if number < 0):
        raise UsageError(
            f"no document in {generation.place} has the term {term!r}: terms are those of "
            "index.terms(), which may be stems"
        )
    w = np.zeros(width)
    w[numbers] = [float(weights[term]) for term in terms]
    return _checked(w)


def _mismatch(generation: Generation, given: int, width: int, factors: Mapping[str, float]) -> str:
    over = "terms" if list(factors) == [WORDS] else f"columns of {', '.join(factors)}"
    return (
        f"the vector has {given:,} weights and the index {width:,} {over}: give one for each, "
        "as of index.matrix()"
    )


def _is_labelled(given: Any) -> bool:
    """Whether it is a Series of pandas whose labels are terms: its order may be another one."""
    if not hasattr(given, "to_dict") or getattr(given, "ndim", 0) != 1:
        return False
    return any(isinstance(label, str) for label in given.index)


def _checked(w: NDArray[np.float64]) -> NDArray[np.float64]:
    if not w.any():
        raise UsageError("all weights of the vector are 0, which ranks nothing: give others")
    if not (np.abs(w) <= LARGEST).all():
        raise UsageError("the vector has a weight that is not finite or too large")
    return w
