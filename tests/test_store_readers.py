"""Readers beside a writer that never rests: each sees one whole generation."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.store_documents import PLAIN, add_texts, counts_in, text_batch
from likewise.errors import LockedError
from likewise.store import Snapshot, add, create, delete, merge
from likewise.text import Analyzer

WRITE = """
import sys
from pathlib import Path
from likewise.store import merge
from helpers.store_documents import add_texts

index = Path(sys.argv[1])
for turn in range(40):
    add_texts(index, {f"{turn}-{n}": f"word{turn} word{n}" for n in range(3)})
    merge(index)
"""


def test_every_reader_sees_a_whole_generation(tmp_path):
    index = tmp_path / "index"
    create(index, {})
    here = str(Path(__file__).parent)
    command = [sys.executable, "-c", WRITE, str(index)]
    opened = 0
    with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": here}) as writer:
        while writer.poll() is None:
            snapshot = Snapshot.open(index)
            snapshot.verify()
            wanted = [f"{number // 3}-{number % 3}" for number in range(len(snapshot))]
            assert snapshot.ids(range(len(snapshot))) == wanted
            assert len(wanted) % 3 == 0
            opened += 1
        assert writer.returncode == 0
    assert opened
    assert len(Snapshot.open(index)) == 120
    assert counts_in(index)["39-2"] == {"word39": 1, "word2": 1}


def test_a_handle_keeps_its_generation(tmp_path):
    index = tmp_path / "index"
    create(index, {})
    add_texts(index, {"a": "x"})
    snapshot = Snapshot.open(index)
    add_texts(index, {"a": "y", "b": "z"}, on_duplicate="replace")
    merge(index)
    assert snapshot.ids(range(len(snapshot))) == ["a"]
    assert snapshot.document(0).text == "x"
    assert snapshot.term_names(range(snapshot.terms)) == ["x"]
    assert Snapshot.open(index).ids(range(2)) == ["a", "b"]


def test_of_two_writers_the_second_is_refused(tmp_path):
    index = tmp_path / "index"
    create(index, {})

    def batches():
        """While these are read, another writer tries."""
        with pytest.raises(LockedError, match="is being written by another handle of this process"):
            add_texts(index, {"b": "y"})
        yield {"a": "x"}

    add(index, map(text_batch, batches()), Analyzer(PLAIN))
    assert Snapshot.open(index).ids(range(1)) == ["a"]


def test_what_was_read_of_a_segment_is_shared_by_generations(tmp_path):
    create(tmp_path / "a.idx", {})
    add_texts(tmp_path / "a.idx", {"a": "one two", "b": "two"})
    before = Snapshot.open(tmp_path / "a.idx")
    add_texts(tmp_path / "a.idx", {"c": "three"})
    delete(tmp_path / "a.idx", ["a"])
    after = Snapshot.open(tmp_path / "a.idx", before)
    assert after.segments[0].records is before.segments[0].records
    assert after.document(0).id == "b"
    assert Snapshot.open(tmp_path / "a.idx").segments[0].records is not before.segments[0].records
