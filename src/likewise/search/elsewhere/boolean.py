"""A Boolean query as a small learning problem: terms, and pairs of terms, joined by OR.

max F_β(∪ clauses) over at most `most` terms, where a clause is a term or an AND of two. F_β is a
ratio of coverage counts, so a greedy choice of the clause that raises it most is the usual
heuristic of set cover; exchanging single clauses afterwards repairs early ones that later ones
make superfluous. How many terms is chosen by cross-validation, which also gives the estimates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Bits = NDArray[np.uint8]
    Masks = NDArray[np.bool_]

Clause = tuple[int, ...]

SINGLES = 150  # terms that are looked at
PAIRED = 40  # of them that are looked at in pairs
FOLDS = 5
SIZES = (2, 4, 7, 11, 16, 20)  # numbers of terms that are tried
GAIN = 1e-3  # of F that a further clause must bring
ROUNDS = 3  # of exchanging
LIFT = 2.0  # how many times as often relevant documents must have a term as others
LEAST = 2  # relevant documents that a clause must have


class Measured(NamedTuple):
    """Counts of documents; others may each stand for several."""

    true: float
    false: float
    missed: float

    def f(self, beta: float) -> float:
        weighed = (1 + beta**2) * self.true
        below = weighed + beta**2 * self.missed + self.false
        return weighed / below if below else 0.0

    @property
    def recall(self) -> float:
        return self.true / (self.true + self.missed) if self.true + self.missed else 0.0

    @property
    def precision(self) -> float:
        return self.true / (self.true + self.false) if self.true + self.false else 0.0


class Learned(NamedTuple):
    clauses: list[Clause]
    here: Measured
    held_out: Measured | None  # by cross-validation; None with too few relevant documents


def learn(
    having: Masks, relevant: NDArray[np.bool_], *, worth: float = 1.0, beta: float = 2.0,
    most: int = 20, seed: int = 0,
) -> Learned:  # fmt: skip
    """From which documents (columns) have each term (rows), and which are relevant.

    `worth` is how many documents each of the others stands for.
    """
    sizes = [size for size in SIZES if size < most] + [most]
    held_out, size = None, most
    if int(relevant.sum()) >= 2 * FOLDS:
        told = _cross_validated(having, relevant, sizes, worth, beta, seed)
        best = max(one.f(beta) for one in told)
        at = next(i for i, one in enumerate(told) if one.f(beta) >= 0.99 * best)  # the smallest
        held_out, size = told[at], sizes[at]
    clauses = _fit(having, relevant, size, worth, beta)
    return Learned(clauses, measure(having, relevant, clauses, worth), held_out)


def covered(having: Masks, clauses: Iterable[Clause]) -> NDArray[np.bool_]:
    """The documents that meet a clause."""
    found = np.zeros(having.shape[1], np.bool_)
    for clause in clauses:
        found |= having[list(clause)].all(axis=0)
    return found


def measure(
    having: Masks, relevant: NDArray[np.bool_], clauses: Iterable[Clause], worth: float = 1.0
) -> Measured:
    found = covered(having, clauses)
    return Measured(
        float((found & relevant).sum()),
        worth * float((found & ~relevant).sum()),
        float((~found & relevant).sum()),
    )


def _cross_validated(
    having: Masks, relevant: NDArray[np.bool_], sizes: Sequence[int], worth: float, beta: float,
    seed: int,
) -> list[Measured]:  # fmt: skip
    """For each size, what queries of four fifths of the documents find in the last fifth."""
    rng = np.random.default_rng(seed)
    fold = np.zeros(len(relevant), np.int64)
    for side in (np.flatnonzero(relevant), np.flatnonzero(~relevant)):
        fold[rng.permutation(side)] = np.arange(len(side)) % FOLDS
    totals = [Measured(0, 0, 0)] * len(sizes)
    for out in range(FOLDS):
        train, test = fold != out, fold == out
        for at, size in enumerate(sizes):
            clauses = _fit(having[:, train], relevant[train], size, worth, beta)
            found = measure(having[:, test], relevant[test], clauses, worth)
            totals[at] = Measured(*map(sum, zip(totals[at], found, strict=True)))
    return totals


class _Candidates(NamedTuple):
    """Clauses, and which relevant and other documents meet each, as bits."""

    clauses: list[Clause]
    relevant: Bits
    others: Bits


def _fit(
    having: Masks, relevant: NDArray[np.bool_], most: int, worth: float, beta: float
) -> list[Clause]:
    among = _candidates(having, relevant, worth, pairs=most > 1)
    if not among.clauses:
        return []
    total = int(relevant.sum())
    chosen: list[int] = []
    score = 0.0

    def best(without: int | None = None) -> tuple[int, float]:
        """The clause that adds most to those chosen, or to the others of them, and F with it."""
        kept = [one for one in chosen if one != without]
        gain = _scores(among, kept, total, worth, beta)
        room = most - len({term for one in kept for term in among.clauses[one]})
        used = {term for one in kept for term in among.clauses[one]}
        cost = np.array([sum(term not in used for term in clause) for clause in among.clauses])
        gain[cost > room] = -1.0
        # Of clauses as good, the one with the fewest new terms.
        at = int(np.lexsort((cost, -gain))[0])
        return at, float(gain[at])

    while True:
        at, reached = best()
        if reached <= score + GAIN:
            break
        chosen.append(at)
        score = reached
    for _ in range(ROUNDS):
        before = score
        for one in chosen:
            kept = [other for other in chosen if other != one]
            alone = float(_scores(among, kept, total, worth, beta, add=False)[0]) if kept else 0.0
            if alone >= score - 1e-12:  # superfluous
                chosen, score = kept, alone
                continue
            at, reached = best(without=one)
            if reached > score + 1e-12:
                chosen, score = [*kept, at], reached
        if score <= before + 1e-12:
            break
    return [among.clauses[one] for one in chosen]


def _scores(
    among: _Candidates, kept: Sequence[int], total: int, worth: float, beta: float,
    *, add: bool = True,
) -> NDArray[np.float64]:  # fmt: skip
    """F of the clauses kept together with each candidate; without one, if `add` is False."""
    sides = []
    for bits in (among.relevant, among.others):
        base = np.bitwise_or.reduce(bits[list(kept)], axis=0) if kept else np.zeros_like(bits[0])
        joined = bits | base if add else base[None]
        sides.append(np.bitwise_count(joined).sum(axis=1, dtype=np.float64))
    true, false = sides[0], worth * sides[1]
    weighed = (1 + beta**2) * true
    scores: NDArray[np.float64] = weighed / (weighed + beta**2 * (total - true) + false)
    return scores


def _candidates(
    having: Masks, relevant: NDArray[np.bool_], worth: float, *, pairs: bool
) -> _Candidates:
    """Terms that tell relevant documents from others, and pairs of the best of them."""
    true = having[:, relevant].sum(axis=1)
    false = worth * having[:, ~relevant].sum(axis=1)
    r, n = max(int(relevant.sum()), 1), max(worth * float((~relevant).sum()), 1.0)
    telling = true * np.log((true / r + 1e-4) / (false / n + 1e-4))
    telling[(true < min(LEAST, r)) | (true / r < LIFT * false / n)] = -np.inf
    order = np.argsort(-telling, kind="stable")[:SINGLES]
    singles = [int(one) for one in order if np.isfinite(telling[one])]
    packed = [np.packbits(having[singles][:, side], axis=1) for side in (relevant, ~relevant)]
    clauses: list[Clause] = [(one,) for one in singles]
    if not pairs or len(singles) < 2:
        return _Candidates(clauses, *packed)
    # Broad terms are worth pairing: those of many relevant documents first.
    broad = sorted(range(len(singles)), key=lambda i: -int(true[singles[i]]))[:PAIRED]
    left, right = np.triu_indices(len(broad), 1)
    left, right = np.array(broad)[left], np.array(broad)[right]
    both = [bits[left] & bits[right] for bits in packed]
    enough = np.bitwise_count(both[0]).sum(axis=1, dtype=np.int64) >= min(LEAST, r)
    numbers = zip(left[enough].tolist(), right[enough].tolist(), strict=True)
    clauses += [(singles[i], singles[j]) for i, j in numbers]
    joined = [np.concatenate([bits, some[enough]]) for bits, some in zip(packed, both, strict=True)]
    return _Candidates(clauses, *joined)
