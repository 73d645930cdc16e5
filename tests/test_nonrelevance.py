"""Feedback from non-relevant documents only: by the words in all views, and away from the rest."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from likewise import Document, Index
from likewise.datasets import arxiv_sample
from likewise.feedback import Ranker, Start
from likewise.feedback.nonrelevance import AWAY
from likewise.feedback.select import COPY, Ranked, above, below
from likewise.feedback.situation import Situation, Situations
from likewise.feedback.views import BY_WORDS

WORDS = "search engine retrieval"


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """The sample, and a document that consists of the words."""
    made = Index.create(tmp_path_factory.mktemp("nonrelevance") / "arxiv.idx")
    made.add(arxiv_sample())
    made.add([Document("asked", "", title=WORDS)])
    return made


def matrix(corpus, ids=None):
    rows = corpus.rows(np.arange(corpus.shape[0]) if ids is None else np.asarray(ids))
    return csr_array((rows.values, rows.columns, rows.starts), shape=rows.shape)


def asked(situation):
    w = np.zeros(situation.corpus.shape[1])
    w[situation.words.columns] = situation.words.weights
    return w


def test_a_query_is_placed_in_each_view_as_a_document_of_its_words_is(index):
    situations = Situations(index.searcher, words=WORDS)
    situation, factors = situations.of(None, BY_WORDS), situations.views(BY_WORDS).factors
    columns = index.searcher.columns(factors)
    document = matrix(situation.corpus, [index.searcher.number("asked")]).toarray()[0]
    query = asked(situation)
    assert list(factors) == ["words", "titles", "latent"]
    for name, factor in factors.items():
        mine, same = query[columns[name]], document[columns[name]]
        cosine = mine @ same / np.linalg.norm(mine) / np.linalg.norm(same)
        assert cosine == pytest.approx(1, abs=1e-4)  # latent rows are stored in bytes
        assert np.linalg.norm(mine) == pytest.approx(factor)


def test_the_page_is_that_of_the_formula(index):
    """score(x) = x·q − AWAY · x·m/‖m‖/√(mean squared length), m the mean of the rejected ones."""
    ranker = Ranker(index.searcher, Start(WORDS))
    rejected = [hit.id for hit in ranker.page(10).hits]
    ranker.judge(dict.fromkeys(rejected, False))
    page = ranker.page(10)
    situation = Situations(index.searcher, words=WORDS).of(None, BY_WORDS)
    X, numbers = matrix(situation.corpus), [index.searcher.number(id) for id in rejected]
    mean = np.asarray(X[numbers].mean(axis=0)).ravel()
    length = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).mean())
    scores = X @ asked(situation) - AWAY * (X @ mean) / np.linalg.norm(mean) / length
    scores[numbers] = -np.inf
    best = np.argsort(-scores, kind="stable")[:10]
    ids = index.ids()
    assert page.method == "away"
    assert [hit.id for hit in page.hits] == [ids[number] for number in best]
    assert [hit.score for hit in page.hits] == pytest.approx(scores[best], rel=2e-3)
    assert page.query.learned.views.keys() == {"words", "titles", "latent"}
    for hit in page.hits[:3]:
        assert index.explain(hit, page.query).score == pytest.approx(hit.score)


def test_views_given_hold_for_all_methods(index):
    ranker = Ranker(index.searcher, Start(WORDS), views={})
    ranker.judge({hit.id: False for hit in ranker.page(10).hits})
    assert ranker.page(10).query.learned.views == {"words": 1.0}


def test_words_that_no_document_has_leave_the_views(index):
    ranker = Ranker(index.searcher, Start("xyzzy"))
    ranker.judge({hit.id: False for hit in ranker.page(10).hits})
    assert len(ranker.page(10).hits) == 10


@pytest.fixture
def copies(tmp_path):
    """Three documents with the words, and twenty copies of the first with one word twice."""
    text = "apple " + " ".join(f"tree{i}" for i in range(60))
    documents = [Document("first", text), Document("second", "apple pear plum")]
    documents += [Document(f"copy{i}", f"{text} tree{i}") for i in range(20)]
    documents += [Document("third", "apple stone house river"), Document("other", "stone house")]
    index = Index.create(tmp_path / "copies.idx")
    index.add(documents)
    return index


def test_copies_of_rejected_documents_come_last(copies):
    words = copies.corpus("tfidf")
    first, copy = matrix(words, [0, 2]).toarray()
    assert COPY < first @ copy < 1
    ranker = Ranker(copies.searcher, Start("apple tree0 tree1 tree2"))
    ranker.judge({"first": False})
    page = ranker.page(4)
    assert page.method == "away"
    assert {hit.id for hit in page.hits[:3]} == {"second", "third", "other"}
    assert page.hits[3].id.startswith("copy")
    assert len(ranker.page(100).hits) == 23
    ranker.judge({"second": False})
    assert ranker.page(1).hits[0].id.startswith("copy")


def test_what_is_on_the_boundary_is_on_neither_side(copies):
    situation = Situation(copies.corpus("tfidf"))
    scores = np.linspace(-1, 1, situation.documents)
    scores[5:8] = 0.25
    ranked = Ranked(scores=scores, threshold=0.25)
    everything = np.ones(situation.documents, np.bool_)
    outside = [score for _, score in below(ranked, situation, situation.documents, everything)]
    inside = [score for _, score in above(ranked, situation, situation.documents, everything)]
    lower, upper = np.sort(scores[scores < 0.25])[::-1], np.sort(scores[scores > 0.25])
    assert outside == [*lower, 0.25, 0.25, 0.25, *upper]
    assert inside == [*upper, 0.25, 0.25, 0.25, *lower]


def test_without_words_a_copy_of_a_rejected_document_is_not_outside(copies):
    copies.add([Document("twin", "apple pear plum"), Document("near", "apple pear plum cherry")])
    ranker = Ranker(copies.searcher, Start())
    ranker.judge({"second": False})
    order = [hit.id for hit in ranker.page(100).hits]
    assert ranker.page(1).method == "one-class"
    assert order[0] == "near"
    assert order[-1] == "twin"
