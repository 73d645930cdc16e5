"""An index in a real object store, over the protocol of S3: built there, searched, and changed by
two writers at once.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from helpers.clusters import scheduler
from helpers.machines import machine
from helpers.object_server import object_server
from helpers.sharded import pairs, whole
from likewise import Document, Index, InputError, LockedError, StoreError
from likewise.engines.cluster import collection
from likewise.store.objects import FORMAT, ObjectStore, Stored
from likewise.store.transaction import Transaction

pytest.importorskip("distributed")
pytest.importorskip("moto", reason="S3 IS NOT TESTED: moto is not installed")
s3fs = pytest.importorskip("s3fs", reason="S3 IS NOT TESTED: s3fs is not installed")

ROWS = [{"id": f"d{i}", "text": f"word{i} cell gene theory{i % 5}"} for i in range(300)]
DOCUMENTS = [Document(row["id"], row["text"]) for row in ROWS]


@pytest.fixture(scope="module")
def server():
    with object_server("papers") as variables, pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        yield


@pytest.fixture(autouse=True)
def _machine(server, tmp_path):
    with machine(tmp_path, "first"):
        yield


def test_a_cluster_builds_and_searches_there(tmp_path):
    """Input and index are in the store, workers have copies; then documents come and go."""
    files = s3fs.S3FileSystem()
    for i in range(3):
        lines = "".join(json.dumps(row) + "\n" for row in ROWS[100 * i : 100 * i + 100])
        files.pipe_file(f"papers/in/{i}.jsonl", lines.encode())
    url = "s3://papers/built.idx"
    one = whole(tmp_path / "one", DOCUMENTS)
    with scheduler("--nthreads 1", "--nthreads 1") as (address, _), machine(tmp_path, "second"):
        Index.create(url, shards=3, latent=0).add("s3://papers/in/*.jsonl", cluster=address)
        there = Index.open(url, engine="cluster", address=address)
        assert there.ids() == one.ids()
        assert pairs(there.search("cell word7")) == pairs(one.search("cell word7"))
        a, b = (index.like(["d5", "d10"], method="rocchio") for index in (one, there))
        assert [hit.id for hit in a] == [hit.id for hit in b]
        there.add([Document("late", "a late cell")])
        there.delete("d1")
        collection._known.pop(address).cluster.close()
    later = Index.open(url)
    assert later.ids() == [*(i for i in one.ids() if i != "d1"), "late"]
    later.verify()


def test_of_two_writers_the_second_is_refused(tmp_path):
    url = "s3://papers/two.idx"
    index = Index.create(url, shards=2, latent=0)
    index.add(DOCUMENTS[:20])
    with Transaction(index.path, shards=True) as change:
        with machine(tmp_path, "second"):
            there = Index.open(url)
            there.add(DOCUMENTS[20:21])
        with pytest.raises(LockedError, match=f"{url} was changed from elsewhere meanwhile"):
            change.commit(change.manifest.segments)
    ids = [document.id for document in DOCUMENTS[:21]]
    assert index.refresh().ids() == there.ids() == ids
    index.add(DOCUMENTS[21:22])
    assert [*ids, "d21"] == there.refresh().ids()
    there.verify()


def test_of_many_that_make_a_generation_at_once_one_does():
    store = ObjectStore("s3://papers/race.idx")

    def commit(name):
        try:
            ObjectStore(store.url).commit(Stored(FORMAT, 1, name))
        except LockedError:
            return ""
        return name

    with ThreadPoolExecutor(8) as pool:
        made = [name for name in pool.map(commit, "abcdefgh") if name]
    assert len(made) == 1
    assert store.newest().manifest == made[0]


def test_what_is_not_there():
    with pytest.raises(StoreError, match=r"no index at s3://papers/none\.idx"):
        Index.open("s3://papers/none.idx")
    with pytest.raises(StoreError, match=r"cannot write to s3://nowhere/a\.idx .* make its bucket"):
        Index.create("s3://nowhere/a.idx").add(DOCUMENTS[:1])
    assert not s3fs.S3FileSystem().exists("nowhere")  # a wrong name makes no bucket
    with pytest.raises(InputError, match=r"there is no file at s3://papers/none\.jsonl"):
        Index.create("s3://papers/empty.idx").add("s3://papers/none.jsonl")
