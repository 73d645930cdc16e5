"""`likewise evaluate`: a user's own collection, by example and by words."""

from __future__ import annotations

import json

import ir_measures
import numpy as np
import pytest
from typer.testing import CliRunner

from likewise import Index
from likewise.cli.app import app
from likewise.datasets import arxiv_sample
from likewise.errors import UsageError
from likewise.evaluation import evaluate, judged, measure_names, measures, provenance
from likewise.evaluation.evaluate import Plan
from likewise.evaluation.judged import Files
from likewise.readers.trec import read_qrels, read_run

ANIMALS = ("cat", "dog", "eel")


@pytest.fixture
def collection(tmp_path):
    """30 documents, ten about each of three animals; the tenth of each is not judged."""
    provenance.files.cache_clear()
    judged.load.cache_clear()
    folder = tmp_path / "animals"
    folder.mkdir()
    documents, qrels = [], []
    for i in range(30):
        animal = ANIMALS[i % 3]
        words = f"{animal} {animal} food{i % 5} house{i % 7} word{i}"
        documents.append({"id": f"d{i}", "text": words, "kinds": [animal], "label": i % 3 == 0})
        qrels.append(f"{animal} d{i} {1 + i % 2}\n" if i < 27 else "")
    (folder / "docs.jsonl").write_text("".join(json.dumps(d) + "\n" for d in documents))
    (folder / "qrels.tsv").write_text("".join(qrels) + "cat nowhere 1\neel d0 0\n")
    topics = [json.dumps({"id": a, "text": f"the {a}"}) + "\n" for a in ANIMALS]
    (folder / "queries.jsonl").write_text("".join(topics))
    return folder


def call(*arguments):
    return CliRunner().invoke(app, ["evaluate", *map(str, arguments)])


def succeed(*arguments):
    done = call(*arguments, "--format", "json")
    assert done.exit_code == 0, done.stderr
    (part,) = json.loads(done.stdout)["parts"]
    return {row["method"]: row for row in part["sections"][0]["rows"]}, part


class TestCommand:
    def test_what_lies_in_the_folder(self, collection, tmp_path):
        rows, part = succeed(collection, "--runs", tmp_path / "runs")
        assert list(rows) == ["words", "auto", "rocchio", "centroid"]
        assert all(row["AP@1000"] > 0.9 for row in rows.values())
        assert part["measured"] == 12
        assert "1 judgement is of a document that is not here." in part["sections"][0]["notes"]

    def test_named_files_methods_and_measures(self, collection, tmp_path):
        topics = (collection / "queries.jsonl").rename(tmp_path / "t.jsonl")
        qrels = (collection / "qrels.tsv").rename(tmp_path / "q.tsv")
        asked = "WSS@95,recall@50%,ATD,loss,AUC,PRBEP,ERR@10,RR"
        options = ["--topics", topics, "--qrels", qrels, "--methods", "ba,1c", "--measures", asked]
        rows, part = succeed(collection, *options, "--runs", tmp_path / "runs", "--seeds", 2)
        assert list(rows) == ["ba", "1c"]
        assert part["measured"] == 12
        assert set(asked.split(",")) < set(rows["ba"])
        assert rows["ba"]["loss"] < 0.1

    def test_labels_of_documents(self, collection, tmp_path):
        rows, _ = succeed(collection, "--labels", "kinds", "--runs", tmp_path / "runs")
        assert list(rows) == ["auto", "rocchio", "centroid"]
        _, part = succeed(collection, "--labels", "label", "--runs", tmp_path / "runs")
        assert part["measured"] == 3  # of a label that is true or false, one topic

    def test_an_index(self, tmp_path):
        judged.load.cache_clear()
        index = Index.create(tmp_path / "sample.idx")
        index.add(arxiv_sample())
        options = ["--labels", "primary", "--methods", "centroid", "--examples", 40]
        rows, part = succeed(tmp_path / "sample.idx", *options, "--runs", tmp_path / "runs")
        assert 0.1 < rows["centroid"]["AP@1000"] < 0.9
        assert any("Left out of all rows" in note for note in part["sections"][0]["notes"])

    def test_runs_out_and_in(self, collection, tmp_path):
        out = tmp_path / "out"
        common = ["--runs", tmp_path / "runs", "--methods", "words,auto"]
        first, _ = succeed(collection, *common, "--write-runs", out)
        names = {"words.0.run", "auto.0.run", "judged.0.qrels", "examples.0.topics"}
        assert {path.name for path in out.iterdir()} == names
        rows, _ = succeed(collection, *common, "--run", out / "auto.0.run")
        again = rows[str(out / "auto.0.run")]
        for measure in ("AP@1000", "P@10", "nDCG@20", "PRBEP"):
            assert again[measure] == pytest.approx(first["auto"][measure])
        assert len(read_run(out / "words.0.run")["cat"]) == 5  # only what has the word

    def test_what_was_not_found_is_not_retrieved(self, collection, tmp_path):
        """The row of words is what ir-measures says of the run of words."""
        out = tmp_path / "out"
        common = ["--runs", tmp_path / "runs", "--measures", "AP,R@1000,P@10,Judged@10,PRBEP,ATD"]
        topics = ['{"id": "cat", "text": "food1"}', '{"id": "dog", "text": "house3"}']
        (collection / "queries.jsonl").write_text("\n".join([*topics, '{"id":"eel","text":"xx"}']))
        rows, _ = succeed(collection, *common, "--methods", "words", "--write-runs", out)
        qrels = read_qrels(out / "judged.0.qrels")
        asked = [ir_measures.parse_measure(name) for name in ("AP", "R@1000", "P@10", "Judged@10")]
        path = out / "words.0.run"
        expected = ir_measures.calc_aggregate(asked, qrels, read_run(path))
        for measure, value in expected.items():
            assert rows["words"][str(measure)] == pytest.approx(value)
        assert 0 < rows["words"]["R@1000"] < 0.5
        again, _ = succeed(collection, *common, "--methods", "words", "--run", path)
        assert {**again[str(path)], "method": 0, "CPU s a topic": 0} == {
            **again["words"],
            "method": 0,
            "CPU s a topic": 0,
        }

    def test_another_seed_from_what_was_written(self, collection, tmp_path):
        """Others can measure every seed, and so can we, from the topics with their examples."""
        out = tmp_path / "out"
        common = ["--runs", tmp_path / "runs", "--methods", "rocchio"]
        rows, _ = succeed(collection, *common, "--seeds", 2, "--write-runs", out)
        found = []
        for seed in (0, 1):
            run = out / f"rocchio.{seed}.run"
            qrels = read_qrels(out / f"judged.{seed}.qrels")
            theirs = ir_measures.calc_aggregate([ir_measures.AP], qrels, read_run(run))
            options = ["--topics", out / f"examples.{seed}.topics", "--run", run]
            both, _ = succeed(collection, *common, *options)
            for row in both.values():
                assert row["AP@1000"] == pytest.approx(theirs[ir_measures.AP])
            found.append(theirs[ir_measures.AP])
        assert rows["rocchio"]["AP@1000"] == pytest.approx(np.mean(found))

    @pytest.mark.parametrize("what", ["document", "topic"])
    def test_ids_that_no_run_can_carry(self, collection, tmp_path, what):
        """Said before anything is measured."""
        if what == "document":
            documents = collection / "docs.jsonl"
            documents.write_text(documents.read_text().replace('"d29"', '"d 29"'))
            options = []
        else:
            documents = collection / "docs.jsonl"
            documents.write_text(documents.read_text().replace('["cat"]', '["a cat"]'))
            options = ["--labels", "kinds"]
        runs = tmp_path / "runs"
        done = call(collection, *options, "--runs", runs, "--write-runs", tmp_path / "out")
        assert done.exit_code == 1
        assert (
            f"{what} '{'d 29' if what == 'document' else 'a cat'}': an id in a TREC file"
            in done.stderr
        )
        assert not runs.exists()

    @pytest.mark.parametrize(("measure", "way"), [("AP", "above"), ("ATD", "below")])
    def test_better_than_the_first_row(self, collection, tmp_path, measure, way):
        """A low time to discovery is a good one."""
        worst = tmp_path / "worst.run"
        worst.write_text("cat Q0 d1 1 9 x\ndog Q0 d2 1 9 x\neel Q0 d0 1 9 x\neel Q0 d1 1 8 x\n")
        options = ["--runs", tmp_path / "runs", "--measures", measure, "--methods", "words"]
        rows, _ = succeed(collection, *options, "--run", worst)
        title = f"p, {measure} {way} the first row"
        assert rows["words"][title] is None
        assert rows[str(worst)][title] > 0.9

    def test_measures_with_commas(self, collection, tmp_path):
        asked = "AP, nDCG(judged_only=True, cutoff=10),nDCG(cutoff=10,judged_only=True)"
        options = ["--runs", tmp_path / "runs", "--methods", "rocchio", "--measures", asked]
        (row,) = succeed(collection, *options)[0].values()
        assert not any(name.startswith("p,") for name in row)  # nobody to be better than
        first, second = (name for name in row if name.startswith("nDCG("))
        assert row[first] == row[second] > 0.5

    def test_an_empty_run(self, collection, tmp_path):
        path = tmp_path / "empty.run"
        path.touch()
        rows, part = succeed(collection, "--runs", tmp_path / "runs", "--run", path)
        for measure in ("AP@1000", "P@10", "nDCG@20", "R@1000"):
            assert rows[str(path)][measure] == 0
        notes = part["sections"][0]["notes"]
        assert f"{path}: no line for 3 topics: nothing found there." in notes

    def test_what_a_run_has_that_is_not_here(self, collection, tmp_path):
        path = tmp_path / "other.run"
        path.write_text("".join(f"{a} Q0 d{i}0 1 2.5 x\n" for i, a in enumerate(ANIMALS, 1)))
        _, part = succeed(collection, "--runs", tmp_path / "runs", "--run", path)
        assert part["sections"][0]["title"] == "Means over 3 topics, 1 seed"
        assert f"{path}: 1 id of 3 is not here." in part["sections"][0]["notes"]

    def test_it_continues(self, collection, tmp_path):
        common = ["--runs", tmp_path / "runs", "--methods"]
        succeed(collection, *common, "auto")
        succeed(collection, *common, "auto,ba")
        path = tmp_path / "runs" / "evaluate-animals.jsonl"
        assert len(path.read_text().splitlines()) == 6
        (collection / "qrels.tsv").write_text("cat d0 1\ncat d3 1\ncat d6 1\ndog d1 1\ndog d4 1\n")
        provenance.files.cache_clear()
        judged.load.cache_clear()
        _, part = succeed(collection, *common, "auto", "--examples", 1)
        assert part["measured"] == 2

    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            (["--methods", "magic"], "unknown method 'magic'"),
            (["--measures", "AP,wonder"], "unknown measure 'wonder'"),
            (["--examples", "9"], "no topic has more than 9 relevant documents"),
            (["--labels", "nothing"], "no document has a field 'nothing'"),
            (["--labels", "kinds", "--methods", "words"], "needs topics with words"),
            (["--labels", "kinds", "--qrels", "q"], "both define relevance: give one of them"),
            (["--qrels", "nowhere.tsv"], "there is no file of judgements nowhere.tsv"),
            (["--html", "nowhere/x.html"], "there is no folder nowhere"),
        ],
    )
    def test_wrong_usage(self, collection, tmp_path, arguments, sentence):
        done = call(collection, "--runs", tmp_path / "runs", *arguments)
        assert done.exit_code == 2, done.stderr
        assert sentence in done.stderr

    def test_nothing_to_judge_by(self, collection, tmp_path):
        (collection / "qrels.tsv").unlink()
        assert "no judgements" in call(collection).stderr
        assert "there is no folder" in call(tmp_path / "nowhere").stderr
        (collection / "qrels.a").touch()
        (collection / "qrels.b").touch()
        assert "name one with --topics or --qrels" in call(collection).stderr

    def test_a_topic_without_words(self, collection, tmp_path):
        (collection / "queries.jsonl").write_text('{"id": "cat", "text": "cat"}\n')
        rows, part = succeed(collection, "--runs", tmp_path / "runs")
        assert part["measured"] == len(rows) == 4
        section = part["sections"][0]
        assert section["title"] == "Means over 1 topic, 1 seed"
        where = collection / "queries.jsonl"
        assert (
            f"Left out of all rows: 2 of 3 topics, judged, but not in {where}: dog, eel."
            in section["notes"]
        )

    @pytest.mark.parametrize(
        ("judged", "sentence"),
        [
            ("cat x 1\n", "no document that is judged is here; ids there are as 'x', here as 'd0'"),
            ("cow d0 1\n", "queries.jsonl is judged; topics there are as 'cow', here as 'cat'"),
            ("cat d0 1\ncat x 1\n", "1 of 2 judgements are of documents that are not here"),
        ],
    )
    def test_judgements_of_something_else(self, collection, tmp_path, judged, sentence):
        (collection / "qrels.tsv").write_text(judged)
        done = call(collection, "--runs", tmp_path / "runs", "--examples", 1)
        assert done.exit_code == 2
        assert sentence in done.stderr

    def test_a_topic_whose_examples_are_all_there_is(self, collection):
        (collection / "queries.jsonl").write_text('{"id":"a","docs":["d0"]}\n{"id":"b"}\n')
        (collection / "qrels.tsv").write_text("a d0 1\nb d1 1\nb d2 1\n")
        plan = Plan(collection, judged.find(collection, None, None, None), examples=1).checked()
        assert evaluate.topics(plan) == (["b"], ["a"], [])


class TestExamples:
    def test_same_for_all_and_never_ranked(self, collection):
        plan = Plan(collection, judged.find(collection, None, None, None)).checked()
        on = judged.load(plan.folder, plan.files)
        examples = evaluate.choose(on, "cat", 5, 0)
        assert len(examples) == 5
        assert examples == evaluate.choose(on, "cat", 5, 0) != evaluate.choose(on, "cat", 5, 1)
        for contender in plan.methods:
            ids = {id for id, _ in evaluate.rank(on, contender, "cat", examples)}
            assert ids == set(on.ids) - examples

    def test_a_topics_own(self, collection):
        (collection / "queries.jsonl").write_text(
            "".join(json.dumps({"id": a, "docs": [f"d{i}"]}) + "\n" for i, a in enumerate(ANIMALS))
        )
        on = judged.load(collection, judged.find(collection, None, None, None))
        assert evaluate.choose(on, "dog", 5, 0) == {"d1"}


class TestMeasures:
    def ranking(self, seed):
        generator = np.random.default_rng(seed)
        ids = [f"d{i}" for i in range(60)]
        chosen = generator.choice(ids, 12, replace=False)
        grades = {id: int(generator.integers(0, 3)) for id in chosen} | {chosen[0]: 2}
        return measure_names.Ranking(ids, grades)

    @pytest.mark.parametrize("seed", range(3))
    def test_ours_and_theirs_agree(self, seed):
        ranking = self.ranking(seed)
        relevant = int(ranking.relevance.sum())
        run = {"q": {id: -float(i) for i, id in enumerate(ranking.ids)}}
        for name in ("AP", "AP@20", "P@10", "R@20", "Rprec"):
            measure = ir_measures.parse_measure(name)
            theirs = ir_measures.calc_aggregate([measure], {"q": dict(ranking.grades)}, run)[
                measure
            ]
            assert measures.parse(name)(ranking.relevance, relevant) == pytest.approx(theirs)
            assert measure_names.values([name], ranking)[name] == pytest.approx(theirs)

    def test_average_precision_goes_as_far_as_its_name_says(self):
        """AP sees every document found, AP@1000 the first 1,000, and neither what was not found."""
        ids = [f"d{i}" for i in range(3000)]
        grades = {"d0": 1, "d1499": 1, "d2500": 1}
        found = measure_names.values(["AP", "AP@1000"], measure_names.Ranking(ids, grades, 2000))
        assert found["AP"] == pytest.approx((1 + 2 / 1500) / 3)
        assert found["AP@1000"] == pytest.approx(1 / 3)

    def test_grades_count(self):
        ranking = self.ranking(0)
        run = {"q": {id: -float(i) for i, id in enumerate(ranking.ids)}}
        expected = ir_measures.calc_aggregate([ir_measures.nDCG @ 20], {"q": ranking.grades}, run)
        found = measure_names.values(["nDCG@20"], ranking)["nDCG@20"]
        assert found == pytest.approx(expected[ir_measures.nDCG @ 20])

    @pytest.mark.parametrize("name", ["WSS@95", "wss@80", "recall@10%", "ATD", "loss", "PRBEP"])
    def test_ours(self, name):
        assert measure_names.own(name) is not None
        measure_names.check([name])

    @pytest.mark.parametrize("name", ["WSS@95%", "recall@10", "AP@", "", "__import__('os')"])
    def test_unknown(self, name):
        with pytest.raises(UsageError, match="unknown measure"):
            measure_names.check([name])

    def test_what_needs_another_package(self):
        with pytest.raises(UsageError, match="measure RBP cannot be computed here"):
            measure_names.check(["RBP"])

    def test_none(self):
        with pytest.raises(UsageError, match="no measure"):
            measure_names.check([])


def test_svmlight_labels(tmp_path):
    """Several labels a row, and features instead of words."""
    judged.load.cache_clear()
    folder = tmp_path / "vectors"
    folder.mkdir()
    rows = [f"{i % 2},{2 + i % 3} {i % 2 + 1}:5 {i % 7 + 3}:1\n" for i in range(24)]
    (folder / "docs.svm").write_text("".join(rows))
    on = judged.load(folder, Files(None, None, "labels"))
    assert sorted(on.qrels) == ["0", "1", "2", "3", "4"]
    examples = evaluate.choose(on, "1", 3, 0)
    ranking = [id for id, _ in evaluate.rank(on, "rocchio", "1", examples)]
    assert set(ranking[:9]) | examples == set(on.relevant("1"))


def test_documents_may_be_anywhere_in_the_folder(tmp_path):
    judged.load.cache_clear()
    folder = tmp_path / "folder"
    (folder / "a").mkdir(parents=True)
    (folder / "a" / "x.txt").write_text("cat")
    (folder / "y.txt").write_text("dog")
    (folder / "qrels.txt").write_text("1 y.txt 1\n")
    found = judged.find(folder, None, None, None)
    assert len(judged.load(folder, found).ids) == 2
