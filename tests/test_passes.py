"""Passes that read less than everything, and the threads that they share."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import sparse

from likewise import Document, Index
from likewise.engines.memory import as_corpus
from likewise.estimators import BalancedSVM
from likewise.search.methods import METHODS, Options
from likewise.solvers import problems
from likewise.solvers.blocks import Blocks
from likewise.solvers.descent import descend
from likewise.solvers.stopping import first_of, gap_below, iterations

DOCUMENTS, TERMS = 400, 90


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """Three segments, one with a deleted document; a word stands in one of them 300 times."""
    random = np.random.default_rng(0)
    index = Index.create(tmp_path_factory.mktemp("passes") / "x.idx", latent=5)
    for part in range(3):
        texts = [
            " ".join(f"w{term}" for term in random.zipf(1.4, 40) % TERMS) for _ in range(DOCUMENTS)
        ]
        texts[7] += " often" * 300
        named = [Document(f"{part}/{i}", text=text) for i, text in enumerate(texts)]
        index.add(named, merge=False)
    index.delete(["1/3"])
    return index


def weights_of(n, share):
    random = np.random.default_rng(1)
    return np.where(random.random(n) < share, random.normal(size=n), 0.0)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 1.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_weighted_sum_is_one_whichever_file_is_read(index, share, dtype):
    corpus = index.corpus(weighting="tfidf")
    n = corpus.shape[0]
    a = weights_of(n, share).astype(dtype)
    expected = corpus.rows(np.arange(n)).weighted_sum(a.astype(np.float64))
    found = corpus.weighted_sum(a)
    assert found.dtype == dtype
    assert found == pytest.approx(expected, rel=1e-5, abs=1e-5 if dtype == np.float32 else 1e-10)


def test_the_same_bits_by_any_number_of_threads(index):
    a, w = weights_of(3 * DOCUMENTS - 1, 1.0), np.random.default_rng(2)
    corpora = [Index.open(index.path, threads=t).corpus(weighting="tfidf") for t in (1, 2, 5)]
    w = w.normal(size=corpora[0].shape[1])
    for single in (False, True):
        v, b = (w.astype(np.float32), a.astype(np.float32)) if single else (w, a)
        assert len({corpus.scores(v).tobytes() for corpus in corpora}) == 1
        assert len({corpus.weighted_sum(b).tobytes() for corpus in corpora}) == 1


def test_a_part_of_a_corpus_sums_its_own_rows(index):
    corpus = index.corpus(weighting="tfidf")
    ids = np.array([900, 3, 407, 3])  # a document may come twice
    a = np.array([1.0, -2.0, 0.5, 3.0])
    expected = corpus.rows(ids).weighted_sum(a)
    assert corpus.take(ids).weighted_sum(a) == pytest.approx(expected, rel=1e-12)
    stack = index.searcher.stacked("tfidf", {"words": 1.0, "titles": 0.5, "latent": 0.7})
    expected = stack.rows(ids).weighted_sum(a)
    assert stack.take(ids).weighted_sum(a) == pytest.approx(expected, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("dislikes", [0, 4])
def test_what_is_told_from_the_rest_needs_no_pass(index, dislikes):
    corpus = index.corpus(weighting="tfidf")
    n = corpus.shape[0]
    liked, disliked = np.arange(5), np.arange(100, 100 + dislikes)
    rest = np.setdiff1d(np.arange(n), np.concatenate([liked, disliked]))
    blocks = Blocks(liked, rest, disliked)
    found = METHODS["rocchio"].solve(corpus, blocks, Options(), None)
    assert found.w == pytest.approx(corpus.weighted_sum(found.weights), abs=1e-12)
    assert corpus.total() == pytest.approx(corpus.weighted_sum(np.ones(n)), rel=1e-12)


@pytest.mark.parametrize("repeated", [False, True])
def test_columns_in_any_order_are_learned_from(repeated):
    random = np.random.default_rng(3)
    ordered = sparse.random_array((200, 50), density=0.2, rng=random, format="csr")
    y = (random.random(200) < 0.2).astype(int)
    row = np.repeat(np.arange(200), np.diff(ordered.indptr))
    columns, values = ordered.indices, ordered.data
    if repeated:  # each value as the sum of two
        row, columns = np.tile(row, 2), np.tile(columns, 2)
        values = np.concatenate([0.25 * values, 0.75 * values])
    order = np.lexsort((random.random(len(row)), row))
    starts = np.searchsorted(row[order], np.arange(201))
    shuffled = sparse.csr_array((values[order], columns[order], starts), (200, 50))
    one, other = (BalancedSVM(tol=1e-8).fit(X, y) for X in (ordered, shuffled))
    assert other.coef_ == pytest.approx(one.coef_, abs=1e-5)
    assert other.objective_ == pytest.approx(one.objective_, rel=1e-6)


def test_threads_are_shared_by_all_callers(index):
    corpus = Index.open(index.path, threads=4).corpus(weighting="tfidf")
    w = np.random.default_rng(4).normal(size=corpus.shape[1])
    alone = corpus.scores(w).tobytes()
    with ThreadPoolExecutor(8) as callers:
        found = list(callers.map(lambda _: corpus.scores(w).tobytes(), range(64)))
    assert set(found) == {alone}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own(index):
    corpus = Index.open(index.path, threads=4).corpus(weighting="tfidf")
    w = np.random.default_rng(5).normal(size=corpus.shape[1])
    alone = corpus.scores(w).tobytes()
    child = os.fork()
    if not child:
        os._exit(0 if corpus.scores(w).tobytes() == alone else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_many_examples_are_learned_from_in_passes():
    """The squared hinge with a bias by passes and by visits: one minimum, within their gaps."""
    random = np.random.default_rng(6)
    X = as_corpus(sparse.random_array((20_000, 1200), density=0.005, rng=random, format="csr"))
    blocks = Blocks(np.arange(120), np.arange(120, 20_000))
    stop = first_of(iterations(1000), gap_below(1e-4))
    passes = problems.balanced(X, blocks, loss="squared_hinge", bias=True, stop=stop)
    C = problems.PER_EXAMPLE["squared_hinge"][1] * 120
    loss = problems._squared(X, blocks, 0.5)
    visits = descend(X, loss, C, stop, bias=True)
    assert passes.progress.relative_gap <= 1e-4
    assert passes.progress.objective == pytest.approx(visits.progress.objective, rel=2e-4)
    assert passes.progress.iterations != visits.progress.iterations  # they are two ways
