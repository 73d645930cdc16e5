"""A learned query with a user's changes: terms switched off, and terms pinned."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from likewise.errors import UsageError
from likewise.search.bound import LearnedQuery

if TYPE_CHECKING:
    from collections.abc import Collection

    from likewise.search.query import Query


def adjust(
    query: Query | LearnedQuery, off: Collection[str] = (), pinned: Collection[str] = ()
) -> Query | LearnedQuery:
    """The query with terms in `off` at weight 0, and `pinned` ones at its largest weight.

    Terms are those of the index, that is, stemmed. Switching off a term that the query does not
    have changes nothing; a pinned term must be in the index.
    """
    for term in set(off) & set(pinned):
        raise UsageError(f"the term {term!r} is both switched off and pinned: choose one")
    if not off and not pinned:
        return query
    if isinstance(query, LearnedQuery):
        return _adjust_vector(query, list(off), list(pinned))
    return _adjust_names(query, set(off), list(pinned))


def _adjust_vector(query: LearnedQuery, off: list[str], pinned: list[str]) -> LearnedQuery:
    arrays = query.solution.arrays
    w = arrays.host(query.solution.w).copy()
    snapshot = query.generation.snapshot
    numbers = snapshot.term_numbers([*off, *pinned])
    away, held = numbers[: len(off)], numbers[len(off) :]
    for term in (term for term, number in zip(pinned, held, strict=True) if number < 0):
        raise UsageError(f"no document in {snapshot.directory} has the term {term!r}")
    w[held] = np.abs(w[: snapshot.terms]).max()
    w[away[away >= 0]] = 0
    return replace(query, solution=replace(query.solution, w=arrays.vector(w)))


def _adjust_names(query: Query, off: set[str], pinned: list[str]) -> Query:
    most = max(map(abs, query.weights), default=1.0)
    weights = dict(zip(query.terms, query.weights, strict=True)) | dict.fromkeys(pinned, most)
    left = {term: weight for term, weight in weights.items() if term not in off}
    return msgspec.structs.replace(query, terms=tuple(left), weights=tuple(left.values()))
