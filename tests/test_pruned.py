"""The best by a query of many terms, from some of their postings: the same as of all documents."""

from __future__ import annotations

import numpy as np
import pytest

from likewise import _core
from likewise.corpus import SparseVector, Stored
from likewise.engines import engine_of
from likewise.engines.local import corpus as local
from likewise.engines.local.common import common_terms
from likewise.store.arrays import counts_from_values
from likewise.weighting import WEIGHTINGS

TERMS = 3000
SIZES = [70_000, 900, 5_000]  # the first is read in two pieces


def rows_of(rng, documents):
    """Counts of words, some in very many documents; some counts are large."""
    lengths = rng.integers(0, 30, documents)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    common = rng.random(starts[-1]) < 0.4
    words = np.where(
        common, rng.integers(0, 20, starts[-1]), (TERMS * rng.random(starts[-1]) ** 3).astype(int)
    )
    amounts = np.minimum(rng.geometric(0.7, starts[-1]), 6)
    amounts[rng.random(starts[-1]) < 1e-3] = 300
    row = np.repeat(np.arange(documents), lengths)
    _, first = np.unique(row * TERMS + words, return_index=True)
    starts = np.searchsorted(row[first], np.arange(documents + 1))
    return counts_from_values(starts, words[first], amounts[first])


@pytest.fixture(scope="module")
def stored():
    rng = np.random.default_rng(3)
    found = []
    for number, size in enumerate(SIZES):
        rows = rows_of(rng, size)
        inverted = _core.Counts(rows, TERMS).transpose()
        live = np.flatnonzero(rng.random(size) < 0.9).astype(np.uint32) if number else None
        found.append(Stored(rows, TERMS, live, lambda inverted=inverted: inverted))
    return found


def corpus_of(stored, weighting="tfidf", threads=2):
    collection = engine_of("local").collection(stored, TERMS, threads)
    return collection.corpus(WEIGHTINGS[weighting])


def query_of(rng, corpus, *, minus=False):
    """Some documents' sum, as examples make it; or with terms that tell against them."""
    liked, disliked = (corpus.rows(rng.integers(0, corpus.shape[0], n)) for n in (8, 3))
    w = liked.weighted_sum(np.ones(8))
    if minus:
        w -= 0.5 * disliked.weighted_sum(np.ones(3))
    columns = np.flatnonzero(w)
    return SparseVector(columns.astype(np.int32), w[columns])


@pytest.mark.parametrize("weighting", ["tfidf", "damped", "counts", "pivoted"])
@pytest.mark.parametrize("minus", [False, True])
def test_the_best_are_those_of_all_documents(stored, weighting, minus):
    rng = np.random.default_rng(7)
    corpus = corpus_of(stored, weighting)
    answered = 0
    for k in (1, 10, 300):
        w = query_of(rng, corpus, minus=minus)
        scores = corpus.exact(np.arange(corpus.shape[0]), w)
        for keep in (None, rng.random(corpus.shape[0]) < 0.5):
            kept = np.arange(len(scores)) if keep is None else np.flatnonzero(keep)
            best = kept[np.lexsort((kept, -scores[kept]))][:k]
            wanted = [(int(i), scores[i]) for i in best]
            for threads in (1, 3):
                found = corpus._known_postings.pruned(w.columns, w.weights, k, keep, False, threads)
                assert found is None or found == wanted
                answered += found is not None
    assert answered


def test_a_corpus_reads_them_from_its_second_query_on(stored, monkeypatch):
    monkeypatch.setattr(local, "LARGE", 1)
    corpus = corpus_of(stored)
    w = query_of(np.random.default_rng(0), corpus)
    first = corpus.top(w, 10)
    assert "_known_postings" not in vars(corpus)
    assert corpus.top(w, 10) == first
    assert vars(corpus)["_known_postings"] is not None
    assert corpus.top(w, 10, positive=True) == first


def test_where_scores_are_not_above_0_all_rows_are_read(stored):
    corpus = corpus_of(stored)
    w = query_of(np.random.default_rng(0), corpus)
    pruned = corpus._known_postings.pruned
    assert pruned(w.columns, -w.weights, 10, None, False, 1) is None
    assert pruned(w.columns[:0], w.weights[:0], 10, None, False, 1) is None
    assert pruned(w.columns, w.weights, 0, None, False, 1) is None
    assert pruned(w.columns, w.weights, 2**63, None, False, 1) is None
    assert pruned(w.columns, np.full(len(w.columns), np.nan), 10, None, False, 1) is None
    nothing = np.zeros(corpus.shape[0], np.bool_)
    assert pruned(w.columns, w.weights, 10, nothing, False, 1) is None


def test_postings_without_order_are_refused(stored):
    """A forged file may have right checksums and columns within its width."""
    rows = stored[0].rows
    inverted = dict(_core.Counts(rows, TERMS).transpose())
    columns = inverted["columns"].copy()
    for first, last in zip(inverted["starts"], inverted["starts"][1:], strict=False):
        columns[first:last] = columns[first:last][::-1]
    inverted["columns"] = columns
    corpus = corpus_of([Stored(rows, TERMS, None, lambda: inverted)])
    w = query_of(np.random.default_rng(0), corpus)
    for search in (
        lambda: corpus._known_postings.pruned(w.columns, w.weights, 10, None, False, 1),
        lambda: corpus._postings.best(w.columns, w.weights, 10, None, 1e9),
    ):
        with pytest.raises(IndexError, match="names no document"):
            search()


def test_arrays_of_another_size_are_refused(stored):
    postings = corpus_of(stored)._postings
    with pytest.raises(ValueError, match="a column"):
        postings.know(np.zeros(3, np.bool_), np.zeros(sum(SIZES), np.float32))
    with pytest.raises(ValueError, match="a document"):
        postings.know(np.zeros(TERMS, np.bool_), np.zeros(3, np.float32))


@pytest.mark.parametrize("weighting", ["tfidf", "damped", "counts", "raw"])
def test_lengths_by_common_terms_are_bounded_closely_from_above(stored, weighting):
    corpus = corpus_of(stored, weighting)
    parts = corpus._listing
    common, lengths = common_terms(corpus._segments, parts, corpus.term_factors, 2)
    df = np.bincount(corpus.rows(np.arange(corpus.shape[0])).columns, minlength=TERMS)
    assert 10 < common.sum() < 40  # deleted documents count, too, so this is not exact
    assert df[common].min() > df[~common].max()
    firsts = np.cumsum([0, *SIZES])
    live = [
        np.arange(size) if s.live is None else s.live for s, size in zip(stored, SIZES, strict=True)
    ]
    rows = corpus.rows(np.arange(corpus.shape[0]))
    squares = np.where(common[rows.columns], rows.values, 0.0) ** 2
    owners = np.repeat(np.arange(corpus.shape[0]), np.diff(rows.starts))
    wanted = np.sqrt(np.bincount(owners, squares, corpus.shape[0]))
    found = lengths[np.concatenate([first + one for first, one in zip(firsts, live, strict=False)])]
    assert (found >= wanted).all()
    assert (found <= wanted * (1 + 1e-5)).all()
