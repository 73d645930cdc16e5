"""The command line as a user meets it: commands, exit statuses, and what goes where."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re

import numpy as np
import pytest

from helpers.command_line import ids, info, refuse, run, succeed, write_jsonl
from likewise import __version__
from likewise.cli.printing.paths import from_here
from likewise.datasets import arxiv_sample
from likewise.engines import ENGINES
from likewise.store.disk import WriteLock
from likewise.weighting import WEIGHTINGS


def cut_short():
    """A compressed file whose end is missing."""
    lines = (json.dumps({"id": i, "text": "quantum"}) for i in range(50_000))
    return gzip.compress("\n".join(lines).encode())[:-100]


@pytest.fixture(scope="module")
def arxiv(tmp_path_factory):
    """An index of the bundled collection; tests only read it."""
    directory = tmp_path_factory.mktemp("arxiv") / "arxiv.idx"
    _, stderr = succeed("index", arxiv_sample(), "-o", directory)
    assert stderr == f"2,000 documents added to {directory}\n"
    return directory


@pytest.fixture
def papers(tmp_path):
    """A file of three documents."""
    return write_jsonl(
        tmp_path / "papers.jsonl",
        {"id": "a", "title": "Gases", "text": "quantum gases in a trap"},
        {"id": "b", "title": "Arms", "text": "the robot moves its arm"},
        {"id": "c", "text": "quantum robots"},
    )


@pytest.fixture
def index(papers, tmp_path):
    """An index of three documents."""
    succeed("index", papers, "-o", tmp_path / "papers.idx")
    return tmp_path / "papers.idx"


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
            ["index", "papers/"],
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
        assert stderr.startswith("Usage: likewise")


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
        assert list(map(json.loads, printed["jsonl"].splitlines())) == hits
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


class TestIndexAndAdd:
    def test_folder_of_texts(self, tmp_path):
        folder = tmp_path / "papers"
        (folder / "deep").mkdir(parents=True)
        (folder / "one.txt").write_text("quantum gases")
        (folder / "deep" / "two.md").write_text("# Robots\n\nquantum robots\n")
        succeed("index", folder, "-o", tmp_path / "x.idx")
        assert set(ids(tmp_path / "x.idx", "quantum")) == {"one.txt", "deep/two.md"}
        assert "Robots" in succeed("search", tmp_path / "x.idx", "robots")[0]

    def test_standard_input(self, tmp_path, papers):
        succeed("index", "-", "-o", tmp_path / "x.idx", input=papers.read_text())
        succeed("add", tmp_path / "x.idx", "-", input='{"id": "d", "text": "quantum dots"}\n')
        assert set(ids(tmp_path / "x.idx", "quantum")) == {"a", "c", "d"}

    def test_columns(self, tmp_path):
        path = tmp_path / "records.csv"
        path.write_text("Key No,Heading,Body Text\n7,Gases,quantum gases\n")
        columns = ("--id-column", "Key No", "--title-column", "Heading")
        succeed("index", path, "-o", tmp_path / "x.idx", "--text-column", "Body Text", *columns)
        assert ids(tmp_path / "x.idx", "quantum") == ["7"]

    def test_format_whatever_the_name(self, tmp_path, papers):
        other = papers.rename(tmp_path / "papers.dump")
        refuse(1, ".*papers.dump: the suffix does not tell.*", "index", other, "-o", tmp_path / "x")
        succeed("index", other, "-o", tmp_path / "x", "--format", "jsonl")
        assert info(tmp_path / "x")["documents"] == 3

    def test_vectors_with_ids(self, tmp_path):
        np.save(tmp_path / "v.npy", np.eye(2, dtype=np.float32))
        (tmp_path / "ids.txt").write_text("first\nsecond\n")
        directory = tmp_path / "v.idx"
        succeed("index", tmp_path / "v.npy", "--ids", tmp_path / "ids.txt", "-o", directory)
        assert info(directory)["kind"] == "dense"
        succeed("delete", directory, "second")

    def test_analyzer_options_are_recorded_and_used(self, tmp_path, papers):
        options = ("--language", "none", "--no-stop-words", "--bigrams", "--fields", "text")
        succeed("index", papers, "-o", tmp_path / "x.idx", *options)
        settings = info(tmp_path / "x.idx")["settings"]
        assert (settings["language"], settings["stop_words"]) == ("none", False)
        assert (settings["bigrams"], settings["fields"]) == (True, ["text"])
        assert ids(tmp_path / "x.idx", "robot") == ["b"]  # not robots: nothing is stemmed
        assert ids(tmp_path / "x.idx", "arms") == []  # titles do not count

    def test_small_memory_and_one_thread_give_the_same_hits(self, tmp_path, arxiv):
        options = ("--memory", 1, "--threads", 1)
        succeed("index", arxiv_sample(), "-o", tmp_path / "x.idx", *options)
        assert info(tmp_path / "x.idx")["segments"] > info(arxiv)["segments"]
        assert ids(tmp_path / "x.idx", "robot arm") == ids(arxiv, "robot arm")

    def test_add(self, index, tmp_path):
        more = write_jsonl(tmp_path / "more.jsonl", {"id": "d", "text": "quantum dots"})
        assert succeed("add", index, more) == ("", f"1 document added to {index}\n")
        assert ids(index, "dots") == ["d"]

    def test_duplicate_ids(self, index, papers, tmp_path):
        newer = write_jsonl(tmp_path / "newer.jsonl", {"id": "a", "text": "optical lattice"})
        refuse(
            1,
            f".*newer.jsonl, line 1: id 'a' is already in the index {index}.*",
            "add",
            index,
            newer,
        )
        _, stderr = succeed("add", index, newer, "--on-duplicate", "skip")
        assert stderr.endswith(", 1 skipped because their ids were there already\n")
        assert ids(index, "lattice") == []
        _, stderr = succeed("add", index, newer, "--on-duplicate", "replace")
        assert stderr.endswith(", 1 of them replaced earlier ones\n")
        assert ids(index, "lattice") == ["a"]

    def test_an_index_that_is_there_is_left_alone(self, index, papers):
        before = info(index)
        refuse(
            2, f"there is an index at {index} already: add to it.*", "index", papers, "-o", index
        )
        assert info(index) == before

    def test_a_folder_with_something_else_is_left_alone(self, papers, tmp_path):
        (tmp_path / "mine").mkdir()
        (tmp_path / "mine" / "thesis.txt").write_text("irreplaceable")
        sentence = ".*mine is no index and not empty .*: choose another name"
        refuse(2, sentence, "index", papers, "-o", tmp_path / "mine")
        assert (tmp_path / "mine" / "thesis.txt").read_text() == "irreplaceable"

    def test_a_second_writer_is_turned_away(self, index, papers):
        with WriteLock(index / "lock"):
            refuse(1, f"{index} is being written by .*", "add", index, papers)
        assert info(index)["documents"] == 3


class TestBadInput:
    """Each is a sentence that names the place; the rest is indexed, or nothing is touched."""

    def index(self, tmp_path, *arguments, input=None):
        return run("index", *arguments, "-o", tmp_path / "x.idx", input=input)

    def test_bad_lines_are_listed_and_left_out(self, tmp_path):
        path = tmp_path / "papers.jsonl"
        path.write_text('{"id": "a", "text": "quantum"}\n{oops\n{"id": "b", "text": "quantum"}\n')
        status, stdout, stderr = self.index(tmp_path, path)
        assert (status, stdout) == (1, "")
        problem, summary = stderr.splitlines()
        assert problem.startswith(f"likewise: {path}, line 2: ")
        assert (
            summary
            == f"2 documents added to {tmp_path / 'x.idx'}, 1 left out because of the errors above"
        )
        assert ids(tmp_path / "x.idx", "quantum") == ["a", "b"]

    def test_only_the_first_ten_are_listed(self, tmp_path):
        path = tmp_path / "papers.jsonl"
        path.write_text('{"id": "a", "text": "quantum"}\n' + "{oops\n" * 1234)
        status, _, stderr = self.index(tmp_path, path)
        assert status == 1
        assert stderr.count("papers.jsonl, line") == 10
        assert "likewise: and 1,224 more like these\n" in stderr

    def test_strict_stops_at_the_first(self, index, tmp_path):
        path = tmp_path / "more.jsonl"
        path.write_text('{"id": "d", "text": "quantum"}\n{oops\n')
        refuse(1, f"{path}, line 2: .*", "add", index, path, "--strict")
        assert info(index)["documents"] == 3

    def test_ragged_rows(self, tmp_path):
        path = tmp_path / "records.csv"
        path.write_text("id,text\na,quantum\nb,quantum,more,and more\n")
        status, _, stderr = self.index(tmp_path, path)
        assert status == 1
        assert f"likewise: {path}, line 3: " in stderr

    def test_invalid_characters_are_counted_but_nothing_is_left_out(self, tmp_path):
        path = tmp_path / "cafe.txt"
        path.write_bytes(b"caf\xe9 noir caf\xe9")
        status, _, stderr = self.index(tmp_path, path)
        assert status == 0
        assert "likewise: 2 invalid characters replaced; --strict stops at the first\n" in stderr
        refuse(1, f"{path}: not valid UTF-8.*", "index", path, "--strict", "-o", tmp_path / "y.idx")

    def test_a_damaged_file_in_a_folder(self, tmp_path):
        folder = tmp_path / "papers"
        folder.mkdir()
        (folder / "good.txt").write_text("robots")
        (folder / "cut.jsonl.gz").write_bytes(cut_short())
        status, _, stderr = self.index(tmp_path, folder)
        assert status == 1
        assert f"likewise: {folder}/cut.jsonl.gz: " in stderr
        assert ids(tmp_path / "x.idx", "robots") == ["good.txt"]

    def test_an_unreadable_file_in_a_folder(self, tmp_path):
        folder = tmp_path / "papers"
        folder.mkdir()
        (folder / "good.txt").write_text("quantum")
        (folder / "secret.txt").write_text("quantum")
        (folder / "secret.txt").chmod(0)
        try:
            (folder / "secret.txt").read_text()
            pytest.skip("this user can read everything")
        except PermissionError:
            pass
        status, _, stderr = self.index(tmp_path, folder)
        assert status == 1
        assert f"likewise: {folder}/secret.txt: " in stderr
        assert ids(tmp_path / "x.idx", "quantum") == ["good.txt"]

    def test_a_link_to_nowhere_in_a_folder(self, tmp_path):
        folder = tmp_path / "papers"
        folder.mkdir()
        (folder / "good.txt").write_text("quantum")
        (folder / "gone.txt").symlink_to("nowhere.txt")
        status, _, stderr = self.index(tmp_path, folder)
        assert status == 1
        assert f"likewise: {folder}/gone.txt: " in stderr
        assert ids(tmp_path / "x.idx", "quantum") == ["good.txt"]

    def test_line_breaks_in_names_do_not_break_the_message(self, tmp_path):
        path = tmp_path / "two\nlines.jsonl"
        path.write_text("{oops\n")
        _, _, stderr = self.index(tmp_path, path)
        assert "two lines.jsonl, line 1" in stderr

    @pytest.mark.parametrize(
        ("name", "content", "sentence"),
        [
            ("papers.csv", "a,b\n1,2\n", ".*papers.csv: none of the columns .* --text-column.*"),
            (
                "same.jsonl",
                '{"id": 1, "text": ""}\n' * 2,
                ".*line 2: id '1' was already .*line 1.*",
            ),
            ("vectors.npy", "no npy", ".*vectors.npy.*"),
        ],
    )
    def test_files_that_cannot_be_indexed_leave_no_index(self, tmp_path, name, content, sentence):
        path = tmp_path / name
        path.write_text(content)
        refuse(1, sentence, "index", path, "-o", tmp_path / "x.idx")
        assert not (tmp_path / "x.idx").exists()

    def test_a_damaged_file_leaves_no_index(self, tmp_path):
        path = tmp_path / "papers.jsonl.gz"
        path.write_bytes(cut_short())
        refuse(1, f"{path} is damaged or cut short.*", "index", path, "-o", tmp_path / "x.idx")
        assert not (tmp_path / "x.idx").exists()

    @pytest.mark.parametrize("bad", [np.nan, np.inf])
    def test_vectors_must_be_finite(self, tmp_path, bad):
        np.save(tmp_path / "v.npy", np.array([[1, 2], [3, bad]], np.float32))
        status, _, stderr = self.index(tmp_path, tmp_path / "v.npy")
        assert status == 1
        assert "v.npy, row " in stderr

    @pytest.mark.parametrize(
        ("options", "sentence"),
        [
            (["--language", "klingon"], "unknown language 'klingon': use one of .*english.*"),
            (["--fields", "text,text"], "fields names one twice: text, text"),
            (["--fields", ""], "fields must name at least one field.*"),
            (["--text-column", "x", "--id-column", "x"], "id, title and text must be different.*"),
        ],
    )
    def test_options_that_make_no_sense_leave_no_index(self, tmp_path, papers, options, sentence):
        refuse(2, sentence, "index", papers, "-o", tmp_path / "x.idx", *options)
        assert not (tmp_path / "x.idx").exists()

    def test_options_that_no_file_can_heed(self, tmp_path):
        (tmp_path / "a.txt").write_text("quantum")
        arguments = ("index", tmp_path / "a.txt", "-o", tmp_path / "x.idx", "--text-column", "x")
        refuse(2, "--text-column .*: none of the files given has columns", *arguments)

    def test_a_missing_path_is_said_before_anything_is_read(self, index, papers, tmp_path):
        missing = tmp_path / "nowhere"
        refuse(1, f"there is no file or folder {missing}", "add", index, papers, missing)

    def test_no_documents(self, tmp_path, index):
        (tmp_path / "empty").mkdir()
        empty = tmp_path / "empty"
        refuse(1, f"no documents found in {empty}", "index", empty, "-o", tmp_path / "x.idx")
        assert not (tmp_path / "x.idx").exists()
        refuse(1, f"no documents found in {empty}", "add", index, empty)

    def test_after_a_failure_the_same_command_works(self, tmp_path, papers):
        bad = tmp_path / "bad.jsonl"
        bad.write_text("{oops\n")
        assert self.index(tmp_path, bad)[0] == 1
        assert self.index(tmp_path, papers)[0] == 0


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
    found = [ids(index, "quantum", "--engine", name) for name in ENGINES]
    assert found[0]
    assert all(one == found[0] for one in found)
