"""PDFs beside records, over HTTP."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers import papers
from helpers.server_client import problem, serving
from likewise import Index

ONE = papers.pdf(["The full text of a paper, which is short."])
BY_DOI = papers.pdf(["Text of a paper with doi:10.1234/abc on its page."])
SESSION = "/v1/indexes/papers/sessions/s"
BASE = f"{SESSION}/attachments"
PDF = {"content-type": "application/pdf"}


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> Index:
    library = tmp_path_factory.mktemp("files") / "library"
    library.mkdir()
    (library / "refs.ris").write_text(
        "TY  - JOUR\nID  - c\nTI  - Third\nDO  - 10.1234/third\nER  -\n"
    )
    (library / "third.pdf").write_bytes(papers.pdf(["The paper with doi:10.1234/third here."]))
    index = Index.create(tmp_path_factory.mktemp("served") / "papers.idx", threads=1)
    index.add(
        [{"id": "a/1", "title": "First", "doi": "10.1234/ABC"}, {"id": "b", "title": "Second"}]
    )
    index.add(library)
    return index


@pytest.fixture
def client(index, tmp_path):
    with serving(index.path, database=str(tmp_path / "s.sqlite")) as client:
        client.post("/v1/indexes/papers/sessions", json={"name": "s"}).raise_for_status()
        judged = [{"id": id, "label": "relevant"} for id in ("a/1", "b", "c")]
        client.post(f"{SESSION}/judgements", json={"judgements": judged}).raise_for_status()
        client.patch(SESSION, json={"stage": "full text"}).raise_for_status()
        yield client


def attach(client, content=ONE, headers=PDF, **asked):
    return client.post(BASE, params={"file": "a.pdf", **asked}, content=content, headers=headers)


def test_attach_read_and_remove(client):
    made = attach(client, id="a/1", file="größe 1.pdf", reviewer="ann")
    assert made.status_code == 201
    one = made.json()
    assert (one["id"], one["document"], one["name"], one["size"], one["by"], one["yours"]) == (
        *("a/1", "a/1", "größe 1.pdf"),
        *(len(ONE), "ann", True),
    )
    assert attach(client, id="a/1", file="again.pdf").json() == one
    assert client.get(BASE).json() == {"attachments": [one]}
    assert client.get(BASE, params={"id": ["a/1", "b"]}).json() == {"attachments": [one]}
    answer = client.get(f"{BASE}/{one['number']}")
    assert answer.content == ONE
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-disposition"] == (
        "attachment; filename*=UTF-8''gr%C3%B6%C3%9Fe%201.pdf"
    )
    assert client.delete(f"{BASE}/{one['number']}").status_code == 204
    problem(client.get(f"{BASE}/{one['number']}"), 404, "there is no attachment 1: it was removed")
    problem(client.delete(f"{BASE}/{one['number']}"), 404, "there is no attachment 1")


def test_matched_and_missing(client):
    assert client.get(f"{SESSION}/full-texts/missing").json() == {"ids": ["a/1", "b"], "sought": 3}
    assert attach(client, BY_DOI, file="download (3).pdf").json()["id"] == "a/1"
    problem(attach(client, file="x.pdf"), 422, "x.pdf: no record that was found relevant links to")
    assert client.get(f"{SESSION}/full-texts/missing").json() == {"ids": ["b"], "sought": 3}


def test_indexed_with_its_record(client):
    (one,) = client.get(BASE, params={"id": "c"}).json()["attachments"]
    assert (one["number"], one["name"], one["by"], one["at"], one["yours"]) == (
        *(None, "third.pdf", ""),
        *(None, False),
    )
    answer = client.get(f"{SESSION}/full-texts/indexed", params={"id": "c"})
    assert answer.content.startswith(b"%PDF-")
    assert answer.headers["content-type"] == "application/pdf"
    problem(
        client.get(f"{SESSION}/full-texts/indexed", params={"id": "b"}),
        404,
        "no PDF was indexed with 'b'",
    )
    problem(client.get(f"{SESSION}/full-texts/indexed", params={"id": "x"}), 404, "no document 'x'")


@pytest.mark.parametrize(
    ("status", "says", "sent"),
    [
        (422, "a.pdf is no PDF: attach a PDF", {"content": b"<html>", "id": "b"}),
        (422, "a.pdf is no PDF", {"content": b"<html>"}),
        (422, "a.pdf is empty: attach a PDF", {"content": b"", "id": "b"}),
        (415, "send a PDF, with a header Content-Type: application/pdf", {"headers": {}}),
        (404, "no document 'x'", {"id": "x"}),
        (422, "'a/b.pdf' is no name for a file", {"id": "b", "file": "a/b.pdf"}),
        (422, "not valid", {"file": ""}),
    ],
)
def test_refusals(client, status, says, sent):
    answer = attach(client, **sent)
    assert answer.status_code == status, answer.text
    assert says in answer.text
    assert not client.get(BASE).json()["attachments"]


def test_as_large_as_is_allowed(index, tmp_path):
    """More than other requests may have, and not more than that."""
    from likewise.server.settings import Limits

    limits = Limits(body=1 << 16, attachment=1 << 20)
    with serving(index.path, database=str(tmp_path / "s.sqlite"), limits=limits) as client:
        client.post("/v1/indexes/papers/sessions", json={"name": "s"}).raise_for_status()
        large = ONE + b" " * (900_000 - len(ONE))
        one = attach(client, large, id="b").json()
        assert client.get(f"{BASE}/{one['number']}").content == large
        problem(attach(client, large * 2, id="b"), 413, "a request may have 1048576 bytes")
        problem(attach(client, (p for p in [large, large]), id="b"), 413, "1048576 bytes")
        said = client.post(f"{SESSION}/judgements", content=large, headers=PDF)
        problem(said, 413, "a request may have 65536 bytes")


def test_others_attachments_are_theirs_or_the_owners(index, tmp_path):
    tokens = tmp_path / "tokens.txt"
    lines = [f"{name}-{'x' * 20} review {name}" for name in ("ada", "ben", "cat")]
    tokens.write_text("\n".join(lines) + "\n")
    settings = {"database": str(tmp_path / "s.sqlite"), "token_file": Path(tokens)}
    ada, ben, cat = ({"authorization": f"Bearer {n}-{'x' * 20}"} for n in ("ada", "ben", "cat"))
    with serving(index.path, **settings) as client:
        made = client.post("/v1/indexes/papers/sessions", json={"name": "s"}, headers=ada)
        assert made.status_code == 201
        numbers = [
            attach(client, ONE + bytes([i]), PDF | ben, id="b").json()["number"] for i in (1, 2)
        ]
        said = client.delete(f"{BASE}/{numbers[0]}", headers=cat)
        problem(said, 403, "ben has attached it: they or the session's owner may")
        problem(attach(client, headers=PDF | cat, id="b", reviewer="ben"), 403, "not ben's")
        assert client.delete(f"{BASE}/{numbers[0]}", headers=ben).status_code == 204
        assert client.delete(f"{BASE}/{numbers[1]}", headers=ada).status_code == 204
