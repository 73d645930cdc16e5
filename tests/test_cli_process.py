"""The command line as a real process: pipes, terminals, signals, full disks, and start-up."""

from __future__ import annotations

import os
import pty
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
import typer
from packaging.version import Version
from typer.testing import CliRunner

from helpers.command_line import refuse
from helpers.process import LIKEWISE, PATIENCE, read_terminal, run
from likewise import Index, __version__
from likewise.cli import plain
from likewise.cli.app import app
from likewise.cli.progress import Bar
from likewise.datasets import arxiv_sample

LEARNING = {"likewise.search.methods", "likewise.solvers"}
HEAVY = {"rich", "scipy", "sklearn", "stopwordsiso"}
if Version(typer.__version__) < Version("0.29"):  # which imports it itself
    HEAVY |= {"pydantic"}


@pytest.fixture(scope="module")
def arxiv(arxiv):
    return arxiv.path


@pytest.fixture
def index(tmp_path):
    directory = tmp_path / "papers.idx"
    Index.create(directory).add([{"id": "a", "text": "quantum gases"}])
    return directory


@pytest.fixture
def terminal():
    """Both ends of a terminal."""
    ours, theirs = pty.openpty()
    yield ours, theirs
    os.close(ours)


def interrupt(terminal, *arguments, when="━"):
    """Ctrl-C when progress is shown; returns the status, and what was said afterwards."""
    ours, theirs = terminal
    command = [*LIKEWISE, *map(str, arguments)]
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "80"}
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=theirs, env=environment
    )
    os.close(theirs)
    try:
        read_terminal(ours, until=when.encode())
        process.send_signal(signal.SIGINT)
        with suppress(BrokenPipeError):
            # A signal that comes just before a read takes effect when the read is done.
            process.communicate(b"\n", timeout=PATIENCE)
        return process.wait(PATIENCE), read_terminal(ours)
    finally:
        process.kill()


def test_from_files_to_hits(tmp_path):
    directory = tmp_path / "arxiv.idx"
    made = run("index", arxiv_sample(), "-o", directory)
    assert (made.returncode, made.stdout) == (0, b"")
    found = run("search", directory, "robot", "arm", "-k", "3", "--format", "csv")
    assert (found.returncode, found.stderr) == (0, b"")
    assert len(found.stdout.splitlines()) == 4


def test_the_installed_program_is_the_same():
    script = Path(sys.executable).with_name("likewise")
    if not script.exists():
        pytest.skip("likewise is not installed beside this Python")
    printed = subprocess.run([script, "--version"], capture_output=True, check=True)
    assert printed.stdout.decode() == f"likewise {__version__}\n"
    assert run("--version").stdout == printed.stdout


def test_ids_from_standard_input(index):
    assert run("delete", index, "--ids-from", "-", input=b"a\n").returncode == 0
    assert len(Index.open(index)) == 0


def test_a_reader_that_has_had_enough(arxiv):
    reading, writing = os.pipe()
    os.close(reading)
    done = run("search", arxiv, "quantum", "-k", "2000", "--format", "jsonl", stdout=writing)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("k", [1, 2000])
def test_results_onto_a_full_disk(arxiv, k):
    with Path("/dev/full").open("wb") as full:
        done = run("search", arxiv, "quantum", "-k", k, stdout=full)
    assert done.returncode == 1
    assert done.stderr == b"likewise: cannot write the results: no space left on device\n"


def test_an_index_onto_a_full_disk(tmp_path):
    """A limit on the size of files fails in the same way."""
    directory = tmp_path / "x.idx"
    limited = ["sh", "-c", 'ulimit -f 128; exec "$@"', "sh"]
    command = [*limited, *LIKEWISE, "index", arxiv_sample(), "-o", directory]
    done = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(b"likewise: cannot write ")
    assert done.stderr.count(b"\n") == 1
    assert not directory.exists()


def test_closed_standard_streams(index):
    """Nobody listens: there is nothing to say, and nothing to fail at."""
    command = f"{' '.join(LIKEWISE)} search {index} quantum >&- 2>&-"
    assert subprocess.run(command, shell=True, timeout=PATIENCE, check=False).returncode == 0


def test_titles_are_cut_to_the_terminal_but_not_in_a_pipe(arxiv, terminal):
    ours, theirs = terminal
    arguments = ["search", arxiv, "quantum gases", "-k", "5"]
    environment = os.environ | {"COLUMNS": "60", "LINES": "24", "PYTHONUTF8": "1", "NO_COLOR": "1"}
    run(*arguments, stdout=theirs, env=environment)
    os.close(theirs)
    shown = read_terminal(ours).decode().splitlines()
    piped = run(*arguments, env=environment).stdout.decode().splitlines()
    assert all(len(line) <= 60 for line in shown)
    assert any(line.endswith("…") for line in shown)
    assert max(map(len, piped)) > 60
    assert [line.split()[:3] for line in shown] == [line.split()[:3] for line in piped]


@pytest.mark.parametrize(
    ("settings", "colours"),
    [
        ({"TERM": "xterm"}, True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
    ],
)
def test_colours_for_those_who_see_them(index, terminal, settings, colours):
    ours, theirs = terminal
    environment = {n: v for n, v in os.environ.items() if n != "NO_COLOR"} | settings
    run("search", index, "quantum", stdout=theirs, env=environment)
    run("search", index.with_name("none"), "x", stderr=theirs, env=environment)
    os.close(theirs)
    shown = read_terminal(ours)
    assert (b"\x1b[1mrank" in shown) == (b"\x1b[1;31mlikewise:\x1b[0m" in shown) == colours
    assert (b"\x1b" in shown) == colours
    assert b"\x1b" not in run("explain", index, "a", "quantum", env=environment).stdout


@pytest.mark.parametrize(
    ("typed", "status", "left"), [("review\n", 0, 0), ("no\n", 1, 1), ("\n", 1, 1), ("\x04", 1, 1)]
)
def test_judgements_are_deleted_when_the_name_is_typed(index, terminal, typed, status, left):
    Index.open(index).session("review").judge("a", "relevant")
    ours, theirs = terminal
    command = [*LIKEWISE, "sessions", str(index), "--delete", "review"]
    asking = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    asked = read_terminal(ours, until=b"Type its name to go on: ")
    assert b"session review with 1 judgement by 1 reviewer will be deleted for good" in asked
    os.write(ours, typed.encode())
    said = read_terminal(ours)
    assert asking.wait(PATIENCE) == status
    assert (b"that is not its name: nothing was deleted" in said) == (status == 1)
    assert len(Index.open(index).sessions()) == left


def test_a_fault_is_one_line(monkeypatch, index):
    def broken(*_):
        raise KeyError("lost")

    monkeypatch.setattr(Index, "open", broken)
    said = r"a fault in likewise: KeyError: 'lost'; LIKEWISE_DEBUG=1 shows where"
    refuse(70, said, "sessions", index)
    monkeypatch.setenv("LIKEWISE_DEBUG", "1")
    assert isinstance(
        CliRunner().invoke(app, ["sessions", str(index)], prog_name="likewise").exception, KeyError
    )


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes_commands_options_and_names(shell):
    if shutil.which(shell) is None and shell != "bash":
        pytest.skip(f"{shell} is not installed")
    words = {"bash": "COMP_WORDS", "zsh": "_TYPER_COMPLETE_ARGS", "fish": "_TYPER_COMPLETE_ARGS"}
    for line, wanted in (("likewise sea", "searches"), ("likewise search x --meth", "--method")):
        asked = {"_LIKEWISE_COMPLETE": f"complete_{shell}", words[shell]: line}
        asked |= {
            "COMP_CWORD": str(len(line.split()) - 1),
            "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        }
        assert wanted in run(env=os.environ | asked).stdout.decode()


def test_progress_is_shown_and_ctrl_c_changes_nothing(index, terminal):
    status, said = interrupt(terminal, "add", index, "-")
    assert status == 130
    assert b"interrupted; the index is unchanged" in said
    assert len(Index.open(index)) == 1


def test_an_interrupted_first_index_leaves_no_folder(tmp_path, terminal):
    status, _ = interrupt(terminal, "index", "-", "-o", tmp_path / "x.idx")
    assert status == 130
    assert not (tmp_path / "x.idx").exists()


def test_ctrl_c_while_whoever_writes_to_it_has_not_ended(tmp_path):
    """More lines have come than are read ahead, and nobody says that they were the last."""
    lines = b"".join(b'{"id": "d%d", "text": "%s"}\n' % (i, b"word " * 400) for i in range(6000))
    command = [*LIKEWISE, "index", "-", "-o", str(tmp_path / "x.idx")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(lines)
        process.stdin.flush()
        try:
            for _ in range(PATIENCE):  # a signal just before a read is noticed after it
                process.send_signal(signal.SIGINT)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(1)
                    break
            assert process.returncode == 130
        finally:
            process.kill()
    assert not (tmp_path / "x.idx").exists()


def test_passes_and_gap_are_shown_while_it_learns(arxiv, terminal):
    first, second = Index.open(arxiv).ids()[:2]
    like = ("--like", f"id:{first}", "--like", f"id:{second}", "--method", "f1", "--C", "1e6")
    endless = ("--tol", "1e-14", "--max-passes", "1000000000", "--details")
    status, said = interrupt(terminal, "search", arxiv, *like, *endless, when=" passes, gap ")
    assert status == 130
    assert b"interrupted; the index is unchanged" in said


def test_a_bar_tells_passes_and_gap(terminal, monkeypatch):
    ours, theirs = terminal
    monkeypatch.setattr("likewise.cli.progress.DELAY", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    with os.fdopen(theirs, "w") as stderr:
        monkeypatch.setattr(sys, "stderr", stderr)
        with Bar("learning") as bar:
            bar._timer.join()
            bar.learning(1234, objective=2.0, gap=0.01)
    assert b"learning: 1,234 passes, gap 0.005" in read_terminal(ours)


def test_no_bar_where_nobody_looks(monkeypatch, capsys):
    monkeypatch.setattr("likewise.cli.progress.DELAY", 0.0)
    with Bar("learning") as bar:
        bar.learning(1234, objective=2.0, gap=0.01)
    assert capsys.readouterr().err == ""
    assert not bar._timer.is_alive()


def test_text_in_a_pipe(arxiv):
    done = run("search", arxiv, "--like", "-", "-k", "3", input=b"A robot arm grasps objects.")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 4


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_query_onto_a_full_disk(arxiv):
    first = Index.open(arxiv).ids()[0]
    done = run("search", arxiv, "--like", f"id:{first}", "--save-query", "/dev/full")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.splitlines()[-1].startswith(b"likewise: ")
    assert done.stderr.endswith(b"no space left on device\n")


@pytest.mark.parametrize(
    ("arguments", "unwanted"),
    [
        (["--help"], {"numpy", "scipy", "sklearn", "rich", "msgspec", "typer"}),
        (["search", "--help"], {"rich", "sklearn", "msgspec", "likewise.cli.commands.index"}),
        (["search", "INDEX", "quantum"], {*HEAVY, *LEARNING}),
        (["search", "INDEX", "--query", "QUERY"], {*HEAVY, *LEARNING}),
        (["search", "INDEX", "--like", "id:a"], HEAVY),
        (["explain", "INDEX", "a", "quantum"], {*HEAVY, *LEARNING}),
        (["add", "INDEX", "PAPERS"], HEAVY),
    ],
)
def test_a_command_imports_what_it_needs(index, tmp_path, arguments, unwanted):
    """Start-up counts: each of these packages costs more than the command itself."""
    papers = tmp_path / "papers.jsonl"
    papers.write_text('{"id": "b", "text": "quantum robots"}\n')
    query = tmp_path / "query.json"
    Index.open(index).learn("a").portable.save(query)
    places = {"INDEX": str(index), "PAPERS": str(papers), "QUERY": str(query)}
    command = [places.get(argument, argument) for argument in arguments]
    done = run(*command, env=os.environ | {"PYTHONPROFILEIMPORTTIME": "1"})
    assert done.returncode == 0
    lines = done.stderr.decode().splitlines()
    imported = {line.rpartition("|")[2].strip() for line in lines if line.startswith("import time")}
    assert "likewise.cli" in imported
    assert not imported & unwanted


# A search by words alone, which needs less to start


@pytest.mark.parametrize(
    "words", [["quantum", "gases"], ["robot arm"], ['"quantum gas"'], ["zyxwv"], ["a -b"], [""]]
)
def test_words_alone_are_searched_as_with_options(arxiv, words):
    """Also where nothing is found, and where something is asked that only the command knows."""
    alone, full = run("search", arxiv, *words), run("search", arxiv, *words, "-k", "10")
    assert (alone.stdout, alone.stderr) == (full.stdout, full.stderr)
    assert alone.returncode == full.returncode


def test_what_fails_is_said_by_the_command(tmp_path, index):
    alone, full = (run("search", tmp_path / "none", "x", *more) for more in ((), ("-k", "10")))
    assert (alone.stderr, alone.returncode) == (full.stderr, full.returncode)
    with Path("/dev/full").open("wb") as disk:
        done = run("search", index, "quantum", stdout=disk)
    assert done.returncode == 1
    assert done.stderr == b"likewise: cannot write the results: no space left on device\n"


def test_words_alone_need_little(arxiv):
    unwanted = {"typer", "sqlalchemy", "logging", "likewise.readers.streams"}
    program = (
        "import sys; from likewise.cli import main; main(); "
        f"print(sorted({unwanted} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", program, "search", str(arxiv), "quantum"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE)
    assert done.stdout.startswith("rank")
    assert done.stdout.splitlines()[-1] == "[]"


def test_options_and_completion_are_for_the_command(monkeypatch):
    assert plain.is_plain(["papers.idx", "robot"])
    for arguments in (["papers.idx"], [], ["papers.idx", "-k"], ["--help", "x"], ["a", "b", "-c"]):
        assert not plain.is_plain(arguments)
    monkeypatch.setenv("_LIKEWISE_COMPLETE", "bash_complete")
    assert not plain.is_plain(["papers.idx", "robot"])
