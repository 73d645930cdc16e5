"""From a query to hits, and explanations of their scores."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from likewise.corpus import SparseVector
from likewise.document import title_of
from likewise.errors import UsageError
from likewise.search.bound import Bound, LearnedQuery, bind
from likewise.search.found import Explanation, Hit, Hits
from likewise.search.keywords import Wanted, parse
from likewise.search.notes import notes
from likewise.search.query import Query, Weight
from likewise.store.titles import TitleAnalyzer
from likewise.views import EMBEDDINGS, LATENT, ONLY_WORDS, TITLES, WORDS
from likewise.views.titles import column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise.corpus import Corpus, Ids, Mask
    from likewise.document import Document
    from likewise.filters import Filter
    from likewise.search.generation import Generation
    from likewise.search.grouping import Grouping
    from likewise.store.snapshot import Snapshot

__all__ = ["AnyQuery", "Explanation", "Hit", "Hits", "explain", "run", "search"]

AnyQuery = str | Query | LearnedQuery
Asked = TypeVar("Asked", bound=Query | LearnedQuery)


REST = {
    TITLES: "(parts of the title)",
    LATENT: "(latent space: its centre)",
    EMBEDDINGS: "(embeddings)",
}


def search(
    generation: Generation,
    words: str,
    k: int,
    *,
    weighting: str | None = None,
    filter: Filter | None = None,
    skip: int = 0,
    among: Sequence[str] | None = None,
    group_duplicates: bool = False,
) -> Hits[None]:
    """The documents most similar to some words, as `keywords` reads them; of those `among`."""
    grouping = generation.grouping if group_duplicates else None
    w = generation.query_of(words, weighting)
    keep = _only(generation.snapshot, among, generation.kept(filter))
    asked = parse(words)
    wanted = Wanted(generation, asked) if asked.asks else None
    keep = wanted.mask(keep) if wanted else keep
    corpus = generation.words(weighting)
    snapshot = generation.snapshot
    hits = find(
        *(snapshot, corpus, w, k),
        keep=keep,
        positive=True,
        skip=skip,
        grouping=grouping,
        wanted=wanted,
    )
    return Hits(hits, None, generation=generation, grouping=grouping, words=words)


def search_documents(
    generation: Generation, words: str, k: int, *, skip: int = 0
) -> list[tuple[Hit, Document]]:
    """Hits of plain words as `search` finds them, each with its document, looked up once."""
    w, snapshot = generation.query_of(words), generation.snapshot
    found = generation.words().top(w, k + skip, None, positive=True)[skip:]
    hits = as_hits(snapshot, found, skip)
    return [
        (hit, snapshot.document(number, hit.id))
        for hit, (number, _) in zip(hits, found, strict=True)
    ]


def run(
    generation: Generation,
    query: Asked,
    k: int,
    *,
    filter: Filter | None = None,
    skip: int = 0,
    among: Sequence[str] | None = None,
    group_duplicates: bool = False,
) -> Hits[Asked]:
    """The best documents by a learned query, without the judged ones; of those `among`, if given.

    If the index has none of the query's terms, there are no hits.
    """
    bound = bind(query, generation)
    grouping = generation.grouping if group_duplicates else None
    hits = find(
        generation.snapshot,
        generation.stacked(query.weighting, bound.factors),
        bound.vector,
        k,
        keep=_only(generation.snapshot, among, generation.kept(filter)),
        exclude=_judged(generation.snapshot, query),
        positive=not bound.known,
        skip=skip,
        grouping=grouping,
    )
    now = notes(generation.snapshot.manifest, bound.factors)
    said = (*query.learned.notes, *now, *bound.notes)
    return Hits(hits, query, bound.known, said, generation, grouping)


def find(
    snapshot: Snapshot,
    corpus: Corpus,
    w: SparseVector,
    k: int,
    *,
    keep: Mask | None = None,
    exclude: Ids | None = None,
    positive: bool = False,
    skip: int = 0,
    grouping: Grouping | None = None,
    wanted: Wanted | None = None,
) -> list[Hit]:
    """The k best documents that are in `keep` and not excluded, after skipping the `skip` best.

    With a grouping, of each group of duplicates only the best one; with `wanted`, those that pass.
    """
    if skip < 0:
        raise UsageError(f"skip is {skip}: it must be 0 or more")
    kept = _all_but(len(snapshot), exclude, keep)

    def top(n: int) -> list[tuple[int, float]]:
        if wanted is None:
            return corpus.top(w, n, kept, positive=positive)
        return list(wanted.best(n, lambda more: corpus.top(w, more, kept, positive=positive)))

    found = grouping.best(k + skip, top) if grouping else top(k + skip)
    return as_hits(snapshot, found[skip:], skip)


def as_hits(snapshot: Snapshot, found: Sequence[tuple[int, float]], skipped: int = 0) -> list[Hit]:
    """Hits from document numbers and scores, best first."""
    numbers = [number for number, _ in found]
    scores = [score for _, score in found]
    ranks = range(skipped + 1, skipped + 1 + len(found))
    return list(map(Hit, snapshot.ids(numbers), scores, snapshot.titles(numbers), ranks))


def explain(
    generation: Generation,
    id: str,
    query: AnyQuery,
    weighting: str | None = None,
    *,
    number: int | None = None,
) -> Explanation:
    """What each word adds to a score; the latent space's part is distributed over its words.

    `number` is the document's number, if it is known already.
    """
    number = generation.number(id) if number is None else number
    bound, weighting = _bound(generation, query, weighting)
    total, rest = _effects(generation, weighting, bound, number)
    names = generation.snapshot.term_names(list(total))
    found = [*map(Weight, names, total.values()), *rest]
    found.sort(key=lambda weight: -abs(weight.weight))
    return Explanation(id, fsum(weight.weight for weight in found), found)


def scores_of(
    generation: Generation, query: AnyQuery, numbers: Sequence[int], weighting: str | None = None
) -> NDArray[np.float64]:
    """The scores of some documents, by their numbers."""
    bound, weighting = _bound(generation, query, weighting)
    corpus = generation.stacked(weighting, bound.factors)
    return corpus.exact(np.asarray(numbers, np.int64), bound.vector)


def _bound(
    generation: Generation, query: AnyQuery, weighting: str | None
) -> tuple[Bound, str | None]:
    """A query as a vector, and the weighting that goes with it."""
    if isinstance(query, str):
        return Bound(generation.query_of(query, weighting), ONLY_WORDS), weighting
    if weighting in (None, query.weighting):
        return bind(query, generation), query.weighting
    raise UsageError(
        f"the query was learned with weighting {query.weighting}: give that one, or none"
    )


def _effects(
    generation: Generation, weighting: str | None, bound: Bound, number: int
) -> tuple[dict[int, float], list[Weight]]:
    """What each word adds to a document's score, by term number, and the parts without a word."""
    columns = generation.columns(bound.factors)
    amounts = _products(generation.stacked(weighting, bound.factors), bound.vector, number)
    words = columns.part(amounts, WORDS)
    total = dict(zip(words.columns.tolist(), words.weights.tolist(), strict=True))
    rest = []
    for name, factor in bound.factors.items():
        if name == WORDS:
            continue
        left = float(columns.part(amounts, name).weights.sum())
        if name == LATENT:
            own = columns.part(bound.vector, name)
            vector = np.zeros(columns[name].stop - columns[name].start)
            vector[own.columns] = own.weights
            shares = generation.latent_words(number, vector)
            for term, share in zip(shares.columns.tolist(), shares.weights.tolist(), strict=True):
                total[term] = total.get(term, 0.0) + factor * share
                left -= factor * share
        rest.append(Weight(REST[name], left))
    return total, rest


def explain_title(generation: Generation, id: str, query: AnyQuery) -> list[Weight]:
    """What each part of a document's title adds to its score, largest effect first.

    Parts that share a column are named together. Empty if the query has no view of titles.
    """
    number = generation.number(id)
    if isinstance(query, str) or TITLES not in (bound := bind(query, generation)).factors:
        return []
    w = generation.columns(bound.factors).part(bound.vector, TITLES)
    effects = _products(generation.view(TITLES), w, number)
    names: dict[int, list[str]] = {}
    for part in sorted(TitleAnalyzer().parts(generation.snapshot.read(number, title_of))):
        names.setdefault(column(part), []).append(part)
    factor = bound.factors[TITLES]
    found = [
        Weight(", ".join(names.get(place, ["?"])), factor * weight)
        for place, weight in zip(effects.columns.tolist(), effects.weights.tolist(), strict=True)
    ]
    return sorted(found, key=lambda weight: -abs(weight.weight))


def _products(corpus: Corpus, w: SparseVector, number: int) -> SparseVector:
    """What each column adds to a document's score."""
    row = corpus.rows(np.array([number]))
    shared, in_query, in_row = np.intersect1d(w.columns, row.columns, return_indices=True)
    return SparseVector(shared, w.weights[in_query] * row.values[in_row])


def _only(snapshot: Snapshot, among: Sequence[str] | None, keep: Mask | None) -> Mask | None:
    if among is None:
        return keep
    numbers = snapshot.numbers(among)
    these = np.zeros(len(snapshot), np.bool_)
    these[numbers[numbers >= 0]] = True
    return these if keep is None else these & keep


def _judged(snapshot: Snapshot, query: Query | LearnedQuery) -> Ids:
    """The numbers of the documents that a query was learned from; others may be among them."""
    if isinstance(query, LearnedQuery) and query.generation.snapshot is snapshot:
        return np.concatenate([query.gathered.liked, query.gathered.disliked])
    return snapshot.numbers(list(query.exclude))


def _all_but(documents: int, exclude: Ids | None, keep: Mask | None) -> Mask | None:
    """A mask without the numbers that are excluded, of which some may be of no document here."""
    if exclude is None or not len(exclude):
        return keep
    left = np.ones(documents, np.bool_) if keep is None else keep.copy()
    left[exclude[(exclude >= 0) & (exclude < documents)]] = False
    return left
