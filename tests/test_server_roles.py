"""Who may do what: every route with every role, what belongs to others, tokens that change."""

from __future__ import annotations

import json
import os
import stat
import threading
from base64 import b64encode
from typing import NamedTuple

import pytest

from helpers.command_line import refuse, succeed
from helpers.server_client import problem, serving
from likewise import Index, InputError, UsageError
from likewise.server import tokens as files
from likewise.server.access import ANYONE, GRANTS, Caller, Role, names_of, role_of
from likewise.server.app import create_app
from likewise.server.tokens import Tokens

BASE = "/v1/indexes/papers"
SESSION = f"{BASE}/sessions/s"
# Ada has made session s and query q, and so has nobody else here.
ROLES = {"": "read", "ben": "review", "ada": "review", "will": "write", "eve": "owner"}
ROLES["both"] = "review,write"
SECRETS = {name: f"{name or 'reader'}-" + "x" * 20 for name in ROLES}
EVERYBODY = set(ROLES)
MAY = {
    "read": EVERYBODY,
    "review": {"ben", "ada", "eve", "both"},
    "write": {"will", "eve", "both"},
    "own": {"ada", "eve"},
    "owner": {"eve"},
}


class Row(NamedTuple):
    """A route, who may use it, how it is asked, and what the answer is where that is allowed."""

    route: str
    may: str
    status: int = 200
    body: dict | bytes | str | None = None
    address: str = ""
    needs: str = ""  # what must be there before


PDF = b"%PDF-1.7"
TEXT = {"name": "a.csv", "content": b64encode(b"title,text\na,b\n").decode()}
JUDGED = {"judgements": [{"id": "a", "label": "relevant"}]}
FILES = {"files": [{"name": "a.ris", "size": 3}]}
ROWS = [
    Row("GET /projects", "read"),
    Row("POST /indexes", "write", 404, {"name": "new", "upload": "none"}),
    Row("DELETE /indexes/{index}", "owner", 409, address=f"{BASE}?name=papers"),  # not made there
    Row("PATCH /indexes/{index}", "owner", body={"title": "Papers"}, address=BASE),
    Row("POST /indexes/{index}/files", "write", 404, {"upload": "none"}),
    Row("GET /indexes/{index}/backup", "owner"),
    Row("GET /projects/about", "read"),
    Row("GET /uploads", "write"),
    Row("POST /uploads", "write", 201, FILES),
    Row("GET /uploads/{id}", "write", 404),  # of which there is none, and so below
    Row("DELETE /uploads/{id}", "write", 404),
    Row("GET /uploads/{id}/files/{number}", "write", 404, address="/v1/uploads/u/files/0"),
    Row("PUT /uploads/{id}/files/{number}", "write", 404, address="/v1/uploads/u/files/0"),
    Row("POST /uploads/{id}/preview", "write", 404, {}),
    Row("GET /indexes", "read"),
    Row("GET /indexes/{index}", "read"),
    Row("GET /indexes/{index}/fields", "read"),
    Row("POST /indexes/{index}/merge", "write", address=f"{BASE}/merge?small=true"),
    Row("GET /indexes/{index}/views", "read"),
    Row("POST /indexes/{index}/views", "write", 422, {"view": "titles", "model": "none"}),
    Row("DELETE /indexes/{index}/views/{view}", "write", 404, address=f"{BASE}/views/latent"),
    Row("GET /indexes/{index}/documents/{id:path}", "read", address=f"{BASE}/documents/a"),
    Row(
        "POST /indexes/{index}/documents",
        "write",
        201,
        {"documents": [{"text": "new"}], "on_duplicate": "skip"},
    ),
    Row("GET /indexes/{index}/documents", "read"),
    Row(
        "POST /indexes/{index}/bulk",
        "write",
        201,
        '{"text": "new"}',
        f"{BASE}/bulk?on_duplicate=skip&wait=30",
    ),
    Row(
        "DELETE /indexes/{index}/documents",
        "write",
        address=f"{BASE}/documents?id=none&ignore_missing=true",
    ),
    Row("GET /indexes/{index}/search", "read", address=f"{BASE}/search?q=apples"),
    Row("POST /indexes/{index}/search", "read", body={"words": "apples"}),
    Row("POST /indexes/{index}/search/batch", "read", body={"searches": [{"words": "apples"}]}),
    Row("GET /methods", "read"),
    Row("GET /exports", "read"),
    Row("GET /indexes/{index}/export", "read"),
    Row("GET /indexes/{index}/duplicates", "read"),
    Row("POST /filters", "read", body={"filter": "year>2000"}),
    Row("GET /read", "read"),
    Row("POST /read", "read", body=TEXT),
    Row("POST /indexes/{index}/terms", "read", body={"words": ["apples"]}),
    Row("GET /indexes/{index}/queries", "read"),
    Row("POST /indexes/{index}/queries", "review", 201, {"name": "mine"}, needs="learned"),
    Row("GET /indexes/{index}/queries/{name}", "read", needs="query"),
    Row("DELETE /indexes/{index}/queries/{name}", "own", 204, needs="query"),
    Row(
        "POST /indexes/{index}/queries/{name}/export", "read", 200, {"to": "lucene"}, needs="query"
    ),
    Row("GET /indexes/{index}/sessions", "read"),
    Row("POST /indexes/{index}/sessions", "review", 201, {"name": "mine"}, needs="no session"),
    Row("GET /indexes/{index}/sessions/{name}", "read", needs="session"),
    Row("PATCH /indexes/{index}/sessions/{name}", "own", body={"page_size": 7}, needs="session"),
    Row("DELETE /indexes/{index}/sessions/{name}", "own", 204, needs="session"),
    Row("GET /indexes/{index}/sessions/{name}/news", "read", needs="session"),
    Row("POST /indexes/{index}/sessions/{name}/news", "review", needs="session"),
    Row("GET /indexes/{index}/searches", "read"),
    Row(
        "POST /indexes/{index}/searches",
        "review",
        201,
        {"name": "mine", "words": "apples"},
        needs="no search",
    ),
    Row("GET /indexes/{index}/searches/{name}/new", "read", needs="search"),
    Row("GET /indexes/{index}/searches/{name}/feed", "read", needs="search"),
    Row("POST /indexes/{index}/searches/{name}/seen", "review", 204, needs="search"),
    Row("DELETE /indexes/{index}/searches/{name}", "own", 204, needs="search"),
    Row("GET /indexes/{index}/sessions/{name}/report", "read", needs="session"),
    Row("GET /indexes/{index}/sessions/{name}/report/diagram", "read", needs="session"),
    Row("GET /indexes/{index}/sessions/{name}/report/trail", "read", needs="session"),
    Row("GET /indexes/{index}/sessions/{name}/report/archive", "review", needs="session"),
    Row("GET /indexes/{index}/sessions/{name}/page", "review", needs="session"),
    Row("POST /indexes/{index}/sessions/{name}/page", "review", body={}, needs="session"),
    Row(
        "GET /indexes/{index}/sessions/{name}/judgements",
        "read",
        address=f"{SESSION}/judgements?reviewer=ada",
        needs="session",
    ),
    Row("POST /indexes/{index}/sessions/{name}/judgements", "review", 200, JUDGED, needs="session"),
    Row("POST /indexes/{index}/sessions/{name}/undo", "review", body={}, needs="judged"),
    Row("POST /indexes/{index}/sessions/{name}/redo", "review", body={}, needs="undone"),
    Row("GET /indexes/{index}/sessions/{name}/history", "read", needs="session"),
    Row("GET /indexes/{index}/sessions/{name}/stats", "read", needs="session"),
    Row("GET /indexes/{index}/sessions/{name}/prospect", "read", needs="session"),
    Row("GET /indexes/{index}/sessions/{name}/conflicts", "read", needs="session"),
    Row("GET /indexes/{index}/sessions/{name}/team", "read", needs="session"),
    Row("PATCH /indexes/{index}/sessions/{name}/team", "own", body={"agree": 1}, needs="session"),
    Row(
        "POST /indexes/{index}/sessions/{name}/assignments",
        "own",
        body={"reviewers": ["ben"]},
        needs="session",
    ),
    Row("DELETE /indexes/{index}/sessions/{name}/assignments", "own", needs="session"),
    Row(
        "POST /indexes/{index}/sessions/{name}/decisions",
        "own",
        204,
        {"id": "a", "label": "relevant"},
        needs="session",
    ),
    Row("GET /indexes/{index}/sessions/{name}/judged", "read", needs="session"),
    Row(
        "GET /indexes/{index}/sessions/{name}/judged/{id:path}",
        "read",
        address=f"{SESSION}/judged/a",
        needs="session",
    ),
    Row("GET /indexes/{index}/sessions/{name}/export", "read", needs="session"),
    Row("GET /indexes/{index}/sessions/{name}/protocol", "read", needs="session"),
    Row(
        "PUT /indexes/{index}/sessions/{name}/protocol",
        "own",
        body={"reasons": ["no trial"]},
        needs="session",
    ),
    Row("GET /indexes/{index}/sessions/{name}/preferences", "review", needs="session"),
    Row(
        "PUT /indexes/{index}/sessions/{name}/preferences",
        "review",
        body={"keys": {"not": "e"}, "highlights": [{"word": "trial"}]},
        needs="session",
    ),
    Row(
        "POST /indexes/{index}/sessions/{name}/remarks",
        "review",
        body={"id": "a", "note": "see table 2"},
        needs="session",
    ),
    Row("POST /indexes/{index}/known", "read", body={"names": ["a", "10.1/x"]}),
    Row("GET /indexes/{index}/labels", "read"),
    Row("GET /indexes/{index}/sessions/{name}/attachments", "read", needs="session"),
    Row(
        "POST /indexes/{index}/sessions/{name}/attachments",
        "review",
        201,
        PDF,
        f"{SESSION}/attachments?id=a&file=a.pdf",
        "session",
    ),
    Row("GET /indexes/{index}/sessions/{name}/full-texts/missing", "read", needs="session"),
    Row(
        "GET /indexes/{index}/sessions/{name}/full-texts/indexed",
        "read",
        404,  # there is none
        address=f"{SESSION}/full-texts/indexed?id=a",
        needs="session",
    ),
    Row("GET /indexes/{index}/sessions/{name}/attachments/{number}", "read", needs="attachment"),
    Row(
        "DELETE /indexes/{index}/sessions/{name}/attachments/{number}",
        "own",
        204,
        needs="attachment",
    ),
    Row("GET /jobs", "read"),
    Row("GET /jobs/{id}", "read", 404),  # of which there is none
    Row("DELETE /jobs/{id}", "read", 404),  # of which there is none
    Row("GET /jobs/{id}/events", "read", 404),  # of which there is none
    Row("GET /me", "read"),
    Row("GET /tokens", "owner"),
    Row("POST /tokens", "owner", 201, {"name": "new", "roles": ["read"]}, needs="no token"),
    Row("POST /tokens/{which}/rotate", "owner", needs="token"),
    Row("DELETE /tokens/{which}", "owner", 204, needs="token"),
    Row("GET /health", "anybody"),
    Row("GET /metrics", "read"),
]


def sent(body, headers):
    """A body as JSON, or as it is."""
    if isinstance(body, bytes):
        return {"content": body, "headers": headers | {"content-type": "application/pdf"}}
    if isinstance(body, str):
        return {"content": body, "headers": headers | {"content-type": "application/x-ndjson"}}
    return {"json": body, "headers": headers}


def bearer(name):
    return {"authorization": f"Bearer {SECRETS[name]}"}


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    index = Index.create(tmp_path_factory.mktemp("served") / "papers.idx", threads=1)
    index.add([{"id": "a", "text": "red apples"}, {"id": "b", "text": "apples and figs"}])
    return index


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("tokens") / "tokens.txt"
    lines = (f"{SECRETS[name]} {role} {name}".strip() for name, role in ROLES.items())
    path.write_text("# by hand\n" + "\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def server(index, path, tmp_path_factory):
    projects = tmp_path_factory.mktemp("projects")
    with serving(index.path, token_file=path, projects=projects) as client:
        yield client


class Setting:
    """Puts what a request needs in place; what an earlier one left is taken away."""

    def __init__(self, client):
        self.client = client

    def send(self, method, address, body=None, name="eve"):
        return self.client.request(method, address, **sent(body, bearer(name)))

    def prepare(self, row, name):
        """The address and the body of a request."""
        body = row.body
        if row.needs in ("session", "judged", "undone", "attachment"):
            self.session()
        if row.needs in ("judged", "undone") and name in MAY[row.may]:
            self.send("POST", f"{SESSION}/judgements", JUDGED, name)
        if row.needs == "undone" and name in MAY[row.may]:
            self.send("POST", f"{SESSION}/undo", {}, name)
        if row.needs == "no session":
            self.send("DELETE", f"{BASE}/sessions/mine")
        if row.needs == "learned":
            self.send("DELETE", f"{BASE}/queries/mine")
            body = {**row.body, "query": self.learned()}
        if row.needs == "query":
            saved = {"name": "q", "query": self.learned(), "replace": True}
            assert self.send("POST", f"{BASE}/queries", saved, "ada").status_code == 201
        if row.needs == "no search":
            self.send("DELETE", f"{BASE}/searches/mine")
        if row.needs == "search":
            kept = {"name": "s", "words": "apples"}
            assert self.send("POST", f"{BASE}/searches", kept, "ada").status_code == 201
        if row.needs in ("token", "no token"):
            self.send("DELETE", "/v1/tokens/new")
        if row.needs == "token":
            made = {"name": "new", "roles": ["review"]}
            assert self.send("POST", "/v1/tokens", made).status_code == 201
        ids = {"{index}": "papers", "{which}": "new"}
        if row.needs == "attachment":
            made = self.send("POST", f"{SESSION}/attachments?id=a&file=a.pdf", PDF, "ada")
            ids["{number}"] = str(made.json()["number"])
        ids["{name}"] = "q" if row.needs == "query" else "s"
        address = row.address or "/v1" + row.route.split()[1]
        for part, value in ids.items():
            address = address.replace(part, value)
        return address, body

    def session(self):
        made = self.send("POST", f"{BASE}/sessions", {"name": "s", "words": "apples"}, "ada")
        assert made.status_code in (201, 409), made.text

    def learned(self):
        asked = {"positive": ["a"], "method": "centroid"}
        return self.send("POST", f"{BASE}/search", asked).json()["query"]["id"]


def test_the_table_has_every_route():
    """A new route needs a row, which says who may use it."""
    known = [f"{method} {route.path}" for route in routes() for method in route.methods]
    assert sorted(row.route for row in ROWS) == sorted(known)


def routes():
    """Of the application behind whatever stands before it."""
    app = create_app([])
    while not hasattr(app, "state"):
        app = app._app
    return app.state.routes


@pytest.mark.parametrize("row", ROWS, ids=[row.route for row in ROWS])
def test_every_route_with_every_role(server, row):
    setting = Setting(server)
    found, expected = {}, {}
    for name in (None, *sorted(EVERYBODY)):
        address, body = setting.prepare(row, name)
        headers = {} if name is None else bearer(name)
        method = row.route.split()[0]
        found[name] = server.request(method, address, **sent(body, headers)).status_code
        allowed = row.may == "anybody" or (name is not None and name in MAY[row.may])
        expected[name] = row.status if allowed else 401 if name is None else 403
    assert found == expected


class TestSessionsOfOthers:
    def test_belong_to_who_made_them(self, server):
        setting = Setting(server)
        setting.session()
        info = server.get(SESSION, headers=bearer("ben")).json()
        assert (info["owner"], info["yours"]) == ("ada", False)
        assert server.get(SESSION, headers=bearer("ada")).json()["yours"]
        assert server.get(SESSION, headers=bearer("eve")).json()["yours"]
        said = server.delete(SESSION, headers=bearer("ben"))
        problem(said, 403, r"session 's' is ada's: its owner may do this, or a token of owner")

    def test_can_be_handed_over(self, server):
        Setting(server).session()
        given = server.patch(SESSION, json={"owner": "ben"}, headers=bearer("ada")).json()
        assert (given["owner"], given["yours"]) == ("ben", False)
        problem(server.patch(SESSION, json={"name": "t"}, headers=bearer("ada")), 403, "ben's")
        changed = {"name": "t", "archived": True, "owner": "ada"}
        there = server.patch(SESSION, json=changed, headers=bearer("ben")).json()
        assert (there["name"], there["archived"], there["owner"]) == ("t", True, "ada")
        assert server.patch(f"{BASE}/sessions/t", json={"name": "s"}, headers=bearer("eve"))

    def test_judgements_are_the_token_s_own(self, server):
        setting = Setting(server)
        setting.session()
        for name in ("ben", "eve", "both"):
            asked = {**JUDGED, "reviewer": "ada"}
            said = server.post(f"{SESSION}/judgements", json=asked, headers=bearer(name))
            problem(said, 403, f"your token is {name}'s, not ada's")
            for step in ("undo", "redo"):
                said = server.post(
                    f"{SESSION}/{step}", json={"reviewer": "ada"}, headers=bearer(name)
                )
                problem(said, 403, "not ada's")

    def test_whose_judgements_are_read(self, server):
        setting = Setting(server)
        setting.session()
        setting.send("POST", f"{SESSION}/judgements", JUDGED, "ada")
        read = f"{SESSION}/judgements"
        problem(server.get(read, headers=bearer("")), 422, "your token has no name: say whose")
        for name, whose in (("ada", ""), ("", "?reviewer=ada"), ("ben", "?reviewer=ada")):
            found = server.get(f"{read}{whose}", headers=bearer(name)).json()
            assert found == {"reviewer": "ada", "judgements": {"a": "relevant"}}
        assert server.get(read, headers=bearer("will")).json()["judgements"] == {}

    def test_what_is_nobodys_is_for_owners(self, index, path, tmp_path):
        """Of a database from before there were owners."""
        place = tmp_path / "old.sqlite"
        with serving(index.path, token_file=path, database=str(place)) as client:
            made = client.post(f"{BASE}/sessions", json={"name": "s"}, headers=bearer("ada"))
            assert made.status_code == 201
            index.reviews.hand_over("s", "x", place)
            from likewise.reviews.database import Database

            with Database(place).writing() as connection:
                connection.exec_driver_sql("UPDATE likewise_sessions SET owner = ''")
            problem(client.delete(SESSION, headers=bearer("ada")), 403, "nobody's that is known")
            assert client.delete(SESSION, headers=bearer("eve")).status_code == 204
        acts = index.reviews.audit("s", place)
        assert [(act.by, act.action) for act in acts if act.action in ("create", "delete")] == [
            ("ada", "create"),
            ("eve", "delete"),
        ]

    def test_saved_queries_too(self, server):
        setting = Setting(server)
        row = next(row for row in ROWS if row.needs == "query")
        setting.prepare(row, "ada")
        again = {"name": "q", "query": setting.learned(), "replace": True}
        said = server.post(f"{BASE}/queries", json=again, headers=bearer("ben"))
        problem(said, 403, "query 'q' is ada's")
        assert server.post(f"{BASE}/queries", json=again, headers=bearer("ada")).status_code == 201

    def test_without_tokens_all_is_as_it_was(self, index, tmp_path):
        with serving(index.path, database=str(tmp_path / "free.sqlite")) as client:
            assert client.get("/v1/me").json() == {
                "name": "",
                "roles": ["read", "review", "write", "owner"],
                "tokens": False,
            }
            problem(client.get("/v1/tokens"), 404, "has no tokens")
            assert client.post(f"{BASE}/sessions", json={"name": "s"}).json()["yours"]
            for name in ("ada", "ben"):
                asked = {**JUDGED, "reviewer": name}
                assert client.post(f"{SESSION}/judgements", json=asked).status_code == 200
            assert client.get(SESSION).json()["reviewers"] == ["ada", "ben"]
            assert client.delete(SESSION).status_code == 204


class TestRoles:
    def test_what_each_includes(self):
        assert names_of(GRANTS["review"]) == ["read", "review"]
        assert names_of(GRANTS["write"]) == ["read", "write"]
        assert names_of(GRANTS["owner"]) == list(GRANTS)
        assert names_of(role_of(["review", "write"])) == ["read", "review", "write"]
        with pytest.raises(UsageError, match="'king' is no role: choose read, review, write, own"):
            role_of(["king"])

    def test_owners(self):
        ada = Caller("ada", GRANTS["review"])
        assert ada.owns("ada")
        assert not ada.owns("ben")
        assert not Caller("", GRANTS["read"]).owns("")
        assert Caller("eve", GRANTS["owner"]).owns("")
        assert ANYONE.owns("ada")
        assert not ada.may(Role.write)

    def test_who_am_i(self, server):
        assert server.get("/v1/me", headers=bearer("both")).json() == {
            "name": "both",
            "roles": ["read", "review", "write"],
            "tokens": True,
        }
        assert server.get("/v1/me", headers=bearer("")).json()["name"] == ""


class TestChangingTokens:
    """The server goes on: the next request counts."""

    @pytest.fixture
    def own(self, tmp_path, index):
        path = tmp_path / "tokens.txt"
        secret = files.add(path, "eve", ["owner"])
        with serving(
            index.path, token_file=path, database=str(tmp_path / "db"), headers=token(secret)
        ) as client:
            yield client, path

    def test_over_http(self, own):
        client, path = own
        made = client.post("/v1/tokens", json={"name": "ada", "roles": ["review", "write"]})
        first = made.json()["token"]
        assert me(client, first)["roles"] == ["read", "review", "write"]
        (eve, ada) = client.get("/v1/tokens").json()["tokens"]
        assert (ada["name"], ada["roles"]) == ("ada", ["review", "write"])
        assert ada["created"]
        assert ada["last_used"]
        assert first not in client.get("/v1/tokens").text
        second = client.post("/v1/tokens/ada/rotate").json()["token"]
        assert second != first
        assert me(client, first) == 401
        assert me(client, second)["name"] == "ada"
        assert client.get("/v1/tokens").json()["tokens"][1]["last_used"]
        assert client.delete(f"/v1/tokens/{eve['id']}").status_code == 409
        assert client.delete("/v1/tokens/ada").status_code == 204
        assert me(client, second) == 401
        assert first not in path.read_text()

    def test_what_is_refused(self, own):
        client, _ = own
        problem(client.delete("/v1/tokens/eve"), 409, "eve is the last owner")
        problem(client.delete("/v1/tokens/zed"), 404, "no token of 'zed' in tokens.txt")
        problem(client.post("/v1/tokens/zed/rotate"), 404, "no token of 'zed'")
        again = {"name": "eve", "roles": ["read"]}
        problem(client.post("/v1/tokens", json=again), 409, "a token of eve already")
        for wrong in ({"name": "x y", "roles": ["read"]}, {"name": "x", "roles": ["king"]}):
            assert client.post("/v1/tokens", json=wrong).status_code == 422
        assert client.post("/v1/tokens", json={"name": "x", "roles": []}).status_code == 422

    def test_from_the_command_line(self, own):
        client, path = own
        secret = succeed("tokens", path, "--add", "ada", "--role", "review")[0].strip()
        assert me(client, secret)["name"] == "ada"
        new = succeed("tokens", path, "--rotate", "ada")[0].strip()
        assert (me(client, secret), me(client, new)["name"]) == (401, "ada")
        listed = succeed("tokens", path)[0]
        assert "ada" in listed
        assert not any(one in listed for one in (secret, new))
        kept = json.loads(succeed("tokens", path, "--json")[0])["tokens"]
        assert [(one["name"], one["roles"]) for one in kept] == [
            ("eve", ["owner"]),
            ("ada", ["review"]),
        ]
        succeed("tokens", path, "--revoke", "ada")
        assert me(client, new) == 401

    def test_a_file_that_breaks_changes_nothing(self, own):
        client, path = own
        good = path.read_text()
        for broken in ("nonsense\n", "\0\xff", "short read x\n"):
            path.write_text(broken, "latin-1")
            assert client.get("/v1/me").json()["name"] == "eve"
        path.unlink()
        assert client.get("/v1/me").json()["name"] == "eve"
        path.write_text(good)
        assert client.get("/v1/me").json()["name"] == "eve"
        path.write_text("# nobody\n")
        assert client.get("/v1/me").status_code == 401


def token(secret):
    return {"authorization": f"Bearer {secret}"}


def me(client, secret):
    answer = client.get("/v1/me", headers=token(secret))
    return answer.json() if answer.status_code == 200 else answer.status_code


class TestFile:
    def test_only_hashes_for_its_owner_alone(self, tmp_path):
        path = tmp_path / "tokens.txt"
        path.write_text("# mine\nby-hand-by-hand-1 read\n\nby-hand-by-hand-2 review,write ada\n")
        path.chmod(0o644)
        secret = files.add(path, "ben", ["read"])
        text = path.read_text()
        assert text.startswith("# mine\nsha256:")
        assert not any(word in text for word in ("by-hand", secret))
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        known = Tokens(path)
        assert known.caller("by-hand-by-hand-1") == ("", GRANTS["read"])
        assert known.caller("by-hand-by-hand-2") == ("ada", role_of(["review", "write"]))
        assert known.caller(secret).name == "ben"
        assert known.caller(secret[:-1]) is None
        assert known.caller("é\ud800") is None
        (unnamed, *_) = files.read(path)
        files.revoke(path, unnamed.id)
        assert known.caller("by-hand-by-hand-1") is None
        assert [path.name for path in tmp_path.iterdir()] == ["tokens.txt"]

    def test_many_at_once(self, tmp_path):
        path = tmp_path / "tokens.txt"
        threads = [
            threading.Thread(target=files.add, args=(path, f"r{i}", ["read"])) for i in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert {one.name for one in files.read(path)} == {f"r{i}" for i in range(8)}

    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            (("ada", []), "say what ada may do"),
            (("", ["read"]), "is no name for a token"),
            (("a b", ["read"]), "is no name for a token"),
            (("#x", ["read"]), "is no name for a token"),
            (("2026-01-31T12:00:00Z", ["read"]), "is no name for a token"),
            (("a" * 101, ["read"]), "is no name for a token"),
            (("ada", ["king"]), "'king' is no role"),
        ],
    )
    def test_what_makes_no_sense(self, tmp_path, arguments, sentence):
        with pytest.raises(UsageError, match=sentence):
            files.add(tmp_path / "tokens.txt", *arguments)
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize(
        ("content", "sentence"),
        [
            ("", "holds no token: likewise tokens .* --add NAME makes one"),
            ("x" * 20 + " reader\n", r"line 1: expected a token, a role \(read, review, write, ow"),
            ("\n" + "x" * 20 + "\n", "line 2: expected a token"),
            ("short read\n", "line 1: the token is shorter than 16"),
            ("sha256:12 read\n", "line 1: what follows sha256: is no hash"),
            ("x" * 20 + " review\n", "line 1: a token without a name may only read"),
            ("x" * 20 + " read,owner\n", "line 1: a token without a name may only read"),
            (f"{'x' * 20} read\n{'x' * 20} write ada\n", "line 2: the token is there twice"),
        ],
    )
    def test_files_that_make_no_sense(self, tmp_path, content, sentence):
        path = tmp_path / "tokens.txt"
        path.write_text(content)
        with pytest.raises(InputError, match=sentence) as error:
            Tokens(path)
        assert "xxxx" not in str(error.value)
        with pytest.raises(InputError, match="cannot read the tokens"):
            Tokens(tmp_path / "none")

    def test_two_of_one_name(self, tmp_path):
        path = tmp_path / "tokens.txt"
        path.write_text(f"{'x' * 20} read ada\n{'y' * 20} read ada\n")
        with pytest.raises(UsageError, match=r"there are 2 tokens of ada: say which one, \w{8}, "):
            files.rotate(path, "ada")
        files.revoke(path, files.read(path)[0].id)
        assert files.rotate(path, "ada")
        with pytest.raises(UsageError, match=r"there is no .*none: likewise tokens .* makes it"):
            files.rotate(tmp_path / "none", "ada")

    def test_killed_before_it_is_replaced(self, tmp_path, monkeypatch):
        path = tmp_path / "tokens.txt"
        files.add(path, "ada", ["read"])
        before = path.read_bytes()

        def fail(*_):
            raise OSError("full")

        monkeypatch.setattr(os, "fsync", fail)
        with pytest.raises(Exception, match="the tokens are as they were"):
            files.add(path, "ben", ["read"])
        assert path.read_bytes() == before
        assert len(list(tmp_path.iterdir())) == 1

    @pytest.mark.parametrize(
        ("options", "sentence"),
        [
            (("--add", "a", "--role", "read", "--revoke", "b"), "exclude each other"),
            (("--role", "read"), "--role goes with --add"),
            (("--add", "a", "--role", "read", "--json"), "--json goes with the list"),
            (("--add", "a"), "say what a may do"),
        ],
    )
    def test_options_that_have_no_effect(self, tmp_path, options, sentence):
        refuse(2, f".*{sentence}.*", "tokens", tmp_path / "tokens.txt", *options)
