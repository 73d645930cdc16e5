"""Reviewing in a real terminal, and the commands for what it leaves."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import termios

import pytest

from helpers.command_line import refuse, run, succeed
from helpers.process import LIKEWISE, Terminal
from likewise import Document, Index
from likewise.cli.highlight import Highlighter
from likewise.cli.keyboard import Keyboard
from likewise.cli.printing.session import curve
from likewise.search.hits import Explanation
from likewise.search.query import Weight
from likewise.text import Analyzer, AnalyzerSettings


@pytest.fixture
def index(tmp_path):
    path = tmp_path / "cats.idx"
    Index.create(path).add(
        [
            Document(
                f"d{i}",
                f"Cats and {'dogs ' * (i % 3)} are animals. " + "Many words. " * 400 * (i == 4),
                f"Title {i} on cats" + "\x1b[2J" * (i == 1),
                year=2000 + i,
            )
            for i in range(25)
        ]
    )
    return path


@pytest.fixture
def review(index):
    """Begins reviews, and ends those that a failing test has left."""
    begun = []

    def begin(*arguments, lines=40):
        begun.append(Terminal(index, *arguments, lines=lines))
        return begun[-1]

    yield begin
    for terminal in begun:
        if terminal.process.poll() is None:
            terminal.process.kill()
            terminal.process.wait()


def judged(index, name="review", reviewer="ann"):
    return Index.open(index).session(name, reviewer=reviewer).judgements()


class TestReview:
    def test_a_review_from_beginning_to_end(self, index, review):
        terminal = review("--query", "cats dogs", "--reviewer", "ann", "--page-size", 3)
        shown = terminal.see("q quit")
        assert "review, page 1" in shown
        assert re.search(r">\s+1\s+0\.\d+\s+Title \d+ on cats", shown)
        terminal.press("y", "n", "u")
        second = terminal.see("page 2")
        assert second.count("> +") == second.count("> -") == 0
        terminal.press("z")
        assert re.search(r">\s+↩\s+Title \d+ on cats", terminal.see("undone: the judgement of"))
        terminal.press("Z", "q")
        last = terminal.see("--export FILE")
        assert "3 records judged by ann in session review" in last
        assert "write them to a file: likewise judgements " in last
        assert terminal.end() == 0
        assert sorted(judged(index).values()) == ["not", "relevant", "unsure"]

    def test_a_long_abstract_is_there_to_its_end(self, index, review):
        text = "zebras " + "and many words " * 120 + "to the very end"
        Index.open(index).add([{"id": "long", "title": "A long one", "text": text}])
        terminal = review("--query", "zebras", "--page-size", 2, lines=60)
        assert "to the very end" in " ".join(terminal.see("q quit").split())

    def test_reasons_notes_tags_and_keys_of_one_s_own(self, index, review):
        session = Index.open(index).session("review", query="cats", reviewer="ann", page_size=4)
        session.plan(reasons=["wrong animal", "no abstract"], tags=["ask"])
        session.preferences.set_keys({"relevant": "i", "not": "e"})
        ids = session.page.ids
        terminal = review("--reviewer", "ann")
        terminal.see("i relevant  e not")
        terminal.press("2", "r")
        terminal.see("not relevant, because: ")
        terminal.press("1;odd\r")
        terminal.see("q quit")
        terminal.press("msee table 2\r", "t1\r")
        terminal.see("#ask  ·  see table 2")
        terminal.press("hanimal*\r")
        terminal.see("q quit")
        terminal.press("l", "i", "q")
        assert terminal.end() == 0
        session = Index.open(index).session("review", reviewer="ann")
        assert session.reasons() == {ids[0]: ("no abstract",), ids[1]: ("wrong animal", "odd")}
        assert (session.notes(), session.tags()) == ({ids[2]: "see table 2"}, {ids[2]: ("ask",)})
        assert session.judgements()[ids[2]] == "relevant"
        assert [one.word for one in session.preferences.highlights] == ["animal*"]

    def test_looking_closer(self, index, review):
        terminal = review("--query", "cats", "--like", "id:d3", "--reviewer", "ann")
        assert b"\x1b[1;32mcats" in terminal.raw("q quit")
        terminal.press("w")
        assert "cat" in terminal.see("any key: back")
        terminal.press("o")
        terminal.see("q quit")
        terminal.press("o")
        assert "year: 20" in terminal.see("any key")
        terminal.press("q")
        terminal.see("q quit")
        terminal.press("p")
        assert "ranked urn" in terminal.see("any key: back")
        terminal.press("q")
        terminal.see("q quit")
        terminal.press("?")
        assert "relevant" in terminal.see("any key: back")
        terminal.press("q")
        terminal.see("q quit")
        terminal.press("é")
        terminal.see("is not a key here: press ?")
        terminal.press("q")
        assert terminal.end() == 0

    def test_moving_skipping_and_sampling(self, index, review):
        terminal = review("--reviewer", "ann", "--page-size", 5)
        terminal.see("q quit")
        terminal.press("w")
        terminal.see("is random: nothing to explain")
        terminal.press("q")
        terminal.see("q quit")
        terminal.press("j", "\x1b[B", "k", "\x1b[A", "s", "y")
        terminal.see("q quit")
        (first,) = judged(index)
        assert first == Index.open(index).session("review", reviewer="ann").page.ids[1]
        terminal.press("\r")
        terminal.see("page 2")
        terminal.press("x")
        terminal.see("page 3: a random sample")
        terminal.press("a")
        terminal.see("page 4")
        terminal.press("z")
        terminal.see(f"undone: the judgement of “{Index.open(index).document(first).title}”")
        terminal.press("z")
        terminal.see("nothing that could be undone")
        terminal.press("q")
        assert terminal.end() == 0

    def test_a_long_text_is_shown_in_pieces(self, index, review):
        terminal = review("--query", "many words", "--page-size", 1, "--reviewer", "ann")
        assert "Title 4" in terminal.see("q quit")
        terminal.press("o")
        terminal.see("any key: more")
        terminal.press(" ")
        assert "year: 2004" in terminal.see("any key: back")
        terminal.press("q")
        terminal.see("q quit")
        terminal.press("q")
        assert terminal.end() == 0

    def test_a_page_longer_than_the_screen(self, review):
        terminal = review("--page-size", 25, "--reviewer", "ann", lines=16)
        shown = terminal.see("q quit")
        assert re.findall(r"^[> ] +(\d+) ", shown, re.MULTILINE) == list("1234")
        terminal.press("j", "j", "j", "j", "k")
        assert re.search(r"> +4 ", terminal.see("q quit"))
        terminal.press("q")
        assert terminal.end() == 0

    def test_a_name_that_nobody_has_judged_by(self, index, review):
        Index.open(index).session("review", query="cats", reviewer="ann").judge("d1", "relevant")
        terminal = review("--reviewer", "anna")
        shown = terminal.see("q quit")
        assert "anna has not judged in this review before; known: ann." in shown
        terminal.press("q")
        assert terminal.end() == 0
        terminal = review("--reviewer", "ann")
        assert "has not judged" not in terminal.see("q quit")
        terminal.press("q")
        assert terminal.end() == 0

    def test_nothing_left(self, review):
        terminal = review("--page-size", 25, "--reviewer", "ann")
        terminal.see("q quit")
        terminal.press("\r")
        terminal.see("press a for records")
        terminal.press("y")
        terminal.see("there is no record on the page")
        terminal.press("s", "j", "a")
        terminal.see("page 2")
        terminal.press("q")
        assert terminal.end() == 0

    def test_documents_cannot_steer_the_terminal(self, review):
        terminal = review("--query", "title 1", "--page-size", 25)
        shown = terminal.raw("q quit")
        assert shown.count(b"\x1b[2J") <= 1  # our own, before the page
        terminal.press("q")
        assert terminal.end() == 0

    def test_going_on_later(self, index, review):
        first = review("--query", "cats", "--reviewer", "ann", "--page-size", 4)
        page = first.see("q quit")
        first.press("n")
        first.see("q quit")
        first.process.kill()
        first.end()
        again = review("--reviewer", "ann")
        shown = again.see("q quit")
        assert re.findall(r"Title \d+", page)[:4] == re.findall(r"Title \d+", shown)[:4]
        assert re.search(r"- +1 .*\n> +2 ", shown.replace("\r", ""))
        again.press("q")
        assert again.end() == 0
        assert list(judged(index).values()) == ["not"]

    def test_interrupted(self, index, review):
        terminal = review("--query", "cats", "--reviewer", "ann")
        terminal.see("q quit")
        terminal.press("y")
        terminal.see("q quit")
        terminal.press("\x03")
        terminal.see("interrupted; all judgements are saved")
        assert terminal.end() == 130
        assert list(judged(index).values()) == ["relevant"]

    def test_the_terminal_is_closed(self, index, review):
        terminal = review("--query", "cats", "--reviewer", "ann")
        terminal.see("q quit")
        terminal.press("y")
        terminal.see("q quit")
        assert terminal.hang_up() in (0, 1, -signal.SIGHUP)
        assert list(judged(index).values()) == ["relevant"]

    def test_the_terminal_is_put_back(self, review):
        ours, theirs = pty.openpty()
        before = termios.tcgetattr(theirs)
        old, sys.stdin = sys.stdin, os.fdopen(theirs)
        try:
            with Keyboard() as keys:
                assert termios.tcgetattr(theirs) != before
                for sent, name in (("a", "a"), ("ü", "ü"), ("\x1b[A", "up"), ("\x1b", "escape")):
                    os.write(ours, sent.encode())
                    assert keys.read() == name
            assert termios.tcgetattr(theirs) == before
        finally:
            sys.stdin.close()
            sys.stdin = old
            os.close(ours)


class TestRefusals:
    def test_no_terminal(self, index):
        refuse(2, "review needs a terminal.*likewise judgements --import.*", "review", index)
        done = subprocess.run(
            [*LIKEWISE, "review", index], stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        assert done.returncode == 2
        assert done.stderr.startswith("likewise: review needs a terminal")
        assert not done.stdout

    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            (["--like", "-"], "reads keys from standard input"),
            (["--like", "id:x"], "no document 'x'"),
            (["--query", " "], "the query is empty"),
            (["--name", ""], "no name for a session"),
            (["--database", "mysql://x/y"], "mysql is not known"),
        ],
    )
    def test_what_makes_no_sense(self, review, arguments, sentence):
        terminal = review(*arguments)
        assert sentence in " ".join(terminal.see("\n").split())
        assert terminal.end() == 2


class TestJudgements:
    @pytest.fixture
    def kept(self, index):
        session = Index.open(index).session("gases", query="cats", reviewer="ann")
        session.judge_all({"d1": "relevant", "d2": "not", "d3": "unsure"})
        session.as_reviewer("bob").judge_all({"d1": "not", "d2": "not"})
        return index

    def test_how_it_stands(self, kept):
        stdout, _ = succeed("judgements", kept, "--name", "gases")
        assert "judged        3 of 25 records" in stdout
        assert "κ = 0.00" in stdout
        assert "d1 (ann: relevant, bob: not)" in stdout
        assert stdout.startswith("Go on: the last relevant record was 2 records ago.\n")
        assert re.search(r"ranked urn +at least \d+ %", stdout)
        found = json.loads(succeed("judgements", kept, "--name", "gases", "--json")[0])
        assert (found["judged"], found["relevant"], found["gain"]) == (3, 1, [1, 1, 1])
        assert found["conflicts"] == [
            {"document": "d1", "labels": {"ann": "relevant", "bob": "not"}}
        ]

    def test_export_and_import(self, kept, tmp_path):
        path = tmp_path / "judged.csv"
        _, said = succeed("judgements", kept, "--name", "gases", "--export", path)
        assert said == f"judgements of session gases written to {path}\n"
        shown, _ = succeed("judgements", kept, "--name", "gases", "--export", "-")
        assert shown == path.read_text()
        qrels, _ = succeed(
            "judgements",
            kept,
            "--name",
            "gases",
            "--export",
            "-",
            "--format",
            "trec",
            "--only",
            "bob",
        )
        assert qrels == "gases 0 d1 0\ngases 0 d2 0\n"
        _, said = succeed("judgements", kept, "--name", "other", "--import", path)
        assert said == "5 judgements added to session other\n"
        assert judged(kept, "other", "bob") == {"d1": "not", "d2": "not"}

    def test_an_import_with_bad_lines(self, kept, tmp_path):
        path = tmp_path / "bad.csv"
        path.write_text("id,label\nd1,relevant\nx,not\nd2,good\n")
        arguments = ("judgements", kept, "--import", path, "--reviewer", "cat")
        status, _, stderr = run(*arguments, "--strict")
        assert (status, judged(kept, reviewer="cat")) == (1, {})
        status, _, stderr = run(*arguments)
        assert status == 1
        assert stderr.splitlines() == [
            f"likewise: {path}, line 4: 'good' is no judgement: write relevant, not, unsure, "
            "or 1, 0, -1",
            f"likewise: {path}, line 3: no document 'x' in the index",
            "1 judgement added to session review",
        ]

    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            (["--name", "x"], "no session 'x': likewise sessions .* lists them"),
            (["--export", "a", "--import", "b"], "--export and --import exclude each other"),
            (["--format", "csv"], "--format goes with --export or --import"),
            (["--only", "ann"], "--only goes with --export"),
            (["--strict"], "--strict goes with --import"),
            (["--topic", "1"], "--topic goes with --import"),
            (["--reviewer", "a", "--export", "x.csv"], "--reviewer goes without --export.*"),
            (["--json", "--export", "-"], "--json goes without --export.*"),
            (["--import", "x.txt"], "the suffix of x.txt does not tell.*"),
        ],
    )
    def test_what_makes_no_sense(self, kept, arguments, sentence):
        refuse(2, sentence, "judgements", kept, *arguments)


class TestSessions:
    def test_list_rename_and_delete(self, index):
        assert succeed("sessions", index) == ("", "no sessions yet: likewise review begins one\n")
        assert not index.with_name("cats.idx.sessions.sqlite").exists()
        Index.open(index).session("one").judge("d1", "not")
        stdout, _ = succeed("sessions", index)
        assert re.fullmatch(r" *1 +1 +\d{4}-\d\d-\d\d \d\d:\d\d +one", stdout.splitlines()[1])
        succeed("sessions", index, "--rename", "one", "--to", "two")
        (found,) = json.loads(succeed("sessions", index, "--json")[0])["sessions"]
        assert (found["name"], found["events"], found["here"]) == ("two", 1, True)
        said = "session two with 1 judgement by 1 reviewer would be deleted.*: give --yes if so"
        refuse(2, said, "sessions", index, "--delete", "two")
        refuse(2, "--yes goes with --delete", "sessions", index, "--yes")
        succeed("sessions", index, "--delete", "two", "--yes")
        assert json.loads(succeed("sessions", index, "--json")[0]) == {"sessions": []}

    def test_what_makes_no_sense(self, index):
        refuse(2, "--rename and --to go together.*", "sessions", index, "--rename", "a")
        refuse(2, "no session 'a'.*", "sessions", index, "--delete", "a")
        both = ("--rename", "a", "--to", "b", "--delete", "a")
        refuse(2, "--rename and --delete exclude.*", "sessions", index, *both)
        refuse(2, "--json goes with the list.*", "sessions", index, "--delete", "a", "--json")

    def test_a_damaged_database(self, index):
        index.with_name("cats.idx.sessions.sqlite").write_bytes(b"no database" * 100)
        refuse(1, ".*cats.idx.sessions.sqlite is damaged or no database.*", "sessions", index)


def test_marked_words():
    highlight = Highlighter(Analyzer(AnalyzerSettings()))
    explanation = Explanation("x", 1.0, [Weight("cat", 2.0), Weight("dog", -1.0)])
    marked = highlight("Cats, dogs\x07 and fish", explanation)
    assert marked.plain == "Cats, dogs  and fish"
    assert [(span.start, span.end, span.style) for span in marked.spans] == [
        (0, 4, "bold green"),
        (6, 10, "red"),
    ]
    assert not highlight("cats", None).spans


def test_marked_pairs_of_words():
    highlight = Highlighter(Analyzer(AnalyzerSettings(bigrams=True)))
    explanation = Explanation("x", 1.0, [Weight("cat dog", 2.0)])
    marked = highlight("cats and dogs, fish and cats", explanation)
    assert [(span.start, span.end) for span in marked.spans] == [(0, 4), (9, 13)]


def test_the_gain_curve():
    assert curve([]) == curve([0, 0]) == ""
    assert curve([0, 1]) == " █"
    long = curve(list(range(1000)))
    assert len(long) == 40
    assert list(long) == sorted(long)
