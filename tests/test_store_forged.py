"""Indexes with right checksums and wrong numbers: refused in a sentence, never a crash."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from helpers.forging import Forged, make_text, make_values, read_manifest, write_manifest
from likewise import Index, _core
from likewise.errors import StoreError
from likewise.store import Snapshot
from likewise.store.container import Container

SEGMENT = "segments/000001.seg"
TESTS = Path(__file__).parent


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    index = tmp_path_factory.mktemp("whole") / "text.idx"
    make_text(index)
    return index


@pytest.fixture
def index(whole, tmp_path):
    shutil.copytree(whole, tmp_path / "text.idx")
    return tmp_path / "text.idx"


def change(index, section, place, value, file=SEGMENT):
    forged = Forged(index / file)
    forged.numbers(forged.section(section))[place] = value
    forged.save()


def test_forged_indexes_are_used_in_a_process_that_survives(tmp_path):
    command = [sys.executable, "-X", "faulthandler", "-m", "helpers.forging"]
    rounds = os.environ.get("LIKEWISE_FORGED_ROUNDS", "1")
    run = subprocess.run(
        [*command, tmp_path / "fuzz", "1", rounds], cwd=TESTS, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr[-3000:]
    found = json.loads(run.stdout)
    assert not found["wrong"], "\n".join(found["wrong"])
    assert found["tried"] > 150
    assert min(found["answered"], found["refused"]) > 300


SEARCHED = [
    ("rows.columns", 5, 2**16 - 1, "'rows' makes no sense .a column lies beyond"),
    ("inverted.columns", 5, 2**16 - 1, "'inverted' makes no sense .a column lies beyond"),
    ("rows.starts", 3, 10**6, "starts and more must ascend"),
    ("inverted.starts", -1, 10**6, "starts must end with the number of columns"),
    ("rows.more", 4, 10**6, "more"),
    ("rows.counts", 0, 0, "a count that is stored must be 2 or more"),
    ("rows.large_at", 0, 1, "large_at misses a large count"),
    ("inverted.large", 0, 3, "a large count is small"),
    ("terms.order", 0, 10**6, "'terms.order' makes no sense .it must hold each number once"),
    ("terms.hashes", 0, 2**32 - 1, "'terms.hashes' makes no sense .its numbers must ascend"),
    ("terms.ends", -1, 10**6, "'terms.ends' makes no sense .it must end with the text"),
    ("ids.text", 0, 0xFF, "'ids.text' makes no sense"),
    ("records.blocks", 0, 50_000, "'records.blocks' makes no sense .it must end with the blo"),
    ("records.blocks", 1, 50_000, "'records.blocks' makes no sense .a long block must hold one"),
    ("records.blocks", 2, 50_000, "'records.blocks' makes no sense .it must end with the doc"),
    (
        "records.checksums",
        0,
        0,
        "'records' does not have the checksum it had .of documents 0 to 2",
    ),
    ("records", slice(0, 2000), 0x7B, "'records' does not have the checksum it had"),
]


@pytest.mark.parametrize(("section", "place", "value", "reason"), SEARCHED)
def test_what_a_search_reads(index, section, place, value, reason):
    change(index, section, place, value)
    with pytest.raises(StoreError, match=rf"000001\.seg is damaged, section .*{reason}") as caught:
        use_all(Index.open(index, threads=1))
    assert "\n" not in str(caught.value)
    if section != "records":  # whose text verify does not decode
        with pytest.raises(StoreError, match=reason):
            Index.open(index, threads=1).verify()


def use_all(index):
    index.search("red figs plums é2", weighting="counts")
    index.like(["d2"], method="rank", views={"words": 1.0})
    index.documents(["d2", "d3"])


@pytest.mark.parametrize(
    ("section", "place", "value", "reason"),
    [
        ("columns.0.codes", 3, 200, "a document has no value"),
        ("columns.0.ends", 1, 10**6, "its numbers must ascend"),
        ("columns.0.text", slice(5, 8), 0x2C, "makes no sense"),
        ("columns", slice(0, 9), 0x7B, "'columns' makes no sense"),
    ],
)
def test_what_a_filter_reads(index, section, place, value, reason):
    change(index, section, place, value)
    with pytest.raises(StoreError, match=rf"000001\.seg is damaged, section .*{reason}"):
        Index.open(index, threads=1).search("red", filter="year>=1991")


def test_values_that_are_not_one_each(index):
    """More values than ends: every code would stand for another."""
    forged = Forged(index / SEGMENT)
    text = forged.numbers(forged.section("columns.0.text"))
    place = bytes(text).index(b"1990")
    text[place : place + 4] = list(b"1,90")
    del text
    forged.save()
    with pytest.raises(StoreError, match="10 values were expected, 11 are there"):
        Index.open(index, threads=1).count("year>=1991")


@pytest.mark.parametrize("value", [200, 2**32 - 1])
def test_deletions_beyond_the_documents(index, value):
    file = next((index / "segments").glob("000001.g*.del"))
    change(index, "deleted", -1, value, f"segments/{file.name}")
    with pytest.raises(StoreError, match="section 'deleted' makes no sense"):
        Index.open(index, threads=1).search("red")


@pytest.mark.parametrize(
    ("section", "value"),
    [
        ("basis.factors", np.nan),
        ("basis.factors", np.inf),
        ("basis.factors", -1),
        ("centre", np.nan),
        ("terms", 2**32 - 1),
    ],
)
def test_a_latent_model_that_is_none(index, section, value):
    file = read_manifest(index)["views"]["latent"]["file"]
    change(index, section, -1, value, file)
    with pytest.raises(StoreError, match=f"section '{section}' makes no sense"):
        _ = Snapshot.open(index).latent


@pytest.mark.parametrize(("place", "value"), [(0, 2**31), (-1, 2**31), (-1, 0)])
def test_terms_that_are_not_listed_in_order(tmp_path, place, value):
    index = tmp_path / "listed.idx"
    made = Index.create(index, language="none", latent=0)
    made.add([{"id": "a", "text": "red green blue"}], merge=False)
    made.add([{"id": "b", "text": "black red"}], merge=False)
    change(index, "inverted.terms", place, value, read_manifest(index)["segments"][1]["file"])
    with pytest.raises(StoreError, match=r"section 'inverted.terms' makes no sense"):
        Index.open(index, threads=1).search("red")


@pytest.mark.parametrize("value", [np.nan, np.inf, -1])
def test_factors_of_rows_that_are_none(index, value):
    file = read_manifest(index)["segments"][0]["views"]["latent"]["file"]
    change(index, "rows.factors", 0, value, file)
    with pytest.raises(StoreError, match=r"section 'rows.factors' makes no sense"):
        Index.open(index, threads=1).like(["d2"], views={"words": 1.0, "latent": 1.0})


def test_fewer_factors_than_rows(index):
    file = read_manifest(index)["segments"][0]["views"]["latent"]["file"]
    forged = Forged(index / file)
    section = forged.section("rows.factors")
    section["shape"], section["bytes"] = [29], 29 * 4
    forged.save()
    with pytest.raises(StoreError, match=r"rows.factors"):
        Index.open(index, threads=1).like(["d2"], views={"words": 1.0, "latent": 1.0})


@pytest.mark.parametrize("name", ["latent", "embeddings"])
def test_a_view_of_other_width(index, name):
    manifest = read_manifest(index)
    forged = Forged(index / manifest["segments"][0]["views"][name]["file"])
    forged.section("rows")["shape"] = [45, 2]
    forged.save()
    with pytest.raises(StoreError, match="section 'rows' does not hold 30 × 3 numbers"):
        Index.open(index, threads=1).like(["d2"], views={"words": 1.0, name: 1.0})


def test_values_and_dense_rows(tmp_path):
    for dense, section in ((False, "rows.values"), (True, "dense")):
        index = tmp_path / f"{section}.idx"
        make_values(index, dense=dense)
        ids = Index.open(index).ids()
        change(index, section, 2, np.inf)
        with pytest.raises(StoreError, match="a value is NaN or infinite"):
            Index.open(index, threads=1).like(ids[:2])


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        (("segments", 0, "documents"), -5, "has no number of documents"),
        (("segments", 1, "terms"), 1, "has no number of terms"),
        (("segments", 0, "file"), "../../etc/passwd", "is no file of an index"),
        (("segments", 0, "deletions", "documents"), 31, "has not so many to delete"),
        (("views", "latent", "dimensions"), 0, "a view has no dimensions"),
        (("segments", 0, "views"), {}, "is not in its view"),
        (("next_file",), -3, "its counters are negative"),
        (("kind",), None, "its documents are of no kind"),
        (("kind",), "dense", "it holds no dense"),
    ],
)
def test_a_manifest_that_describes_no_index(index, path, value, reason):
    manifest = inner = read_manifest(index)
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    write_manifest(index, manifest)
    with pytest.raises(StoreError, match=f"{reason}.*rebuild the index"):
        Index.open(index)


@pytest.mark.parametrize(
    ("key", "value"),
    [("shape", [-1]), ("shape", [10**6]), ("offset", 2**62), ("offset", 65), ("dtype", "|O")],
)
def test_a_table_of_contents_that_lies(index, key, value):
    forged = Forged(index / SEGMENT)
    forged.section("rows.columns")[key] = value
    forged.save()
    with pytest.raises(StoreError, match="its table of contents is not understood"):
        Index.open(index)


def test_terms_that_do_not_follow_one_another(index):
    second = read_manifest(index)["segments"][1]["file"]
    forged = Forged(index / second)
    forged.table["metadata"]["first_term"] += 1
    forged.save()
    with pytest.raises(StoreError, match=r"does not hold|its first term is"):
        Index.open(index)


def test_what_was_checked_is_not_checked_again(whole, monkeypatch):
    """A later generation, another weighting, another search: all use the file that is open."""
    checked = []
    understood = Container.understood

    def counted(self, name, read):
        checked.append((self.path.name, name))
        return understood(self, name, read)

    monkeypatch.setattr(Container, "understood", counted)
    index = Index.open(whole, threads=1)
    for weighting in ("tfidf", "counts", "pivoted"):
        index.search("red figs", weighting=weighting)
    names = [one for one in checked if one[1] != "records"]
    assert ("000001.seg", "rows") in names
    assert ("000001.seg", "inverted") in names
    assert len(set(names)) == len(names)
    again = Snapshot.open(whole, index.searcher.snapshot)
    _ = [(segment.rows, segment.inverted) for segment in again.segments]
    assert [one for one in checked if one[1] != "records"] == names


@pytest.mark.parametrize("size", [0, 1, 7, 31, 32, 33, 5000])
def test_all_finite(size):
    numbers = np.full(size, 3e38, np.float32)
    assert _core.all_finite(numbers)
    for wrong in (np.nan, np.inf, -np.inf):
        for place in {0, size // 2, size - 1} if size else ():
            changed = numbers.copy()
            changed[place] = wrong
            assert not _core.all_finite(changed)
