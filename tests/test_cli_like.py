"""Search by example on the command line: examples, options, saved queries, explanations."""

from __future__ import annotations

import json
import math
import re
import sys

import numpy as np
import pytest

from helpers.command_line import refuse, run, succeed, write_jsonl
from likewise import Index, Text
from likewise.datasets import arxiv_sample, topics
from likewise.search.methods import METHODS

TOPIC = "cs.RO"
LIKED = topics()[TOPIC][:3]
LIKE = [argument for id in LIKED for argument in ("--like", f"id:{id}")]


@pytest.fixture(scope="module")
def arxiv(tmp_path_factory):
    """An index of the bundled collection; tests only read it."""
    index = Index.create(tmp_path_factory.mktemp("arxiv") / "arxiv.idx")
    index.add(arxiv_sample())
    return index


@pytest.fixture
def fruit(tmp_path):
    """An index of three documents, one of them with an id that needs care."""
    papers = write_jsonl(
        tmp_path / "fruit.jsonl",
        {"id": "a", "text": "red apples", "title": "Apples"},
        {"id": "mail@x:1=2", "text": "red berries", "title": "Berries"},
        {"id": "c", "text": "green cherries", "title": "Cherries"},
    )
    succeed("index", papers, "-o", tmp_path / "fruit.idx")
    return tmp_path / "fruit.idx"


def search(index, *arguments, input=None):
    """The result as JSON."""
    path = index.path if isinstance(index, Index) else index
    return json.loads(succeed("search", path, *arguments, "--format", "json", input=input)[0])


def ids(found):
    return [hit["id"] for hit in found["hits"]]


def as_hits(hits):
    return [hit._asdict() for hit in hits]


class TestFilter:
    def test_words_examples_and_queries_take_one(self, arxiv, tmp_path):
        filter = "created>=2018 primary=cs.RO"
        found = search(arxiv, "robot", "--filter", filter)
        assert found["hits"] == as_hits(arxiv.search("robot", filter=filter))
        assert len(found["hits"]) == 10
        asked = (*LIKE, "--method", "1c", "--filter", filter, "-k", "5")
        found = search(arxiv, *asked, "--save-query", tmp_path / "q.json")
        assert found["hits"] == as_hits(arxiv.like(LIKED, method="1c", filter=filter, k=5))
        again = search(arxiv, "--query", tmp_path / "q.json", "--filter", filter, "-k", "5")
        assert again["hits"] == found["hits"]

    def test_one_that_makes_no_sense(self, arxiv):
        refuse(
            2,
            "the filter 'year' is not understood .*",
            "search",
            arxiv.path,
            "x",
            "--filter",
            "year",
        )

    def test_nothing_is_left(self, arxiv):
        told = succeed("search", arxiv.path, "robot", "--filter", "created>3000")[1]
        assert "contains any of these words and meets the filter created>3000" in told


class TestExamples:
    def test_ids_find_what_the_library_finds(self, arxiv):
        found = search(arxiv, *LIKE)
        hits = arxiv.like(LIKED)
        assert found["hits"] == as_hits(hits)
        assert not set(ids(found)) & set(LIKED)
        assert sum(id in topics()[TOPIC] for id in ids(found)) >= 5

    def test_files_and_text_and_ids_together(self, arxiv, tmp_path):
        note = tmp_path / "note.md"
        note.write_text("# Grippers\n\nA soft gripper grasps objects.")
        text = "Legged robots walk over rough terrain.\n"
        found = search(
            arxiv, *LIKE, "--like", note, "--like", "-", "--unlike", "id:1209.2835", input=text
        )
        hits = arxiv.like([*LIKED, note, Text(text)], unlike="1209.2835")
        assert found["hits"] == as_hits(hits)
        assert found["like"] == [*(f"id:{id}" for id in LIKED), str(note), "-"]
        assert found["unlike"] == ["id:1209.2835"]
        assert (found["learned"]["examples"], found["learned"]["unlike"]) == (5, 1)

    def test_a_file_and_a_folder_of_several_documents(self, fruit, tmp_path):
        several = write_jsonl(tmp_path / "several.jsonl", {"text": "red"}, {"text": "berries"})
        assert search(fruit, "--like", several)["learned"]["examples"] == 2
        (tmp_path / "folder").mkdir()
        several.rename(tmp_path / "folder" / "several.jsonl")
        assert search(fruit, "--like", tmp_path / "folder")["learned"]["examples"] == 2

    def test_disliked_text_pushes_down(self, fruit):
        before = search(fruit, "--like", "id:a")
        after = search(fruit, "--like", "id:a", "--unlike", "-", input="red berries?")
        assert ids(before) == ["mail@x:1=2", "c"]
        assert after["hits"][0]["score"] < before["hits"][0]["score"]

    def test_ids_may_hold_anything(self, fruit):
        assert ids(search(fruit, "--like", "id:mail@x:1=2"))[0] == "a"
        found = search(
            fruit, "--like", "id:mail@x:1=2", "--like", "id:c", "--weight", "id:mail@x:1=2=3"
        )
        assert found["weights"] == [3.0, 1.0]

    def test_invalid_characters_are_replaced(self, fruit):
        result = run("search", fruit, "--like", "-", input=b"caf\xe9 apples")
        assert result[0] == 0
        assert "Apples" in result[1].splitlines()[1]

    def test_a_file_that_looks_like_an_id(self, fruit, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "id:c.txt").write_text("red apples and pears")
        refuse(2, "no document 'c.txt' in fruit.idx", "search", fruit, "--like", "id:c.txt")
        assert ids(search(fruit, "--like", "./id:c.txt"))[0] == "a"

    def test_an_id_is_not_guessed(self, fruit):
        sentence = "there is no file {}: give a document of the index as id:{}"
        refuse(2, sentence.format("a", "a"), "search", fruit, "--like", "a")
        refuse(2, sentence.format("x.txt", "…"), "search", fruit, "--like", "x.txt")
        refuse(2, sentence.format("a", "a"), "search", fruit, "--like", "id:c", "--unlike", "a")

    def test_a_file_of_an_unknown_kind(self, fruit, tmp_path):
        (tmp_path / "draft.tex").write_text("red apples")
        sentence = f"{tmp_path}/draft.tex has an unknown suffix: .* standard input, with - .*"
        refuse(2, sentence, "search", fruit, "--like", tmp_path / "draft.tex")

    def test_standard_input_is_one_example(self, fruit):
        sentence = "standard input holds one example: give - only once"
        refuse(2, sentence, "search", fruit, "--like", "-", "--like", "-", input="apples")
        refuse(2, sentence, "search", fruit, "--like", "-", "--unlike", "-", input="apples")

    def test_standard_input_may_be_closed(self, fruit, monkeypatch):
        from likewise.cli import examples
        from likewise.errors import UsageError

        monkeypatch.setattr(sys, "stdin", None)
        with pytest.raises(UsageError, match="standard input is closed"):
            examples.example(Index.open(fruit), fruit, "-")

    @pytest.mark.parametrize("text", ["", "xyzzy", "the of"])
    def test_nothing_known_in_the_examples(self, fruit, text):
        sentence = "none of the 1 examples has a term.*"
        refuse(2, sentence, "search", fruit, "--like", "-", input=text)

    def test_liked_and_disliked(self, fruit):
        sentence = "'a' is given both as liked and as disliked"
        refuse(2, sentence, "search", fruit, "--like", "id:a", "--unlike", "id:a")

    def test_bad_files(self, fruit, tmp_path):
        (tmp_path / "bad.jsonl").write_text('{"text": "red"}\n{oops\n')
        refuse(1, ".*bad.jsonl, line 2: .*", "search", fruit, "--like", tmp_path / "bad.jsonl")
        np.save(tmp_path / "v.npy", np.eye(3, dtype=np.float32))
        refuse(2, ".*v.npy holds vectors.*", "search", fruit, "--like", tmp_path / "v.npy")

    def test_an_index_of_vectors(self, tmp_path):
        np.save(tmp_path / "v.npy", np.array([[1, 0], [0.9, 0.1], [0, 1]], np.float32))
        succeed("index", tmp_path / "v.npy", "-o", tmp_path / "v.idx")
        first, second, third = Index.open(tmp_path / "v.idx").ids()
        assert ids(search(tmp_path / "v.idx", "--like", f"id:{first}")) == [second, third]
        refuse(
            2, ".*holds vectors: give ids.*", "search", tmp_path / "v.idx", "--like", "-", input="x"
        )
        stdout, _ = succeed("explain", tmp_path / "v.idx", second, "--like", f"id:{first}")
        assert second in stdout

    def test_an_empty_index(self, fruit):
        succeed("delete", fruit, "a", "c", "mail@x:1=2")
        refuse(2, f"{fruit} is empty.*", "search", fruit, "--like", "-", input="apples")


class TestWays:
    """Words, examples and a saved query exclude each other, and so do their options."""

    @pytest.fixture
    def saved(self, fruit, tmp_path):
        succeed("search", fruit, "--like", "id:a", "--save-query", tmp_path / "q.json")
        return tmp_path / "q.json"

    @pytest.mark.parametrize("command", ["search", "explain"])
    def test_nothing_is_asked(self, fruit, command):
        sentence = r"nothing to search for: give words, examples \(--like\) or a query \(--query\)"
        refuse(2, sentence, command, fruit)
        refuse(2, sentence, command, fruit, "--method", "ba")
        refuse(2, "--unlike needs --like.*", command, fruit, "--unlike", "id:a")

    def test_one_way_at_a_time(self, fruit, saved):
        like, query = ("--like", "id:a"), ("--query", saved)
        sentence = "{} exclude each other: give one of them"
        refuse(2, sentence.format("WORDS and --like"), "search", fruit, "red", *like)
        refuse(2, sentence.format("WORDS and --query"), "search", fruit, "red", *query)
        refuse(2, sentence.format("--like and --query"), "search", fruit, *like, *query)
        refuse(2, sentence.format("WORDS and --like"), "explain", fruit, "a", "red", *like)

    @pytest.mark.parametrize(
        "option",
        [
            ("--unlike", "id:a"),
            ("--weight", "id:a=2"),
            ("--method", "auto"),
            ("--C", "0"),
            ("--C-per-example", "1"),
            ("--at", "3"),
            ("--scaling", "balanced"),
            ("--tol", "0.1"),
            ("--max-passes", "9"),
            ("--sample-unlabeled", "2"),
            ("--seed", "0"),
        ],
    )
    def test_options_of_learning(self, fruit, saved, option):
        sentence = f"{option[0]} goes with --like"
        refuse(2, sentence, "search", fruit, "red", *option)
        refuse(2, sentence, "search", fruit, "--query", saved, *option)
        refuse(2, sentence, "explain", fruit, "a", "red", *option)

    def test_a_saved_query_has_its_weighting(self, fruit, saved):
        sentence = "--weighting cannot be changed: a saved query has its own"
        refuse(2, sentence, "search", fruit, "--query", saved, "--weighting", "tfidf")

    def test_only_what_was_learned_can_be_saved(self, fruit, saved, tmp_path):
        sentence = "--save-query goes with --like: only then a query is learned"
        refuse(2, sentence, "search", fruit, "red", "--save-query", tmp_path / "r.json")
        refuse(2, sentence, "search", fruit, "--query", saved, "--save-query", tmp_path / "r.json")

    def test_a_query_that_cannot_be_saved_is_not_learned(self, fruit, tmp_path):
        learn = ("search", fruit, "--like", "id:a", "--save-query")
        refuse(2, f"--save-query {tmp_path} is a folder.*", *learn, tmp_path)
        nowhere = tmp_path / "no" / "q.json"
        refuse(2, f"--save-query {nowhere}: there is no folder {nowhere.parent}", *learn, nowhere)


class TestOptions:
    @pytest.mark.parametrize("method", ["auto", *METHODS])
    def test_every_method(self, arxiv, method):
        found = search(arxiv, *LIKE, "--method", method)
        assert found["hits"] == as_hits(arxiv.like(LIKED, method=method))
        assert found["learned"]["method"] == ("steady" if method == "auto" else method)

    @pytest.mark.parametrize(
        ("arguments", "options"),
        [
            ("--method ba --C 5", {"method": "ba", "C": 5.0}),
            ("--method ba --C-per-example 2", {"method": "ba", "C_per_example": 2.0}),
            ("--method p@k --at 20", {"method": "p@k", "at": 20}),
            ("--method pr --scaling printed", {"method": "pr", "scaling": "printed"}),
            ("--method ba --tol 0.2", {"method": "ba", "tol": 0.2}),
            ("--method r@k --max-passes 500", {"method": "r@k", "max_passes": 500}),
            ("--sample-unlabeled 100 --seed 7", {"sample_unlabeled": 100, "seed": 7}),
            ("--weighting counts", {"weighting": "counts"}),
        ],
    )
    def test_options_reach_the_library(self, arxiv, arguments, options):
        found = search(arxiv, *LIKE, *arguments.split())
        hits = arxiv.like(LIKED, **options)
        assert found["hits"] == as_hits(hits)
        assert found["learned"]["objective"] == hits.query.learned.objective
        assert found["weighting"] == hits.query.weighting
        assert found["hits"] != as_hits(arxiv.like(LIKED))

    def test_weights(self, arxiv):
        weight = ("--weight", f"id:{LIKED[1]}=5")
        found = search(arxiv, *LIKE, "--method", "centroid", *weight)
        assert found["hits"] == as_hits(arxiv.like(LIKED, method="centroid", weights=[1, 5, 1]))
        assert found["weights"] == [1, 5, 1]

    def test_the_same_example_twice_has_one_weight(self, arxiv):
        twice = search(arxiv, *LIKE, *LIKE, "--weight", f"id:{LIKED[0]}=2", "--method", "1c")
        assert twice["weights"] == [2, 1, 1]

    @pytest.mark.parametrize(
        ("weight", "sentence"),
        [
            ("id:a", "--weight id:a: write it as X=N with a number N above 0"),
            ("id:a=much", "--weight id:a=much: write it as X=N.*"),
            ("id:a=0", "--weight id:a=0: write it as X=N.*"),
            ("id:a=-1", "--weight id:a=-1: write it as X=N.*"),
            ("id:a=nan", "--weight id:a=nan: write it as X=N.*"),
            ("id:a=inf", "--weight id:a=inf: write it as X=N.*"),
            ("a=2", "--weight a=2: there is no --like a"),
            ("id:c=2", "--weight id:c=2: there is no --like id:c"),
        ],
    )
    def test_weights_that_make_no_sense(self, fruit, weight, sentence):
        refuse(2, sentence, "search", fruit, "--like", "id:a", "--weight", weight)

    def test_one_weight_an_example(self, fruit):
        twice = ("--weight", "id:a=2", "--weight", "id:a=3")
        refuse(
            2,
            "--weight: give each example one weight only",
            "search",
            fruit,
            "--like",
            "id:a",
            *twice,
        )

    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            (
                "--method centroid --C 1",
                r"C means nothing to method centroid \(it was asked for\).*",
            ),
            ("--method ba --C 0", "C must be a number above 0.*"),
            ("--method ba --C nan", "C must be a number above 0.*"),
            ("--method ba --C 1 --C-per-example 1", "C and C_per_example say the same.*"),
            ("--method p@k --at 2001", ".*more than the 2000 documents.*"),
            ("--tol 0", "tol is 0.0.*"),
            ("--method ba --seed 3", r"a seed needs sample_unlabeled \(--sample-unlabeled\).*"),
            ("--views latent", "views is latent, but words always take part: write words,latent"),
            ("--views ,", "views is empty, but words always take part: write words"),
            (
                "--budget online --views words,latent",
                r"views beside words mean nothing to method centroid \(only the .*",
            ),
            ("--method steady --scaling printed", "scaling means nothing to method steady.*"),
        ],
    )
    def test_options_that_make_no_sense(self, arxiv, arguments, sentence):
        refuse(2, sentence, "search", arxiv.path, *LIKE, *arguments.split())

    def test_trec(self, arxiv):
        options = ("--format", "trec", "--topic", "T9", "--run-tag", "ba", "-k", 2)
        stdout, _ = succeed("search", arxiv.path, *LIKE, *options)
        first, second = arxiv.like(LIKED, k=2)
        assert stdout == (
            f"T9 Q0 {first.id} 1 {first.score!r} ba\nT9 Q0 {second.id} 2 {second.score!r} ba\n"
        )


class TestTelling:
    def test_how_it_went_is_told_beside_the_results(self, arxiv):
        stdout, stderr = succeed("search", arxiv.path, *LIKE, "--unlike", "id:1209.2835")
        assert len(stdout.splitlines()) == 11
        learned = "learned from 3 examples and 1 negative example; method steady"
        assert stderr == f"{learned}; views words, latent\n"

    def test_details(self, arxiv):
        asked = ("search", arxiv.path, *LIKE, "--unlike", "id:1209.2835")
        stdout, stderr = succeed(*asked, "--details")
        assert stdout == succeed(*asked)[0]
        assert re.fullmatch(
            r"learned from 3 examples .*\n"
            r"reason +3 examples against the other documents; .*\n"
            r"views +words × 1, latent × 0.5\n"
            r"other documents +1,996\n"
            r"passes +\d+\n"
            r"objective +\S+\n"
            r"relative gap +\S+\n"
            r"time +\d+\.\d+ s\n",
            stderr,
        )

    def test_one_example(self, arxiv):
        _, stderr = succeed("search", arxiv.path, *LIKE[:2])
        assert stderr == "learned from 1 example; method steady; views words, latent\n"

    def test_not_converging_is_one_line(self, arxiv):
        options = ("--method", "pr", "--tol", "1e-9", "--max-passes", "4")
        _, stderr = succeed("search", arxiv.path, *LIKE, *options)
        first, *others = stderr.splitlines()
        assert re.fullmatch(
            r"likewise: method pr stopped after \d+ passes .* relative gap of .*", first
        )
        assert len(others) == 1

    def test_a_small_table_is_one_line(self, arxiv):
        _, stderr = succeed("search", arxiv.path, *LIKE, "--method", "p@k", "--at", "3")
        assert stderr.startswith("likewise: k=3 is not above the number of examples")
        assert len(stderr.splitlines()) == 2

    def test_nothing_is_left(self, fruit):
        like = ("--like", "id:a", "--like", "id:c", "--like", "id:mail@x:1=2")
        status, stdout, stderr = run("search", fruit, *like, "--method", "centroid")
        assert (status, stdout) == (0, "")
        assert stderr.endswith(f"likewise: no document in {fruit} is left besides the examples\n")
        refuse(2, ".*unlabeled.*", "search", fruit, *like, "--method", "ba")


class TestSavedQueries:
    def test_again_and_elsewhere(self, arxiv, tmp_path):
        query = tmp_path / "q.json"
        options = ("--unlike", "id:1209.2835", "--format", "csv")
        learned, _ = succeed("search", arxiv.path, *LIKE, *options, "--save-query", query)
        again, stderr = succeed("search", arxiv.path, "--query", query, "--format", "csv")
        assert again == learned
        assert stderr == f"{query}: all of the query's weight is on terms of {arxiv.path}\n"

        other = write_jsonl(tmp_path / "other.jsonl", {"id": "x", "text": "a robot arm"})
        succeed("index", other, "-o", tmp_path / "other.idx")
        found = search(tmp_path / "other.idx", "--query", query)
        assert ids(found) == ["x"]
        assert (found["saved_query"], found["weighting"]) == (str(query), "tfidf")
        assert 0 < found["known"] < 0.5
        assert found["learned"]["method"] == "steady"
        _, stderr = succeed("search", tmp_path / "other.idx", "--query", query)
        shown = re.fullmatch(
            rf"{query}: (\S+) % of the query's weight is on terms of .*other.idx\n.*\n", stderr
        )
        assert float(shown[1]) == pytest.approx(100 * found["known"], rel=0.01)

    def test_an_index_that_knows_nothing_of_it(self, fruit, tmp_path):
        query, other = tmp_path / "q.json", tmp_path / "other.idx"
        succeed("search", fruit, "--like", "id:a", "--save-query", query)
        succeed("index", "-", "-o", other, input='{"id": "x", "text": "yellow dates"}')
        status, stdout, stderr = run("search", other, "--query", query)
        assert (status, stdout) == (0, "")
        assert stderr == (
            f"{query}: none of the query's weight is on terms of {other}\n"
            f"likewise: no document in {other} matches this query, apart from its examples\n"
        )

    def test_files_that_are_no_query(self, fruit, tmp_path):
        nowhere = tmp_path / "nowhere.json"
        sentence = f"cannot read the query {nowhere}: No such file or directory"
        refuse(1, sentence, "search", fruit, "--query", nowhere)
        (tmp_path / "x.json").write_text("{}")
        refuse(
            1, ".*x.json is not a saved query.*", "search", fruit, "--query", tmp_path / "x.json"
        )

    def test_vectors_do_not_know_words(self, fruit, tmp_path):
        succeed("search", fruit, "--like", "id:a", "--save-query", tmp_path / "q.json")
        np.save(tmp_path / "v.npy", np.eye(3, dtype=np.float32))
        succeed("index", tmp_path / "v.npy", "-o", tmp_path / "v.idx")
        sentence = ".*'tfidf' does not fit an index of dense.*"
        refuse(2, sentence, "search", tmp_path / "v.idx", "--query", tmp_path / "q.json")


class TestExplain:
    def explained(self, index, *arguments):
        stdout, _ = succeed("explain", index, *arguments, "--format", "json")
        return json.loads(stdout)

    def test_a_hit_of_words(self, arxiv):
        hit = arxiv.search("robot arm")[0]
        told = self.explained(arxiv.path, hit.id, "robot", "arm")
        assert (told["index"], told["query"]) == (str(arxiv.path), "robot arm")
        assert (told["id"], told["title"]) == (hit.id, hit.title)
        assert told["score"] == pytest.approx(hit.score, abs=1e-9)
        assert [part["term"] for part in told["terms"]] == ["arm", "robot"]
        assert told["others"] == {"terms": 0, "weight": 0}
        pivoted = self.explained(arxiv.path, hit.id, "robot arm", "--weighting", "pivoted")
        assert pivoted["score"] == pytest.approx(
            arxiv.search("robot arm", weighting="pivoted", k=1)[0].score
        )

    @pytest.mark.parametrize("k", [1, 5, 10_000])
    @pytest.mark.parametrize("method", ["centroid", "steady", "pr"])
    def test_contributions_add_up_to_the_score(self, arxiv, method, k):
        hit = arxiv.like(LIKED, unlike="1209.2835", method=method)[0]
        dislike = ("--unlike", "id:1209.2835", "--method", method)
        told = self.explained(arxiv.path, hit.id, *LIKE, *dislike, "-k", k)
        parts = [part["weight"] for part in told["terms"]]
        assert told["score"] == pytest.approx(hit.score, abs=1e-9)
        assert math.fsum([*parts, told["others"]["weight"]]) == pytest.approx(hit.score, abs=1e-9)
        assert len(parts) <= k
        assert told["learned"]["method"] == method
        assert parts == sorted(parts, key=lambda part: -abs(part))

    def test_the_table_adds_up_too(self, arxiv):
        stdout, stderr = succeed("explain", arxiv.path, "1209.2835", *LIKE, "-k", 5)
        heading, first, empty, header, *rows = stdout.splitlines()
        assert heading.split() == ["score", "id", "title"]
        assert header.split() == ["adds", "term"]
        assert empty == ""
        assert len(rows) == 6
        assert re.fullmatch(r" *[+-]\S+  \(others: \d+\)", rows[-1])
        total = sum(float(row.split()[0]) for row in rows)
        assert total == pytest.approx(float(first.split()[0]), abs=1e-3)
        assert stderr.startswith("learned from 3 examples; method steady")

    def test_a_document_without_any_of_the_terms(self, fruit):
        stdout, _ = succeed("explain", fruit, "c", "red apples")
        assert [line.split() for line in stdout.splitlines()] == [
            ["score", "id", "title"],
            ["0.000", "c", "Cherries"],
        ]

    def test_a_query(self, arxiv, tmp_path):
        query = tmp_path / "q.json"
        succeed("search", arxiv.path, *LIKE, "--method", "ba", "--save-query", query)
        told = self.explained(arxiv.path, "--query", query, "-k", 4)
        saved = json.loads(query.read_text())
        assert told["terms"] == len(saved["terms"])
        assert (told["known"], told["saved_query"]) == (1, str(query))
        assert all(one["weight"] > 0 for one in told["up"])
        assert all(one["weight"] < 0 for one in told["down"])
        assert max(saved["weights"]) == told["up"][0]["weight"]
        assert min(saved["weights"]) == told["down"][0]["weight"]
        assert [[one["id"], one["weight"]] for one in told["support"]] == saved["support"][:4]
        assert {one["id"] for one in told["support"][:3]} == set(LIKED)
        assert told["support"][0]["title"] == arxiv.document(told["support"][0]["id"]).title
        fresh = self.explained(arxiv.path, *LIKE, "--method", "ba", "-k", 4)
        for kind in ("terms", "up", "down", "support"):
            assert fresh[kind] == told[kind]

    def test_the_table_of_a_query(self, fruit, tmp_path):
        like = ("--like", "id:a", "--like", "-", "--unlike", "id:c", "--method", "centroid")
        status, stdout, stderr = run("explain", fruit, *like, input="fresh red apples")
        assert status == 0, stderr
        facts, up, down, support = stdout.split("\n\n")
        assert re.search(r"^method +centroid$", facts, re.MULTILINE)
        assert re.search(r"^terms in the index +all of the weight$", facts, re.MULTILINE)
        assert [line.split()[-1] for line in up.splitlines()] == ["it", "appl", "red"]
        assert {line.split()[-1] for line in down.splitlines()[1:]} == {"green", "cherri"}
        rows = [line.split() for line in support.splitlines()]
        assert rows[0] == ["weight", "learned", "from", "title"]
        assert ["+0.5000", "a", "Apples"] in rows
        assert ["-0.5000", "c", "Cherries"] in rows

    def test_the_details_of_a_query(self, fruit):
        like = ("--like", "id:a", "--method", "centroid")
        stdout, _ = succeed("explain", fruit, *like, "--details")
        assert re.search(r"^reason +it was asked for$", stdout, re.MULTILINE)
        assert re.search(r"^passes +\d+$", stdout, re.MULTILINE)
        assert "passes" not in succeed("explain", fruit, *like)[0]

    def test_a_query_elsewhere(self, fruit, tmp_path):
        query, other = tmp_path / "q.json", tmp_path / "other.idx"
        succeed("search", fruit, "--like", "id:a", "--save-query", query)
        succeed("index", "-", "-o", other, input='{"id": "x", "text": "apples"}')
        stdout, stderr = succeed("explain", other, "--query", query)
        shown = re.search(r"^terms in the index +(\S+ %) of the weight$", stdout, re.MULTILINE)
        assert stderr == f"{query}: {shown[1]} of the query's weight is on terms of {other}\n"
        [part] = self.explained(other, "x", "--query", query)["terms"]
        assert part["term"] == "appl"

    def test_an_unknown_document(self, fruit):
        refuse(2, f"no document 'x' in {fruit}", "explain", fruit, "x", "red")
        refuse(2, f"no document 'id:a' in {fruit}", "explain", fruit, "id:a", "--like", "id:c")

    def test_a_document_alone_is_no_question(self, fruit):
        refuse(2, "nothing to search for: .*", "explain", fruit, "a")
