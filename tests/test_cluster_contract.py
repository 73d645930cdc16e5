"""The contract of corpus.py on a Dask cluster of four processes, by the tests of every engine."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays as random_arrays

import test_corpus_contract as contract
from helpers import corpora
from helpers.clustered import clustered, clustered_in_shards, engine
from helpers.corpora import CORPORA
from likewise.engines.cluster import selecting

pytest.importorskip("distributed")
cloudpickle = pytest.importorskip("cloudpickle")
cloudpickle.register_pickle_by_value(contract)  # workers need not import pytest for a function
KINDS = {"cluster": clustered, "cluster, shards": clustered_in_shards}
LOOKED_AT = {
    "adversarial": [
        contract.test_a_sparse_vector_is_scored_in_single_precision,
        contract.test_a_fused_pass_is_scores_and_a_weighted_sum,
        contract.test_exact_scores,
        contract.test_term_factors_are_0_where_no_document_has_the_term,
    ],
    "": [
        contract.test_weighted_sums_of_a_few_rows,
        contract.test_a_corpus_says_how_fast_it_is,
        contract.test_sparse_and_dense_queries_are_the_same,
        contract.test_judged_or_none,
        contract.test_row_access_or_none,
        contract.test_vectors_go_to_the_engine_and_back,
        contract.test_taking_and_placing,
        contract.test_sums,
        contract.test_sums_by_bucket,
        contract.test_wrong_lengths_are_refused,
        contract.test_numbers_that_make_no_sense_are_refused,
    ],
}
BY_HYPOTHESIS = {
    contract.test_rows_and_some_documents: {"counts": contract.counts_strategy},
    contract.test_top_is_exact_with_ties_by_number: {"counts": contract.counts_strategy},
    contract.test_order_statistics_and_the_best: {
        "values": random_arrays(
            np.float64, st.integers(1, 12), elements=st.sampled_from([-2.0, -0.5, 0.0, 0.5, 3.0])
        )
    },
}


@pytest.fixture(autouse=True)
def kinds(monkeypatch):
    for name, made in KINDS.items():
        monkeypatch.setitem(CORPORA, name, made)
    by_name = corpora.collection

    def collection(name, *stored, threads=1):
        if name == "cluster":
            return corpora.collection_by(engine(), *stored)
        return by_name(name, *stored, threads=threads)

    monkeypatch.setattr(corpora, "collection", collection)
    monkeypatch.setattr(contract, "collection", collection)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("matrix", contract.ADVERSARIAL)
def test_products(name, matrix):
    for weighting, dtype in (("tfidf", np.float64), ("damped", np.float32)):
        counts = contract.ADVERSARIAL[matrix]
        contract.test_products_agree_with_the_reference_on_adversarial_matrices(
            name, counts, weighting, dtype
        )
    contract.test_squared_lengths(name, counts, "pivoted")
    contract.test_documents_from_outside_are_weighted_as_those_inside(name, counts, np.float64)


@pytest.mark.parametrize("test", LOOKED_AT["adversarial"])
@pytest.mark.parametrize("name", KINDS)
def test_adversarial_matrices(name, test):
    for counts in contract.ADVERSARIAL.values():
        test(name, counts)


@pytest.mark.parametrize("test", LOOKED_AT[""])
def test_what_all_engines_do(test):
    test("cluster")


@pytest.mark.parametrize("told", [8, 1024])
@pytest.mark.parametrize("kind", ["all different", "ties", "one value"])
def test_order_statistics_of_pieces(kind, told, monkeypatch):
    """Also in many rounds, as of more documents than are told at a time."""
    monkeypatch.setattr(selecting, "TOLD", told)
    for name in KINDS:
        contract.test_how_many_need_less_than_a_level(name, kind)


def test_slack():
    contract.test_slack_bounds_the_error_of_single_precision("cluster, shards", "tfidf")


# Dask's threads draw random numbers, too, while hypothesis looks whether a strategy does.
@pytest.mark.filterwarnings("ignore:Do not use the `random` module")
@pytest.mark.parametrize("test", BY_HYPOTHESIS, ids=lambda test: test.__name__)
def test_at_random(test):
    @settings(max_examples=8, deadline=None, database=None, derandomize=True)
    @given(name=st.sampled_from(sorted(KINDS)), data=st.data(), **BY_HYPOTHESIS[test])
    def run(name, data, **given):
        test.hypothesis.inner_test(name=name, data=data, **given)

    run()


def test_collections():
    contract.test_frequencies_are_those_of_live_documents("cluster")
    contract.test_a_collection_narrowed_to_some_documents_and_terms("cluster")
    contract.test_no_document_at_all("cluster")
    for kind in (contract.stored_values, contract.stored_dense, contract.stored_bytes):
        contract.test_vectors_of_real_numbers("cluster", kind)
    for weighting in ("tfidf", "pivoted", "raw"):
        contract.test_engines_agree("cluster", weighting)
