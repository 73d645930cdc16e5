"""From a query to hits, and why a hit is where it is."""

from __future__ import annotations

from collections import Counter
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.corpora import EMBEDDINGS, LATENT, WORDS
from likewise.corpus import SparseVector
from likewise.document import title_of
from likewise.errors import UsageError
from likewise.query import Weight

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from likewise.binding import Bound
    from likewise.corpora import Corpora
    from likewise.corpus import Corpus, Mask
    from likewise.learned import LearnedQuery
    from likewise.local import LocalCorpus
    from likewise.query import Query
    from likewise.store.snapshot import Snapshot
    from likewise.weighting import Weighting


class Hit(NamedTuple):
    """A document found, its score and its place in the ranking, from 1 on."""

    id: str
    score: float
    title: str
    rank: int


class Hits(list[Hit]):
    """Hits, best first; `query` is what found them, `known` how much of it this index knows.

    `notes` say what else there is to know about them.
    """

    def __init__(
        self,
        hits: Iterable[Hit],
        query: Query | LearnedQuery | None = None,
        known: float = 1.0,
        notes: Sequence[str] = (),
    ) -> None:
        super().__init__(hits)
        self.query = query
        self.known = known
        self.notes = tuple(notes)


REST = {LATENT: "(latent space: its centre)", EMBEDDINGS: "(embeddings)"}


class Explanation(NamedTuple):
    """What each term added to a document's score, largest effect first; they sum to `score`.

    What no term has added stands in parentheses: embeddings, and the centre of the latent
    space, which is the same for all documents.
    """

    id: str
    score: float
    terms: list[Weight]


def words_vector(
    terms: Sequence[str], snapshot: Snapshot, corpus: LocalCorpus, weighting: Weighting
) -> SparseVector:
    """A unit vector of the words, weighted as documents are: its scores are cosines."""
    counts = Counter(terms)
    numbers = snapshot.term_numbers(list(counts))
    known = np.flatnonzero(numbers >= 0)
    columns = numbers[known]
    weights = weighting.f(np.array(list(counts.values())))[known] * corpus.col[columns]
    length = np.sqrt(weights @ weights)
    order = np.argsort(columns)
    scaled = weights[order] / length if length else weights[order]
    return SparseVector(columns[order].astype(np.int32), scaled)


def find(
    snapshot: Snapshot,
    corpus: Corpus,
    w: SparseVector,
    k: int,
    *,
    keep: Mask | None = None,
    exclude: Sequence[str] = (),
    positive: bool = False,
    skip: int = 0,
) -> list[Hit]:
    """The k best documents to be kept and not excluded, after the `skip` best of them."""
    if skip < 0:
        raise UsageError(f"skip is {skip}: it must be 0 or more")
    kept = _all_but(snapshot, exclude, keep)
    return as_hits(snapshot, corpus.top(w, k + skip, kept, positive=positive)[skip:], skip)


def as_hits(snapshot: Snapshot, found: Sequence[tuple[int, float]], skipped: int = 0) -> list[Hit]:
    """Document numbers and scores, best first, as a user sees them."""
    ids = snapshot.ids(number for number, _ in found)
    titles = (title_of(snapshot.record(number)) for number, _ in found)
    scored = zip(ids, (score for _, score in found), titles, strict=True)
    return [
        Hit(id, score, title, rank) for rank, (id, score, title) in enumerate(scored, skipped + 1)
    ]


def explain(
    snapshot: Snapshot,
    corpora: Corpora,
    weighting: str | None,
    bound: Bound,
    number: int,
    id: str,
) -> Explanation:
    """By words; what the latent space adds is shared out to the words behind it."""
    corpus, w = corpora.stacked(weighting, bound.factors), bound.vector
    row = corpus.rows(np.array([number]))
    shared, in_query, in_row = np.intersect1d(
        w.columns, row.columns, assume_unique=True, return_indices=True
    )
    amounts = w.weights[in_query] * row.values[in_row]
    words = shared < snapshot.terms
    total = dict(zip(shared[words].tolist(), amounts[words].tolist(), strict=True))
    rest = _beside_words(corpora, bound, snapshot.terms, number, (shared, amounts), total)
    names = snapshot.term_names(list(total))
    found = [*map(Weight, names, total.values()), *rest]
    found.sort(key=lambda weight: -abs(weight.weight))
    return Explanation(id, fsum(weight.weight for weight in found), found)


def _beside_words(
    corpora: Corpora,
    bound: Bound,
    first: int,
    number: int,
    row: tuple[NDArray[np.integer], NDArray[np.float64]],
    total: dict[int, float],
) -> list[Weight]:
    """What other views add to a document's score: to words in `total` where it is known by which,
    and what is left.
    """
    rest = []
    columns, amounts = row
    for name, factor in bound.factors.items():
        if name == WORDS:
            continue
        last = first + corpora.view(name).shape[1]
        left = float(amounts[(first <= columns) & (columns < last)].sum())
        if name == LATENT:
            vector = np.zeros(last - first)
            own = (first <= bound.vector.columns) & (bound.vector.columns < last)
            vector[bound.vector.columns[own] - first] = bound.vector.weights[own]
            shares = corpora.latent_words(number, vector)
            for term, share in zip(shares.columns.tolist(), shares.weights.tolist(), strict=True):
                total[term] = total.get(term, 0.0) + factor * share
                left -= factor * share
        rest.append(Weight(REST[name], left))
        first = last
    return rest


def _all_but(snapshot: Snapshot, exclude: Sequence[str], keep: Mask | None) -> Mask | None:
    if not exclude:
        return keep
    numbers = snapshot.numbers(exclude)
    left = np.ones(len(snapshot), np.bool_) if keep is None else keep.copy()
    left[numbers[numbers >= 0]] = False
    return left
