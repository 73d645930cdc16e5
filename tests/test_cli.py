"""The command line as a user meets it: commands, exit statuses, and what goes where."""

from __future__ import annotations

import csv
import io
import json
import re

import numpy as np
import pytest

from helpers.command_line import (
    ids,
    index_of_three,
    info,
    refuse,
    run,
    succeed,
    three_papers,
    write_jsonl,
)
from helpers.corpora import CARD
from likewise import Index, __version__
from likewise.cli.printing.paths import from_here
from likewise.engines import CLUSTER, ENGINES
from likewise.weighting import WEIGHTINGS


@pytest.fixture(scope="module")
def arxiv(arxiv):
    return arxiv.path


@pytest.fixture
def papers(tmp_path):
    return three_papers(tmp_path)


@pytest.fixture
def index(tmp_path):
    return index_of_three(tmp_path)


class TestProgram:
    def test_version(self):
        assert succeed("--version") == (f"likewise {__version__}\n", "")

    def test_without_a_command_the_help_is_shown(self):
        status, stdout, stderr = run()
        assert (status, stdout) == (2, "")
        assert "Commands:" in stderr

    def test_short_option_for_help(self):
        assert succeed("search", "-h") == succeed("search", "--help")

    @pytest.mark.parametrize(
        "arguments",
        [
            ["nonsense"],
            ["search"],
            ["explain"],
            ["search", "x.idx", "word", "-k", "0"],
            ["search", "x.idx", "word", "-k", "many"],
            ["search", "x.idx", "word", "--format", "xml"],
            ["search", "x.idx", "--like", "a.txt", "--method", "magic"],
            ["search", "x.idx", "--like", "a.txt", "--C", "much"],
            ["search", "x.idx", "--like", "a.txt", "--at", "0"],
            ["search", "x.idx", "--like", "a.txt", "--scaling", "even"],
            ["search", "x.idx", "--like", "a.txt", "--max-passes", "0"],
            ["search", "x.idx", "--like", "a.txt", "--sample-unlabeled", "0"],
            ["search", "x.idx", "--like", "a.txt", "--sample-unlabeled", "9", "--seed", "-1"],
            ["search", "x.idx", "word", "--weighting", "bm25"],
            ["explain", "x.idx", "a", "word", "-k", "0"],
            ["explain", "x.idx", "a", "word", "--format", "csv"],
            ["add", "x.idx", "papers/", "--on-duplicate", "maybe"],
            ["add", "x.idx", "papers/", "--memory", "0"],
            ["add", "x.idx", "papers/", "--threads", "-1"],
            ["merge", "x.idx", "--colour"],
        ],
    )
    def test_wrong_usage_is_status_2(self, arguments):
        status, stdout, stderr = run(*arguments)
        assert (status, stdout) == (2, "")
        assert re.fullmatch(r"likewise: .+: see likewise.* --help\n", stderr), stderr


class TestSearch:
    def test_finds_what_the_words_are_about(self, arxiv):
        stdout, stderr = succeed("search", arxiv, "quantum gases", "-k", 3)
        assert stderr == ""
        lines = stdout.splitlines()
        assert lines[0].split() == ["rank", "score", "id", "title"]
        assert [line.split()[0] for line in lines[1:]] == ["1", "2", "3"]

    def test_words_may_come_apart(self, arxiv):
        assert succeed("search", arxiv, "robot", "arm") == succeed("search", arxiv, "robot arm")

    def test_all_formats_tell_the_same(self, arxiv):
        printed = {
            name: succeed("search", arxiv, "robot arm", "--format", name)[0]
            for name in ("table", "json", "jsonl", "csv", "trec")
        }
        whole = json.loads(printed["json"])
        hits = whole["hits"]
        assert (whole["index"], whole["query"], len(hits)) == (str(arxiv), "robot arm", 10)
        lines = list(map(json.loads, printed["jsonl"].splitlines()))  # with all fields
        assert [{name: line[name] for name in hits[0]} for line in lines] == hits
        rows = list(csv.DictReader(io.StringIO(printed["csv"])))
        assert [(r["id"], float(r["score"])) for r in rows] == [(h["id"], h["score"]) for h in hits]
        run_lines = [line.split() for line in printed["trec"].splitlines()]
        assert [(line[2], float(line[4])) for line in run_lines] == [
            (h["id"], h["score"]) for h in hits
        ]
        assert {(line[0], line[1], line[5]) for line in run_lines} == {("1", "Q0", "likewise")}
        assert [line.split()[2] for line in printed["table"].splitlines()[1:]] == [
            hit["id"] for hit in hits
        ]

    def test_topic_and_run_tag(self, index):
        options = ("--format", "trec", "--topic", "T7", "--run-tag", "words", "-k", 1)
        line = succeed("search", index, "gases", *options)[0]
        assert re.fullmatch(r"T7 Q0 a 1 \S+ words\n", line)

    def test_topic_without_trec_is_refused(self, index):
        sentence = "{} goes with --format trec"
        topic, run_tag = map(sentence.format, ("--topic", "--run-tag"))
        refuse(2, topic, "search", index, "gases", "--topic", "7")
        refuse(2, run_tag, "search", index, "gases", "--format", "csv", "--run-tag", "x")

    @pytest.mark.parametrize("option", ["--topic", "--run-tag"])
    @pytest.mark.parametrize("text", ["two words", "", " a", "a\n"])
    def test_trec_refuses_white_space_in_its_options(self, index, option, text):
        sentence = f"{option} .* is empty or has white space.*"
        refuse(2, sentence, "search", index, "gases", "--format", "trec", option, text)

    def test_trec_refuses_an_id_with_a_space_before_it_prints(self, tmp_path):
        (tmp_path / "two words.txt").write_text("quantum gases")
        (tmp_path / "one.txt").write_text("quantum gases")
        succeed("index", tmp_path, "-o", tmp_path / "x.idx")
        sentence = "the id of a document, 'two words.txt' .* use --format jsonl or csv"
        refuse(2, sentence, "search", tmp_path / "x.idx", "quantum", "--format", "trec")

    def test_every_weighting(self, index):
        scores = set()
        for name in WEIGHTINGS:
            options = ("--weighting", name, "--format", "json")
            found = json.loads(succeed("search", index, "quantum gases", *options)[0])
            assert found["weighting"] == name
            scores.add(tuple(hit["score"] for hit in found["hits"]))
        assert len(scores) > 3

    @pytest.mark.parametrize("words", ["xyzzy", "the of", "", "\udcff"])
    def test_finding_nothing_is_no_failure(self, index, words):
        stdout, stderr = succeed("search", index, words)
        assert stdout == ""
        assert stderr == f"likewise: no document in {index} contains any of these words\n"

    def test_a_query_of_any_bytes_can_be_printed(self, index):
        found = json.loads(succeed("search", index, "quantum \udcff", "--format", "json")[0])
        assert found["query"] == "quantum ?"
        assert len(found["hits"]) == 2

    def test_an_index_of_vectors_has_no_words(self, tmp_path):
        np.save(tmp_path / "v.npy", np.eye(3, dtype=np.float32))
        succeed("index", tmp_path / "v.npy", "-o", tmp_path / "v.idx")
        refuse(2, ".*holds vectors, not text.*", "search", tmp_path / "v.idx", "quantum")


class TestDeleteAndMerge:
    def test_delete_then_merge(self, index):
        assert succeed("delete", index, "a", "b") == ("", f"2 documents deleted from {index}\n")
        assert ids(index, "quantum") == ["c"]
        assert info(index)["deleted"] == 2
        _, stderr = succeed("merge", index)
        assert re.fullmatch(r"1 segment of .* merged, 2 deleted documents removed \(.*\)\n", stderr)
        assert (info(index)["documents"], info(index)["deleted"]) == (1, 0)
        assert ids(index, "quantum") == ["c"]

    def test_merge_of_several(self, index, tmp_path):
        succeed(
            "add", index, write_jsonl(tmp_path / "d.jsonl", {"id": "d", "text": "quantum dots"})
        )
        assert info(index)["segments"] == 2
        assert succeed("merge", index, "--threads", 1)[1].startswith("2 segments of")
        assert info(index)["segments"] == 1
        assert succeed("merge", index)[1] == f"nothing to merge: {index} is a single segment\n"

    def test_merge_of_small_ones_only(self, index):
        made = Index.open(index)
        assert succeed("merge", index, "--small")[1].endswith("is a single segment\n")
        for number in range(8):
            made.add([{"id": f"n{number}", "text": "quantum"}], merge=False)
            if number == 0:
                few = succeed("merge", index, "--small")[1]
                assert few == f"nothing to merge: {index} has few small segments\n"
        _, stderr = succeed("merge", index, "--small")
        assert re.fullmatch(r"9 segments of .* merged \(.*\)\n", stderr)
        assert (info(index)["segments"], info(index)["documents"]) == (1, 11)

    def test_ids_from_a_file(self, index, tmp_path):
        (tmp_path / "ids.txt").write_text("a\nb\n")
        succeed("delete", index, "c", "--ids-from", tmp_path / "ids.txt")
        assert info(index)["documents"] == 0

    def test_an_unknown_id_deletes_nothing(self, index):
        refuse(2, f"no document 'x' in {index}: nothing was deleted", "delete", index, "a", "x")
        assert info(index)["documents"] == 3
        assert succeed("delete", index, "a", "x", "--ignore-missing")[1].startswith("1 document ")

    def test_nothing_to_delete(self, index, tmp_path):
        refuse(2, "nothing to delete: give ids.*", "delete", index)
        (tmp_path / "ids.txt").write_text("")
        refuse(2, "nothing to delete.*", "delete", index, "--ids-from", tmp_path / "ids.txt")

    def test_a_file_of_ids_that_is_not_there(self, index, tmp_path):
        refuse(1, ".*nowhere.*", "delete", index, "--ids-from", tmp_path / "nowhere")


class TestInfo:
    def test_text_and_json_tell_the_same(self, arxiv):
        known = info(arxiv)
        assert (known["documents"], known["kind"], known["segments"]) == (2000, "text", 1)
        text, _ = succeed("info", arxiv)
        assert re.search(r"^documents +2,000$", text, re.MULTILINE)
        assert re.search(r"^fields +title, text$", text, re.MULTILINE)
        assert re.search(r"^stop words +yes$", text, re.MULTILINE)

    def test_verify(self, arxiv):
        assert "all checksums are correct" in succeed("info", arxiv, "--verify")[0]
        stdout, _ = succeed("info", arxiv, "--verify", "--json")
        assert json.loads(stdout)["verified"] is True
        assert "verified" not in info(arxiv)

    def test_verify_finds_a_flipped_bit(self, index):
        (segment,) = (index / "segments").glob("*.seg")
        content = bytearray(segment.read_bytes())
        content[len(content) // 2] ^= 1
        segment.write_bytes(content)
        refuse(1, f"{segment}.*", "info", index, "--verify")

    @pytest.mark.parametrize("command", ["info", "merge"])
    def test_there_is_no_index(self, tmp_path, command):
        sentence = "no index at .*: create one with `likewise index PATH -o .*`"
        refuse(1, sentence, command, tmp_path / "nowhere")
        refuse(1, sentence, command, tmp_path)

    def test_a_foreign_manifest(self, index):
        (index / "manifest.json").write_text("[]")
        refuse(1, f"{index}/manifest.json .*", "info", index)

    def test_a_path_that_is_a_file(self, papers):
        refuse(1, f"no index at {papers}.*", "info", papers)


def test_paths_are_shown_as_from_where_the_command_runs(index, monkeypatch):
    monkeypatch.chdir(index.parent)
    text = succeed("info", index.name)[0]
    assert re.search(r"^path +papers.idx$", text, re.MULTILINE)
    assert json.loads(succeed("info", index.name, "--json")[0])["path"] == str(index)
    succeed("delete", index.name, "a", "b", "c")
    refuse(2, "papers.idx is empty.*", "search", index.name, "--like", "-", input="gases")
    monkeypatch.chdir(index.parent.parent)
    nested = f"{index.parent.name}/papers.idx"
    refuse(2, f"{nested} is empty.*", "search", index, "--like", "-", input="gases")


def test_only_paths_below_the_folder_become_relative(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert from_here(f"'{tmp_path}/a b', ({tmp_path}/c)") == "'a b', (c)"
    for line in (str(tmp_path), f"/data{tmp_path}/x", f"{tmp_path}x/y", f"sqlite:///{tmp_path}/x"):
        assert from_here(line) == line
    monkeypatch.chdir("/")
    assert from_here(f"{tmp_path}/a") == f"{tmp_path}/a"


def test_engines_find_the_same(index):
    here = [name for name in ENGINES if name != CLUSTER and (name != "gpu" or CARD)]
    found = [ids(index, "quantum", "--engine", name) for name in here]
    assert found[0]
    assert all(one == found[0] for one in found)
