"""Weights of terms in documents: weight(t, d) = row(d) · col(t) · f(tf).

Counts are stored once and weighted inside the products; a weighting is a value that says what f,
col and row are. df and D count live documents; col = 0 where df = 0, row = 0 where a document has
no term.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from likewise.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SLOPE = 0.2  # of pivoted length normalisation, Singhal, Buckley & Mitra, SIGIR 1996
DAMPING = 0.5  # of short rows: 0 leaves them at unit length


@dataclass(frozen=True)
class Weighting:
    name: str
    tf: Literal["raw", "log"]
    idf: bool
    norm: Literal["unit", "damped", "pivoted", "none"]
    least: float = 0.0  # idf of a term that every document has

    def __str__(self) -> str:
        return self.name

    def f(self, counts: NDArray[np.generic]) -> Floats:
        tf = np.asarray(counts, np.float64)
        return tf if self.tf == "raw" else np.where(tf > 0, 1 + np.log(np.maximum(tf, 1)), 0)

    def columns(self, df: NDArray[np.integer], documents: int) -> Floats:
        used = df > 0
        if not self.idf:
            return used.astype(np.float64)
        return np.where(used, self.least + np.log((documents + 1) / np.maximum(df, 1)), 0)


WEIGHTINGS = {
    weighting.name: weighting
    for weighting in (
        Weighting("tfidf", tf="log", idf=True, norm="unit"),
        Weighting("smooth", tf="log", idf=True, norm="unit", least=1.0),
        Weighting("counts", tf="raw", idf=False, norm="unit"),
        Weighting("pivoted", tf="log", idf=True, norm="pivoted"),
        Weighting("damped", tf="log", idf=True, norm="damped"),
        Weighting("unit", tf="raw", idf=False, norm="unit"),
        Weighting("raw", tf="raw", idf=False, norm="none"),
    )
}


def choose(
    name: str | None, allowed: Sequence[str], kind: str, preferred: str | None = None
) -> Weighting:
    """The weighting of this name; else the preferred one if it is allowed, or the first that is.

    `kind` names what the index holds, for the message.
    """
    if name is None:
        name = preferred if preferred is not None and preferred in allowed else allowed[0]
    if name not in allowed:
        known = ", ".join(allowed)
        raise UsageError(f"weighting {name!r} does not fit an index of {kind}: choose {known}")
    return WEIGHTINGS[name]


def unit_rows(squares: Floats) -> Floats:
    """1/length for each row, given its squared length."""
    lengths = np.sqrt(squares)  # 0 stays 0; fresh memory for each step would take longer than it
    return np.divide(1, lengths, out=lengths, where=lengths > 0)


def damped_rows(squares: Floats, unique: Floats, mean_unique: float) -> Floats:
    """1/length, less for rows of few terms: of unit length, a short row outdoes all that say more.

    A row of as many terms as the mean row is of unit length.
    """
    damped = unique + DAMPING * mean_unique
    share = np.divide((1 + DAMPING) * unique, damped, out=np.zeros_like(unique), where=damped > 0)
    return unit_rows(squares) * np.sqrt(share)


def pivoted_rows(tokens: Floats, unique: Floats, mean_unique: float) -> Floats:
    """Equation (28) of Onoda, Murata & Yamada's non-relevance paper."""
    filled = unique > 0
    average_tf = np.divide(tokens, unique, out=np.ones_like(tokens), where=filled)
    pivot = (1 - SLOPE) + SLOPE * unique / max(mean_unique, 1e-300)
    return np.where(filled, 1 / ((1 + np.log(average_tf)) * pivot), 0)
