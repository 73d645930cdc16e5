"""Saved queries and explanations on the command line."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest

from helpers.command_line import (
    hit_ids,
    refuse,
    run,
    search,
    succeed,
    three_fruits,
    write_jsonl,
)
from likewise.datasets import topics

LIKED = topics()["cs.RO"][:3]
LIKE = [argument for id in LIKED for argument in ("--like", f"id:{id}")]


@pytest.fixture
def fruit(tmp_path):
    return three_fruits(tmp_path)


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
        assert hit_ids(found) == ["x"]
        assert (found["saved_query"], found["weighting"]) == (str(query), "damped")
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
        sentence = ".*'damped' does not fit an index of dense.*"
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
        assert header.split() == ["adds", "word"]
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
        assert [line.split()[-1] for line in up.splitlines()] == ["it", "apples", "red"]
        assert {line.split()[-1] for line in down.splitlines()[1:]} == {"green", "cherries"}
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
        terms = [part["term"] for part in self.explained(other, "x", "--query", query)["terms"]]
        assert sorted(terms) == ["(parts of the title)", "appl"]

    def test_an_unknown_document(self, fruit):
        refuse(2, f"no document 'x' in {fruit}", "explain", fruit, "x", "red")
        refuse(2, f"no document 'id:a' in {fruit}", "explain", fruit, "id:a", "--like", "id:c")

    def test_a_document_alone_is_no_question(self, fruit):
        refuse(2, "nothing to search for: .*", "explain", fruit, "a")
