from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from likewise.errors import LockedError, StoreError
from likewise.store.disk import WriteLock

HOLD = """
import pathlib, sys
from likewise.store.disk import WriteLock
with WriteLock(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "lock"


@pytest.fixture
def holder(path):
    command = [sys.executable, "-c", HOLD, str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as process:
        assert process.stdout.readline() == b"held\n"
        yield process
        process.kill()


def test_a_second_process_is_refused_and_told_by_whom(path, holder):
    with (
        pytest.raises(LockedError, match=rf"another process \(pid {holder.pid}\)"),
        WriteLock(path),
    ):
        pass


def test_a_killed_process_releases_the_lock(path, holder):
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    with WriteLock(path):
        pass


def test_a_second_handle_of_this_process_is_refused(path):
    with (
        WriteLock(path),
        pytest.raises(LockedError, match="another handle of this process"),
        WriteLock(path),
    ):
        pass
    with WriteLock(path):
        pass


def test_an_error_inside_releases_the_lock(path):
    with pytest.raises(ZeroDivisionError), WriteLock(path):
        raise ZeroDivisionError
    with WriteLock(path):
        pass


def test_a_place_that_cannot_be_locked(tmp_path):
    with pytest.raises(StoreError, match="cannot lock"), WriteLock(tmp_path / "none" / "lock"):
        pass
