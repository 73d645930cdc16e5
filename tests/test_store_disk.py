"""Files and directories that a crash leaves whole."""

from __future__ import annotations

import os
import stat
import threading

import pytest

from likewise.store import create, disk
from likewise.store.disk import replace_file


def test_new_directories_are_synced_with_their_parents(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(disk, "sync_directory", synced.append)
    create(tmp_path / "new" / "papers.idx", {})
    parents = [tmp_path, tmp_path / "new", tmp_path / "new" / "papers.idx"]
    assert synced == parents
    synced.clear()
    create(tmp_path / "new" / "papers.idx", {})  # all of them are there
    assert not synced


def test_a_parent_that_cannot_be_opened_is_no_obstacle(tmp_path, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(disk, "sync_directory", refuse)
    create(tmp_path / "papers.idx", {})
    assert (tmp_path / "papers.idx" / "segments").is_dir()


def test_a_file_is_replaced_in_one_step(tmp_path):
    path = tmp_path / "query.json"
    replace_file(path, b"old")
    with path.open("rb") as reader:
        replace_file(path, b"new")
        assert reader.read() == b"old"
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_what_fails_leaves_the_old_file_alone(tmp_path, monkeypatch):
    path = tmp_path / "query.json"
    replace_file(path, b"old")

    def fail(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        replace_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_pipe_is_written_to(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    read = []
    reader = threading.Thread(target=lambda: read.append(path.read_bytes()))
    reader.start()
    replace_file(path, b"content")
    reader.join(10)
    assert read == [b"content"]
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_a_private_file_is_nobody_elses_before_its_first_byte(tmp_path):
    path, before = tmp_path / "tokens.txt", tmp_path / "tokens.txt.new"
    before.write_bytes(b"left by a crash")
    before.chmod(0o644)
    modes = []

    def content():
        modes.append(stat.S_IMODE(before.stat().st_mode))
        yield b"secret"

    replace_file(path, content(), private=True)
    assert modes == [0o600]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_bytes() == b"secret"
