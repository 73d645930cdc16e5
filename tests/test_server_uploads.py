"""Files become an index over HTTP: sent in pieces, looked at, made; nothing is left half made."""

from __future__ import annotations

import errno
import io
import os
import shutil
import signal
import time
import zipfile

import httpx
import pytest

from helpers.server_client import problem, process, serving
from helpers.uploading import BYTES, make, put, ris, send
from likewise import Index
from likewise.server import uploads
from likewise.server.models.uploads import NewFile
from likewise.server.projects import Projects
from likewise.server.settings import Limits

LABELLED = b"title,abstract,included\nSleep,rats slept,1\nNoise,rats ran,0\nAge,old rats,0\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("projects")


@pytest.fixture(scope="module")
def server(folder):
    with serving(projects=folder) as client:
        yield client


def staged(folder):
    """Files in the staging area, but for locks."""
    found = (folder / ".staging").rglob("*")
    return sorted(path.name for path in found if path.is_file() and path.name != "lock")


def preview(client, files, **asked):
    id = send(client, files)
    found = client.post(f"/v1/uploads/{id}/preview?wait=60", json=asked)
    client.delete(f"/v1/uploads/{id}")
    assert found.status_code == 200, found.text
    return found.json()


class TestAnIndex:
    def test_is_made_of_files_and_found(self, server, folder):
        made = make(server, "Sleep, rats", {"one.ris": ris(20), "sub/two.ris": ris(5, 20)})
        assert made.status_code == 201, made.text
        assert made.json()["index"] == "Sleep-rats"
        assert made.json()["added"]["documents"] == 25
        found = server.get("/v1/indexes/Sleep-rats/search?q=caffeine&limit=1").json()
        assert "caffeine" in found["hits"][0]["title"]
        assert (folder / "Sleep, rats.idx").is_dir()
        assert not Index.open(folder / "Sleep, rats.idx").roots
        assert staged(folder) == []
        listed = server.get("/v1/projects").json()["projects"]
        assert [one["title"] for one in listed if one["name"] == "Sleep-rats"] == ["Sleep, rats"]

    def test_gets_more_files(self, server):
        make(server, "grows", {"one.ris": ris(10)})
        id = send(server, {"two.ris": ris(10, 5)})
        seen = server.post(f"/v1/uploads/{id}/preview?wait=60", json={"index": "grows"}).json()
        assert seen["duplicates"] == {"id": 5}
        added = server.post("/v1/indexes/grows/files?wait=60", json={"upload": id}).json()
        assert (added["documents"], added["skipped"]) == (5, 5)
        assert server.get("/v1/indexes/grows").json()["documents"] == 15
        again = server.post("/v1/indexes/grows/files", json={"upload": id})
        problem(again, 409, "an index already")

    def test_of_files_by_their_names(self, server):
        """Files of one document each keep their paths as ids, also those that come later."""
        make(server, "notes", {"a/x.txt": b"red apples", "a/y.txt": b"green pears"})
        id = send(server, {"a/z.txt": b"blue plums", "a/x.txt": b"ripe red apples"})
        asked = {"upload": id, "on_duplicate": "replace"}
        added = server.post("/v1/indexes/notes/files?wait=60", json=asked).json()
        assert (added["documents"], added["replaced"]) == (2, 1)
        for name in ("x", "y", "z"):
            answer = server.get(f"/v1/indexes/notes/documents/a/{name}.txt")
            assert answer.status_code == 200, answer.text

    def test_is_found_when_somebody_else_makes_it(self, server, folder):
        Index.create(folder / "elsewhere.idx", threads=1).add([{"id": "a", "text": "apples"}])
        assert server.get("/v1/indexes/elsewhere").json()["documents"] == 1
        shutil.rmtree(folder / "elsewhere.idx")
        names = [one["name"] for one in server.get("/v1/indexes").json()["indexes"]]
        assert "elsewhere" not in names

    def test_that_cannot_be_opened_is_in_nobodys_way(self, server, folder):
        (folder / "broken.idx" / "segments").mkdir(parents=True)
        assert server.get("/v1/projects").status_code == 200
        problem(server.get("/v1/indexes/broken"), 404, "no index 'broken'")
        shutil.rmtree(folder / "broken.idx")


class TestAPreview:
    def test_says_what_is_there(self, server):
        twice = ris(10) + ris(2).replace(b"ID  - r", b"ID  - again")
        found = preview(server, {"all.ris": twice, "x.exe": b"MZ"})
        assert (found["documents"], found["formats"]) == (12, {"ris": 12})
        assert found["types"] == {"article-journal": 12}
        assert found["duplicates"] == {"doi": 2}
        assert found["unknown"] == {".exe": 1}
        fields = {one["name"]: one for one in found["fields"]}
        year = {"name": "year", "label": "year", "documents": 12, "example": "1990"}
        assert fields["year"] == year

    def test_similar_titles(self, server):
        other = ris(10).replace(b"ID  - r", b"ID  - again").replace(b"DO  -", b"ZZ  -")
        found = preview(server, {"a.ris": ris(10), "b.ris": other.replace(b"Study", b"study:")})
        assert (found["duplicates"], found["alike"]) == ({}, 10)

    def test_labels(self, server):
        assert preview(server, {"a.csv": LABELLED})["labels"] == {"relevant": 1, "not": 2}

    def test_what_cannot_be_read(self, server):
        lines = b'{"id": "a", "text": "x"}\n{broken\n'
        found = preview(server, {"in/a.jsonl": lines, "b.pdf": b"no PDF"})
        places = {one["place"]: one["message"] for one in found["problems"]}
        assert found["problem_count"] == 2
        assert "in/a.jsonl, line 2" in places
        assert any("b.pdf" in place + message for place, message in places.items())

    def test_columns_that_are_named(self, server):
        table = {"a.csv": b"heading,words\nSleep,rats slept\n"}
        fields = preview(server, table, reading={"title_column": "heading", "text_column": "words"})
        assert fields["titles"] == ["Sleep"]

    def test_of_what_is_not_whole(self, server):
        begun = server.post("/v1/uploads", json={"files": [{"name": "a.ris", "size": 9}]}).json()
        problem(server.post(f"/v1/uploads/{begun['id']}/preview", json={}), 409, "not complete")
        asked = {"name": "half", "upload": begun["id"]}
        problem(server.post("/v1/indexes", json=asked), 409, "9 bytes have not come yet")
        assert server.delete(f"/v1/uploads/{begun['id']}").status_code == 204


class TestAPiece:
    @pytest.fixture
    def id(self, server):
        begun = server.post("/v1/uploads", json={"files": [{"name": "a.ris", "size": 9}]}).json()
        yield begun["id"]
        server.delete(f"/v1/uploads/{begun['id']}")

    def test_begins_where_the_last_ended(self, server, id):
        assert put(server, id, 0, 0, b"1234").json()["received"] == 4
        problem(put(server, id, 0, 0, b"1234"), 409, "a.ris has 4 bytes by now: go on from there")
        problem(put(server, id, 0, 4, b"123456"), 422, "was to have 9 bytes, not more")
        assert put(server, id, 0, 4, b"12345").json()["received"] == 9
        assert server.get(f"/v1/uploads/{id}").json()["state"] == "ready"
        assert server.get(f"/v1/uploads/{id}/files/0").json()["size"] == 9

    def test_is_bytes(self, server, id):
        address = f"/v1/uploads/{id}/files/0"
        problem(server.put(address, json={}), 415, "send a piece of a file, with a header Content")
        problem(put(server, id, 1, 0, b"x"), 404, "there are 1 files")
        said = server.post("/v1/uploads", content=b"x", headers=BYTES)
        problem(said, 415, "send JSON")


class TestNames:
    @pytest.mark.parametrize(
        "name", ["../a.ris", "/a.ris", "a/../b.ris", "a//b", ".hidden", "a\\b", "a\0b", "x" * 256]
    )
    def test_of_files_stay_in_the_folder(self, server, name):
        said = server.post("/v1/uploads", json={"files": [{"name": name, "size": 1}]})
        problem(said, 422, "is no name of a file")

    def test_of_files_do_not_clash(self, server):
        for names in (["a.ris", "A.ris"], ["a", "a/b"]):
            files = [{"name": name, "size": 1} for name in names]
            problem(server.post("/v1/uploads", json={"files": files}), 422, "same name|both a file")

    @pytest.mark.parametrize("name", ["..", "../x", "a/b", ".x", "-x", "a:b", "x" * 190, "–"])
    def test_of_projects_stay_in_the_folder(self, server, folder, name):
        before = sorted(path.name for path in folder.parent.iterdir())
        made = make(server, name, {"a.ris": ris(1)})
        assert made.status_code == 422, made.text
        assert sorted(path.name for path in folder.parent.iterdir()) == before

    def test_are_unique(self, server):
        assert make(server, "Only one", {"a.ris": ris(1)}).status_code == 201
        for name in ("Only one", "only ONE", "Only-one"):
            problem(make(server, name, {"a.ris": ris(1)}), 409, "there is a project .* already")

    def test_two_at_once(self, server):
        """One of two creations with one name is refused before it begins."""
        ids = [send(server, {"a.ris": ris(200)}) for _ in range(2)]
        asked = [{"name": "race", "upload": id} for id in ids]
        codes = [server.post("/v1/indexes", json=one).status_code for one in asked]
        assert codes == [202, 409]
        until(lambda: server.get(f"/v1/uploads/{ids[0]}").json()["state"] == "done")
        server.delete(f"/v1/uploads/{ids[1]}")


def until(look, seconds=60):
    end = time.monotonic() + seconds
    while not look():
        assert time.monotonic() < end
        time.sleep(0.02)


def keep(client, index):
    """Save a query."""
    asked = {"positive": ["r1"], "method": "centroid"}
    id = client.post(f"/v1/indexes/{index}/search", json=asked).json()["query"]["id"]
    saved = client.post(f"/v1/indexes/{index}/queries", json={"name": "q", "query": id})
    assert saved.status_code == 201, saved.text


class TestDeleting:
    def test_needs_the_name_again(self, server, folder):
        make(server, "to go", {"a.ris": ris(3)})
        review = server.post("/v1/indexes/to-go/sessions", json={"name": "r", "words": "sleep"})
        assert review.status_code == 201
        problem(server.delete("/v1/indexes/to-go?name=other"), 422, "to delete to-go, say its name")
        keep(server, "to-go")
        assert server.delete("/v1/indexes/to-go?name=to-go").status_code == 204
        assert not [path for path in folder.iterdir() if path.name.startswith("to go")]
        problem(server.get("/v1/indexes/to-go"), 404, "no index")
        assert make(server, "to go", {"a.ris": ris(3)}).status_code == 201
        assert server.get("/v1/indexes/to-go/sessions").json()["sessions"] == []
        assert server.get("/v1/indexes/to-go/queries").json()["queries"] == []
        keep(server, "to-go")  # in the new index' own database, not in the old one's
        with serving(folder / "to go.idx") as other:
            assert len(other.get("/v1/indexes/to-go/queries").json()["queries"]) == 1

    def test_from_a_database_of_all(self, tmp_path):
        place = tmp_path / "all.sqlite"
        with serving(projects=tmp_path / "projects", database=str(place)) as client:
            for _ in range(2):
                assert make(client, "again", {"a.ris": ris(3)}).status_code == 201
                new = {"name": "r", "words": "sleep"}
                made = client.post("/v1/indexes/again/sessions", json=new)
                assert made.status_code == 201, made.text
                keep(client, "again")
                assert client.delete("/v1/indexes/again?name=again").status_code == 204

    def test_not_what_was_made_elsewhere(self, tmp_path):
        index = Index.create(tmp_path / "own.idx", threads=1)
        (tmp_path / "projects").mkdir()
        with serving(index.path, projects=tmp_path / "projects") as client:
            problem(client.delete("/v1/indexes/own?name=own"), 409, "was not made here")
        assert index.path.is_dir()


def test_all_of_it_as_one_file(server, tmp_path):
    make(server, "whole", {"a.ris": ris(30)})
    server.post("/v1/indexes/whole/sessions", json={"name": "r", "words": "sleep"})
    judged = {"judgements": [{"id": "r1", "label": "relevant"}], "reviewer": "ada"}
    server.post("/v1/indexes/whole/sessions/r/judgements", json=judged)
    answer = server.get("/v1/indexes/whole/backup")
    assert answer.headers["content-disposition"].endswith("whole.likewise.zip")
    assert zipfile.ZipFile(io.BytesIO(answer.content)).testzip() is None
    (tmp_path / "whole.zip").write_bytes(answer.content)
    index = Index.restore(tmp_path / "whole.zip", tmp_path / "again.idx")
    assert len(index) == 30
    assert [one.name for one in index.sessions()] == ["r"]


def test_without_a_folder_nothing_is_made(tmp_path):
    index = Index.create(tmp_path / "papers.idx", threads=1)
    with serving(index.path) as client:
        assert not client.get("/v1/projects/about").json()["creates"]
        files = {"files": [{"name": "a.ris", "size": 1}]}
        problem(client.post("/v1/uploads", json=files), 403, "nothing can be made here")
        problem(client.post("/v1/indexes", json={"name": "a", "upload": "u"}), 403, "nothing")


class TestLimits:
    def test_of_bytes_files_and_uploads(self, tmp_path):
        limits = Limits(rate=0, upload=100, upload_files=2)
        with serving(projects=tmp_path, limits=limits) as client:
            for sizes, status, said in (
                ([101], 422, "can be sent at a time"),
                ([1, 1, 1], 422, "more than 2 files"),
            ):
                files = [{"name": f"{n}.ris", "size": size} for n, size in enumerate(sizes)]
                problem(client.post("/v1/uploads", json={"files": files}), status, said)
            for _ in range(8):
                files = {"files": [{"name": "a.ris", "size": 1}]}
                assert client.post("/v1/uploads", json=files).status_code == 201
            problem(client.post("/v1/uploads", json=files), 429, "you have 8 uploads")

    def test_of_time(self, tmp_path, monkeypatch):
        monkeypatch.setattr("likewise.server.app.TIDY", 0.05)
        with serving(projects=tmp_path, limits=Limits(rate=0, upload_seconds=0.2)) as client:
            id = send(client, {"a.ris": ris(1)})
            assert staged(tmp_path) == ["a.ris"]
            until(lambda: staged(tmp_path) == [])
            problem(client.get(f"/v1/uploads/{id}"), 404, "no upload")

    def test_of_the_disk_before_anything_is_sent(self, server):
        huge = {"files": [{"name": "a.ris", "size": 1 << 31}, {"name": "b.ris", "size": 1}]}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(uploads, "ROOM", 1 << 60)
            problem(server.post("/v1/uploads", json=huge), 507, "are free on the disk")


def test_one_that_is_dropped_while_they_are_listed(tmp_path):
    """Requests are answered by several threads."""
    projects = Projects(tmp_path)
    try:
        known = uploads.Uploads(projects, Limits())
        first, second = (known.begin([NewFile(name="a.ris", size=1)], "me") for _ in range(2))

        class Dropping(uploads.Upload):
            owner = property(lambda self: known.drop(first) or "me", lambda self, owner: None)

        known._uploads["last"] = last = Dropping("last", "me", tmp_path / "last", [])
        assert known.of("me") == [last, second, first]
        assert known.of("me") == [last, second]
    finally:
        projects.close()


class TestAFullDisk:
    """One sentence, and nothing left."""

    def test_while_files_come(self, server, folder, monkeypatch):
        begun = server.post("/v1/uploads", json={"files": [{"name": "a.ris", "size": 9}]}).json()
        monkeypatch.setattr(uploads, "ROOM", 1 << 60)
        problem(put(server, begun["id"], 0, 0, b"1234"), 507, "the disk is full: nothing was kept")
        assert staged(folder) == []

    def test_while_an_index_is_made(self, server, folder, monkeypatch):
        id = send(server, {"a.ris": ris(50)})

        def full(*arguments, **options):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr("likewise.store.container.os.fsync", full)
        made = server.post("/v1/indexes?wait=60", json={"name": "full", "upload": id})
        problem(made, 507, "the disk is full: nothing was made")
        assert staged(folder) == []
        assert not (folder / "full.idx").exists()


def test_nothing_readable(server, folder):
    problem(make(server, "empty", {"a.exe": b"MZ"}), 422, "files that end in .exe cannot be read")
    assert not (folder / "empty.idx").exists()


def test_cancelled(server, folder):
    id = send(server, {"a.ris": ris(4000)})
    begun = server.post("/v1/indexes", json={"name": "cancelled", "upload": id}).json()
    server.delete(f"/v1/jobs/{begun['id']}")
    until(lambda: server.get(f"/v1/jobs/{begun['id']}").json()["state"] in ("cancelled", "done"))
    if server.get(f"/v1/jobs/{begun['id']}").json()["state"] == "cancelled":
        assert not (folder / "cancelled.idx").exists()
        assert server.get(f"/v1/uploads/{id}").json()["state"] == "ready"
        assert [one["id"] for one in server.get("/v1/uploads").json()["uploads"]] == [id]
    server.delete(f"/v1/uploads/{id}")


def test_a_server_that_is_killed_leaves_nothing(tmp_path):
    """While files come and while an index is made: the next start has neither, and no files."""
    with process(tmp_path, "--quiet") as (running, address):
        with httpx.Client(base_url=address, timeout=60) as client:
            client.post("/v1/uploads", json={"files": [{"name": "half.ris", "size": 9}]})
            id = send(client, {"a.ris": ris(20_000)})
            begun = client.post("/v1/indexes", json={"name": "killed", "upload": id}).json()
            until(lambda: client.get(f"/v1/jobs/{begun['id']}").json()["doing"] == "reading")
        running.send_signal(signal.SIGKILL)
        running.wait()
    assert "a.ris" in staged(tmp_path)
    with process(tmp_path, "--quiet") as (_, address):
        assert httpx.get(f"{address}/v1/projects").json()["projects"] == []
        assert staged(tmp_path) == []
        assert [path.name for path in tmp_path.iterdir()] == [".staging"]


def test_two_servers_share_a_folder(tmp_path):
    """Neither takes the other's files away."""
    with serving(projects=tmp_path) as one:
        id = send(one, {"a.ris": ris(3)})
        with serving(projects=tmp_path) as other:
            asked = {"name": "shared", "upload": id}
            assert one.post("/v1/indexes?wait=60", json=asked).status_code == 201
            assert other.get("/v1/indexes/shared").json()["documents"] == 3


def test_what_was_broken_off_gives_way(server, folder, monkeypatch):
    """A page that is closed while it sends cannot drop what it sent."""
    files = {"files": [{"name": "half.ris", "size": 9}]}
    id = server.post("/v1/uploads", json=files).json()["id"]
    put(server, id, 0, 0, b"1234")
    assert staged(folder) == ["half.ris"]
    monkeypatch.setattr(uploads, "BROKEN_OFF", 0.0)
    other = server.post("/v1/uploads", json=files).json()["id"]
    problem(server.get(f"/v1/uploads/{id}"), 404, "no upload")
    assert server.delete(f"/v1/uploads/{other}").status_code == 204
    assert staged(folder) == []
