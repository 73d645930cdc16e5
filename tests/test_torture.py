"""Short runs of what `make torture` runs for long, and proof that its trials can fail."""

from __future__ import annotations

import importlib
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from torture.disk import Answer, Entries, Recorded, Sync, Write

RUN = Path(__file__).parent / "torture" / "run.py"
SECONDS = 2


@pytest.mark.parametrize(
    "kind", ["kills", "migrations", "torn", "flips", "fuzz", "requests", "limits"]
)
def test_nothing_is_lost_and_nothing_crashes(kind):
    done = subprocess.run(
        [sys.executable, RUN, kind, "--minutes", str(SECONDS / 60), "--seed", "7"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert any(line.split()[0].isdigit() for line in done.stdout.splitlines())


def test_a_writer_that_does_not_sync_loses_what_it_answered(tmp_path, monkeypatch):
    monkeypatch.setenv("TORTURE_WITHOUT_SYNC", "1")
    tally = importlib.import_module("torture.torn").run(tmp_path, 60, 3)
    assert tally.failures


class TestDisk:
    def test_what_was_synced_is_there_and_the_rest_may_be_lost(self):
        made = Entries((), "/d/f", 1)
        disk = Recorded([made, Write(1, 0, b"ab"), Sync(1, "/d/f"), Sync(9, "/d"), Answer()])
        for at in range(5):
            everything = disk.after_failure(at, "everything", random.Random(0))
            nothing = disk.after_failure(at, "nothing", random.Random(0))
            assert everything == ({"/d/f": b"ab" if at > 1 else b""} if at else {})
            assert nothing == ({"/d/f": b"ab"} if at > 3 else {})

    def test_a_rename_needs_its_folder_synced(self):
        disk = Recorded(
            [
                Entries((), "/d/new", 1),
                Write(1, 0, b"x"),
                Sync(1, "/d/new"),
                Entries(("/d/new",), "/d/name", 1),
                Sync(9, "/d"),
            ]
        )
        assert disk.after_failure(4, "nothing", random.Random(0)) == {}
        assert disk.after_failure(5, "nothing", random.Random(0)) == {"/d/name": b"x"}

    def test_a_loose_write_may_be_torn(self):
        disk = Recorded([Entries((), "/f", 1), Sync(0, "/"), Write(1, 0, b"y" * 2048)])
        sizes = {
            len(disk.after_failure(3, "any", random.Random(seed)).get("/f", b""))
            for seed in range(200)
        }
        assert {0, 512, 1024, 1536, 2048} <= sizes


def test_workers_do_the_work_where_no_thread_can_be_started():
    script = """
import os, resource, threading
from likewise.engines.workers import Workers
threading.stack_size(1 << 26)
resource.setrlimit(resource.RLIMIT_AS, (1, resource.RLIM_INFINITY))
with Workers(4) as pool:
    results = list(pool.map(lambda n: (n, threading.current_thread().name), range(3)))
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
assert results == [(n, "MainThread") for n in range(3)], results
with Workers(2) as pool:
    names = {name for name in pool.map(lambda n: threading.current_thread().name, range(99))}
assert "MainThread" not in names
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=os.environ, check=False
    )
    assert done.returncode == 0, done.stderr
