"""The engine `gpu` beside its kernels: layout on a card, memory, and what it says without one.

The contract and the whole of search run by it in test_corpus_contract.py and test_engines.py: by
NumPy's twin of the kernels everywhere, and on a card where there is one.
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays as random_arrays

from helpers import reference_products as reference
from helpers.command_line import refuse
from helpers.corpora import CARD, stored_counts
from helpers.host_card import HostCard
from likewise import Document, Index
from likewise.engines import gpu
from likewise.engines.gpu.collection import GpuCollection, GpuEngine
from likewise.engines.gpu.layout import SHORT, Sparse, groups_of, tiled
from likewise.engines.local.collection import LocalEngine
from likewise.errors import UsageError
from likewise.weighting import WEIGHTINGS

matrices = random_arrays(
    np.int64,
    st.tuples(st.integers(0, 40), st.integers(1, 6)),
    elements=st.sampled_from([0, 0, 0, 1, 1, 2, 254]),
)


def rows_of(counts: np.ndarray) -> Sparse:
    found = reference.count_arrays(counts)
    return Sparse(*(found[name] for name in ("starts", "more", "columns", "counts")))


def read(by_term, shape) -> np.ndarray:
    """The matrix that lists of tiles stand for."""
    x, lists = np.zeros(shape, np.int64), by_term.lists
    for i, term in enumerate(by_term.terms):
        for number in by_term.order[by_term.term_starts[i] : by_term.term_starts[i + 1]]:
            tile = np.searchsorted(by_term.firsts, number, "right") - 1
            begin, end = lists.starts[number : number + 2].astype(int)
            first, last = lists.more[number : number + 2].astype(int)
            split = end - (last - first)
            documents = lists.places[begin:end].astype(int) + tile * by_term.tile
            x[documents[: split - begin], term] += 1
            x[documents[split - begin :], term] += lists.amounts[first:last]
    return x


@settings(max_examples=80, deadline=None)
@given(counts=matrices, tile=st.sampled_from([2, 8, 64]), at_once=st.sampled_from([1, 30, 10**6]))
def test_lists_by_tile_are_the_transposed_matrix(counts, tile, at_once):
    by_term = tiled(np, rows_of(counts), tile, at_once)
    assert read(by_term, counts.shape).tolist() == counts.tolist()
    assert sorted(by_term.by_size.tolist()) == list(range(by_term.lists.height))
    lengths = np.diff(by_term.lists.starts)
    for t, ends in enumerate(by_term.sizes):
        for kind in range(len(SHORT) + 1):
            mine = by_term.by_size[ends[kind] : ends[kind + 1]]
            assert (np.searchsorted(SHORT, lengths[mine]) == kind).all()
            assert (by_term.firsts[t] <= mine).all()
            assert (mine < by_term.firsts[t + 1]).all()


def test_groups_have_every_entry_once():
    groups = groups_of(np.array([5, 2, 5, 9]), np.array([3, 0, 1, 4]))
    assert groups.targets.tolist() == [2, 5, 9]
    assert groups.starts.tolist() == [0, 1, 3, 4]
    assert groups.places.tolist() == [0, 1, 3, 4]
    assert groups.order.tolist() == [1, 2, 0, 3]


class Full(HostCard):
    """A card with no memory left."""

    def room(self, bytes: int, what: str) -> None:
        raise UsageError(f"{what} needs {bytes} bytes")


def test_what_does_not_fit_is_refused_before_it_is_loaded():
    counts = np.ones((4, 3), np.int64)
    host = LocalEngine().collection([stored_counts(counts)], 3, 1)
    with pytest.raises(UsageError, match=r"12 entries needs 108 bytes"):
        GpuCollection([Full()], host).corpus(WEIGHTINGS["tfidf"])


class Forgetful(HostCard):
    """A card whose memory is used up when something is learned."""

    def add_lists(self, *given):
        raise MemoryError


def test_a_query_that_finds_no_memory_is_learned_on_the_host(tmp_path, monkeypatch):
    made = Index.create(tmp_path / "papers.idx", latent=0)
    made.add([Document(str(i), f"robot arm number{i}") for i in range(30)])
    expected = made.like(["3"], method="rocchio")
    monkeypatch.setattr(gpu, "ENGINE", GpuEngine(lambda: [Forgetful()]))
    found = Index.open(made.path, engine="gpu").like(["3"], method="rocchio")
    assert found.ids == expected.ids
    assert "engine gpu ran out of memory: local was used" in found.query.learned.notes[0]


@pytest.mark.skipif(bool(CARD), reason="a card is here")
def test_without_a_card_one_sentence_says_so(tmp_path):
    index = Index.create(tmp_path / "papers.idx", latent=0)
    index.add([Document("a", "robot arms")])
    with pytest.raises(UsageError, match=r"engine 'gpu' (needs CuPy|finds no card)"):
        Index.open(index.path, engine="gpu").search("robot")


def test_a_limit_that_is_no_number_is_refused(monkeypatch):
    monkeypatch.setenv(gpu.MEMORY, "much")
    with pytest.raises(UsageError, match="number of GB above 0"):
        gpu._memory()
    monkeypatch.setenv(gpu.MEMORY, "1.5")
    assert gpu._memory() == 1_500_000_000


def test_cupy_is_imported_only_for_the_engine():
    code = (
        "import sys, likewise, likewise.engines.local, likewise.engines.memory; "
        "assert not [m for m in sys.modules if 'cupy' in m or m.endswith('engines.gpu')]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_its_memory_goes_with_the_engine(tmp_path):
    wanted = "--gpu-memory goes with --engine gpu.*"
    refuse(2, wanted, "search", tmp_path, "robot", "--gpu-memory", "4")
    refuse(2, wanted, "serve", tmp_path, "--gpu-memory", "4", "--engine", "local")
