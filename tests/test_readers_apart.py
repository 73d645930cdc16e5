"""Files read by other processes: in order, and whatever happens to one of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from helpers import papers
from helpers.reading import lines, read_all
from likewise.errors import InputError
from likewise.readers import Problems, ReadOptions, apart, read
from likewise.readers.formats import FORMATS

HOSTILE = """
import ctypes, os, signal, time
def read(source, options, problems):
    with source.open() as stream:
        what = stream.read().decode()
    if what == "crash": ctypes.string_at(0)
    if what == "abort": os.abort()
    if what == "memory": x = [bytes(1 << 28) for _ in range(40)]
    if what == "recursion": list(read(source, options, problems))
    if what == "exit": raise SystemExit(0)
    if what == "error": raise ZeroDivisionError
    if what == "print": print("noise", flush=True)
    if what == "hang":
        from likewise.readers.worker import limit_time
        limit_time(0)
        while True: pass
    from likewise.readers.files.one import entry
    from likewise.readers.records import batches
    yield from batches([entry(source, {"text": what})], options, problems)
"""


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose files tell their reader what to do, and that reader, in the other process."""
    code = tmp_path / "code"
    code.mkdir()
    (code / "hostile_reader.py").write_text(HOSTILE)
    (code / "sitecustomize.py").write_text(
        "import likewise.readers.formats as f, hostile_reader\n"
        "f.Format.load = lambda self: hostile_reader.read\n"
    )
    monkeypatch.syspath_prepend(code)
    program = apart.PROGRAM.replace("from likewise", "import sitecustomize as s; from likewise", 1)
    monkeypatch.setattr(apart, "PROGRAM", program.replace("import sitecustomize as s", _LOAD))
    folder = tmp_path / "files"
    folder.mkdir()
    return folder


_LOAD = (
    "import importlib.util as u; "
    "s = u.spec_from_file_location('custom', sys.path[0] + '/sitecustomize.py'); "
    "s.loader.exec_module(u.module_from_spec(s))"
)


def test_whatever_happens_to_a_file_it_is_named_and_reading_goes_on(hostile: Path) -> None:
    what = ["fine", "crash", "abort", "memory", "recursion", "exit", "error", "print", "hang"]
    for number, word in enumerate([*what, "last"]):
        (hostile / f"{number}-{word}.pdf").write_text(word)
    problems = Problems()
    found = read_all(hostile, problems)
    assert [one.texts[1] for one in found] == ["fine", "print", "last"]
    told = dict(line.removeprefix(f"{hostile}/").split(": ", 1) for line in lines(problems))
    assert told["1-crash.pdf"] == "cannot be read: what reads it crashed (SIGSEGV)"
    assert told["2-abort.pdf"] == "cannot be read: what reads it crashed (SIGABRT)"
    assert told["3-memory.pdf"] == "takes more than 2 GB of memory to read: leave it out"
    assert told["4-recursion.pdf"].startswith("cannot be read as pdf: ")
    assert told["5-exit.pdf"] == "cannot be read as pdf: 0"
    assert told["6-error.pdf"] == "cannot be read as pdf: ZeroDivisionError"
    assert told["8-hang.pdf"].startswith("takes more than 60 seconds of computing to read")
    assert len(told) == 7


def test_a_file_named_directly_is_an_error(hostile: Path) -> None:
    (hostile / "a.pdf").write_text("crash")
    with pytest.raises(InputError, match=r"a.pdf cannot be read: what reads it crashed"):
        read_all(hostile / "a.pdf", Problems())


@pytest.mark.parametrize("processes", [1, 3])
def test_documents_are_in_the_order_of_the_files(tmp_path: Path, processes: int) -> None:
    for number in range(30):
        kind = ("txt", "docx", "html")[number % 3]
        data = {
            "txt": b"plain words",
            "docx": papers.docx(["word " * 10 * (30 - number), "two"]),
            "html": b"<p>a page</p>",
        }[kind]
        (tmp_path / f"{number:02}.{kind}").write_bytes(data)
    found = [one.id for one in read_all(tmp_path, processes=processes)]
    assert found == sorted(path.name for path in tmp_path.iterdir())


def test_reading_that_is_given_up_leaves_no_process(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number}.html").write_text("<p>page</p>" * 50_000)
    before = _children()
    batches = read(tmp_path, ReadOptions(batch_bytes=1))
    next(batches)
    assert _children() - before
    batches.close()  # type: ignore[attr-defined]
    assert not _children() - before


def test_processes_end_with_the_one_that_started_them(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / f"{number}.html").write_text("<p>page</p>" * 50_000)
    program = (
        "import sys, time\nfrom likewise.readers import read, ReadOptions\n"
        f"batches = read({str(tmp_path)!r}, ReadOptions(batch_bytes=1))\nnext(batches)\n"
        "print('reading', flush=True)\ntime.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        workers = _children(parent.pid)
        assert workers
        parent.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 20
    while any(map(_runs, workers)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(map(_runs, workers))


def test_every_format_that_is_read_apart_says_so() -> None:
    modules = {format.reader.partition(":")[0] for format in FORMATS.values() if format.apart}
    others = {format.reader.partition(":")[0] for format in FORMATS.values() if not format.apart}
    assert not modules & others


def _children(pid: int | None = None) -> set[int]:
    tasks = Path(f"/proc/{pid or os.getpid()}/task")
    if not tasks.is_dir():
        pytest.skip("there is no /proc here")
    listed = ((task / "children").read_text().split() for task in tasks.iterdir())
    return {int(child) for children in listed for child in children}


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
