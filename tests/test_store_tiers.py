"""Small additions: small segments are merged by eights, and nothing else is different."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.store_documents import (
    add_texts,
    all_bytes,
    check_whole,
    counts_in,
    dense_batch,
    sparse_batch,
    texts_in,
)
from likewise import Index, Unfinished
from likewise.errors import StoreError
from likewise.store import Snapshot, add, create, delete, merge
from likewise.store.container import HEADER
from likewise.store.manifest import Deletions, SegmentEntry, read_manifest
from likewise.store.merging import merge_small
from likewise.store.tiers import BUDGET, FAN, LARGE, plan
from likewise.text import Analyzer

FEW = """
import json, resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24))
from likewise import Index
index = Index.create(sys.argv[1], latent=4, threads=1)
segments, descriptors = [], []
for n in range(300):
    index.add([{"id": f"n{n}", "text": f"word{n % 7} word{n % 5} new{n}"}])
    segments.append(index.info().segments)
    descriptors.append(len(list(Path("/proc/self/fd").iterdir())))
index.verify()
found = len(index.search("word3", k=1000))
print(json.dumps({"segments": segments, "descriptors": descriptors, "found": found}))
"""


def entry(documents, size=1000, deleted=0):
    deletions = Deletions("", 0, deleted) if deleted else None
    return SegmentEntry("", size, documents, terms=0, deletions=deletions)


def merged(entries):
    """What is left after a plan, and the bytes that it rewrites."""
    groups = plan(entries)
    assert [i for group in groups for i in group] == list(range(len(entries)))
    found, written = [], 0
    for group in groups:
        some = [entries[i] for i in group]
        size = sum(one.bytes for one in some)
        found.append(some[0] if len(some) == 1 else entry(sum(e.live for e in some), size))
        written += size if len(some) > 1 else 0
    return found, written


class TestPlan:
    def test_eight_of_a_kind_are_merged_and_seven_are_not(self):
        assert plan([entry(1)] * 7) == [range(i, i + 1) for i in range(7)]
        assert plan([entry(1)] * 8) == [range(8)]
        assert plan([entry(8)] * 7 + [entry(1)] * 8) == [range(15)]  # written once, not twice

    def test_smaller_ones_in_between_go_along(self):
        assert plan([entry(9), entry(1), entry(9)] * 3) == [range(9)]
        assert len(plan([entry(100), *[entry(9)] * 3, *[entry(1)] * 7])) == 11

    def test_deleted_documents_do_not_count(self):
        assert plan([entry(5000, deleted=4999)] * 8) == [range(8)]

    def test_what_building_an_index_makes_is_left_alone(self):
        assert len(plan([entry(100_000, LARGE)] * 100)) == 100
        assert len(plan([entry(1, LARGE)] * 100)) == 100

    def test_no_merged_segment_exceeds_the_budget(self):
        entries = [entry(1, LARGE - 1)] * 20
        sizes = [sum(entries[i].bytes for i in group) for group in plan(entries)]
        assert max(sizes) <= BUDGET
        assert len(sizes) == 3

    def test_the_dictionary_s_size_does_not_make_a_segment_large(self):
        wide = SegmentEntry("", 4 * LARGE, 1, terms=LARGE)
        assert plan([wide] * 8) == [range(8)]

    def test_one_by_one_few_are_left_and_little_is_rewritten(self):
        entries, written = [], 0
        for number in range(1, 5001):
            entries, some = merged([*entries, entry(1)])
            written += some
            tiers = len(np.base_repr(number, FAN))
            assert len(entries) <= (FAN - 1) * tiers
        assert written <= 1000 * 5000 * 4  # each of 5,000 once a tier, and 8⁴ < 5,000 < 8⁵

    @given(st.lists(st.integers(0, 5000), max_size=120))
    def test_additions_of_any_size(self, sizes):
        entries, written = [], 0
        for size in sizes:
            entries, some = merged([*entries, entry(size, 1 + size)])
            written += some
        tiers = len(np.base_repr(max(sum(sizes), 1), FAN))
        assert sum(one.documents for one in entries) == sum(sizes)
        assert len(entries) <= (FAN - 1) * tiers
        assert written <= FAN * (tiers + 1) * sum(1 + size for size in sizes)


@pytest.fixture
def index(tmp_path):
    create(tmp_path / "index", {})
    return tmp_path / "index"


def arrays_of(segment):
    rows = segment.stored().rows
    return list(rows.values()) if isinstance(rows, dict) else [rows]


def texts(count):
    return [{f"n{i}": f"w{i % 7} w{i % 3} new{i}"} for i in range(count)]


class TestAdding:
    def test_only_the_files_differ(self, index, tmp_path):
        apart = tmp_path / "apart"
        create(apart, {})
        for one in texts(70):
            add_texts(index, one)
            add_texts(apart, one, merge=False)
        assert len(Snapshot.open(apart).segments) == 70
        assert [s.documents for s in Snapshot.open(index).segments] == [64, *[1] * 6]
        assert texts_in(index) == texts_in(apart)
        assert counts_in(index) == counts_in(apart)
        assert Snapshot.open(index).term_names(range(50)) == Snapshot.open(apart).term_names(
            range(50)
        )
        assert Snapshot.open(index).generation == 70
        check_whole(index)

    def test_the_same_additions_give_the_same_bytes(self, index, tmp_path):
        again = tmp_path / "again"
        create(again, {})
        for path in (index, again):
            for one in texts(20):
                add_texts(path, one)
        assert all_bytes(index) == all_bytes(again)

    def test_what_was_deleted_goes(self, index):
        for one in texts(7):
            add_texts(index, one)
        delete(index, ["n0", "n3"])
        add_texts(index, {"n3": "again", "n7": ""})
        (segment,) = Snapshot.open(index).segments
        assert (segment.documents, segment.live) == (7, None)
        assert texts_in(index)["n3"] == "again"
        check_whole(index)

    def test_replacing_one_document_over_and_over(self, index):
        for number in range(100):
            add_texts(index, {"same": f"text {number}"}, on_duplicate="replace")
        assert texts_in(index) == {"same": "text 99"}
        assert len(Snapshot.open(index).segments) < FAN
        check_whole(index)

    @pytest.mark.parametrize(
        "batch",
        [
            lambda i: sparse_batch({f"n{i}": {i % 4: 1 + i, i + 10: 300}}),
            lambda i: sparse_batch({f"n{i}": {i % 4: i + 0.5, i + 10: -1}}),
            lambda i: dense_batch({f"n{i}": [i, 0.5, -i]}),
        ],
    )
    def test_vectors(self, index, tmp_path, batch):
        for i in range(20):
            add(index, [batch(i)], Analyzer())
        apart = tmp_path / "apart"
        create(apart, {})
        add(apart, map(batch, range(20)), Analyzer())
        assert len(Snapshot.open(index).segments) == 2 + 4
        merge(index)
        (found,), (expected,) = (Snapshot.open(path).segments for path in (index, apart))
        found.verify()
        assert found.terms.all() == expected.terms.all()
        for one, other in zip(arrays_of(found), arrays_of(expected), strict=True):
            assert np.array_equal(one, other)

    def test_a_damaged_segment_is_no_reason_to_refuse_documents(self, tmp_path):
        made = Index.create(tmp_path / "index", language="none")
        for one in texts(7):
            made.add([{"id": id, "text": text} for id, text in one.items()])
        path = tmp_path / "index/segments/000001.seg"
        content = bytearray(path.read_bytes())
        content[HEADER.size + 20] ^= 1  # within the records
        path.write_bytes(content)
        with pytest.warns(Unfinished, match="could not be merged"):
            added = made.add([{"id": "x", "text": "y"}])
        assert added.documents == 1
        assert "000001.seg is damaged, section 'records'" in added.notes[0]
        assert (len(made), made.info().segments) == (8, 8)
        with pytest.raises(StoreError, match="section 'records' does not have the checksum"):
            made.merge()
        files = read_manifest(made.path).files
        assert files == {f"segments/{file.name}" for file in (made.path / "segments").iterdir()}


class TestMergingSmall:
    def test_those_left_by_earlier_additions(self, index):
        for one in texts(30):
            add_texts(index, one, merge=False)
        merge_small(index)
        assert [s.documents for s in Snapshot.open(index).segments] == [30]
        assert list(texts_in(index)) == [f"n{i}" for i in range(30)]
        check_whole(index)

    def test_nothing_to_do(self, index):
        merge_small(index)
        add_texts(index, *texts(1))
        before = all_bytes(index)
        merge_small(index)
        assert all_bytes(index) == before


class TestViews:
    @pytest.fixture
    def made(self, tmp_path):
        made = Index.create(tmp_path / "made", language="none", latent=4)
        made.add([{"id": f"d{i}", "text": f"a{i % 3} b{i % 5} c{i % 2}"} for i in range(70)])
        made.embed(np.random.default_rng(0).standard_normal((70, 5)))
        return made

    def rows(self, index, name):
        segments = index._snapshot.segments
        return np.concatenate(
            [s.view(name).at(slice(None) if s.live is None else s.live) for s in segments]
        )

    def test_rows_are_carried_over(self, made):
        model = made._snapshot.latent.id
        for i in range(12):
            made.add([{"id": f"n{i}", "text": f"a{i % 3} b{i % 4} new"}])
        made.embed(np.ones((1, 5)), ids=["n11"])
        made.delete(["n1"])
        before = {name: self.rows(made, name) for name in ("latent", "embeddings")}
        for i in range(12, 18):
            made.add([{"id": f"n{i}", "text": f"a{i % 3} b{i % 4} new"}])
        assert [s.documents for s in made._snapshot.segments] == [70, 14, 1, 1, 1]
        for name, rows in before.items():
            assert np.array_equal(self.rows(made, name)[: len(rows)], rows)
        assert made._snapshot.latent.id == model
        info = made.info().views
        assert (info["latent"].documents, info["latent"].later) == (70, 17)
        assert (info["embeddings"].documents, info["embeddings"].later) == (71, 16)
        made.verify()

    def test_a_group_of_which_all_is_deleted(self, made):
        for i in range(7):
            made.add([{"id": f"n{i}", "text": "a1 b1"}])
        made.delete([f"n{i}" for i in range(7)])
        made.add([{"id": "last", "text": "a1 c1"}])
        made.delete(["last"])
        for i in range(8):
            made.add([{"id": f"m{i}", "text": "a2"}])
        assert len(made) == 78
        assert self.rows(made, "embeddings").shape == (78, 5)
        assert len(made.like(["d1"], k=80)) == 77
        made.verify()


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts descriptors by /proc")
def test_hundreds_of_additions_with_few_descriptors(tmp_path):
    command = [sys.executable, "-c", FEW, str(tmp_path / "index")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert max(found["segments"]) <= 3 * (FAN - 1)
    assert max(found["descriptors"]) == min(found["descriptors"])
    assert found["found"] == sum(3 in (n % 7, n % 5) for n in range(300))
