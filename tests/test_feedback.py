"""Feedback: which method is chosen and why, what is shown, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.counting import counting
from likewise import Index, Text, UsageError
from likewise.datasets import topics
from likewise.feedback import ABOUT, FEEDBACK, SELECTIONS, Ranker, Start
from likewise.feedback.documents import Documents
from likewise.feedback.situation import State

WORDS = "search engine retrieval"


@pytest.fixture(scope="module")
def index(arxiv):
    return arxiv


@pytest.fixture(scope="module")
def topic():
    return set(topics()["cs.IR"])


def ranker(index, start=None, **options):
    return Ranker(index.searcher, Start(WORDS) if start is None else start, **options)


def ids(page):
    return [hit.id for hit in page.hits]


# What is chosen


def test_nothing_judged_is_the_search_by_words(index):
    page = ranker(index).page(10)
    assert ids(page) == [hit.id for hit in index.search(WORDS, 10)]
    assert (page.method, page.query) == ("none", WORDS)
    assert page.reason == "nothing has been judged yet"


def test_examples_alone_are_the_search_by_example(index, topic):
    examples = sorted(topic)[:5]
    page = ranker(index, Start(examples=examples)).page(10)
    assert ids(page) == [hit.id for hit in index.like(examples)]
    assert page.method == "steady"


def test_neither_words_nor_examples_give_a_random_order_that_a_seed_repeats(index):
    pages = [ranker(index, Start(), seed=seed).page(20) for seed in (1, 1, 2)]
    assert ids(pages[0]) == ids(pages[1]) != ids(pages[2])
    assert pages[0].query is None


def test_the_state_decides(index, topic):
    asked = ranker(index)
    first = asked.page(10)
    asked.judge(dict.fromkeys(ids(first), False))
    assert asked.page().method == "away"
    asked.judge({id: id in topic for id in ids(first)} | {sorted(topic)[0]: True})
    assert asked.page().method == "two-class"
    asked.judge({})
    assert asked.page()[:3] == first[:3]


def test_a_method_that_cannot_learn_from_what_there_is_waits(index, topic):
    asked = ranker(index, method="two-class")
    asked.judge({sorted(topic)[0]: False})
    page = asked.page()
    assert page.method == "away"
    assert page.reason == "two-class cannot be used yet: nothing relevant has been found yet"


# What is shown


@pytest.mark.parametrize("method", ["auto", *FEEDBACK])
def test_judged_documents_are_never_shown_again(index, topic, method):
    asked, judged = ranker(index, method=method), {}
    for round_ in range(4):
        page = asked.page(7)
        assert len(page.hits) == 7
        assert not judged.keys() & set(ids(page))
        judged |= {id: round_ > 1 and id in topic for id in ids(page)}
        asked.judge(judged)


@pytest.mark.parametrize("method", [n for n, m in FEEDBACK.items() if State.RELEVANT in m.serves])
def test_relevance_feedback_finds_more_than_chance(index, topic, method):
    known = sorted(topic)[:5]
    asked = ranker(index, method=method)
    asked.judge(
        dict.fromkeys(known, True) | dict.fromkeys(sorted(set(index.ids()) - topic)[:5], False)
    )
    page = asked.page(20)
    assert page.method == method
    assert sum(id in topic for id in ids(page)) >= 8


def test_a_page_explains_itself(index, topic):
    asked = ranker(index)
    asked.judge({sorted(topic)[0]: True, sorted(topic)[1]: False})
    page = asked.page()
    for hit in page.hits:
        assert index.explain(hit, page.query).score == pytest.approx(hit.score)
    assert page.query.learned.method == page.method
    assert page.query.portable.exclude == tuple(sorted(topic)[:2])


def test_documents_can_be_left_out(index):
    first = ids(ranker(index).page(5))
    assert not set(first) & set(ids(ranker(index).page(5, leave_out=first)))


@pytest.mark.parametrize("n", [1, 7, 100])
def test_pages_without_a_judgement_between_are_the_best_that_are_left(index, topic, n):
    asked, rng = ranker(index), np.random.default_rng(n)
    asked.judge({id: id in topic for id in [*sorted(topic)[:4], *index.ids()[:4]]})
    _ = asked.page(1)
    keep = asked.situation.unjudged.copy()
    for step in range(8):
        scores = np.where(keep, asked._current.ranked.learner.scores, -np.inf)
        best = np.lexsort((np.arange(len(scores)), -scores))[: min(n, keep.sum())]
        found = asked.best(n, keep)
        assert [number for number, _ in found] == best.tolist()
        keep = keep.copy()
        keep[best] = False  # those who come next are shown others
        if step == 4:  # somebody else was not shown these
            keep = asked.situation.unjudged & (rng.random(len(keep)) < 0.5)


def test_all_judged_leaves_an_empty_page(index):
    asked = ranker(index)
    asked.judge(dict.fromkeys(index.ids(), False))
    assert asked.page().hits == []


def test_unknown_ids_are_left_out(index):
    asked = ranker(index)
    asked.judge({"nobody": True})
    assert asked.page().method == "none"


def test_the_active_selection_is_nearest_the_boundary(index, topic):
    known = dict.fromkeys(sorted(topic)[:20], True)
    known |= dict.fromkeys(sorted(set(index.ids()) - topic)[:20], False)
    best, active = (ranker(index, selection=s, method="two-class") for s in SELECTIONS)
    best.judge(known)
    active.judge(known)
    ends = [ids(each.page(len(index)))[:-1] for each in (best, active)]
    upper = [hit for hit in active.page(len(index)).hits if hit.score > 0]
    assert len(ends[0]) == len(ends[1])
    assert upper[0].score == min(hit.score for hit in upper)


def test_examples_from_outside_the_index_are_learned_from(index):
    start = Start(words=WORDS, examples=[Text("ranking documents by relevance feedback")])
    asked = ranker(index, start, method="two-class")
    asked.judge({index.ids()[0]: False})
    page = asked.page()
    assert page.method == "two-class"
    assert len(page.query.exclude) == 2
    assert page.query.portable.support


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "magic"}, "unknown feedback 'magic': choose auto, none, rocchio"),
        ({"selection": "worst"}, "unknown selection 'worst': choose best, active"),
        ({"weighting": "heavy"}, "heavy"),
    ],
)
def test_what_makes_no_sense_is_refused(index, options, message):
    with pytest.raises(UsageError, match=message):
        ranker(index, **options)


def test_a_page_of_nothing_is_refused(index):
    with pytest.raises(UsageError, match="a page of 0 documents"):
        ranker(index).page(0)


# How terms weigh


def test_each_method_has_the_weighting_it_is_best_with(index, topic):
    asked = ranker(index)
    first = ids(asked.page(10))
    asked.judge(dict.fromkeys(first[:3], False))
    assert asked.page().query.weighting == "tfidf"
    asked.judge(dict.fromkeys(first[:3], False) | {sorted(topic)[0]: True})
    page = asked.page()
    assert (page.method, page.query.weighting) == ("two-class", "smooth")
    assert ids(page) == [hit.id for hit in index.run(page.query, 10)]
    assert index.explain(page.hits[0], page.query).score == pytest.approx(page.hits[0].score)


def test_a_weighting_that_is_asked_for_holds_for_all(index, topic):
    asked = ranker(index, weighting="pivoted")
    asked.judge({index.ids()[0]: False})
    assert asked.page().query.weighting == "pivoted"
    asked.judge({index.ids()[0]: False, sorted(topic)[0]: True})
    assert asked.page().query.weighting == "pivoted"


def test_vectors_are_weighed_as_they_always_are(tmp_path):
    np.save(tmp_path / "v.npy", np.random.default_rng(0).normal(size=(30, 4)).astype(np.float32))
    vectors = Index.create(tmp_path / "v.idx")
    vectors.add(tmp_path / "v.npy")
    first, second = vectors.ids()[:2]
    asked = ranker(vectors, Start(examples=[first]))
    asked.judge({second: False})
    page = asked.page()
    assert (page.method, page.query.weighting) == ("two-class", "unit")


def test_judgements_hold_whatever_the_weighting(index, topic):
    """Taking back the only relevant one returns to where it was, also for what was seen since."""
    asked = ranker(index)
    others = dict.fromkeys(ids(asked.page(5)), False)
    asked.judge(others)
    before = ids(asked.page())
    asked.judge(others | {before[0]: True, before[1]: False})
    assert not {before[0], before[1], *others} & {*ids(asked.page())}
    asked.judge(others)
    assert ids(asked.page()) == before


def test_outside_examples_are_seen_with_every_weighting(index):
    start = Start(words=WORDS, examples=[Text("ranking documents by relevance feedback")])
    asked = ranker(index, start)
    asked.judge({index.ids()[0]: False})
    page = asked.page()
    assert (page.method, page.query.weighting) == ("two-class", "smooth")
    assert page.hits[0].score > page.hits[-1].score


# What the ranker remembers


def test_what_was_learned_serves_until_a_judgement_changes(index, topic, monkeypatch):
    with counting(monkeypatch) as work:
        asked = ranker(index)
        asked.judge({sorted(topic)[0]: True, index.ids()[0]: False})
        page = asked.page()
        more = asked.page(leave_out=ids(page))
        assert asked.query.weighting == page.query.weighting
        assert not set(ids(page)) & set(ids(more))
        assert work.rankings == 1
        asked.judge({sorted(topic)[0]: True})
        asked.page()
        assert work.rankings == 2


def test_what_is_learned_says_how_near_it_came(index, topic):
    asked = ranker(index)
    asked.judge({sorted(topic)[0]: True, index.ids()[0]: False})
    learned = asked.page().query.learned
    assert learned.converged
    assert 0 <= learned.gap <= learned.tol == 1e-2
    by_mean = ranker(index, method="rocchio")
    by_mean.judge({sorted(topic)[0]: True})
    learned = by_mean.page().query.learned
    assert (learned.gap, learned.tol, learned.converged) == (None, None, True)


def test_ids_are_looked_up_once(index, monkeypatch):
    names = index.ids()
    with counting(monkeypatch) as work:
        documents = Documents(index.searcher.snapshot)
        assert documents.numbers([names[3], "x", names[1], "x"]) == [3, -1, 1, -1]
        assert documents.ids([1, 3]) == [names[1], names[3]]
        assert documents.present(["x", names[3]]) == [names[3]]
        assert work.look_ups == 1
        assert documents.ids([5, 1]) == [names[5], names[1]]
        assert documents.numbers([names[5]]) == [5]
        assert work.look_ups == 2


def test_every_method_has_a_phrase():
    assert list(ABOUT) == ["auto", *FEEDBACK]
    assert all(ABOUT.values())
