"""Every format that was released opens, and this version's bytes do not change by accident."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import numpy as np
import pytest

from helpers import store_specimen
from helpers.store_documents import check_whole, counts_in, text_batch, texts_in
from helpers.store_specimen import DENSE, TEXTS, name, two_fields
from likewise.filters import Filter
from likewise.store import Snapshot, add, merge
from likewise.store.blocks import RecordBlocks
from likewise.store.container import FORMAT, Container
from likewise.store.fields import matching, summarise
from likewise.store.segment import SEGMENT
from likewise.text import Analyzer, AnalyzerSettings

DATA = Path(__file__).parent / "data"
VERSIONS = range(1, FORMAT + 1)
LIVE = {id: text for id, text in TEXTS.items() if id != "dogs"} | {
    "late": "A late document about dogs"
}


@pytest.fixture(params=VERSIONS)
def version(request):
    return request.param


def test_text(version):
    path = DATA / name(version, "text")
    snapshot = Snapshot.open(path)
    snapshot.verify()
    assert snapshot.manifest.kind == "text"
    assert msgspec.convert(snapshot.manifest.settings, AnalyzerSettings) == AnalyzerSettings()
    assert texts_in(path) == LIVE
    assert counts_in(path)["large"] == {"word": 300, "end": 1}
    assert snapshot.numbers(["много", "dogs", "late"]).tolist() == [1, -1, 3]
    assert snapshot.term_names([0, 1]) == ["cat", "sleep"]


def test_fields(version):
    """Where there are no columns yet, they are made when they are needed."""
    snapshot = Snapshot.open(DATA / name(version, "text"))
    (year, tags) = (Filter.parse(text) for text in ("year>=2001", "tags=late,cats"))
    dated = version > 1
    assert matching(snapshot, year).tolist() == [False, dated, dated, False]
    assert matching(snapshot, tags).tolist() == [dated, False, False, dated]
    assert [field.name for field in summarise(snapshot, 5)] == ["year", "tags"] * dated


def test_values(version):
    snapshot = Snapshot.open(DATA / name(version, "values"))
    snapshot.verify()
    (segment,) = snapshot.segments
    assert snapshot.manifest.kind == "values"
    assert snapshot.term_names(range(2)) == ["1", "7"]
    assert {part: values.tolist() for part, values in segment.value_rows.items()} == {
        "starts": [0, 2, 2, 3],
        "columns": [0, 1, 1],
        "values": [0.5, -2, 1],
    }


def test_dense(version):
    snapshot = Snapshot.open(DATA / name(version, "dense"))
    snapshot.verify()
    (segment,) = snapshot.segments
    assert snapshot.manifest.kind == "dense"
    assert np.array_equal(segment.dense, list(DENSE.values()))


def test_an_old_index_is_added_to_and_merged(tmp_path, version):
    path = tmp_path / "copy"
    shutil.copytree(DATA / name(version, "text"), path)
    new = two_fields(text_batch({"new": "a new cat"}))
    add(path, [new], Analyzer(AnalyzerSettings()))
    merge(path)
    assert texts_in(path) == {**LIVE, "new": "a new cat"}
    assert counts_in(path)["new"] == {"new": 1, "cat": 1}
    check_whole(path)


@pytest.mark.parametrize("kind", ["values", "dense"])
def test_this_version_writes_its_specimen(tmp_path, kind):
    """Another result means another format: give it a number, and keep the old specimens.

    The text of the other specimen goes through the analyzer, which may get better.
    """
    store_specimen.main(tmp_path)
    segment = Path("segments", "000001.seg")
    written, kept = tmp_path / name(FORMAT, kind) / segment, DATA / name(FORMAT, kind) / segment
    assert sections(written) == sections(kept)


def sections(path):
    """{name: (type, shape, bytes)}. Compressed blocks differ by the version of Zstandard, what is
    in them does not. The specimens were written before titles had sections, which may be missing.
    """
    file = Container(path, SEGMENT)
    found = {
        name: (*file.layout(name), file.array(name).tobytes())
        for name in file.names
        if name not in ("records", "records.blocks", "records.checksums", "records.spare")
        and not name.startswith("titles.")
    }
    records = RecordBlocks(file, file.number("documents"))
    return {**found, "records": [chunk.records for chunk in records.chunks()]}
