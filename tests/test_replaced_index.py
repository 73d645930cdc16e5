"""An index that is replaced or damaged while it is open: its settings, and its neighbours."""

from __future__ import annotations

import json
import logging
import shutil
import time

import pytest
from xxhash import xxh3_64_hexdigest

from helpers.server_client import problem, serving
from likewise import Index
from likewise.errors import StoreError
from likewise.server import indexes
from likewise.server.indexes import ServedIndex

TEXT = "the running cats"


def make(path, **settings):
    index = Index.create(path, threads=1, **settings)
    index.add([{"id": "a", "text": TEXT, "body": "sleeping dogs"}])
    return index


def replace(path, **settings):
    """Put another index in its place."""
    new = path.with_name("new")
    make(new, **settings)
    shutil.rmtree(path)
    new.rename(path)


def change_manifest(path, **changes):
    """With a checksum that is right."""
    file = path / "manifest.json"
    envelope = json.loads(file.read_bytes())
    body = json.dumps({**envelope["index"], **changes}).encode()
    head = json.dumps({"format": envelope["format"], "checksum": xxh3_64_hexdigest(body)})
    put(file, head.removesuffix("}").encode() + b',"index":' + body + b"}")


def put(file, content):
    new = file.with_name("x")
    new.write_bytes(content)
    new.replace(file)


def cut(path):
    file = path / "manifest.json"
    put(file, file.read_bytes()[:-9])


def ids(hits):
    return [hit["id"] for hit in hits.json()["hits"]]


class TestSettings:
    def test_a_handle_that_is_refreshed(self, tmp_path):
        index = make(tmp_path / "i.idx")
        before = index.frozen()
        assert index.analyzer("running") == ["run"]
        replace(index.path, language="none", stop_words=False)
        index.refresh()
        assert index.analyzer("running") == ["running"]
        assert [hit.id for hit in index.search("the")] == ["a"]
        assert not index.search("run")
        assert before.analyzer("running") == ["run"]  # as its generation has it
        assert [hit.id for hit in before.search("run")] == ["a"]

    def test_documents_are_added_with_the_new_settings(self, tmp_path):
        index = make(tmp_path / "i.idx")
        replace(index.path, language="none", fields="body")
        index.refresh().add([{"id": "b", "text": "x", "body": "walking"}])
        assert [hit.id for hit in index.search("walking")] == ["b"]

    def test_a_running_server(self, tmp_path):
        path = tmp_path / "papers.idx"
        make(path)
        base = "/v1/indexes/papers"
        with serving(path) as client:
            assert ids(client.get(f"{base}/search", params={"q": "runs"})) == ["a"]
            replace(path, language="none", stop_words=False, fields="body")
            new = {"documents": [{"id": "b", "text": "x", "body": "walking"}]}
            assert client.post(f"{base}/documents", json=new).status_code == 201
            assert ids(client.get(f"{base}/search", params={"q": "sleeping"})) == ["a"]
            assert ids(client.get(f"{base}/search", params={"q": "walking"})) == ["b"]
            assert ids(client.get(f"{base}/search", params={"q": "walks"})) == []
            terms = client.post(f"{base}/terms", json={"words": ["Walking"]})
            assert terms.json()["terms"] == [["walking"]]

    def test_a_session_of_a_running_server(self, tmp_path):
        path = tmp_path / "papers.idx"
        make(path)
        with serving(path) as client:
            sessions = "/v1/indexes/papers/sessions"
            for name in ("before", "after"):
                client.post(sessions, json={"name": name, "words": "running"})
            explained = {"explain": 5}
            first = client.get(f"{sessions}/before/page", params=explained).json()
            assert first["hits"][0]["terms"][0]["term"] == "run"
            replace(path, language="none")
            second = client.get(f"{sessions}/after/page", params=explained).json()
            assert second["hits"][0]["terms"][0]["term"] == "running"


class TestDamage:
    @pytest.mark.parametrize(
        ("damage", "sentence"),
        [
            (cut, "is not the manifest of an index"),
            (lambda path: change_manifest(path, segments=7), "describes no index"),
            (
                lambda path: change_manifest(path, generation=9, settings={"fields": 1}),
                r"the settings in .*manifest\.json make no sense",
            ),
        ],
    )
    def test_a_handle_stays_at_its_generation(self, tmp_path, damage, sentence):
        index = make(tmp_path / "i.idx")
        damage(index.path)
        for _ in range(2):
            with pytest.raises(StoreError, match=sentence):
                index.refresh()
        assert [hit.id for hit in index.search("runs")] == ["a"]
        with pytest.raises(StoreError, match=sentence):
            Index.open(index.path)

    def test_of_two_indexes_one(self, tmp_path):
        make(tmp_path / "good.idx")
        make(tmp_path / "bad.idx")
        with serving(tmp_path / "good.idx", tmp_path / "bad.idx") as client:
            cut(tmp_path / "bad.idx")
            good, bad = client.get("/v1/indexes").json()["indexes"]
            assert good["problem"] is None
            assert bad["problem"].startswith("bad/manifest.json is not the manifest of an index")
            assert str(tmp_path) not in bad["problem"]
            for name in ("good", "bad"):
                found = client.get(f"/v1/indexes/{name}/search", params={"q": "runs"})
                assert ids(found) == ["a"]
                wrong = {"q": "x", "filter": "((("}
                problem(client.get(f"/v1/indexes/{name}/search", params=wrong), 422, "filter")
            asked = {"positive": ["a"], "method": "centroid"}
            assert client.post("/v1/indexes/good/search", json=asked).status_code == 200
            metrics = client.get("/v1/metrics").text
            assert 'likewise_damaged{index="good"} 0' in metrics
            assert 'likewise_damaged{index="bad"} 1' in metrics
            new = {"documents": [{"id": "b", "text": "x"}]}
            added = client.post("/v1/indexes/bad/documents", json=new)
            problem(added, 500, "bad/manifest.json is not the manifest of an index")

    @pytest.fixture
    def served(self, tmp_path, monkeypatch):
        """As a server holds it, and looks again at once."""
        monkeypatch.setattr(indexes, "RETRY", 0)
        return ServedIndex("papers", make(tmp_path / "i.idx").path, 1)

    def test_it_is_logged_once_and_when_it_is_over(self, served, caplog):
        caplog.set_level(logging.WARNING, "likewise.server")
        whole = (served.path / "manifest.json").read_bytes()
        cut(served.path)
        for _ in range(5):
            assert served.current.generation == served.newest.generation == 1
        put(served.path / "manifest.json", whole)
        for _ in range(5):
            assert served.current.generation == 1
        assert served.problem is None
        said = [record.getMessage() for record in caplog.records]
        assert [line.split(":")[1].split(",")[0] for line in said] == [
            " stays at generation 1",
            " at generation 1",
        ]

    def test_a_damaged_segment(self, served):
        """The manifest is whole: what it lists is found out when it is read."""
        other = Index.open(served.path)
        other.add([{"id": "b", "text": "sitting birds"}])
        (segment,) = (served.path / "segments").glob("000003.seg")
        content = bytearray(segment.read_bytes())
        for at in range(64, len(content) // 2):
            content[at] ^= 255
        put(segment, bytes(content))
        assert served.current.generation == served.newest.generation == 1
        assert "000003.seg is damaged" in served.problem
        assert [hit.id for hit in served.newest.search("runs")] == ["a"]

    def test_files_that_come_after_their_manifest(self, served):
        """As when an index is copied here: the manifest does not change once more."""
        other = Index.open(served.path)
        other.add([{"id": "b", "text": "sitting birds"}])
        (segment,) = (served.path / "segments").glob("000003.seg")
        away = segment.rename(segment.with_name("away"))
        assert len(served.current) == 1
        assert "000003.seg" in served.problem
        away.rename(segment)
        assert len(served.current) == 2
        assert served.problem is None

    def test_an_index_that_is_gone(self, served):
        shutil.rmtree(served.path)
        assert [hit.id for hit in served.current.search("runs")] == ["a"]
        assert "no index at papers" in served.problem

    def test_it_is_not_looked_at_with_every_request(self, served, monkeypatch):
        monkeypatch.setattr(indexes, "RETRY", 3600)
        cut(served.path)
        assert served.current.generation == 1
        looks = []
        monkeypatch.setattr(Index, "refresh", lambda index: looks.append(time.monotonic()))
        for _ in range(5):
            assert served.current.generation == 1
        assert looks == []
