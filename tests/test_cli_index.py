"""`likewise index` and `add`: what they read, and what they do about bad input."""

from __future__ import annotations

import gzip
import json

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
from likewise.datasets import arxiv_sample
from likewise.store.disk import WriteLock


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
    return three_papers(tmp_path)


@pytest.fixture
def index(tmp_path):
    return index_of_three(tmp_path)


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
        path.write_bytes("ä".encode() + b"caf\xe9 noir caf\xe9")
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
