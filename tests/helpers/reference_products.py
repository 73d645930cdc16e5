"""Slow, readable twins of the core's counting, products and top-k: what the tests believe."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np


def weights(counts: np.ndarray, weighting: str) -> np.ndarray:
    """A dense matrix of counts, weighted as ALGORITHMS.md section 1 says."""
    documents, terms = counts.shape
    df = (counts > 0).sum(axis=0)
    out = np.zeros((documents, terms))
    for d in range(documents):
        for t in range(terms):
            if counts[d, t]:
                out[d, t] = _f(counts[d, t], weighting) * _col(df[t], documents, weighting)
    if weighting == "raw":
        return out
    if weighting == "pivoted":
        return out * _pivoted(counts)[:, None]
    length = np.sqrt((out**2).sum(axis=1))
    if weighting == "damped":
        unique = (counts > 0).sum(axis=1)
        mean = unique.mean() if len(unique) else 1.0
        factor = 1.5 * unique / np.maximum(unique + 0.5 * mean, 1e-300)
        out = out * np.sqrt(factor)[:, None]
    return out / np.where(length > 0, length, 1)[:, None]


def _f(tf: int, weighting: str) -> float:
    return 1 + math.log(tf) if weighting in ("tfidf", "smooth", "pivoted", "damped") else float(tf)


def _col(df: int, documents: int, weighting: str) -> float:
    if weighting == "smooth":
        return 1 + math.log((documents + 1) / df)
    idf = weighting in ("tfidf", "pivoted", "damped")
    return math.log((documents + 1) / df) if idf else 1.0


def _pivoted(counts: np.ndarray) -> np.ndarray:
    unique = (counts > 0).sum(axis=1)
    mean = unique.mean() if len(unique) else 1.0
    out = np.zeros(len(counts))
    for d, row in enumerate(counts):
        if unique[d]:
            average = row.sum() / unique[d]
            out[d] = 1 / ((1 + math.log(average)) * (0.8 + 0.2 * unique[d] / mean))
    return out


def top(x: np.ndarray, w: np.ndarray, k: int, keep=None, positive=False) -> list[tuple[int, float]]:
    """The k best rows of x by x·w, ties to the lower number."""
    scores = [(float(row @ w), d) for d, row in enumerate(x)]
    scores = [(s, d) for s, d in scores if (keep is None or keep[d]) and (not positive or s > 0)]
    return [(d, s) for s, d in sorted(scores, key=lambda pair: (-pair[0], pair[1]))[:k]]


def forms(text: str, classes: np.ndarray, max_bytes: int) -> list[str]:
    """Runs of word characters, ASCII in lower case; CJK runs as overlapping pairs."""
    out, word, cjk = [], "", ""
    for character in text + " ":
        kind = classes[ord(character)]
        if kind != 1 and word:
            if len(word.encode()) <= max_bytes:
                out.append(word)
            word = ""
        if kind != 2 and cjk:
            out += [cjk[i : i + 2] for i in range(len(cjk) - 1)] or [cjk]
            cjk = ""
        if kind == 1:
            word += character.lower() if character.isascii() else character
        elif kind == 2:
            cjk += character
    return out


def count(documents: list[list[str]], meaning) -> tuple[list[Counter], list[str]]:
    """Rows of term counts, and the terms in order of first appearance. A document is its forms."""
    order: dict[str, None] = {}
    rows = []
    for document in documents:
        terms = [term for form in document for term in meaning(form)]
        order.update(dict.fromkeys(terms))
        rows.append(Counter(terms))
    return rows, list(order)


def count_arrays(counts: np.ndarray) -> dict[str, np.ndarray]:
    """A dense matrix of counts in the core's form."""
    starts, more, columns, small, large_at, large = [0], [0], [], [], [], []
    for row in counts:
        columns += np.flatnonzero(row == 1).tolist()
        for column in np.flatnonzero(row > 1).tolist():
            columns.append(column)
            if row[column] >= 255:
                large_at.append(len(small))
                large.append(row[column])
            small.append(min(row[column], 255))
        starts.append(len(columns))
        more.append(len(small))
    u32 = {"starts": starts, "more": more, "columns": columns, "large_at": large_at, "large": large}
    out = {name: np.array(values, np.uint32) for name, values in u32.items()}
    out["counts"] = np.array(small, np.uint8)
    return out
