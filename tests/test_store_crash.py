"""Writers that are killed, and writers that fail because the disk is full."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.store_documents import add_texts, all_bytes, check_whole, texts_in
from likewise.store import create

KILLS = int(os.environ.get("LIKEWISE_TEST_KILLS", "10"))  # raise it to search for rare moments

FILL = """
import json, resource, shutil, sys
from pathlib import Path
from likewise import store
from likewise.errors import StoreError
from helpers.store_documents import PLAIN, add_texts, all_bytes

CHANGES = {
    "add": lambda path: add_texts(path, {"c": "y " * 4000}),
    "split": lambda path: add_texts(path, {"c": "y"}, {"d": "y " * 4000}, memory=1),
    "replace": lambda path: add_texts(path, {"b": "y " * 4000}, on_duplicate="replace"),
    "merge": store.merge,
    "reindex": lambda path: store.reindex(path, PLAIN),
    "delete": lambda path: store.delete(path, ["a"]),
}
base, limit = Path(sys.argv[1]), int(sys.argv[2])
found = {}
for name, change in CHANGES.items():
    path = base.with_name(name)
    shutil.copytree(base, path)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    try:
        change(path)
        found[name] = "done"
    except StoreError as error:
        found[name] = str(error)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(json.dumps(found))
"""


def run(*arguments):
    here = str(Path(__file__).parent)
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": here},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_killed_writer_leaves_a_whole_index(quick_folder):
    done = run(
        Path(__file__).with_name("helpers") / "store_killing.py", quick_folder / "index", 1, KILLS
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("limit", [0, 100, 300, 1200, 2000])
def test_a_full_disk_leaves_the_index_as_it_was(tmp_path, limit):
    """A limit on the size of files stands for the disk's: both fail in write()."""
    base = tmp_path / "base"
    create(base, {})
    add_texts(base, {"a": "x"})
    add_texts(base, {"b": "y z " * 500})
    before = all_bytes(base)
    done = run("-c", FILL, base, limit)
    assert done.returncode == 0, done.stderr
    for name, message in json.loads(done.stdout).items():
        index = tmp_path / name
        if limit < 500 or name != "delete":  # which needs little space
            assert message.startswith(f"cannot write {index}")
            assert "; the index is as it was" in message
            assert all_bytes(index) == before
        add_texts(index, {"e": "more"})
        assert "e" in texts_in(index)
        check_whole(index)
