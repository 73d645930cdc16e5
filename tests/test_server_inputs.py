"""What requests may choose and bring: methods, options, filters, files, documents with faults."""

from __future__ import annotations

import gzip
from base64 import b64encode
from dataclasses import fields

import pytest

from helpers.server_client import problem, serving
from likewise import Index
from likewise.errors import StoreError
from likewise.feedback import FEEDBACK, SELECTIONS
from likewise.filters import Filter
from likewise.readers.preview import DEFAULT_LIMITS
from likewise.search.methods import METHODS, Options
from likewise.server.models.search import LearnOptions
from likewise.weighting import WEIGHTINGS

BASE = "/v1/indexes/papers"
SEARCH = f"{BASE}/search"
DOCUMENTS = f"{BASE}/documents"
LIKED = ["1806.07419", "1907.02555", "1809.10797"]


def find(client, **asked):
    answer = client.post(SEARCH, json={"wait": 60, **asked})
    assert answer.status_code == 200, answer.text
    return answer.json()


def brief(hits):
    return [(hit["id"], hit["score"]) for hit in hits]


class TestMethods:
    def test_they_are_the_library_s(self, client):
        found = client.get("/v1/methods").json()
        auto, *methods = found["search"]
        assert (auto["name"], auto["online"]) == ("auto", False)
        assert {"views", "budget"} <= set(auto["options"])
        for one, (name, method) in zip(methods, METHODS.items(), strict=True):
            assert (one["name"], one["about"]) == (name, method.about)
            assert one["online"] == method.online
            assert set(one["options"]) == method.takes | {"views"}
        feedback = [(name, method.about) for name, method in FEEDBACK.items()]
        assert found["feedback"][0]["name"] == "auto"
        assert [(one["name"], one["about"]) for one in found["feedback"][1:]] == feedback
        assert found["selections"] == list(SELECTIONS)
        assert found["weightings"] == list(WEIGHTINGS)

    def test_the_options_of_a_search_are_all_there_are(self):
        assert set(LearnOptions.model_fields) == {option.name for option in fields(Options)}

    @pytest.mark.parametrize("name", METHODS)
    def test_a_method_takes_no_other_options(self, client, name):
        """What is listed is accepted; what is not is refused in a sentence."""
        values = {"C": 1.0, "at": 5, "scaling": "balanced", "C_per_example": 1.0, "tol": 0.1}
        listed = {one["name"]: one["options"] for one in client.get("/v1/methods").json()["search"]}
        for option, value in values.items():
            asked = {"positive": LIKED, "method": name, "options": {option: value}, "wait": 60}
            answer = client.post(SEARCH, json=asked)
            if option in listed[name]:
                assert answer.status_code == 200, answer.text
            else:
                problem(answer, 422, f"^method {name} .* does not use {option}:")

    @pytest.mark.parametrize("views", [["words"], ["words", "latent"], {"words": 1, "latent": 2.0}])
    @pytest.mark.parametrize("method", ["auto", "1c"])
    def test_views(self, client, index, method, views):
        assert client.get(BASE).json()["views"] == ["titles", "latent"]
        found = find(client, positive=LIKED, method=method, options={"views": views})
        expected = index.like(LIKED, method=method, views=views)
        assert brief(found["hits"]) == [(hit.id, hit.score) for hit in expected]
        assert found["query"]["views"] == expected.query.learned.views

    def test_views_that_are_not_there(self, client):
        asked = {"positive": LIKED, "wait": 60, "options": {"views": ["words", "smells"]}}
        problem(client.post(SEARCH, json=asked), 422, "no view 'smells' in this index: choose from")
        asked["options"] = {"views": 5}
        problem(client.post(SEARCH, json=asked), 422, "/body/options/views")

    @pytest.mark.parametrize("budget", ["online", "offline", 20, 1e-9])
    def test_a_budget(self, client, index, budget):
        found = find(client, positive=LIKED, options={"budget": budget})
        expected = index.like(LIKED, budget=budget)
        assert found["query"]["method"] == expected.query.learned.method
        assert [hit["id"] for hit in found["hits"]] == [hit.id for hit in expected]

    def test_an_online_budget_is_no_job(self, client):
        asked = {"positive": LIKED, "options": {"budget": "online"}}
        assert client.post(SEARCH, json=asked).status_code == 200
        assert client.post(SEARCH, json={"positive": LIKED}).status_code == 202

    @pytest.mark.parametrize("budget", ["slow", 0, -1, True, []])
    def test_a_budget_that_makes_no_sense(self, client, budget):
        asked = {"positive": LIKED, "options": {"budget": budget}}
        problem(client.post(SEARCH, json=asked), 422, "/body/options/budget")

    def test_a_budget_for_another_method(self, client):
        asked = {"positive": LIKED, "method": "1c", "options": {"budget": "online"}}
        problem(client.post(SEARCH, json=asked), 422, "budget applies only to method auto")


class TestFilters:
    @pytest.mark.parametrize(
        "text", ["year>=2019", 'year<2001 cats=cs.CL,"a b" "x=y"!="\\"q\\\\"', "  a=b  "]
    )
    def test_text_and_conditions_are_the_same(self, client, text):
        apart = client.post("/v1/filters", json={"filter": text}).json()
        expected = Filter.parse(text)
        assert apart["filter"] == str(expected)
        assert [tuple(one["values"]) for one in apart["conditions"]] == [
            one.values for one in expected.conditions
        ]
        together = client.post("/v1/filters", json={"conditions": apart["conditions"]}).json()
        assert together == apart

    def test_no_filter(self, client):
        nothing = {"filter": "", "conditions": []}
        for given in ({"filter": ""}, {"filter": " "}, {"conditions": []}):
            assert client.post("/v1/filters", json=given).json() == nothing

    @pytest.mark.parametrize(
        ("given", "sentence"),
        [
            ({"filter": "year=>2018"}, "is not understood from 'year=>2018' on"),
            ({"conditions": [{"field": "a", "operator": ">", "values": ["1", "2"]}]}, "one value"),
            ({"conditions": [{"field": "a", "operator": "~", "values": ["1"]}]}, "operator"),
            ({"conditions": [{"field": "a", "operator": "=", "values": []}]}, "values"),
            ({}, "give either filter or conditions"),
            ({"filter": "a=1", "conditions": []}, "give either filter or conditions"),
            ({"filter": "a=" + "b" * 20_000}, "filter may be 10000 at most"),
        ],
    )
    def test_what_makes_no_sense(self, client, given, sentence):
        problem(client.post("/v1/filters", json=given), 422, sentence)


def read(client, name, content):
    return client.post("/v1/read", json={"name": name, "content": b64encode(content).decode()})


class TestFiles:
    def test_documents_of_every_format(self, client):
        robots = {"title": "Soft, hands", "text": 'They "hold" things'}
        for name, content in {
            "a.csv": b'title,text\n"Soft, hands","They ""hold"" things"\n',
            "a.tsv": b'Title\tAbstract\nSoft, hands\t"They ""hold"" things"\n',
            "a.jsonl": b'{"title": "Soft, hands", "text": "They \\"hold\\" things"}\n',
            "a.ris": b'TY  - JOUR\nTI  - Soft, hands\nAB  - They "hold" things\nER  - \n',
        }.items():
            for given, packed in ((name, content), (f"{name}.gz", gzip.compress(content))):
                found = read(client, given, packed).json()
                (document,) = found["documents"]
                assert {key: document[key] for key in robots} == robots, given
                assert found["problems"] == []
        assert read(client, "a.md", b"# Hands\n\nsoft").json()["documents"][0]["title"] == "Hands"
        asked = {"name": "notes", "content": b64encode(b"soft").decode(), "format": "text"}
        assert client.post("/v1/read", json=asked).json()["documents"][0]["text"] == "soft"
        wrong = client.post("/v1/read", json={**asked, "format": "doc"})
        problem(wrong, 422, "/body/format: choose text, ")
        assert read(client, "../a.txt", b"soft").json()["documents"][0]["text"] == "soft"

    def test_what_can_be_read_is_listed(self, client):
        found = client.get("/v1/read").json()
        assert {".txt", ".csv", ".ris", ".jsonl.gz"} <= set(found["suffixes"])
        assert (found["bytes"], found["documents"]) == DEFAULT_LIMITS[:2]

    def test_lines_that_cannot_be_read_are_told(self, client):
        found = read(client, "a.jsonl", b'{"text": "x"}\n{"text"\n').json()
        assert [one["text"] for one in found["documents"]] == ["x"]
        assert len(found["problems"]) == 1
        assert "a.jsonl, line 2" in found["problems"][0]

    @pytest.mark.parametrize(
        ("name", "content", "sentence"),
        [
            ("a.pdf", b"%PDF", "a.pdf"),
            ("a.csv.gz", b"not gzip", "a.csv.gz"),
            ("a.txt.gz", gzip.compress(bytes(DEFAULT_LIMITS.bytes + 1)), "a.txt.gz"),
            ("a.jsonl", b'{"text": "x"}\n' * (DEFAULT_LIMITS.documents + 1), "a.jsonl"),
        ],
        ids=["no reader", "not gzip", "too large unpacked", "too many documents"],
    )
    def test_what_cannot(self, client, name, content, sentence):
        problem(read(client, name, content), 422, sentence)

    def test_a_body_that_is_no_file(self, client):
        for content in ("*", "abc", "é"):
            asked = {"name": "a.txt", "content": content}
            problem(client.post("/v1/read", json=asked), 422, "content")


@pytest.fixture
def writer(tmp_path):
    Index.create(tmp_path / "papers.idx", threads=1).add([{"id": "a", "text": "red apples"}])
    with serving(tmp_path / "papers.idx") as client:
        yield client


class TestDocumentsWithFaults:
    def test_the_others_are_added(self, writer):
        """Too large a number is read as infinite, which no index can keep."""
        body = b'{"documents": [{"text": "figs"}, {"id": "x", "text": "plums", "n": 1e999}]}'
        answer = writer.post(DOCUMENTS, content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 201, answer.text
        added = answer.json()
        assert (added["documents"], added["generation"], added["notes"]) == (1, 2, [])
        assert len(added["problems"]) == 1
        assert "number 2: id 'x': field 'n': the number is infinite" in added["problems"][0]
        problem(writer.get(f"{DOCUMENTS}/x"), 404, "no document 'x'")

    def test_a_change_that_cannot_be_opened_is_made_all_the_same(self, writer, monkeypatch):
        def refresh(index):
            raise StoreError(f"{index.path}/segments/000002.seg is damaged")

        with monkeypatch.context() as patch:
            patch.setattr(Index, "refresh", refresh)
            new = {"documents": [{"id": "b", "text": "figs"}]}
            answer = writer.post(DOCUMENTS, json=new)
            assert answer.status_code == 201, answer.text
            added = answer.json()
            assert (added["documents"], added["generation"]) == (1, 1)
            (note,) = added["notes"]
            assert note.startswith("the change is made, but is not served yet: papers/segments/")
            gone = writer.delete(DOCUMENTS, params={"id": "a"})
            assert (gone.status_code, gone.json()["documents"]) == (200, 1)
            assert gone.json()["notes"] == [note]
        after = writer.post(DOCUMENTS, json={"documents": [{"id": "c", "text": "plums"}]}).json()
        assert (after["generation"], after["notes"]) == (4, [])
        assert writer.get(BASE).json()["documents"] == 2


class TestSlips:
    """What would be ignored, or understood as something else, is said."""

    @pytest.mark.parametrize(
        ("asked", "says"),
        [
            (
                f"{SEARCH}?q=robot&limt=1",
                "/query/limt: there is no such parameter: choose from q, ",
            ),
            (f"{DOCUMENTS}?fliter=a", "/query/fliter: there is no such parameter"),
            (f"{DOCUMENTS}/{LIKED[0]}?snippet=3", "/query/snippet: this address has no parameters"),
        ],
    )
    def test_a_parameter_of_another_name(self, client, asked, says):
        problem(client.get(asked), 422, f"^{says}")

    def test_a_body_that_is_packed(self, client):
        packed = gzip.compress(b'{"words": "robot"}')
        headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
        answer = client.post(SEARCH, content=packed, headers=headers)
        problem(answer, 415, "^send JSON as it is: Content-Encoding 'gzip'")
        assert answer.headers["Accept-Encoding"] == "identity"
        lines = {"Content-Type": "application/x-ndjson", "Content-Encoding": "gzip"}
        answer = client.post(f"{BASE}/bulk", content=packed, headers=lines)
        problem(answer, 415, "^send a line of JSON for each document as it is")

    def test_a_search_for_nothing(self, client):
        says = "^/body: give words, examples in positive or negative, or a query$"
        problem(client.post(SEARCH, json={}), 422, says)
        problem(client.post(SEARCH, json={"positive": [], "negative": []}), 422, says)

    def test_disliked_documents_alone(self, client, index):
        found = find(client, negative=LIKED, method="rocchio", limit=5)
        hits = index.like([], unlike=LIKED, method="rocchio", k=5)
        assert [hit["id"] for hit in found["hits"]] == hits.ids

    def test_sentences_have_no_words_of_python_or_pydantic(self, client):
        asked = {"positive": ["nobody"], "method": "centroid", "wait": 60}
        problem(client.post(SEARCH, json=asked), 404, "^no document 'nobody' in papers$")
        problem(client.post(SEARCH, json={"positive": LIKED, "method": "?"}), 422, ": choose auto,")
        asked = {"name": "../x"}
        problem(client.post("/v1/indexes", json=asked), 422, "^/body/name: This is not written")
