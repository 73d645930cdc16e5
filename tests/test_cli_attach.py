"""`likewise attach`, and full texts in the terminal."""

from __future__ import annotations

import json

import pytest

from helpers import papers
from helpers.command_line import refuse, run, succeed
from helpers.process import Terminal
from likewise import Index

ONE = papers.pdf(["The full text of a paper, which is short."])
BY_DOI = papers.pdf(["Text of a paper with doi:10.1234/abc on its page."])


@pytest.fixture
def place(tmp_path):
    place = tmp_path / "papers.idx"
    index = Index.create(place, threads=1)
    index.add([{"id": "a", "title": "First", "doi": "10.1234/ABC"}, {"id": "b", "title": "Second"}])
    session = index.session("review", reviewer="ann")
    session.judge_all({"a": "relevant", "b": "relevant"})
    session.plan(reasons=["wrong animal"])
    index.session("review", stage="full text")
    (tmp_path / "pdfs").mkdir()
    (tmp_path / "pdfs" / "1.pdf").write_bytes(BY_DOI)
    (tmp_path / "pdfs" / "2.pdf").write_bytes(ONE)
    return place


def test_a_folder_and_one_file(place, tmp_path):
    status, stdout, stderr = run("attach", place, tmp_path / "pdfs")
    assert (status, stdout) == (1, "1.pdf  ->  a\n")
    assert "2.pdf: no record that was found relevant links to it" in stderr
    assert "1 PDF attached, 1 left out" in stderr
    two = tmp_path / "pdfs" / "2.pdf"
    assert "2.pdf is attached to b" in succeed("attach", place, two, "--to", "b")[1]
    stdout, stderr = succeed("attach", place, "--reviewer", "bob")
    assert [line.split()[:2] for line in stdout.splitlines()[1:]] == [["1", "a"], ["2", "b"]]
    assert "none is missing" in stderr
    succeed("attach", place, "--save", tmp_path / "out")
    assert {file.name: file.read_bytes() for file in (tmp_path / "out").iterdir()} == {
        "1 1.pdf": BY_DOI,
        "2 2.pdf": ONE,
    }
    assert "attachment 2 is removed" in succeed("attach", place, "--remove", 2)[1]
    stdout, stderr = succeed("attach", place, "--json")
    listed = json.loads(stdout)
    assert ([one["name"] for one in listed["attached"]], listed["missing"]) == (["1.pdf"], ["b"])
    assert "1 of 2 records have no PDF" in stderr


def test_as_json(place, tmp_path):
    status, stdout, _ = run("attach", place, tmp_path / "pdfs", "--json")
    found = json.loads(stdout)
    assert status == 1
    assert [one["document"] for one in found["attached"]] == ["a"]
    assert found["left"][0]["name"].endswith("2.pdf")


@pytest.mark.parametrize(
    ("status", "says", "arguments"),
    [
        (2, "no session 'x': likewise sessions .* lists them", ["--name", "x"]),
        (2, "--to goes with one PDF", ["--to", "a"]),
        (2, "attach files, --remove or --save: one at a time", ["--remove", "1", "--save", "x"]),
        (2, "there is no attachment 7: it was removed, or was never there", ["--remove", "7"]),
    ],
)
def test_refusals(place, status, says, arguments):
    refuse(status, says, "attach", place, *arguments)


def test_where_it_is_and_why_it_is_left_out(place, tmp_path):
    index = Index.open(place)
    session = index.session("review", reviewer="ann")
    session.full_texts.attach("a", ONE, name="smith 2020.pdf")
    assert set(session.page.ids) == {"a", "b"}
    terminal = Terminal(place, "--reviewer", "ann", lines=40)
    try:
        terminal.see("full text: ")
        terminal.press("n")
        assert "2  not retrieved" in terminal.see("not relevant, because: ")
        terminal.press("\r")
        terminal.see("give a reason: a full text is left out for one")
        terminal.press("n")
        terminal.see("not relevant, because: ")
        terminal.press("2\r")
        terminal.see("q quit")
        terminal.press("q")
        assert terminal.end() == 0
    finally:
        if terminal.process.poll() is None:
            terminal.process.kill()
    judged = index.session("review", reviewer="ann")
    assert list(judged.reasons().values()) == [("not retrieved",)]
