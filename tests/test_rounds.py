"""The two rounds of `auto`: who is like the examples, and what the second round learns from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.strict import ARRAYS as STRICT
from helpers.strict import StrictCorpus
from likewise import Document, Index
from likewise.engines.arrays import NUMPY
from likewise.engines.memory import as_corpus
from likewise.search.auto import Plan
from likewise.search.methods import METHODS, Options
from likewise.search.rounds import _joined, _thinned, best, carry_out, left_out
from likewise.solvers.blocks import Blocks, Rest

NONE = np.zeros(0, np.int64)


@pytest.fixture(scope="module")
def corpus():
    """Three groups of documents that share some terms, the first one small."""
    random = np.random.default_rng(0)
    X = np.zeros((400, 60))
    for row, group in enumerate(np.repeat([0, 1, 2], [30, 170, 200])):
        terms = np.append(random.choice(20, 6) + 20 * group, random.choice(60, 4))
        np.add.at(X[row], terms, 1.0)
    return as_corpus(X / np.linalg.norm(X, axis=1, keepdims=True))


def rocchio(corpus, blocks):
    return METHODS["rocchio"].solve(corpus, blocks, Options(), None).w


@pytest.mark.parametrize("weights", [None, np.linspace(0.5, 2, 400)])
def test_an_example_left_out_is_scored_by_the_others(corpus, weights):
    blocks = Blocks(np.arange(7), np.arange(20, 400), np.arange(10, 14), weights)
    found = left_out(corpus, blocks, corpus.scores(rocchio(corpus, blocks))[:7])
    for place in range(7):
        others = np.delete(np.arange(7), place)
        without = Blocks(others, blocks.unlabeled, blocks.negatives, weights)
        assert found[place] == pytest.approx(corpus.scores(rocchio(corpus, without))[place])


@given(
    st.lists(st.integers(0, 5), min_size=1, max_size=40),
    st.integers(0, 50),
    st.sampled_from([NUMPY, STRICT]),
)
def test_the_best_are_best_and_ties_go_to_the_lower_number(scores, count, arrays):
    among = np.arange(len(scores))[::-1] * 2
    by_number = np.zeros(2 * len(scores), np.float32)
    by_number[among] = scores
    expected = sorted(among, key=lambda number: (-by_number[number], number))[:count]
    there = arrays.xp.asarray(by_number)
    assert best(arrays, there, among, count).tolist() == sorted(expected)


@pytest.mark.parametrize("others", [np.arange(10, 1000), Rest(1000, np.arange(10))])
def test_a_sample_counts_for_all_it_is_of(others):
    scores = np.random.default_rng(1).standard_normal(1000).astype(np.float32)
    blocks = Blocks(np.arange(10), others)
    near = best(NUMPY, scores, blocks.unlabeled, 50)
    kept = _thinned(blocks, near, 100, 3)
    assert set(near) <= set(kept.unlabeled)
    assert len(kept.unlabeled) == 150
    weights = kept.weights_of(kept.unlabeled)
    assert weights.mean() == pytest.approx(1.0)
    is_near = np.isin(kept.unlabeled, near)
    assert weights[~is_near].sum() / weights.sum() == pytest.approx(940 / 990)
    again = _thinned(blocks, near, 100, 3)
    assert np.array_equal(kept.unlabeled, again.unlabeled)


def test_what_is_alike_is_not_counted_against_the_examples():
    blocks = Blocks(np.arange(3), np.arange(3, 20), NONE, np.full(20, 2.0))
    joined = _joined(blocks, np.array([5, 7, 9]), np.array([7]), worth=0.3)
    assert joined.positives.tolist() == [0, 1, 2, 7]
    assert not {5, 7, 9} & set(joined.unlabeled)
    assert joined.weights_of(np.array([7])) == pytest.approx(0.6)
    assert joined.weights_of(joined.unlabeled).mean() == pytest.approx(1.0)


@pytest.mark.parametrize("examples", [1, 4, 12])
def test_learning_from_some_documents_ranks_as_learning_from_all(corpus, examples):
    blocks = Blocks(np.arange(examples), np.arange(examples, 400))
    plan = Plan("steady", twice=True, likely=4, worth=0.1, C_per_example=4.0)
    options = plan.options(Options())
    every = corpus.scores(carry_out(corpus, blocks, plan, options).w)
    some = plan._replace(near=60, far=100)
    thinned = corpus.scores(carry_out(corpus, blocks, some, options).w)
    assert np.corrcoef(every, thinned)[0, 1] > 0.95
    found = np.argsort(-thinned)[:30]
    assert np.mean(found < 30) >= 0.7


@pytest.mark.parametrize("also", [None, "ba"])
def test_rounds_where_vectors_are_not_numpys(corpus, also):
    blocks = Blocks(np.arange(8), np.arange(8, 400))
    plan = Plan("steady", twice=True, likely=4, worth=0.1, C_per_example=4.0, near=60, far=100)
    plan = plan._replace(also=also, also_cost=1.0 if also else None)
    options = plan.options(Options(tol=1e-5))
    here = carry_out(corpus, blocks, plan, options)
    there = carry_out(StrictCorpus(corpus), blocks, plan, options)
    assert type(there.w) is type(STRICT.vector([0.0]))
    assert STRICT.host(there.w) == pytest.approx(here.w, abs=0.01 * np.abs(here.w).max())


def test_a_narrow_topic_is_not_widened(tmp_path):
    """Examples that are much alike: what is less alike stays behind what has their terms."""
    documents = [Document(f"n{i}", f"zinc ore price {i % 5}") for i in range(12)]
    documents += [Document(f"m{i}", f"metal price market week {i}") for i in range(400)]
    documents += [Document(f"o{i}", f"other things of {i} kind{i % 9}") for i in range(1600)]
    index = Index.create(tmp_path / "i", language="none", latent=5)
    index.add(documents)
    hits = index.like([f"n{i}" for i in range(6)], k=6)
    assert {hit.id for hit in hits} == {f"n{i}" for i in range(6, 12)}


def test_threads_and_repetition_change_nothing(tmp_path):
    random = np.random.default_rng(5)
    words = np.array([f"w{i}" for i in range(300)])
    documents = [
        Document(str(i), " ".join(random.choice(words[(i % 3) * 80 :][:140], 12)))
        for i in range(17_000)
    ]
    index = Index.create(tmp_path / "i", language="none", latent=4)
    index.add(documents)
    examples = [str(i) for i in range(0, 60, 3)]
    hits = index.like(examples, k=50)
    assert hits == Index.open(index.path, threads=3).like(examples, k=50)
    assert sum(int(hit.id) % 3 == 0 for hit in hits) >= 45
