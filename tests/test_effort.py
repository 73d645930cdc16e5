"""Measures of a screening, against ASReview's own and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise import UsageError
from likewise.evaluation.measures import (
    EFFORTS,
    NDCG,
    Loss,
    RecallAtShare,
    TimeToDiscovery,
    WorkSaved,
    recall_curve,
)

screenings = st.lists(st.booleans(), min_size=2, max_size=60).filter(
    lambda found: any(found) and not all(found)
)


def asreview_loss(labels):
    """As asreview.metrics 3.0.8 has it."""
    relevant, documents = sum(labels), len(labels)
    best = relevant * (documents - (relevant - 1) / 2)
    return (best - np.cumsum(labels).sum()) / (relevant * (documents - relevant))


def asreview_ndcg(labels):
    documents, relevant = len(labels), sum(labels)
    gained = np.sum(labels / np.log2(np.arange(2, documents + 2)))
    return gained / np.sum(1 / np.log2(np.arange(2, relevant + 2)))


@given(screenings)
def test_loss_and_ndcg_are_those_of_asreview(found):
    relevance, labels = np.array(found), np.array(found, int)
    assert Loss()(relevance) == pytest.approx(asreview_loss(labels), abs=1e-12)
    assert NDCG()(relevance) == pytest.approx(asreview_ndcg(labels))


@given(screenings)
def test_the_best_order_is_best_and_the_worst_is_worst(found):
    best, worst = np.sort(found)[::-1], np.sort(found)
    assert (Loss()(best), Loss()(worst)) == pytest.approx((0.0, 1.0))
    for effort in EFFORTS:
        low, high = sorted([effort(best), effort(worst)])
        assert low - 1e-12 <= effort(np.array(found)) <= high + 1e-12


def test_by_hand():
    relevance = np.zeros(100, bool)
    relevance[[0, 1, 9, 10, 49]] = True
    assert WorkSaved()(relevance) == pytest.approx(0.50 - 0.05)
    assert WorkSaved(80)(relevance) == pytest.approx(0.89 - 0.20)
    assert RecallAtShare()(relevance) == pytest.approx(3 / 5)
    assert TimeToDiscovery()(relevance) == pytest.approx((1 + 2 + 10 + 11 + 50) / 500)
    assert recall_curve(relevance)[[0, 10, 99]] == pytest.approx([0.2, 0.8, 1.0])


def test_names():
    assert [str(effort) for effort in EFFORTS] == ["loss", "NDCG", "WSS@95", "recall@10%", "ATD"]


@pytest.mark.parametrize("effort", EFFORTS, ids=str)
def test_nothing_to_find_is_refused(effort):
    with pytest.raises(UsageError, match="no document is relevant"):
        effort(np.zeros(5, bool))


def test_nothing_to_lose_by_and_shares_beyond_all_are_refused():
    with pytest.raises(UsageError, match="all documents are relevant"):
        Loss()(np.ones(5, bool))
    for make in (WorkSaved, RecallAtShare):
        with pytest.raises(UsageError, match="101 %"):
            make(101)
