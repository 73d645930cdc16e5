"""A learned query: what it is made of, how it explains hits, and its life on disk and elsewhere."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from likewise import Document, Index, InputError, Query, Text, UsageError
from likewise.datasets import topics
from likewise.search.methods import METHODS
from likewise.search.query import Learned, Support, Weight


@pytest.fixture(scope="module")
def index(arxiv):
    return arxiv


@pytest.fixture(scope="module")
def examples():
    return topics()["q-bio.PE"][:8]


@pytest.fixture
def fruit(tmp_path):
    made = Index.create(tmp_path / "fruit.idx")
    made.add(
        [
            Document("a", "red apples", "Apples"),
            Document("b", "red berries", "Berries"),
            Document("c", "green cherries", "Cherries"),
        ]
    )
    return made


@pytest.fixture
def saved(tmp_path, fruit):
    """A query on disk, as JSON to be spoiled."""
    path = tmp_path / "query.json"
    fruit.learn(["a", Text("fresh apples")], unlike="c", method="centroid").portable.save(path)
    return path


# What a hit owes to which term


@pytest.mark.parametrize("method", METHODS)
def test_contributions_add_up_to_the_score(index, examples, method):
    hits = index.like(examples[:6], unlike=examples[6:], method=method, k=5)
    rows = index.corpus().rows(np.arange(len(index)))
    terms = np.array(index.terms())
    for hit in hits:
        explained = index.explain(hit, hits.query)
        assert explained.id == hit.id
        assert explained.score == pytest.approx(hit.score, abs=1e-9)
        assert math.fsum(part.weight for part in explained.terms) == pytest.approx(
            hit.score, abs=1e-9
        )
        number = index.ids().index(hit.id)
        own = terms[rows.columns[rows.starts[number] : rows.starts[number + 1]]]
        assert {part.term for part in explained.terms} <= set(own)
        assert explained == index.explain(hit.id, hits.query.portable)


def test_judged_documents_can_be_explained_too(index, examples):
    query = index.learn(examples, method="steady")
    hits = index.like(examples, method="steady")
    assert index.explain(examples[0], query).score > hits[0].score


def test_a_query_keeps_to_its_weighting(index, examples):
    query = index.learn(examples, method="centroid", weighting="counts")
    hit = index.run(query)[0]
    assert index.explain(hit, query).score == pytest.approx(hit.score, abs=1e-9)
    assert index.explain(hit, query, weighting="counts") == index.explain(hit, query)
    with pytest.raises(UsageError, match="learned with weighting counts"):
        index.explain(hit, query, weighting="tfidf")


# What a query is made of


def test_the_heaviest_terms(fruit):
    query = fruit.learn("a", unlike="c", method="centroid").portable
    up, down = query.heaviest()
    assert [pair.term for pair in up] == ["appl", "red"]
    assert {pair.term for pair in down} == {"green", "cherri"}
    assert all(pair.weight > 0 for pair in up)
    assert all(pair.weight < 0 for pair in down)
    assert query.heaviest(1) == (up[:1], down[:1])
    assert query.heaviest(0) == ([], [])


def test_support_names_the_documents_behind_a_query(fruit):
    document = Document("mine", "red apples and plums")
    query = fruit.learn(["a", document], unlike="c", method="centroid")
    assert set(query.portable.support) == {("a", 0.5), ("mine", 0.5), ("c", -0.5)}
    assert query.portable.exclude == ("a", "mine", "c")
    rocchio = fruit.learn("a", method="rocchio").portable.support
    assert rocchio[0] == ("a", 1.0)
    assert set(rocchio[1:]) == {("b", -0.5), ("c", -0.5)}


def test_support_is_the_heaviest_of_many(index, examples):
    query = index.learn(examples, method="rocchio").portable
    assert len(query.support) == 100
    assert {pair.id for pair in query.support[:8]} == set(examples)
    sizes = [abs(pair.weight) for pair in query.support]
    assert sizes == sorted(sizes, reverse=True)


def test_learned_queries_are_compared_by_identity(fruit):
    one, other = (fruit.learn("a", method="centroid") for _ in range(2))
    assert one != other
    assert len({one, other}) == 2
    assert one.portable.terms == other.portable.terms


# Elsewhere


@pytest.mark.parametrize("method", ["1c", "rocchio", "steady"])
def test_a_saved_query_finds_the_same(tmp_path, index, examples, method):
    hits = index.like(examples, unlike=index.ids()[0], method=method, k=30)
    hits.query.portable.save(tmp_path / "q.json")
    again = Query.load(str(tmp_path / "q.json"))
    assert again == hits.query.portable
    assert again.learned == hits.query.learned
    found = index.run(again, k=30)
    assert found == hits
    assert (found.query, found.known) == (again, 1.0)
    assert Index.open(index.path).run(hits.query, k=30) == hits


def test_a_query_outlives_the_generation_it_was_learned_on(fruit):
    query = fruit.learn("a", method="rocchio", weighting="counts")
    before = fruit.run(query)
    fruit.add(Document("d", "dates and red apples"))
    fruit.delete("c")
    fruit.merge()
    after = fruit.run(query)
    assert [hit.id for hit in after] == ["d", "b"]
    assert after[1].score == pytest.approx(before[0].score, abs=1e-12)
    assert fruit.explain("d", query).score == pytest.approx(after[0].score)


def test_another_index_matches_terms_by_name(tmp_path, fruit):
    query = fruit.learn("a", method="centroid")
    other = Index.create(tmp_path / "other.idx")
    other.add([Document("x", "yellow dates"), Document("a", "apples"), Document("y", "apples pie")])
    hits = other.run(query)
    weights = dict(zip(query.portable.terms, query.portable.weights, strict=True))
    assert hits.known == pytest.approx(weights["appl"] / sum(weights.values()))
    assert [hit.id for hit in hits] == ["y", "x"]  # "a" was an example
    assert hits[0].score > hits[1].score == 0
    [part] = other.explain(hits[0], query).terms
    assert part.term == "appl"


def test_an_index_that_knows_no_term_finds_nothing(tmp_path, fruit):
    other = Index.create(tmp_path / "other.idx")
    query = fruit.learn("a", method="centroid").portable
    assert (other.run(query), other.run(query).known) == ([], 0.0)
    other.add(Document("x", "yellow dates"))
    assert (other.run(query), other.run(query).known) == ([], 0.0)
    with pytest.raises(UsageError, match="k is 0"):
        other.run(query, k=0)


def test_a_query_of_words_does_not_fit_vectors(tmp_path, fruit):
    np.save(tmp_path / "v.npy", np.eye(3, dtype=np.float32))
    vectors = Index.create(tmp_path / "v.idx")
    vectors.add(tmp_path / "v.npy")
    with pytest.raises(UsageError, match="'tfidf' does not fit an index of dense"):
        vectors.run(fruit.learn("a", method="centroid"))


# On disk


def test_a_saved_query_is_readable_json(saved):
    content = json.loads(saved.read_text())
    assert content["format"] == 1
    assert len(content["terms"]) == len(content["weights"])
    assert content["weighting"] == "tfidf"
    assert content["learned"]["method"] == "centroid"
    assert content["support"][0][1] == 0.5


def test_a_query_saved_before_tol_was_told(tmp_path, index, examples):
    path = tmp_path / "query.json"
    learned = index.learn(examples, method="ba")
    learned.portable.save(path)
    content = json.loads(path.read_text())
    assert (content["learned"].pop("tol"), content["learned"].pop("converged")) == (1e-3, True)
    path.write_text(json.dumps(content))
    loaded = Query.load(path)
    assert (loaded.learned.tol, loaded.learned.converged) == (None, True)
    assert loaded.learned.gap == learned.learned.gap
    assert [hit.id for hit in index.run(loaded)] == [hit.id for hit in index.run(learned)]


def test_a_hand_written_query_is_as_good(tmp_path, fruit):
    learned = {"method": "by hand"}
    content = {"format": 1, "terms": ["berri", "qwxyz", "red"], "weights": [2, 1, 1],
               "weighting": "tfidf", "learned": learned}  # fmt: skip
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(content))
    query = Query.load(path)
    assert query.learned == Learned("by hand")
    hits = fruit.run(query)
    assert hits.known == 0.75
    assert hits[0].id == "b"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"format": 3}, r"query\.json was saved by a newer likewise"),
        ({"format": 7, "terms": {"a": 1}}, r"query\.json was saved by a newer likewise"),
        ({"format": "one"}, "is not a saved query"),
        ({"terms": ["appl"]}, "is damaged"),
        ({"terms": [1, 2]}, "is not a saved query"),
        ({"weights": []}, "is damaged"),
        ({"weights": ["x"]}, "is not a saved query"),
        ({"weights": None}, "is not a saved query"),
        ({"weighting": None}, "is not a saved query"),
        ({"learned": {}}, "is not a saved query"),
    ],
)
def test_a_spoiled_query_is_one_sentence(saved, change, why):
    saved.write_text(json.dumps(json.loads(saved.read_text()) | change))
    with pytest.raises(InputError, match=why) as caught:
        Query.load(saved)
    assert "\n" not in str(caught.value)


def test_the_same_term_twice_is_damage(saved):
    content = json.loads(saved.read_text())
    content["terms"][1] = content["terms"][0]
    saved.write_text(json.dumps(content))
    with pytest.raises(InputError, match="is damaged"):
        Query.load(saved)


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"null", b"[]", b"{}", b"\xff\xfe", b"hello", b'{"format": 1, "terms": ["\xff"]}',
     b'{"x": ' + b"[" * 100_000],
)  # fmt: skip
def test_a_foreign_file_is_one_sentence(tmp_path, content):
    path = tmp_path / "foreign.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"foreign\.json is not a saved query"):
        Query.load(path)


def test_every_cut_of_a_saved_query_is_noticed(saved):
    content = saved.read_bytes()
    for end in range(0, len(content), 7):
        saved.write_bytes(content[:end])
        with pytest.raises(InputError, match="is not a saved query"):
            Query.load(saved)


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match=r"cannot read the query .*none\.json: No such file"):
        Query.load(tmp_path / "none.json")
    with pytest.raises(InputError, match=r"cannot read the query .*: Is a directory"):
        Query.load(tmp_path)


def test_an_unknown_weighting_is_told_when_it_is_run(fruit):
    query = Query(("appl",), (1.0,), "bm25", Learned("by hand"))
    with pytest.raises(UsageError, match="'bm25' does not fit an index of text"):
        fruit.run(query)


def test_a_query_without_weight_is_known_to_nobody(fruit):
    for terms, weights in (((), ()), (("appl",), (0.0,))):
        query = Query(terms, weights, "tfidf", Learned("by hand"))
        assert (fruit.run(query), fruit.run(query).known) == ([], 0.0)


def test_records_are_plain(fruit):
    query = fruit.learn("a", method="centroid").portable
    assert isinstance(query.support[0], Support)
    assert isinstance(query.heaviest()[0][0], Weight)


def test_saving_replaces_a_file_but_not_a_device(tmp_path, fruit):
    query = fruit.learn("a", method="centroid").portable
    path = tmp_path / "q.json"
    for _ in range(2):
        query.save(path)
    assert Query.load(path) == query
    assert [each.name for each in tmp_path.glob("q.json*")] == ["q.json"]
    with pytest.raises(OSError, match="No space left"):
        query.save("/dev/full")
    assert Path("/dev/full").is_char_device()
