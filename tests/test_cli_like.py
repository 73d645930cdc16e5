"""Search by example on the command line: examples, options, saved queries, explanations."""

from __future__ import annotations

import json
import re
import sys

import numpy as np
import pytest

from helpers import papers
from helpers.command_line import (
    hit_ids,
    refuse,
    run,
    search,
    succeed,
    three_fruits,
    write_jsonl,
)
from likewise import Index, Text
from likewise.datasets import topics
from likewise.search.methods import METHODS

TOPIC = "cs.RO"
LIKED = topics()[TOPIC][:3]
LIKE = [argument for id in LIKED for argument in ("--like", f"id:{id}")]


@pytest.fixture
def fruit(tmp_path):
    return three_fruits(tmp_path)


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
        assert not set(hit_ids(found)) & set(LIKED)
        assert sum(id in topics()[TOPIC] for id in hit_ids(found)) >= 5

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
        assert hit_ids(before) == ["mail@x:1=2", "c"]
        assert after["hits"][0]["score"] < before["hits"][0]["score"]

    def test_ids_may_hold_anything(self, fruit):
        assert hit_ids(search(fruit, "--like", "id:mail@x:1=2", "--views", "words"))[0] == "a"
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
        assert hit_ids(search(fruit, "--like", "./id:c.txt"))[0] == "a"

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
        sentence = "'a' is given both as liked and as disliked: remove one"
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
        assert hit_ids(search(tmp_path / "v.idx", "--like", f"id:{first}")) == [second, third]
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

    def test_disliked_documents_alone(self, fruit):
        found, said = succeed("search", fruit, "--unlike", "id:a", "--format", "json")
        hits = Index.open(fruit).like([], unlike="a")
        assert [hit["id"] for hit in json.loads(found)["hits"]] == hits.ids
        assert "learned from 0 examples and 1 negative example" in said

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
                r"method centroid \(it was asked for\) does not use C: .*",
            ),
            ("--method ba --C 0", "C must be a number above 0.*"),
            ("--method ba --C nan", "C must be a number above 0.*"),
            ("--method ba --C 1 --C-per-example 1", "C and C_per_example both set the cost.*"),
            ("--method p@k --at 2001", ".*more than the 2000 documents.*"),
            ("--tol 0", "tol is 0.0.*"),
            (
                "--method ba --seed 3",
                r"seed has no effect without sample_unlabeled \(--sample-unlabeled\).*",
            ),
            ("--views latent", "views is latent, but must contain words: write words,latent"),
            ("--views ,", "views is empty, but must contain words: write words"),
            (
                "--budget online --views words,latent",
                r"method centroid uses words only \(online, to stay within the budget: only the .*",
            ),
            ("--method steady --scaling printed", "method steady .* does not use scaling.*"),
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
        assert stderr == f"{learned}; views words, titles, latent\n"

    def test_details(self, arxiv):
        asked = ("search", arxiv.path, *LIKE, "--unlike", "id:1209.2835")
        stdout, stderr = succeed(*asked, "--details")
        assert stdout == succeed(*asked)[0]
        assert re.fullmatch(
            r"learned from 3 examples .*\n"
            r"reason +3 examples against the other documents; .*\n"
            r"views +words × 1, titles × 0.5, latent × 0.5\n"
            r"other documents +1,996\n"
            r"passes +\d+\n"
            r"objective +\S+\n"
            r"relative gap +\S+\n"
            r"time +\d+\.\d+ s\n",
            stderr,
        )

    def test_one_example(self, arxiv):
        _, stderr = succeed("search", arxiv.path, *LIKE[:2])
        assert stderr == "learned from 1 example; method steady; views words, titles, latent\n"

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


class TestFiles:
    def test_a_pattern_stands_for_its_files(self, fruit, tmp_path):
        for name, text in (("1.txt", "red apple pie"), ("2.txt", "green apple"), ("3.md", "pear")):
            (tmp_path / name).write_text(text)
        _, both = succeed("search", fruit, "--like", f"{tmp_path}/[12].txt", "--method", "centroid")
        assert both.startswith("learned from 2 examples")
        pattern = f"{tmp_path}/*.txt"
        options = ("--like", "id:a", "--weight", f"{pattern}=2", "--method", "centroid")
        _, three = succeed("search", fruit, "--like", pattern, *options)
        assert three.startswith("learned from 3 examples")
        refuse(2, "no file matches .*", "search", fruit, "--like", f"{tmp_path}/*.nothing")

    def test_all_records_of_a_file_and_papers_are_examples(self, fruit, tmp_path):
        (tmp_path / "refs.ris").write_text("TY  - JOUR\nTI  - red apple\nER  -\n" * 1)
        (tmp_path / "paper.pdf").write_bytes(papers.pdf(["A paper about an apple and a pear."]))
        like = ("--like", tmp_path / "refs.ris", "--like", tmp_path / "paper.pdf")
        _, stderr = succeed("search", fruit, *like, "--method", "centroid")
        assert stderr.startswith("learned from 2 examples")
