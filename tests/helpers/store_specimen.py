"""Makes the specimens in tests/data: an index of each kind, as this version writes it.

    python store_specimen.py DIRECTORY

A released format keeps its specimens for ever: a new format number gets new ones beside them.
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from helpers.store_documents import dense_batch, sparse_batch, text_batch
from likewise.readers.batch import pack
from likewise.store import add, create, delete
from likewise.store.container import FORMAT
from likewise.text import Analyzer, AnalyzerSettings

SETTINGS = AnalyzerSettings()

TEXTS = {
    "cats": "Cats sleep by day",
    "dogs": "Dogs bark at cats, cats, cats",
    "много": "Кошки и собаки",
    "large": "word " * 300 + "end",
}
VALUES = {"a": {1: 0.5, 7: -2.0}, "b": {}, "c": {7: 1.0}}
DENSE = {"a": [1.0, 0.0, -1.0], "b": [0.25, 0.5, 0.75]}


def main(directory):
    text = begin(directory, "text")
    for texts in (TEXTS, {"late": "A late document about dogs"}):
        add(text, [dated(two_fields(text_batch(texts)))], Analyzer(SETTINGS))
    delete(text, ["dogs"])
    add(begin(directory, "values"), [sparse_batch(VALUES)], Analyzer(SETTINGS))
    add(begin(directory, "dense"), [dense_batch(DENSE)], Analyzer(SETTINGS))
    for lock in directory.glob("*/lock"):
        lock.unlink()


def begin(directory, kind):
    path = directory / name(FORMAT, kind)
    create(path, msgspec.to_builtins(SETTINGS))
    return path


def name(version, kind):
    return f"specimen-v{version}.idx" if kind == "text" else f"specimen-v{version}-{kind}.idx"


def two_fields(batch):
    """Title and text, of which the title is empty."""
    batch.texts.insert(0, [""] * len(batch))
    return batch


def dated(batch):
    """The same with fields to filter by: a number and a list."""
    values = [
        {**msgspec.json.decode(batch.record(i)), "year": 2000 + i, "tags": ["a", id]}
        for i, id in enumerate(batch.ids)
    ]
    batch.records, batch.ends = pack(values)
    return batch


if __name__ == "__main__":
    main(Path(sys.argv[1]))
