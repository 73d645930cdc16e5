"""The tables of feedback, on collections small enough to follow."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from likewise import Index
from likewise.datasets import arxiv_sample
from likewise.evaluation.runs import Result
from likewise.evaluation.studies import MissingError
from likewise.feedback.situation import Situations
from likewise.feedback.views import BY_WORDS
from likewise_studies.nonrelevance import study as nonrelevance
from likewise_studies.nonrelevance.others import CONTENDERS
from likewise_studies.reviews import study as reviews


def write(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def topics(tmp_path):
    """40 documents with the topic's word; the relevant one has it least, and a word of its own."""
    folder = tmp_path / "ir" / "toy"
    documents = [{"id": f"d{i}", "text": f"apple fruit{i} " + "apple " * 3} for i in range(40)]
    documents.append(
        {"id": "wanted", "text": "apple orchard " + " ".join(f"w{i}" for i in range(9))}
    )
    documents += [{"id": f"x{i}", "text": f"stone house{i}"} for i in range(40)]
    write(folder / "docs.jsonl.gz", documents)
    write(folder / "queries.jsonl.gz", [{"id": "1", "text": "apple"}, {"id": "2", "text": "stone"}])
    (folder / "qrels.tsv").write_text("1\twanted\t1\n1\td3\t0\n2\tx0\t1\n")
    return tmp_path


def job(**fields):
    return {"data": "ir/toy", "topic": "toy", "weighting": "tfidf", "page": 10, **fields}


def test_pages_up_to_the_first_relevant_document(topics):
    """The second topic has one on the first page and does not take part; after two pages 21 of 41
    documents with the word are left, of which the relevant one is the last.
    """
    numbers = nonrelevance.run(job(method="none"), topics)
    assert (numbers["topics"], numbers["found"]) == (["1"], [[0, 0, 0, 1]])
    assert numbers["curves"] == [[round(1 / 21, 4)] * 11]


@pytest.mark.parametrize("method", [*nonrelevance.METHODS, "kernel"])
def test_every_method_is_measured(topics, method):
    numbers = nonrelevance.run(job(method=method), topics)
    (found,) = numbers["found"]
    assert len(found) == nonrelevance.ROUNDS or found[-1]
    assert not sum(found[:-1])
    assert len(numbers["curves"][0]) == (0 if found[0] else 11)
    made = sections_of([Result(job(method=method), numbers)])
    rounds = len(found) if sum(found) else nonrelevance.ROUNDS + 1
    assert made["iterations until"][0].rows[0]["mean"].value == rounds


def sections_of(results):
    """By what is in their titles."""
    kinds = ("Table II,", "iterations until", "by collection", "as the paper", "Figure 10")
    everywhere, made = "All collections", nonrelevance.sections(results)
    paper = [each for each in made if not each.title.startswith(everywhere)]
    found = {kind: [each for each in paper if kind in each.title] for kind in kinds}
    return found | {everywhere: [each for each in made if each.title.startswith(everywhere)]}


def test_all_collections_are_compared_with_no_feedback():
    """Labels are topics in debian, which the paper's tables leave out."""
    results = [
        told("away", ([0, 2], 0.4), ([1], None)),
        told("none", ([0, 0, 1], 0.2), ([0, 1], 0.1)),
        told("svdd", ([0, 0, 1], 0.2), ([0, 1], 0.1)),
        told("away", ([1], None), ([1], None), ([0, 1], 0.1), collection="debian"),
        told("none", ([0, 1], 0.1), ([1], None), ([0, 0, 1], 0.1), collection="debian"),
    ]
    made = sections_of(results)
    *_, both = made["All collections"]
    toy, debian, everything = both.rows
    assert (toy["collection"], toy["topics"], toy["SVDD"].value) == ("toy", 2, 2.5)
    assert (debian["topics"], debian["away, our default"].value) == (3, pytest.approx(4 / 3))
    assert (everything["topics"], everything["VSM, no feedback"].value) == (5, pytest.approx(2.2))
    assert everything["default / VSM"].value == pytest.approx(7 / 11)
    assert "SVDD" not in everything
    assert {row["collection"] for row in made["by collection"][0].rows} == {"toy"}


def told(method, *topics, collection="toy", **fields):
    """A result of topics, each the relevant documents on its pages and its curve, if any."""
    found = [pages for pages, _ in topics]
    curves = [[level] * 11 if level is not None else [] for _, level in topics]
    names = [str(place) for place in range(len(topics))]
    numbers = {"topics": names, "found": found, "curves": curves}
    return Result(job(method=method, **fields) | {"topic": collection}, numbers)


def test_tables_add_up_pages_and_average_the_same_topics():
    """Topics in even places are the development half: here the first and the third."""
    ours = told("away", ([0, 2], 0.4), ([1], None), ([3], None))
    theirs = told("none", ([0, 0, 1], 0.2), ([1], None), ([0, 0, 0, 1], 0.1))
    made = sections_of([ours, theirs])
    first, second, third, *_ = made["Table II,"][0].rows
    default, plain = "away, our default", "VSM, no feedback"
    assert [row[default] for row in (first, second, third)] == [3, 2, 0]
    assert [row[plain] for row in (first, second, third)] == [0, 0, 1]
    assert made["Table II,"][0].plots[0].series[0].values[:3] == [0.5, 1.0, 1.0]
    means = {row["method"]: row["mean"].value for row in made["iterations until"][0].rows}
    assert means == {default: 1.5, plain: 3.5}
    curve = made["Figure 10"][0]  # of the topic that was open for both
    assert (curve.rows[0][default].value, curve.rows[0][plain].value) == (0.4, 0.2)
    assert "over 1 topics" in curve.notes[-1]
    assert [row["topics"] for row in made["by collection"][0].rows[:2]] == [3, ""]
    assert made["as the paper"][0].rows[0]["one-class SVM"] == 1


def test_the_kernel_lowers_what_is_near_rejected_documents(tmp_path):
    """The documents' own distances in the latent space, by NumPy."""
    index = Index.create(tmp_path / "arxiv.idx")
    index.add(arxiv_sample())
    situations = Situations(index.searcher, words="search engine")
    situation, rejected = situations.of(None, BY_WORDS), [3, 50, 700]
    for number in rejected:
        situation.judge(number, False)
    rows = index.searcher.view("latent").rows(np.arange(len(index)))
    latent = np.zeros(rows.shape)
    latent[np.repeat(np.arange(len(index)), np.diff(rows.starts)), rows.columns] = rows.values
    latent /= np.linalg.norm(latent, axis=1, keepdims=True)
    distances = ((latent[:, None, :] - latent[rejected][None, :, :]) ** 2).sum(axis=2)
    plain = situation.corpus.scores(situation.words)
    lowered = plain - 0.05 * np.exp(-4 * distances).mean(axis=1)
    assert CONTENDERS["kernel"].make()(situation).scores == pytest.approx(lowered, abs=1e-4)


def test_a_collection_without_such_topics_is_named():
    results = [told("none", ([0, 1], 0.5)), told("none", collection="easy")]
    (section,) = sections_of(results)["by collection"]
    assert {row["collection"] for row in section.rows} == {"toy"}
    assert section.notes == ["Every topic of easy has a relevant document on its first page."]


def test_a_method_that_lacks_a_collection_has_no_mean():
    here = [told(name, ([0, 1], 0.5)) for name in ("none", "svdd")]
    there = told("none", ([1], None), collection="other")
    lost = Result(job(method="svdd") | {"topic": "other"}, missing="no folder other")
    made = sections_of([*here, there, lost])
    rows = {row["method"]: row for row in made["iterations until"][0].rows}
    assert rows["SVDD"]["mean"].value is None
    assert "no folder other" in rows["SVDD"]["remark"]
    assert rows["VSM, no feedback"]["mean"].value == 1.5
    assert "SVDD" not in made["Table II,"][0].rows[0]
    assert "no folder other" in made["Table II,"][0].notes[0]


def test_the_papers_tables_are_as_printed():
    """Table II, topic 383: the one-class SVM found one at 2, the words alone at 4."""
    made = sections_of([told("none", ([0, 1], 0.5))])
    rows = [row for row in made["as the paper"][0].rows if row["topic"] == "383"]
    assert [row["one-class SVM"] for row in rows] == [0, 1, None, None, None]
    assert [row["VSM, no feedback"] for row in rows] == [0, 0, 0, 1, None]
    assert [row["Rocchio"] for row in rows] == [0] * 5


def test_jobs_of_both_studies_can_be_told_apart():
    for study in (nonrelevance, reviews):
        jobs = [json.dumps(each, sort_keys=True) for each in study.jobs(2)]
        assert len(set(jobs)) == len(jobs)
        assert not any("," in str(value) for each in study.jobs(1) for value in each.values())


@pytest.fixture
def review(tmp_path):
    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in range(60)]
    rows = [
        {
            "id": str(i),
            "title": "study",
            "abstract": " ".join([*rng.choice(words, 8), *(["trial"] * (i % 5 == 0))]),
            "label": int(i % 5 == 0),
        }
        for i in range(60)
    ]
    write(tmp_path / "review" / "toy" / "records.jsonl.gz", rows)
    return tmp_path


def test_a_review_is_replayed(review):
    fields = {"data": "review/toy", "topic": "toy", "half": "report", "seed": 0}
    numbers = reviews.run({**fields, "method": "auto"}, review)
    assert 0 <= numbers["loss"] < 0.5
    assert (len(numbers["ranks"]), numbers["records"]) == (11, 58)
    (section,) = reviews.sections([Result({**fields, "method": "auto"}, numbers)])
    assert section.rows[0]["loss"].value == numbers["loss"]


def screened(method, review, half, seed, ranks, loss):
    fields = {"data": "review/toy", "topic": review, "half": half, "seed": seed}
    numbers = dict.fromkeys(("NDCG", "WSS@95", "recall@10%"), 1 - loss)
    numbers |= {"loss": loss, "ATD": loss, "updates a second": 1.0}
    return Result({**fields, "method": method}, numbers | {"ranks": ranks, "records": 100})


def test_reviews_are_compared_by_half_seed_and_review():
    results = [
        screened(method, review, half, seed, [1, 30 if method == "auto" else 60], loss + seed / 10)
        for review, half, losses in (
            ("a", "development", (0.1, 0.2)),
            ("b", "report", (0.3, 0.5)),
            ("c", "report", (0.3, 0.4)),
        )
        for method, loss in zip(("auto", reviews.PEER), losses, strict=True)
        for seed in (0, 1)
    ]
    made = {section.title: section for section in reviews.sections(results)}
    report = made["Reviews, report half: means over 2 reviews, 2 seeds"]
    assert [row["loss"].value for row in report.rows] == pytest.approx([0.35, 0.5])
    assert [row["recall@50%"].value for row in report.rows] == [1.0, 0.5]
    curve = dict(zip(report.plots[0].x, report.plots[0].series[0].values, strict=True))
    assert (curve[0], curve[1], curve[28], curve[30], curve[100]) == (0.0, 0.5, 0.5, 1.0, 1.0)
    tests = made["Is auto better than elas_u4?"].rows
    (loss,) = [r for r in tests if (r["reviews"], r["measure"]) == ("report half", "loss")]
    assert loss["auto is better in"] == "2 of 2"
    assert 0 < loss["p, t-test"].value < 0.5
    assert loss["p, ranks"].value == 0.25  # both of two signs, of four ways they may fall
    (seed,) = [r for r in made["Mean loss by seed"].rows if (r["reviews"], r["seed"]) == ("all", 1)]
    assert seed["auto"].value == pytest.approx(1 / 3)
    by_review = made["Loss by review, means over seeds"].rows
    assert [row["difference"] for row in by_review] == ["−0.1000", "−0.2000", "−0.1000"]


def test_without_the_peer_there_is_nothing_to_compare():
    lost = screened(reviews.PEER, "a", "report", 0, [], 0.0)
    absent = Result(lost.job, missing="needs asreview")
    (section,) = reviews.sections([screened("auto", "a", "report", 0, [3], 0.1), absent])
    assert [row["remark"] for row in section.rows] == ["", "needs asreview"]


def test_without_asreview_its_rows_say_so(review, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "asreview.learner", None)
    with pytest.raises(MissingError, match="needs asreview"):
        reviews.asreview(review / "review" / "toy" / "records.jsonl.gz", [0, 1], 0)


def test_factors_are_chosen_by_one_half_and_measured_on_the_other():
    auto, better, worse = "auto", "titles 0.4", "titles 0.6"
    losses = {  # of the two halves
        reviews.PEER: (0.2, 0.2),
        auto: (0.16, 0.16),
        better: (0.1, 0.18),
        worse: (0.18, 0.1),
        "titles 0.3": (0.19, 0.19),
        "titles 0.7": (0.19, 0.19),
    }
    results = [
        screened(method, review, half, 0, [1, 30], loss)
        for method, both in losses.items()
        for review, half, loss in zip("ab", ("development", "report"), both, strict=True)
    ]
    made = {section.title: section for section in reviews.sections(results)}
    rows = made["Loss beside elas_u4's"].rows
    assert [(row["views"], row["factors"]) for row in rows] == [
        ("auto", "default"),
        ("words and titles", "chosen by the other half"),
    ]
    assert rows[0]["ratio"].value == pytest.approx(0.8, abs=1e-3)
    assert rows[1]["ratio"].value == pytest.approx(0.9, abs=1e-3)  # each half chose for itself
    assert rows[1]["better in"] == "2 of 2"
    (chosen,) = [
        row
        for row in made["Ratios by half, for each choice of factors"].rows
        if row["factors"] == better
    ]
    assert chosen["development half"].value == pytest.approx(0.5, abs=1e-3)
    names = {row["method"] for section in made.values() for row in section.rows if "method" in row}
    assert names == {"auto", reviews.PEER}
