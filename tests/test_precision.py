"""Dense rows in bytes: what is stored is exact, and packing it again changes nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from helpers import reference_products as reference
from helpers.corpora import corpus, stored_bytes
from helpers.products import assert_same_list, given_to
from helpers.strict import ARRAYS as STRICT
from likewise.engines.stack import Stack, View
from likewise.views.precision import DenseRows, packed, rounded

finite = st.floats(-(2.0**100), 2.0**100, width=32)
rows_strategy = arrays(
    np.float32, st.tuples(st.integers(0, 6), st.integers(1, 40)), elements=finite
)


@given(rows_strategy)
def test_packing_what_was_packed_gives_the_same_bytes(rows):
    once = packed(rows, "int8")
    again = packed(once.at(slice(None)), "int8")
    assert (once.numbers == again.numbers).all()
    assert (once.factors == again.factors).all()


@given(rows_strategy)
def test_products_with_factors_are_exact_in_single_precision(rows):
    stored = packed(rows, "int8")
    exact = stored.numbers.astype(np.float64) * stored.factors.astype(np.float64)[:, None]
    assert (stored.at(slice(None)) == exact).all()


@given(rows_strategy)
def test_a_number_is_off_by_half_a_factor_at_most(rows):
    stored = packed(rows, "int8")
    largest = np.abs(rows).max(axis=1)
    assert (np.abs(stored.numbers) <= 127).all()
    assert (stored.factors <= largest / 127 * (1 + 2e-5)).all()
    kept = largest > 1e-30
    off = np.abs(stored.at(slice(None)).astype(np.float64) - rows)[kept]
    assert (off <= 0.5001 * stored.factors[kept, None]).all()
    assert not stored.numbers[~kept].any()


@given(rows_strategy, st.sampled_from([1, 3]))
def test_the_core_packs_as_the_array_api_does(rows, threads):
    mine = packed(rows, "int8", threads=threads)
    theirs = packed(STRICT.xp.asarray(rows), "int8", STRICT)
    assert (mine.numbers == theirs.numbers).all()
    assert (mine.factors == theirs.factors).all()


def test_rows_of_zeros_stay_so_and_single_precision_is_kept():
    rows = np.zeros((2, 3), np.float32)
    assert not rounded(rows, "int8").any()
    rows[1] = 0.1
    assert rounded(rows, "float32") is not None
    assert (rounded(rows, "float32") == rows).all()
    assert packed(rows, "float32") == DenseRows(rows)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("width", [1, 15, 16, 200, 515, 1024])
def test_top_is_exact_for_the_rows_that_are_stored(width, threads):
    """Many rows that rounding has made equal: ties go to the lower number."""
    rng = np.random.default_rng(width)
    x = rng.normal(size=(3000, width)).astype(np.float32)
    x[1000:2000] = x[:1000] + 1e-4 * rng.normal(size=(1000, width)).astype(np.float32)
    live = np.delete(np.arange(3000), [0, 77, 2999]).astype(np.uint32)
    found = corpus("local", stored_bytes(x, live), weighting="raw", threads=threads)
    expected = rounded(x, "int8")[live].astype(np.float64)
    keep = rng.random(len(live)) < 0.7
    for _ in range(3):
        w = rng.normal(size=width)
        assert_same_list(found.top(w, 40), reference.top(expected, w, 40))
        best = reference.top(np.where(keep[:, None], expected, -1e6 * np.sign(w)), w, 9)
        assert_same_list(found.top(w, 9, keep), best)


def test_the_same_bits_on_any_number_of_threads():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(40_000, 24)).astype(np.float32)
    one, three = (
        corpus("local", stored_bytes(x), weighting="raw", threads=threads) for threads in (1, 3)
    )
    w, a = rng.normal(size=24), rng.normal(size=40_000)
    assert (one.scores(w) == three.scores(w)).all()
    assert (one.weighted_sum(a) == three.weighted_sum(a)).all()
    assert (one.squares == three.squares).all()
    for mine, theirs in zip(*(c.fused(w, np.tanh) for c in (one, three)), strict=True):
        assert (mine == theirs).all()


@pytest.mark.parametrize("engine", ["local", "memory", "strict"])
def test_a_stack_of_counts_and_bytes(engine):
    """As `auto` learns: words with factors, and a view of bytes beside them."""
    from helpers.corpora import stored_counts

    rng = np.random.default_rng(5)
    counts = rng.poisson(0.4, size=(200, 30))
    x = rng.normal(size=(200, 12)).astype(np.float32)
    words = corpus(engine, stored_counts(counts), weighting="tfidf")
    view = corpus(engine, stored_bytes(x), weighting="raw")
    stack = Stack([View("words", words), View("latent", view, 0.5)])
    expected = np.hstack([reference.weights(counts, "tfidf"), 0.5 * rounded(x, "int8")])
    w = rng.normal(size=42)
    assert_same_list(stack.top(given_to(stack, w), 20), reference.top(expected, w, 20))
