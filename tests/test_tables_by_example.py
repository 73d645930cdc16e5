"""Topics from a few of their own documents: draws, contenders, peers, and tables of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from likewise.evaluation import measures
from likewise.evaluation.by_example import experiment as by_example
from likewise.evaluation.by_example import peers
from likewise.evaluation.by_example.collection import Collection
from likewise.evaluation.by_example.contenders import ask
from likewise.evaluation.report.report import make
from likewise.evaluation.runs import Result, Setting
from likewise.evaluation.sample import _collection
from likewise.evaluation.scores import all_scores
from likewise.evaluation.studies import CannotError, MissingError

TOPIC = "cs.IR"


@pytest.fixture(scope="module")
def collection():
    """A part of it, which peers are quick with."""
    whole, size = _collection(), 500
    topics = {topic: numbers[numbers < size] for topic, numbers in whole.topics.items()}
    parts = (part[:size] for part in (whole.ids, whole.titles, whole.texts))
    return Collection("part", "bundled", *parts, topics)


def job(**fields):
    return {"method": "rocchio", "size": 5, "topic": TOPIC, "seed": 0} | fields


class TestDraws:
    def test_fewer_are_among_the_more(self, collection):
        members = collection.topics[TOPIC]
        draws = [set(by_example.draw(members, n, TOPIC, 0).tolist()) for n in (1, 5, 20)]
        assert draws[0] < draws[1] < draws[2] < set(members.tolist())
        assert draws[1] != set(by_example.draw(members, 5, TOPIC, 1).tolist())


class TestContenders:
    @pytest.mark.parametrize("method", ["auto", "rocchio", "bm25", "svc-0.1", "bagging"])
    def test_better_than_chance(self, collection, method):
        found = by_example.run(job(method=method), collection)
        share = found["relevant"] / found["documents"]
        assert found["AP"] > 3 * share
        assert found["relevant"] == len(collection.topics[TOPIC]) - 5
        assert found["documents"] == 495

    def test_ours_rank_as_the_index_does(self, collection):
        examples = by_example.draw(collection.topics[TOPIC], 5, TOPIC, 0)
        scores = ask("rocchio", collection, examples).scores
        hits = collection.index.like([collection.ids[i] for i in examples], method="rocchio", k=20)
        rest = np.setdiff1d(np.arange(len(collection)), examples)
        best = rest[np.argsort(-scores[rest], kind="stable")[:20]]
        assert [hit.id for hit in hits] == [collection.ids[i] for i in best]

    def test_over_all_views_as_the_index_does(self, collection):
        """Words, a latent space and embeddings (of chance, here) side by side."""
        whole = replace(_collection(), name="embedded")
        vectors = np.random.default_rng(0).normal(size=(len(whole), 8)).astype(np.float32)
        object.__setattr__(whole, "embeddings", vectors)
        examples = whole.topics[TOPIC][:5]
        ids = [whole.ids[i] for i in examples]
        for index in (whole.index, whole.embedded_index):
            query = index.learn(ids)
            hits = index.run(query, 20)
            scores = all_scores(query)
            scores[examples] = -np.inf
            assert [hit.id for hit in hits] == [whole.ids[i] for i in np.argsort(-scores)[:20]]
            assert "latent" in query.views

    def test_examples_are_not_counted(self, collection):
        members = collection.topics[TOPIC]
        examples = by_example.draw(members, 5, TOPIC, 0)
        scores = ask("centroid", collection, examples).scores
        rest = np.setdiff1d(np.arange(len(collection)), examples)
        relevance = measures.ranked(scores[rest], np.isin(rest, members))
        expected = measures.AveragePrecision()(relevance, len(members) - 5)
        assert by_example.run(job(method="centroid"), collection)["AP"] == expected

    def test_elkan_noto_needs_a_held_out_example(self, collection):
        with pytest.raises(CannotError, match="pulearn: "):
            by_example.run(job(method="elkan-noto", size=1), collection)

    def test_what_to_install(self, collection, monkeypatch):
        monkeypatch.setattr(
            "likewise.evaluation.by_example.contenders.find_spec", lambda name: None
        )
        with pytest.raises(MissingError, match="pip install pulearn"):
            by_example.run(job(method="bagging"), collection)

    def test_scores_without_known_terms(self, collection):
        query = collection.index.learn([collection.ids[0]], method="centroid")
        assert len(all_scores(query)) == len(collection)


class TestMoreLikeThis:
    def test_often_here_and_rare_elsewhere(self):
        df = np.array([100, 5, 50, 4, 5])
        counts = Counter({0: 2, 1: 2, 2: 3, 3: 9, 4: 1})
        # 3 is in too few documents, 4 occurs once; 1 is rarer than 2.
        assert peers.best_terms(counts, df, 1000) == [1, 2, 0]

    def test_once_is_enough_where_nothing_occurs_twice(self):
        assert peers.best_terms(Counter({0: 1, 1: 1}), np.array([9, 5]), 100) == [1, 0]

    def test_at_most_25(self):
        counts = Counter(dict.fromkeys(range(100), 2))
        assert len(peers.best_terms(counts, np.full(100, 9), 1000)) == 25


class TestSections:
    def result(self, method, topic, size=1, **numbers):
        found = {"P@10": 0.5, "nDCG@20": 0.5, "R@1000": 1.0, "AP": 0.5, "seconds": 0.1} | numbers
        return Result(job(method=method, topic=topic, size=size), found)

    def test_means_tests_and_curves(self):
        results = [
            self.result(method, topic, size, AP=value + 0.01 * number)
            for size in (1, 5)
            for method, value in (("auto", 0.6), ("rocchio", 0.5))
            for number, topic in enumerate("abc")
        ]
        results[0] = self.result("auto", "a", 1, AP=0.63, converged=0.0)
        one, five, verdict, curves = by_example.sections(results, "here")
        assert one.title == "here, 1 example each: means over 3 topics, 1 seed"
        assert one.rows[1]["MAP"].value == pytest.approx(0.51)
        assert one.notes == ["likewise auto: 1 query stopped before the tolerance was reached."]
        assert 0 < one.rows[0]["p, MAP above Rocchio"].value < 0.01
        assert five.rows[1]["p, MAP above Rocchio"].value is None
        assert curves.plots[0].series[1].values == pytest.approx([0.51, 0.51])
        assert [row["likewise rocchio"].value for row in curves.rows] == pytest.approx([0.51] * 2)
        assert curves.rows[1]["likewise auto"].value == pytest.approx(0.61)
        assert verdict.title == "here: auto beside the best, by words, MAP"
        assert [row["examples"] for row in verdict.rows] == [1, 5]
        assert verdict.rows[1]["best fixed: who"] == "likewise rocchio"
        assert verdict.rows[1]["above Rocchio, %"].value == pytest.approx(100 * (0.61 / 0.51 - 1))
        assert verdict.rows[1]["best peer"].value is None

    def test_no_test_against_what_was_not_measured(self):
        section, *_ = by_example.sections([self.result("auto", t) for t in "abc"], "here")
        assert not any(name.startswith("p,") for row in section.rows for name in row)

    def test_auto_is_held_against_those_who_see_the_same(self):
        values = {"auto": 0.5, "auto-minilm": 0.6, "bm25": 0.4, "minilm-mean": 0.55, "ba": 0.45}
        results = [
            self.result(method, topic, 5, AP=value, seconds=value)
            for method, value in values.items()
            for topic in "abc"
        ]
        _, words, embedded, _ = by_example.sections(results, "here")
        (row,) = words.rows
        assert [row[n].value for n in ("best peer", "best fixed")] == pytest.approx([0.4, 0.45])
        assert words.notes[1] == "Above the best peer on average over the sizes: +25.0%."
        assert row["CPU, × SVM_ba"].value == pytest.approx(0.5 / 0.45)
        (row,) = embedded.rows
        assert row["best peer: who"] == "MiniLM, mean"
        assert row["above best peer, %"].value == pytest.approx(100 * (0.6 / 0.55 - 1))


def test_the_sample_table(tmp_path):
    only = {"method": ["auto", "rocchio"], "size": ["5"]}
    (part,) = make(["sample"], Setting(tmp_path, tmp_path / "runs", only=only)).parts
    assert part.measured == 16
    assert part.sections[0].rows[0]["MAP"].value > 0.4
