"""The first look at examples: what it finds, and that the first round needs no other read."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.corpora import local
from likewise.engines.memory import as_corpus
from likewise.engines.stack import Stack, View
from likewise.search.looking import nearest
from likewise.search.methods import METHODS, Options
from likewise.solvers.blocks import Blocks, Rest

COUNTS = np.random.default_rng(3).poisson(0.4, (200, 30))
EXAMPLES = np.array([3, 40, 41, 90])
BLOCKS = Blocks(EXAMPLES, Rest(200, EXAMPLES))


@pytest.fixture
def words():
    return local(COUNTS, "tfidf")


@pytest.fixture
def stack(words):
    return Stack([View("words", words, 1.5), View("titles", local(COUNTS[:, :9], "tfidf"), 0.5)])


def rocchio(corpus):
    return METHODS["rocchio"].solve(corpus, BLOCKS, Options(), None).w


def test_the_nearest_is_the_same_by_all_scores_and_by_the_best(words):
    by_best, nothing = nearest(words, EXAMPLES, EXAMPLES)
    by_all, seen = nearest(words, EXAMPLES, EXAMPLES, again=True)
    assert by_all == by_best
    assert nothing is None
    x = words.scores(np.eye(30))
    mean = x[EXAMPLES].mean(axis=0)
    cosines = x @ mean / np.maximum(np.linalg.norm(x, axis=1) * np.linalg.norm(mean), 1e-12)
    assert by_all == pytest.approx(np.delete(cosines, EXAMPLES).max())
    assert seen.scores == pytest.approx(x @ mean, abs=1e-5)


def test_scores_of_rocchios_query_follow_from_what_was_seen(words, stack):
    _, seen = nearest(words, EXAMPLES, EXAMPLES, again=True)
    for corpus in (words, stack):
        w = rocchio(corpus)
        found = seen.told_from_rest(corpus, BLOCKS, w)
        assert found.dtype == np.float32
        assert found == pytest.approx(corpus.scores(w), abs=1e-5)


def test_words_are_not_read_again(words, stack, monkeypatch):
    _, seen = nearest(words, EXAMPLES, EXAMPLES, again=True)
    w = rocchio(stack)
    words.total_scores()
    monkeypatch.setattr(words, "scores", None)
    assert seen.told_from_rest(stack, BLOCKS, w) is not None


def test_other_queries_are_scored_by_themselves(words):
    _, seen = nearest(words, EXAMPLES, EXAMPLES, again=True)
    w, others = rocchio(words), BLOCKS.unlabeled
    weighted = Blocks(EXAMPLES, others, weights=np.ones(200))
    judged = Blocks(EXAMPLES, others.but(np.array([7])), np.array([7]))
    for blocks in (weighted, judged, Blocks(EXAMPLES[:3], Rest(200, EXAMPLES[:3]))):
        assert seen.told_from_rest(words, blocks, w) is None
    assert seen.told_from_rest(local(COUNTS, "tfidf"), BLOCKS, w) is None


def test_a_corpus_that_keeps_no_sum_is_searched(words):
    x = words.scores(np.eye(30))
    found, seen = nearest(as_corpus(x), EXAMPLES, EXAMPLES, again=True)
    assert seen is None
    assert found == pytest.approx(nearest(words, EXAMPLES, EXAMPLES)[0])
