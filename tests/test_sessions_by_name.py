"""A name means the session that has it now; a handle means the session it was opened for."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from helpers.server_client import problem, serving
from likewise import Index
from likewise.errors import UsageError

SESSIONS = "/v1/indexes/papers/sessions"


@pytest.fixture
def index(tmp_path):
    index = Index.create(tmp_path / "papers.idx", threads=1)
    index.add([{"id": str(i), "text": f"cats {'dogs ' * (i % 3)} number{i}"} for i in range(12)])
    return index


@pytest.fixture
def elsewhere(index):
    """The same index as another process sees it."""
    return Index.open(index.path)


@pytest.fixture
def client(index):
    with serving(index.path) as client:
        yield client


def create(client, name, words="cats"):
    made = client.post(SESSIONS, json={"name": name, "words": words})
    assert made.status_code == 201, made.text


def judge(client, name, id):
    judgements = [{"id": id, "label": "relevant"}]
    body = {"reviewer": "ann", "judgements": judgements}
    return client.post(f"{SESSIONS}/{name}/judgements", json=body)


def judged(elsewhere, name):
    """What the database has."""
    return set(elsewhere.session(name).judgements("ann"))


class TestOverHttp:
    def test_another_session_under_the_old_name(self, client, elsewhere):
        create(client, "s")
        assert judge(client, "s", "1").status_code == 200
        elsewhere.rename_session("s", "old")
        elsewhere.session("s", query="dogs")
        assert judge(client, "s", "2").status_code == 200
        assert judge(client, "old", "3").status_code == 200
        assert (judged(elsewhere, "s"), judged(elsewhere, "old")) == ({"2"}, {"1", "3"})

    def test_a_name_is_deleted_and_taken_again(self, client, elsewhere):
        create(client, "s")
        assert judge(client, "s", "1").status_code == 200
        elsewhere.delete_session("s")
        problem(judge(client, "s", "2"), 404, "no session 's' for papers")
        for part in ("", "/page", "/judgements", "/history", "/stats"):
            problem(client.get(f"{SESSIONS}/s{part}"), 404, "no session 's' for papers")
        assert elsewhere.sessions() == []  # asking made none
        create(client, "s", "dogs")
        assert judge(client, "s", "3").status_code == 200
        assert judged(elsewhere, "s") == {"3"}

    def test_two_sessions_change_names(self, client, elsewhere):
        create(client, "a")
        create(client, "b")
        assert judge(client, "a", "1").status_code == judge(client, "b", "2").status_code == 200
        for name, new in (("a", "c"), ("b", "a"), ("c", "b")):
            elsewhere.rename_session(name, new)
        assert judge(client, "a", "3").status_code == 200
        assert (judged(elsewhere, "a"), judged(elsewhere, "b")) == ({"2", "3"}, {"1"})

    def test_choices_made_elsewhere_are_followed(self, client, elsewhere):
        create(client, "s")
        assert client.get(f"{SESSIONS}/s").json()["page_size"] == 10
        elsewhere.session("s", page_size=3)
        assert len(client.get(f"{SESSIONS}/s/page").json()["hits"]) == 3
        assert client.get(f"{SESSIONS}/s").json()["page_size"] == 3

    def test_an_index_that_was_empty(self, tmp_path):
        """Documents give it its identity, which must not part it from its sessions."""
        path = tmp_path / "papers.idx"
        Index.create(path, threads=1)
        with serving(path) as client:
            create(client, "s")
            added = {"documents": [{"id": "a", "text": "cats"}]}
            assert client.post("/v1/indexes/papers/documents", json=added).status_code == 201
            assert judge(client, "s", "a").status_code == 200
        assert judged(Index.open(path), "s") == {"a"}


class TestHandles:
    def test_a_handle_stays_with_its_session(self, index, elsewhere):
        handle = index.session("s", query="cats", reviewer="ann")
        elsewhere.rename_session("s", "old")
        elsewhere.session("s", query="dogs", reviewer="ann").judge("1", "not")
        handle.judge("2", "relevant")
        assert handle.name == "old"
        assert handle.judgements() == {"2": "relevant"}
        assert handle.undo().changes[0].document == "2"
        handle.redo()
        assert index.session("s", reviewer="ann").judgements() == {"1": "not"}
        assert judged(elsewhere, "old") == {"2"}

    @pytest.mark.parametrize(
        "use",
        [
            lambda handle: handle.page,
            lambda handle: handle.next(),
            lambda handle: handle.sample(),
            lambda handle: handle.judge("2", "not"),
            lambda handle: handle.withdraw("1"),
            lambda handle: handle.undo(),
            lambda handle: handle.judgements(),
            lambda handle: handle.export(format="csv"),
            lambda handle: handle.stats(),
            lambda handle: handle.query,
        ],
    )
    def test_a_handle_of_a_deleted_session(self, index, elsewhere, use):
        handle = index.session("s", query="cats")
        handle.judge("1", "relevant")
        elsewhere.delete_session("s")
        elsewhere.session("s", query="cats")
        sentence = r"session 's' in .*sessions\.sqlite was deleted meanwhile: begin another one"
        with pytest.raises(UsageError, match=sentence):
            use(handle)
        assert elsewhere.session("s").history() == []

    def test_finding_makes_none(self, index, elsewhere):
        assert index.find_session("s") is None
        assert list(index.path.parent.glob("*.sqlite")) == []
        elsewhere.session("s", query="cats")
        found = index.find_session("s", reviewer="ann", page_size=4)
        assert (found.name, found.reviewer, len(found.next().ids)) == ("s", "ann", 4)
        for name in ("t", "", "\udc80", "a\x00b"):
            assert index.find_session(name) is None
        with pytest.raises(UsageError, match="unknown option 'size'"):
            index.find_session("s", size=4)

    def test_a_session_of_another_index_is_not_found(self, index, tmp_path):
        other = Index.create(tmp_path / "other.idx", threads=1)
        other.add([{"id": "x", "text": "birds"}])
        place = tmp_path / "all.sqlite"
        other.session("s", query="birds", database=place).judge("x", "relevant")
        assert index.find_session("s", database=place) is None
        assert other.find_session("s", database=place).labels() == {"x": True}


def test_of_many_renames_to_one_name_one_succeeds(index):
    handles = [Index.open(index.path) for _ in range(6)]
    for i in range(len(handles)):
        index.session(f"s{i}")

    def rename(i):
        try:
            handles[i].rename_session(f"s{i}", "same")
        except UsageError as error:
            assert "there is a session 'same'" in str(error)  # noqa: PT017
            return False
        return True

    with ThreadPoolExecutor(len(handles)) as threads:
        assert sum(threads.map(rename, range(len(handles)))) == 1
    assert len(index.sessions()) == len(handles)
