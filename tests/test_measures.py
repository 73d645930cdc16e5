from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import average_precision_score, ndcg_score, roc_auc_score

from likewise.errors import UsageError
from likewise.evaluation.measures import (
    AveragePrecision,
    NDCGAt,
    PrecisionAt,
    RecallAt,
    RocAuc,
    RPrecision,
    interpolated,
    parse,
    ranked,
)

RANKING = np.array([True, False, True, False, False])  # and a third relevant one never found


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        (AveragePrecision(), (1 / 1 + 2 / 3) / 3),
        (AveragePrecision(2), (1 / 1) / 3),
        (AveragePrecision(3), (1 / 1 + 2 / 3) / 3),
        (PrecisionAt(1), 1.0),
        (PrecisionAt(2), 1 / 2),
        (PrecisionAt(10), 2 / 10),
        (RecallAt(2), 1 / 3),
        (RecallAt(1000), 2 / 3),
        (RPrecision(), 2 / 3),
        (NDCGAt(1), 1.0),
        (NDCGAt(3), (1 + 1 / 2) / (1 + 1 / np.log2(3) + 1 / 2)),
        (NDCGAt(2), 1 / (1 + 1 / np.log2(3))),
    ],
    ids=str,
)
def test_by_hand(measure, value):
    assert measure(RANKING, 3) == pytest.approx(value)


def test_auc_by_hand():
    # The relevant ones are above 3 and 2 of the 3 others.
    assert RocAuc()(RANKING, 2) == pytest.approx(5 / 6)


def test_ties_go_to_the_lower_document():
    assert ranked([0.5, 0.5, 0.7], [0, 1, 1]).tolist() == [True, False, True]
    assert ranked([0.5, 0.5, 0.7], [1, 0, 1]).tolist() == [True, True, False]


@pytest.fixture(params=range(5))
def scores_and_labels(request):
    """Untied scores, on which scikit-learn's treatment of ties does not matter."""
    generator = np.random.default_rng(request.param)
    n = int(generator.integers(5, 200))
    labels = generator.random(n) < generator.uniform(0.1, 0.9)
    labels[:2] = True, False
    return generator.permutation(n) + generator.random(), labels


def test_average_precision_is_that_of_scikit_learn(scores_and_labels):
    scores, labels = scores_and_labels
    ours = AveragePrecision()(ranked(scores, labels), labels.sum())
    assert ours == pytest.approx(average_precision_score(labels, scores))


@pytest.mark.parametrize("k", [1, 5, 20, 1000])
def test_ndcg_is_that_of_scikit_learn(scores_and_labels, k):
    scores, labels = scores_and_labels
    ours = NDCGAt(k)(ranked(scores, labels), labels.sum())
    assert ours == pytest.approx(ndcg_score([labels], [scores], k=k))


def test_auc_is_that_of_scikit_learn(scores_and_labels):
    scores, labels = scores_and_labels
    assert RocAuc()(ranked(scores, labels), labels.sum()) == pytest.approx(
        roc_auc_score(labels, scores)
    )


MEASURES = ["AP", "Rprec", "P@1", "P@7", "R@1", "R@7", "nDCG@1", "nDCG@7", "nDCG@1000"]


@pytest.mark.parametrize("name", MEASURES)
@given(relevance=st.lists(st.booleans(), max_size=30), missed=st.integers(0, 5))
def test_from_0_to_1(name, relevance, missed):
    found = sum(relevance)
    value = parse(name)(np.array(relevance, bool), found + missed)
    assert type(value) is float
    assert 0 <= value <= 1
    if found == 0:
        assert value == 0


@pytest.mark.parametrize("name", [*MEASURES, "AUC"])
@given(relevance=st.lists(st.booleans(), min_size=2, max_size=30), data=st.data())
def test_moving_a_relevant_document_up_never_hurts(name, relevance, data):
    relevant = [i for i, is_relevant in enumerate(relevance) if is_relevant]
    if not relevant or len(relevant) == len(relevance):
        return
    measure, n_relevant = parse(name), len(relevant)
    before = measure(np.array(relevance), n_relevant)
    relevance.pop(data.draw(st.sampled_from(relevant)))
    relevance.insert(0, True)
    assert measure(np.array(relevance), n_relevant) >= before - 1e-12


@pytest.mark.parametrize("name", [*MEASURES, "AUC"])
def test_a_perfect_ranking_scores_1(name):
    measure = parse(name)
    n_relevant = 7
    relevance = np.arange(20) < n_relevant
    expected = int(name[2:]) / n_relevant if name.startswith("R@") else 1.0
    assert measure(relevance, n_relevant) == pytest.approx(min(expected, 1.0))


def test_no_relevant_document_scores_0_without_a_warning():
    with warnings.catch_warnings(record=True) as caught:
        for name in MEASURES:
            assert parse(name)(np.zeros(3, bool), 0) == 0
            assert parse(name)(np.zeros(0, bool), 0) == 0
    assert caught == []


@pytest.mark.parametrize("name", [*MEASURES, "AUC"])
def test_a_measure_prints_as_its_name(name):
    assert str(parse(name)) == name
    assert parse(name.lower()) == parse(name)


def test_prbep_is_r_precision():
    assert parse("PRBEP") == RPrecision()


@pytest.mark.parametrize("name", ["", "P", "P@", "P@0", "P@-1", "P@1.5", "AP@0", "F1", "P@10 "])
def test_unknown_measure(name):
    with pytest.raises(UsageError, match=r"unknown measure .*use AP"):
        parse(name)


@pytest.mark.parametrize("measure", [AveragePrecision, PrecisionAt, RecallAt, NDCGAt])
def test_k_is_at_least_1(measure):
    with pytest.raises(UsageError, match="k is 0: a measure of the first k needs k of 1 or more"):
        measure(0)


def test_measures_are_values():
    assert {PrecisionAt(5), PrecisionAt(5), RecallAt(5)} == {PrecisionAt(5), RecallAt(5)}


def test_more_found_than_there_are():
    with pytest.raises(UsageError, match="2 relevant documents ranked, but only 1"):
        AveragePrecision()(RANKING, 1)


def test_auc_needs_a_full_ranking_and_both_kinds():
    with pytest.raises(UsageError, match="2 of 3 found"):
        RocAuc()(RANKING, 3)
    with pytest.raises(UsageError, match="0 of 4 are relevant"):
        RocAuc()(np.zeros(4, bool), 0)


def test_scores_that_cannot_be_ranked():
    with pytest.raises(UsageError, match="nan"):
        ranked([0.1, np.nan], [0, 1])
    with pytest.raises(UsageError, match="shape"):
        ranked([0.1, 0.2], [1])


def test_interpolated_precision_is_the_best_from_there_on():
    """Found at ranks 2 and 3 of 3 relevant ones: precision 1/2, 2/3, and none for the last."""
    found = interpolated(np.array([False, True, True, False]), 3)
    assert found == pytest.approx([2 / 3] * 7 + [0] * 4)
    assert interpolated(np.array([False]), 0) == [0.0] * 11


@settings(deadline=None, max_examples=50)  # the first one imports
@given(relevance=arrays(np.bool_, st.integers(1, 60)), unseen=st.integers(0, 5))
def test_interpolated_precision_is_trecs(relevance, unseen):
    ir_measures = pytest.importorskip("ir_measures")
    ids = [f"d{i:03}" for i in range(len(relevance))]
    qrels = {"q": {id: 1 for id, is_it in zip(ids, relevance, strict=True) if is_it}}
    qrels["q"] |= {f"unseen{i}": 1 for i in range(unseen)}
    if not qrels["q"]:
        return
    run = {"q": {id: -float(rank) for rank, id in enumerate(ids)}}
    # trec_eval adds .9 and cuts off, so that it is for rounding to decide what 2.1 of 3 are.
    levels = [level for level in range(11) if level * len(qrels["q"]) % 10 != 1]
    wanted = [ir_measures.IPrec @ (level / 10) for level in levels]
    theirs = ir_measures.calc_aggregate(wanted, qrels, run)
    ours = interpolated(relevance, len(qrels["q"]))
    assert [ours[level] for level in levels] == pytest.approx([theirs[each] for each in wanted])
