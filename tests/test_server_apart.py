"""Merging in a process of its own, as a server does it with a large index."""

from __future__ import annotations

import subprocess
import sys

import pytest

from likewise import Index
from likewise.errors import LockedError, StoreError
from likewise.server import apart
from likewise.store.transaction import Transaction


@pytest.fixture
def index(tmp_path, monkeypatch):
    monkeypatch.setattr(apart, "LARGE", 0)
    made = Index.create(tmp_path / "papers.idx", latent=0)
    for part in range(3):
        made.add({"id": f"{part}-{n}", "text": f"robot arm {n}"} for n in range(5))
    made.delete(["1-2"])
    return made


def ending(tmp_path, status):
    """A Python that does nothing but end."""
    program = tmp_path / "python"
    program.write_text(f"#!/bin/sh\nexit {status}\n")
    program.chmod(0o755)
    return str(program)


def test_it_is_merged_and_seen(index, monkeypatch):
    before = index.generation
    monkeypatch.setattr(Index, "merge", None)  # it is not done here
    apart.merge(index)
    assert (index.info().segments, index.info().deleted) == (1, 0)
    assert index.generation == before + 1
    assert len(index.search("robot", 20)) == 14


def test_its_errors_are_those_of_here(index):
    with Transaction(index.path), pytest.raises(LockedError, match=str(index.path)):
        apart.merge(index)


def test_one_that_is_ended_has_changed_nothing(index, tmp_path, monkeypatch):
    before = index.generation
    monkeypatch.setattr(sys, "executable", ending(tmp_path, 9))
    with pytest.raises(StoreError, match="ended before it was done: try again"):
        apart.merge(index)
    assert index.refresh().generation == before


def test_without_another_process_it_is_merged_here(index, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", ending(tmp_path, apart.NOT_STARTED))
    apart.merge(index)
    assert index.info().segments == 1


def test_it_ends_with_the_server():
    program = "from likewise.server import apart; apart._follow()"
    done = subprocess.run([sys.executable, "-c", program], stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == apart.LEFT
