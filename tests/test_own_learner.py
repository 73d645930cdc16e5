"""A query from somebody else's learner: vectors, weights by term, fitted linear models."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from likewise import Document, Index, Query, Text, UsageError
from likewise.corpus import SparseVector
from likewise.datasets import topics
from likewise.estimators import BalancedSVM, Rocchio
from likewise.views.latent import DIMENSIONS

TOPIC = "cs.RO"


@pytest.fixture(scope="module")
def index(arxiv):
    return arxiv


@pytest.fixture(scope="module")
def judged(index):
    """Ten of a topic and a hundred others, with labels."""
    members = topics()[TOPIC]
    others = [id for id in index.ids() if id not in members][:100]
    ids = [*members[:10], *others]
    return ids, np.array([1] * 10 + [0] * 100)


@pytest.fixture(scope="module")
def vector(index, judged):
    ids, y = judged
    return Rocchio().fit(index.matrix(ids), y).coef_


def test_the_matrix_has_a_row_for_each_document_and_a_column_for_each_term(index):
    ids, terms = index.ids(), index.terms()
    whole = index.matrix()
    assert whole.shape == (len(ids), len(terms))
    some = index.matrix(ids[5:2:-1])
    assert (some != whole[[5, 4, 3]]).nnz == 0
    assert np.sqrt((some.multiply(some)).sum(axis=1)) == pytest.approx([1, 1, 1])
    counts = index.matrix(ids[:1], weighting="raw")
    assert counts[0, terms.index(index.analyzer(index.document(ids[0]).text)[0])] >= 1
    wide = index.matrix(ids[:3], views="words,latent")
    assert wide.shape == (3, len(terms) + DIMENSIONS)


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(),
        LinearSVC(),
        SGDClassifier(random_state=0),
        RidgeClassifier(),
        SVC(kernel="linear"),
        BalancedSVM(),
        LogisticRegression(C=9).set_params(tol=1e-3),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_fitted_model_finds_the_rest_of_a_topic(index, judged, model):
    ids, y = judged
    fitted = model.fit(index.matrix(ids), y)
    hits = index.run(fitted, k=20)
    assert hits.query.learned.method == type(model).__name__
    found = index.run(index.as_query(fitted, exclude=ids), k=20)
    assert not set(found.ids) & set(ids)
    assert sum(id in topics()[TOPIC] for id in found.ids) >= 10
    scores = fitted.decision_function(index.matrix(hits.ids)) - np.ravel(fitted.intercept_)
    assert [hit.score for hit in hits] == pytest.approx(scores, abs=1e-9)


def test_a_model_gets_filters_explanations_and_saving(index, judged, tmp_path):
    ids, y = judged
    hits = index.run(LogisticRegression().fit(index.matrix(ids), y), filter="created>=2015")
    assert all(index.document(id).fields["created"] >= "2015" for id in hits.ids)
    why = index.explain(hits[0], hits.query)
    assert why.score == pytest.approx(hits[0].score)
    assert {"robot", "autonom", "vehicl"} & {term for term, _ in why.terms[:3]}
    hits.query.save(tmp_path / "own.json")
    saved = Query.load(tmp_path / "own.json")
    assert index.run(saved, filter="created>=2015").ids == hits.ids
    assert pickle.loads(pickle.dumps(hits.query)) == saved
    assert "LogisticRegression" in repr(saved)


def test_all_forms_of_a_vector_are_the_same_query(index, vector):
    expected = index.run(vector).ids
    sparse = SparseVector(np.flatnonzero(vector).astype(np.int32), vector[vector != 0])
    by_term = {index.terms()[column]: float(vector[column]) for column in sparse.columns}
    for form in (
        vector.tolist(),
        vector.reshape(1, -1),
        vector.reshape(-1, 1),
        sp.csr_array(vector.reshape(1, -1)),
        sp.coo_matrix(vector.reshape(-1, 1)),
        sparse,
        by_term,
    ):
        assert index.run(form).ids == expected
    assert index.run({"robot": 1.0}, k=5).ids == index.run({"robot": 7}, k=5).ids


def test_a_vector_over_several_views(index, judged):
    ids, y = judged
    views = {"words": 1.0, "latent": 0.5}
    model = LinearSVC().fit(index.matrix(ids, views=views), y)
    query = index.as_query(model, views=views, exclude=ids)
    hits = index.run(query, k=20)
    assert sum(id in topics()[TOPIC] for id in hits.ids) >= 10
    scores = index.matrix(hits.ids, views=views) @ model.coef_[0]
    assert [hit.score for hit in hits] == pytest.approx(scores, abs=1e-6)
    assert index.explain(hits[0], query).score == pytest.approx(hits[0].score, abs=1e-6)
    assert index.run(query.portable, k=20).ids == hits.ids


def test_what_scikit_learn_wraps_around_a_model(index, judged):
    ids, y = judged
    X = index.matrix(ids)
    search = GridSearchCV(LogisticRegression(), {"C": [1.0]}, cv=2).fit(X, y)
    assert index.run(search).ids == index.run(LogisticRegression().fit(X, y)).ids
    piped = make_pipeline(LogisticRegression()).fit(X, y)
    assert index.run(piped).ids == index.run(search).ids


def test_the_weighting_of_a_vector_is_that_of_its_matrix(index, judged):
    ids, y = judged
    model = LinearSVC().fit(index.matrix(ids, weighting="counts"), y)
    query = index.as_query(model, weighting="counts")
    hits = index.run(query)
    scores = index.matrix(hits.ids, weighting="counts") @ model.coef_[0]
    assert [hit.score for hit in hits] == pytest.approx(scores, abs=1e-9)


def test_what_is_no_query_is_said_in_a_sentence(index, judged):
    ids, y = judged
    X = index.matrix(ids)
    three = np.where(np.arange(len(y)) % 3, y, 2)
    for given, why in {
        "words": ("robot arm", "a str is no query"),
        "nothing": (None, "None is no query"),
        "short": (np.ones(3), "the vector has 3 weights and the index"),
        "unfitted": (LogisticRegression(), "has no coef_: fit it first"),
        "a tree": (DecisionTreeClassifier().fit(X[:, :50], y), "has no coef_"),
        "several": (LogisticRegression().fit(X, three), "there are 3 vectors: give one"),
        "unknown": ({"robots!": 1.0}, "has the term 'robots!'"),
        "no number": ({"robot": "much"}, "it must be a number"),
        "infinite": ({"robot": np.inf}, "not finite"),
        "outside": (SparseVector(np.array([10**6], np.int32), np.ones(1)), "the index"),
        "calibrated": (CalibratedClassifierCV(LinearSVC(), cv=2).fit(X, y), "has no coef_"),
    }.values():
        with pytest.raises(UsageError, match=why):
            index.run(given)
    with pytest.raises(UsageError, match="no view 'embeddings'"):
        index.as_query(np.ones(3), views="words,embeddings")
    scaled = make_pipeline(MaxAbsScaler(), LogisticRegression()).fit(X, y)
    with pytest.raises(UsageError, match="the pipeline changes the vectors"):
        index.run(scaled)


# From disliked documents alone


@pytest.mark.parametrize("method", ["auto", "centroid", "rocchio", "steady"])
def test_disliked_documents_alone_push_their_kind_down(index, method):
    members = topics()[TOPIC]
    hits = index.like([], unlike=members[:5], method=method, k=len(index))
    assert not set(hits.ids) & set(members[:5])
    places = [hits.ids.index(id) for id in members[5:]]
    assert np.mean(places) > 0.7 * len(hits)
    assert (hits.query.learned.examples, hits.query.learned.unlike) == (0, 5)
    assert "no liked example" in hits.query.learned.reason
    assert {one.id: one.weight < 0 for one in hits.query.portable.support}[members[0]]


def test_weights_without_a_liked_example(index):
    with pytest.raises(UsageError, match="weights are those of liked examples"):
        index.like([], unlike=topics()[TOPIC][:2], weights=[1, 2])
    with pytest.raises(UsageError, match="no example was given"):
        index.like([])


# Documents that bring their embedding

FRUIT, METAL = [1.0, 0.1, 0.0], [0.0, 0.1, 1.0]


def carrying():
    rng = np.random.default_rng(1)
    return [
        Document(
            f"{kind}{n}",
            f"word{rng.integers(20)} word{rng.integers(20)} other{n}",
            vector=np.array(base) + 0.05 * rng.random(3),
        )
        for kind, base in (("fruit", FRUIT), ("metal", METAL))
        for n in range(8)
    ]


@pytest.mark.parametrize("form", [list, iter, tuple])
def test_vectors_of_documents_become_embeddings(tmp_path, form):
    index = Index.create(tmp_path / "v.idx")
    index.add(form(carrying()))
    assert index.views.info()["embeddings"].documents == 16
    hits = index.like("fruit0", method="centroid", views={"words": 0.01, "embeddings": 1}, k=7)
    assert all(id.startswith("fruit") for id in hits.ids)
    index.add(Document("fruit9", "another text", vector=FRUIT))
    assert index.views.info()["embeddings"].documents == 17
    assert "vector" not in index.document("fruit9").fields


def test_an_example_brings_its_vector(tmp_path):
    index = Index.create(tmp_path / "v.idx")
    index.add(carrying())
    views = {"words": 0.01, "embeddings": 1.0}
    for example in (Text("unknown words", vector=METAL), Document("x", "unknown", vector=METAL)):
        hits = index.like(example, method="centroid", views=views, k=7)
        assert all(id.startswith("metal") for id in hits.ids)
        assert not any("no embedding" in note for note in hits.notes)
    plain = index.like([Text("word3 other3")], method="centroid", views=views)
    assert any("have no embedding" in note for note in plain.notes)
    only_words = index.like(Text("word3 other3", vector=METAL), method="centroid")
    assert any("not used" in note for note in only_words.notes)


def test_vectors_that_do_not_fit(tmp_path):
    index = Index.create(tmp_path / "v.idx")
    for given, why in (
        ([Document("a", "x", vector=[1, 2]), Document("b", "y", vector=[1])], "of 1 numbers"),
        (Document("a", "x", vector="none"), "not a list of numbers"),
        (Document("a", "x", vector=[np.nan, 1]), "missing or infinite"),
        (Document("a", "x", vector=[]), "not a list of numbers"),
    ):
        with pytest.raises(ValueError, match=why):
            index.add(given)
    assert len(index) == 0
    index.add(carrying())
    with pytest.raises(UsageError, match="of 2 numbers, and others have 3"):
        index.add(Document("a", "x", vector=[1, 2]))
    with pytest.raises(UsageError, match="vector has 2 numbers, and the embeddings"):
        index.like(Text("word3 unknown", vector=[1, 2]), views="words,embeddings")


def test_a_document_that_is_skipped_keeps_its_vector(tmp_path):
    index = Index.create(tmp_path / "v.idx")
    index.add(carrying())
    before = index.searcher.view("embeddings").rows(np.array([0])).values
    index.add([Document("fruit0", "new", vector=METAL), Document("new", "new", vector=METAL)],
              on_duplicate="skip")  # fmt: skip
    after = index.searcher.view("embeddings").rows(np.array([0])).values
    assert after == pytest.approx(before)
    assert index.views.info()["embeddings"].documents == 17


def test_documents_are_compared_without_their_vectors():
    assert Document("a", "x", vector=np.ones(3)) == Document("a", "x")
    assert Text("x", vector=np.ones(3)) == Text("x")


def test_a_labelled_series_is_read_by_its_labels(index, vector):
    """Its order need not be that of the terms."""
    shuffled = pd.Series(vector, index.terms()).sort_values()
    assert index.run(shuffled).ids == index.run(vector).ids
    assert index.run(pd.Series({"robot": 1.0})).ids == index.run({"robot": 1.0}).ids
    assert index.run(pd.Series(vector)).ids == index.run(vector).ids  # labels are numbers


@pytest.mark.parametrize("nothing", [{}, {"robot": 0.0}])
def test_a_vector_without_a_weight_ranks_nothing(index, nothing):
    with pytest.raises(UsageError, match="all weights of the vector are 0"):
        index.run(nothing)
    with pytest.raises(UsageError, match="all weights of the vector are 0"):
        index.run(np.zeros(len(index.terms())))
