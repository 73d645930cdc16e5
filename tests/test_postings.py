"""Searches by a few terms in one call of the core: the same as scoring every document."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likewise import Document, Index
from likewise.corpus import SparseVector

WORDS = [f"word{i}" for i in range(12)]


@pytest.fixture(scope="module")
def corpora(tmp_path_factory):
    """Segments of few and of many documents with a term, some of them deleted."""
    index = Index.create(tmp_path_factory.mktemp("postings") / "a.idx", latent=0, language="none")
    rng = np.random.default_rng(1)

    def some(first, last):
        for i in range(first, last):
            often = rng.integers(0, 300 if i % 97 == 0 else 4, 3)
            words = [
                w for word, n in zip(rng.choice(WORDS, 3), often, strict=True) for w in n * [word]
            ]
            yield Document(f"d{i}", " ".join([*words, f"own{i % 50}"]))

    for first, last in ((0, 5000), (5000, 5300), (5300, 10_000)):
        index.add(list(some(first, last)), merge=False)
    index.delete([f"d{i}" for i in range(0, 10_000, 7)])
    return {name: index.corpus(name) for name in ("tfidf", "raw", "pivoted")}


weights = st.floats(-3, 3).filter(lambda w: abs(w) > 1e-3)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_the_best_are_those_of_all_documents(corpora, data):
    corpus = corpora[data.draw(st.sampled_from(sorted(corpora)))]
    documents, terms = corpus.shape
    columns = sorted(data.draw(st.sets(st.integers(0, terms - 1), max_size=5)))
    plus = data.draw(st.booleans())
    given_weights = [abs(w) if plus else w for w in (data.draw(weights) for _ in columns)]
    w = SparseVector(np.array(columns, np.int32), np.array(given_weights))
    k = data.draw(st.sampled_from([1, 3, 10, 20_000]))
    keep = None
    if data.draw(st.booleans()):
        keep = np.random.default_rng(data.draw(st.integers(0, 9))).random(documents) < 0.3
    scores = corpus.exact(np.arange(documents), w)
    good = [i for i in range(documents) if scores[i] > 0 and (keep is None or keep[i])]
    best = sorted(good, key=lambda i: (-scores[i], i))[:k]
    assert corpus._postings.best(w.columns, w.weights, k, keep, 1.1) == [
        (i, scores[i]) for i in best
    ]
    assert corpus.top(w, k, keep, positive=True) == [(i, scores[i]) for i in best]


def test_where_reading_all_rows_is_cheaper_it_says_so(corpora):
    corpus = corpora["raw"]
    every = np.arange(corpus.shape[1], dtype=np.int32)
    assert corpus._postings.best(every, np.ones(len(every)), 3, None, 0.25) is None


@pytest.mark.parametrize(
    ("columns", "why"), [([3, 3], "ascend"), ([-1, 2], "no such"), ([0, 10**6], "no such")]
)
def test_columns_that_are_none_are_refused(corpora, columns, why):
    with pytest.raises(ValueError, match=why):
        corpora["raw"]._postings.best(np.array(columns, np.int32), np.ones(2), 3, None, 1.0)
