"""Search by example over several views: what auto chooses, explains, says and carries elsewhere."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from likewise import Document, Index, Text
from likewise.corpus import SparseVector
from likewise.datasets import arxiv_sample, topics
from likewise.errors import UsageError
from likewise.search.auto import Given, breadth_of, choose, cost, likely, others
from likewise.search.query import Query

TOPIC = "cond-mat.quant-gas"
BOTH = "words,latent"  # asked for, so that a narrow topic uses the latent space, too
SPEED = 2e8  # entries a second


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    made = Index.create(tmp_path_factory.mktemp("auto") / "arxiv.idx", latent=50)
    made.add(arxiv_sample())
    return made


@pytest.fixture(scope="module")
def members():
    return topics()[TOPIC]


def test_what_is_chosen_follows_from_what_is_given():
    one = choose(Given(1, 20_000, 10**6, ["titles", "latent"], speed=SPEED))
    assert one.method == "steady"
    assert dict(one.factors) == {"words": 1.0, "titles": 0.5, "latent": 0.5}
    assert (one.likely, one.worth, one.C_per_example) == (3, 1 / 6, 1.0)
    many = choose(Given(100, 20_000, 10**6, speed=SPEED))
    assert (many.likely, many.worth, many.C_per_example) == (0, 0.0, 6.0)
    assert (many.sample, list(many.factors)) == (None, ["words"])
    assert many.also is None
    share = choose(Given(300, 10_000, 10**6, speed=SPEED))
    assert (share.also, share.C_per_example) == ("ba", 1.0)
    assert choose(Given(300, 100_000, 10**7, speed=SPEED)).C_per_example == 2.0
    assert [likely(n, 10_000) for n in (1, 2, 5, 50, 51)] == [3, 5, 10, 10, 0]
    assert [likely(3, n) for n in (50, 400, 5000)] == [0, 4, 7]
    assert [others(n) for n in (1, 10, 20, 40, 1000)] == [
        (1000, 1000), (1000, 1000), (2000, 1000), (4000, 2000), (4000, 2000),
    ]  # fmt: skip
    assert [cost(n, 5000) for n in (1, 8, 1000)] == [0.5, 4.0, 0.6]


def test_a_narrow_topic_is_told_by_its_words():
    assert [breadth_of(cosine) for cosine in (0.9, 0.5, 0.35, 0.2, 0.0)] == pytest.approx(
        [0.0, 0.0, 0.5, 1.0, 1.0]
    )
    given = {"examples": 2, "documents": 10_000, "entries": 10**6, "speed": SPEED}
    views = ["titles", "latent", "embeddings"]
    broad, between, narrow = (
        choose(Given(**given, views=views, breadth=breadth)) for breadth in (1.0, 0.36, 0.0)
    )
    assert dict(broad.factors) == {"words": 1.0, "titles": 0.5, "latent": 0.5, "embeddings": 0.7}
    assert dict(between.factors) == dict(broad.factors) | {"latent": 0.3}
    assert dict(narrow.factors) == {"words": 1.0, "titles": 0.5, "embeddings": 0.7}
    assert [plan.likely for plan in (broad, between, narrow)] == [5, 5, 0]
    assert [plan.worth for plan in (broad, between, narrow)] == [1 / 6, 0.06, 0.0]
    assert "the topic looks narrow" in narrow.reasons[1]
    short, shorter = (
        choose(Given(**given, views=views, terms=terms)).factors for terms in (15.0, 12.0)
    )
    assert dict(short) == dict(broad.factors) | {"latent": 0.25}
    assert "latent" not in shorter
    asked = {"words": 1.0, "latent": 0.8}
    kept = choose(Given(**given, views=["latent"], asked=asked, breadth=0.0))
    assert dict(kept.factors) == asked


def test_a_budget_is_kept():
    given = {"examples": 50, "documents": 10**6, "entries": 10**8, "speed": SPEED}
    online = choose(Given(**given, views=["latent"], budget="online"))
    assert (online.method, list(online.factors)) == ("centroid", ["words"])
    assert choose(Given(**given, budget=0.01)).method == "centroid"
    short, longer, ample = (choose(Given(**given, budget=time)).sample for time in (1.51, 1.55, 10))
    assert 1000 <= short < longer < 10**6
    assert ample is None
    assert (
        choose(Given(**given)).near
        == choose(Given(**given, budget=10)).near
        == others(given["examples"])[0]
    )
    offline = choose(Given(**given, budget="offline"))
    assert (offline.sample, offline.near) == (None, None)
    for budget in ("soon", True, -1, 0.0, float("nan"), "inf"):
        with pytest.raises(UsageError, match="online, offline or seconds"):
            choose(Given(**given, budget=budget))


@pytest.mark.parametrize("examples", [1, 2, 5])
def test_it_finds_more_than_the_words_mean_does(index, members, examples):
    def found(**options):
        hits = [index.like(members[i : i + examples], k=30, **options) for i in range(0, 40, 8)]
        return sum(hit.id in members for some in hits for hit in some)

    assert found() >= max(found(method="rocchio"), found(method="centroid"))


def test_what_it_did_is_reported(index, members):
    learned = index.like(members[:3]).query.learned
    assert learned.method == "steady"
    assert list(learned.views) == ["words", "titles", "latent"]
    for said in ("3 examples", "second round", "views: words, titles, latent"):
        assert said in learned.reason
    assert learned.notes == ()
    online = index.like(members[:3], budget="online").query.learned
    assert (online.method, list(online.views)) == ("centroid", ["words"])
    assert "online" in online.reason


def test_views_may_be_chosen(index, members):
    words = index.learn(members[:9], views="words")
    assert list(words.views) == ["words"]
    both = index.learn(members[:9], method="ba", views={"words": 1.0, "latent": 0.3})
    assert dict(both.views) == {"words": 1.0, "latent": 0.3}
    assert dict(index.learn(members[:9], views={"words": 2, "latent": 1}).views) == {
        "words": 2.0,
        "latent": 1.0,
    }
    assert list(index.learn(members[:9], method="ba").views) == ["words"]
    with pytest.raises(
        UsageError, match="no view 'tags' in this index: choose from words, titles, latent"
    ):
        index.learn(members[:3], views=["tags"])
    spaced = index.learn(members[:9], method="ba", views="words, latent")
    assert dict(spaced.views) == {"words": 1.0, "latent": 0.5}
    for views in ("latent", ["latent"], {"latent": 1.0}):
        with pytest.raises(UsageError, match="must contain words: write words,latent"):
            index.learn(members[:3], views=views)
    with pytest.raises(UsageError, match="method centroid uses words only"):
        index.learn(members[:3], views="words,latent", budget="online")
    assert list(index.learn(members[:3], views="words", budget="online").views) == ["words"]
    with pytest.raises(UsageError, match="budget applies only to method auto"):
        index.learn(members[:3], method="ba", budget="online")


def test_results_repeat(index, members, tmp_path):
    hits = index.like(members[:7], k=20)
    assert hits == index.like(members[:7], k=20)
    assert hits == Index.open(index.path, threads=3).like(members[:7], k=20)


@pytest.mark.parametrize("examples", [1, 12])
def test_an_explanation_sums_to_the_score_and_names_words(index, members, examples):
    hits = index.like(members[:examples], k=5)
    for hit in hits:
        explanation = index.explain(hit, hits.query)
        assert explanation.score == pytest.approx(hit.score, abs=1e-9)
        assert sum(w.weight for w in explanation.terms) == pytest.approx(hit.score, abs=1e-9)
        beside = [w for w in explanation.terms if w.term.startswith("(")]
        beside_words = ["(latent space: its centre)", "(parts of the title)"]
        assert sorted(w.term for w in beside) == beside_words
        assert len(explanation.terms) == len({w.term for w in explanation.terms})
        words = {w.term: w.weight for w in explanation.terms}
        assert max(words.keys() - set(beside_words), key=words.get) in index.terms()


def test_the_centres_part_is_the_same_for_all_documents(index, members):
    """Except for what storing latent vectors in bytes has rounded."""
    hits = index.like(members[:4], k=6)
    rest = [
        w.weight
        for hit in hits
        for w in index.explain(hit, hits.query).terms
        if w.term.startswith("(latent")
    ]
    assert rest == pytest.approx([rest[0]] * 6, abs=0.01 * hits[0].score)


def test_examples_from_outside_are_folded_in(index, members):
    document = index.document(members[0])
    text = f"{document.title} {document.title} {document.text}"
    hits = index.like(Text(text), k=20)
    assert hits.query.learned.views.keys() == {"words", "titles", "latent"}
    assert sum(hit.id in members for hit in hits) >= 10


def test_a_stale_space_is_said_with_results(tmp_path):
    made = Index.create(tmp_path / "i", language="none", latent=3)
    made.add(Document(f"d{i}", f"w{i % 7} w{i % 5} w{i % 3}") for i in range(60))
    assert made.like("d1", views=BOTH).notes == ()
    made.add([Document("later", "w1 w2 w0")])
    (note,) = made.like("d1", views=BOTH).notes
    assert "learned from 60 documents and the index has 61 now, 1 of them folded in" in note
    made.merge()
    assert made.like("d1", views=BOTH).notes == ()
    made.delete(["d9", "d10"])
    assert made.like("d1", views=BOTH).notes == ()  # a few change nothing
    made.delete([f"d{i}" for i in range(11, 20)])
    (note,) = made.like("d1", views=BOTH).notes
    assert "from 61 documents, of which 11 are deleted: likewise merge learns it again" in note


def test_notes_are_about_the_index_that_is_searched(tmp_path):
    def filled(name, documents):
        made = Index.create(tmp_path / name, language="none", latent=3)
        made.add(Document(f"d{i}", f"w{i % 7} w{i % 5} w{i % 3}") for i in range(documents))
        return made

    made, other = filled("i", 60), filled("j", 70)
    early = made.learn("d1", views=BOTH)
    made.add([Document("later", "w1 w2 w0")])
    for query in (early, early.portable):
        (note,) = made.run(query).notes
        assert "the index has 61 now, 1 of them folded in" in note
    late = made.learn("d1", views=BOTH).portable
    assert other.run(late).notes == (
        "the query's latent part was fitted to the latent space of this index",
    )
    made.merge()
    assert not any("folded" in note for note in made.run(late).notes)


def test_a_saved_query_is_exact_in_its_space(index, members, tmp_path):
    hits = index.like(members[:6], k=15)
    hits.query.portable.save(tmp_path / "q.json")
    again = Index.open(index.path).run(Query.load(tmp_path / "q.json"), 15)
    assert [hit.id for hit in again] == [hit.id for hit in hits]
    assert [hit.score for hit in again] == pytest.approx([hit.score for hit in hits], abs=1e-9)
    assert again.known == 1.0
    assert again.notes == ()


@pytest.mark.parametrize(
    ("latent", "said"), [(30, "fitted to the latent space"), (0, "added to the words")]
)
def test_a_saved_query_is_carried_to_other_indexes(index, members, tmp_path, latent, said):
    hits = index.like(members[:6], k=50)
    other = Index.create(tmp_path / "other", latent=latent)
    other.add(arxiv_sample())
    carried = other.run(hits.query.portable, 50)
    assert said in carried.notes[-1]
    assert len({hit.id for hit in carried} & {hit.id for hit in hits}) >= 25
    explanation = other.explain(carried[0], hits.query.portable)
    assert explanation.score == pytest.approx(carried[0].score, abs=1e-9)


def test_a_query_in_words_has_its_latent_part(index, members):
    query = index.learn(members[:6]).portable
    plain = dict(zip(query.terms, query.weights, strict=True))
    total = {weight.term: weight.weight for weight in query.in_words}
    assert any(total[term] != plain.get(term, 0.0) for term in query.latent.terms)
    up, _ = query.heaviest(5)
    assert up[0].weight == max(total.values())


def test_words_ask_no_other_view(index):
    stacked = index.searcher.stacked(None, {"words": 1.0, "latent": 0.7})
    w = SparseVector(np.array([5], np.int32), np.array([1.0]))
    assert stacked.top(w, 5) == index.corpus().top(w, 5)


def test_a_search_takes_little_memory(index, members):
    opened = Index.open(index.path)
    opened.like(members[:3])
    tracemalloc.start()
    opened.like(members[:3])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    documents, width = 2000, 50
    terms = index.info().terms
    assert peak < 4 * documents * width + 40 * 8 * terms
