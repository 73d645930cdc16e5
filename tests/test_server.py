"""The HTTP API says what the library says, and what goes wrong in one form."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor

import prometheus_client
import pytest

from helpers.server_client import problem, serving
from likewise import Index, Query, Text, UsageError
from likewise.document import content_id
from likewise.search.terms import adjust
from likewise.server.app import create_app
from likewise.server.settings import Limits
from likewise.store.disk import WriteLock

BASE = "/v1/indexes/papers"
SEARCH = f"{BASE}/search"
DOCUMENTS = f"{BASE}/documents"
LIKED = ["1806.07419", "1907.02555", "1809.10797"]


@pytest.fixture(scope="module")
def limited(index):
    limits = Limits(body=2_000, documents=2, examples=2, results=20, words=20, rate=0)
    with serving(index.path, limits=limits) as client:
        yield client


@pytest.fixture
def small(tmp_path):
    """An index to write to."""
    index = Index.create(tmp_path / "papers.idx", threads=1)
    index.add(
        [{"id": "a", "text": "red apples", "year": 2001}, {"id": "b/c", "text": "green figs"}]
    )
    return index


@pytest.fixture
def writer(small):
    with serving(small.path) as client:
        yield client


def find(client, **asked):
    answer = client.post(SEARCH, json=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


def brief(hits):
    return [(hit["id"], hit["score"], hit["title"], hit["rank"]) for hit in hits]


class TestIndexes:
    def test_what_is_served(self, client, index):
        (found,) = client.get("/v1/indexes").json()["indexes"]
        assert found == client.get(BASE).json()
        assert (found["name"], found["documents"]) == ("papers", len(index))
        assert str(index.path) not in client.get("/v1/indexes").text

    def test_fields(self, client, index):
        fields = client.get(f"{BASE}/fields", params={"most": 2}).json()["fields"]
        assert [field["name"] for field in fields] == ["cats", "primary", "created"]
        for field, expected in zip(fields, index.fields(2), strict=True):
            values = [(one["value"], one["documents"]) for one in field["values"]]
            assert values == expected.values

    def test_an_unknown_one(self, client):
        problem(client.get("/v1/indexes/others"), 404, "no index 'others' here: there is papers")


class TestDocuments:
    def test_get(self, client, index):
        found = client.get(f"{DOCUMENTS}/1806.07419").json()
        document = index.document("1806.07419")
        assert found == {
            "id": document.id,
            "title": document.title,
            "text": document.text,
            "fields": document.fields,
        }

    @pytest.mark.parametrize("id", ["b/c", "b%2Fc"])
    def test_an_id_with_a_slash(self, writer, id):
        assert writer.get(f"{DOCUMENTS}/{id}").json()["text"] == "green figs"

    def test_a_missing_one(self, client):
        problem(client.get(f"{DOCUMENTS}/nobody"), 404, "no document 'nobody' in papers")

    def test_what_is_added_is_there_at_once(self, writer):
        new = [{"id": "d", "text": "blue plums", "year": 2002, "tags": ["x"]}, {"text": "pears"}]
        answer = writer.post(DOCUMENTS, json={"documents": new})
        assert answer.status_code == 201
        assert answer.json() == {
            "documents": 2,
            "replaced": 0,
            "skipped": 0,
            "duplicates": {},
            "problems": [],
            "generation": 2,
            "notes": [],
            "ids": ["d", content_id(["", "pears"])],
        }
        found = find(writer, words="plums", filter="year>2001")
        assert brief(found["hits"])[0][0] == "d"
        assert found["generation"] == 2
        fields = {"year": 2002, "tags": ["x"]}
        assert writer.get(f"{DOCUMENTS}/d").json()["fields"] == fields

    def test_duplicates(self, writer):
        again = {"documents": [{"id": "a", "text": "yellow bananas"}]}
        answer = writer.post(DOCUMENTS, json=again)
        assert "papers.idx" not in problem(answer, 409, "'a' is already in the index papers")
        assert writer.post(DOCUMENTS, json={**again, "on_duplicate": "skip"}).json()["skipped"] == 1
        replaced = writer.post(DOCUMENTS, json={**again, "on_duplicate": "replace"}).json()
        assert replaced["replaced"] == 1
        assert find(writer, words="apples")["hits"] == []

    def test_delete(self, writer):
        problem(writer.delete(DOCUMENTS, params={"id": ["a", "z"]}), 404, "no document 'z'")
        gone = writer.delete(DOCUMENTS, params={"id": ["a", "z"], "ignore_missing": True})
        assert gone.json()["documents"] == 1
        problem(writer.get(f"{DOCUMENTS}/a"), 404, "no document 'a'")
        problem(writer.delete(DOCUMENTS), 422, "/query/id")

    def test_what_another_program_writes_is_seen(self, writer, small):
        small.add([{"id": "e", "text": "violet aubergines"}])
        assert [hit["id"] for hit in find(writer, words="aubergines")["hits"]] == ["e"]
        small.merge()
        assert [hit["id"] for hit in find(writer, words="aubergines")["hits"]] == ["e"]

    def test_merge(self, writer, small):
        writer.delete(DOCUMENTS, params={"id": "a"})
        few = writer.post(f"{BASE}/merge", params={"small": True}).json()
        assert few == {"segments": 1, "generation": 2, "notes": []}  # nothing was to be done
        answer = writer.post(f"{BASE}/merge", params={"wait": 60})
        assert answer.status_code == 200
        assert answer.json() == {"segments": 1, "generation": 3, "notes": []}
        assert small.refresh().info().deleted == 0
        assert [hit["id"] for hit in find(writer, words="figs")["hits"]] == ["b/c"]

    def test_merging_is_a_job(self, writer, small):
        writer.delete(DOCUMENTS, params={"id": "a"})
        answer = writer.post(f"{BASE}/merge")
        assert answer.status_code in (200, 202)  # a small index may be done by then
        if answer.status_code == 202:
            address = answer.headers["location"]
            with writer.stream("GET", f"{address}/events") as events:
                assert "event: done" in list(events.iter_lines())
            assert writer.get(address).json()["result"]["segments"] == 1
        assert small.refresh().info().deleted == 0

    def test_small_additions_leave_few_segments(self, writer, small):
        for number in range(8):
            new = {"documents": [{"id": f"n{number}", "text": "apples"}]}
            assert writer.post(DOCUMENTS, json=new).json()["notes"] == []
        assert small.refresh().info().segments == 2

    def test_an_index_that_somebody_else_writes_to(self, writer, small):
        with WriteLock(small.path / "lock"):
            answer = writer.post(DOCUMENTS, json={"documents": [{"text": "x"}]})
        problem(answer, 409, "is being written by another")

    def test_searches_go_on_while_somebody_writes(self, writer):
        """None fails, none goes back to an older generation than its thread has seen."""

        def read(_):
            generations = [find(writer, words="apples")["generation"] for _ in range(15)]
            return generations == sorted(generations)

        def write(number):
            new = {"documents": [{"id": f"n{number}", "text": "apples"}]}
            return writer.post(DOCUMENTS, json=new).status_code

        with ThreadPoolExecutor(6) as pool:
            reading = pool.map(read, range(4))
            writing = pool.map(write, range(10))
            assert list(writing) == [201] * 10
            assert all(reading)
        assert len(find(writer, words="apples", limit=100)["hits"]) == 11


class TestSearch:
    def test_words(self, client, index):
        for filter in (None, "created>=2015 cats=cs.RO"):
            found = find(client, words="robot arm", limit=7, filter=filter)
            assert brief(found["hits"]) == list(index.search("robot arm", 7, filter=filter))
            assert found["matching"] == index.count(filter)
            assert found["query"] is None
        asked = {"q": "robot arm", "limit": 7, "filter": "created>=2015 cats=cs.RO"}
        by_address = client.get(SEARCH, params=asked).json()
        assert by_address["hits"] == found["hits"]

    def test_pages_make_the_whole(self, client):
        whole = find(client, words="quantum gas", limit=12)["hits"]
        first = find(client, words="quantum gas", limit=5)
        second = find(client, words="quantum gas", limit=7, offset=first["next_offset"])
        assert first["hits"] + second["hits"] == whole
        assert find(client, words="zyzzyva")["next_offset"] is None

    @pytest.mark.parametrize("method", ["centroid", "1c", "ba"])
    def test_examples(self, client, index, method):
        found = find(
            client,
            positive=[LIKED[0], {"id": LIKED[1]}, {"text": "Robots learn to walk"}],
            negative=["1209.2835"],
            method=method,
            wait=60,
        )
        given = [*LIKED[:2], Text("Robots learn to walk")]
        expected = index.like(given, unlike=["1209.2835"], method=method)
        assert brief(found["hits"]) == list(expected)
        query = found["query"]
        assert (query["method"], query["examples"], query["unlike"]) == (method, 3, 1)
        up, down = expected.query.heaviest(20)
        assert [(w["term"], w["weight"]) for w in query["up"]] == up
        assert [(w["term"], w["weight"]) for w in query["down"]] == down

    def test_options(self, client, index):
        options = {"C": 2.0, "weights": [2, 1, 1], "tol": 0.01}
        found = find(client, positive=LIKED, method="1c", options=options)
        assert brief(found["hits"]) == list(index.like(LIKED, method="1c", **options))
        wrong = client.post(SEARCH, json={"positive": LIKED, "method": "1c", "options": {"at": 5}})
        problem(wrong, 422, "method 1c .* does not use at")

    def test_learning_that_did_not_get_there_says_so(self, client):
        options = {"max_passes": 1, "tol": 1e-9}
        found = find(client, positive=LIKED, method="pr", options=options, wait=60)
        assert "above 1e-09" in found["query"]["warnings"][0]
        assert (found["query"]["tol"], found["query"]["converged"]) == (1e-9, False)

    def test_learning_that_got_there_does_not_warn(self, client):
        """What auto aims at is not what other methods aim at."""
        query = find(client, positive=LIKED, wait=60)["query"]
        assert query["converged"]
        assert query["tol"] > 0.001
        assert query["gap"] <= query["tol"]
        assert not [each for each in query["warnings"] if "gap" in each]

    def test_a_query_again(self, client, index):
        first = find(client, positive=LIKED, method="1c", limit=5)
        id = first["query"]["id"]
        again = find(client, query=id, limit=5, offset=5)
        expected = index.like(LIKED, method="1c", k=10)
        assert brief(first["hits"] + again["hits"]) == list(expected)
        problem(client.post(SEARCH, json={"query": "q-unknown"}), 404, "no query 'q-unknown'")

    def test_terms_switched_off_and_pinned(self, client, index):
        learned = index.learn(LIKED, method="1c")
        adjusted = adjust(learned, off=["robot"], pinned=["grasp"])
        terms = {"off": ["robot"], "pinned": ["grasp"]}
        found = find(client, positive=LIKED, method="1c", terms=terms)
        assert brief(found["hits"]) == list(index.run(adjusted))
        shown = {one["term"]: one["weight"] for one in found["query"]["up"]}
        assert "robot" not in shown
        assert shown["grasp"] == max(shown.values())
        portable = adjust(learned.portable, off=["robot"], pinned=["grasp"])
        assert [hit.id for hit in index.run(portable)] == [hit["id"] for hit in found["hits"]]
        for terms, sentence in (
            ({"pinned": ["zyzzyva"]}, "in papers has the term 'zyzzyva'"),
            ({"pinned": ["arm"], "off": ["arm"]}, "both switched off and pinned"),
        ):
            asked = {"positive": LIKED, "method": "1c", "terms": terms}
            problem(client.post(SEARCH, json=asked), 422, sentence)

    def test_why(self, client, index):
        for asked in ({"words": "robot arm"}, {"positive": LIKED, "method": "1c"}):
            for hit in find(client, **asked, explain=2)["hits"]:
                told = sum(one["weight"] for one in hit["terms"]) + hit["others"]
                assert math.isclose(told, hit["score"], abs_tol=1e-9)
                assert len(hit["terms"]) <= 2

    def test_snippets(self, client, index):
        (hit,) = find(client, words="robot", limit=1, snippet=10)["hits"]
        document = index.document(hit["id"])
        assert (hit["snippet"], hit["fields"]) == (document.text[:10], document.fields)

    @pytest.mark.parametrize(
        ("asked", "sentence"),
        [
            ({}, "^/body: give words, examples in positive or negative"),
            ({"words": "a", "positive": ["b"]}, "/body/positive: Extra inputs"),
            ({"words": "a", "method": "1c"}, "/body/method: Extra inputs"),
            ({"words": "a", "limit": True}, "/body/limit"),
            ({"words": "a", "limit": "5"}, "/body/limit"),
            ({"words": "a", "filter": "year"}, "the filter 'year' is not understood"),
            ({"positive": ["b"], "method": "best"}, "choose auto, centroid"),
            (
                {"positive": [LIKED[0]], "negative": [LIKED[0]], "method": "1c"},
                "both as liked and as disliked",
            ),
            ({"words": "a", "weighting": "best"}, "choose tfidf"),
        ],
    )
    def test_what_makes_no_sense(self, client, asked, sentence):
        problem(client.post(SEARCH, json=asked), 422, sentence)

    def test_an_example_that_is_not_there(self, client):
        asked = {"positive": ["nobody"], "method": "1c"}
        problem(client.post(SEARCH, json=asked), 404, "no document 'nobody' in papers")

    def test_whole_numbers_may_have_a_point(self, client):
        assert len(find(client, words="robot", limit=3.0)["hits"]) == 3


class TestQueries:
    def test_they_are_kept(self, tmp_path, index):
        database = str(tmp_path / "kept.sqlite")
        with serving(index.path, database=database) as client:
            query = find(client, positive=LIKED, method="1c")["query"]["id"]
            new = {"name": "soft robots", "query": query, "terms": {"off": ["robot"]}}
            made = client.post(f"{BASE}/queries", json=new)
            assert made.status_code == 201
            problem(client.post(f"{BASE}/queries", json=new), 409, "say replace")
            replaced = client.post(f"{BASE}/queries", json={**new, "replace": True})
            assert replaced.status_code == 201
        with serving(index.path, database=database) as client:
            (kept,) = client.get(f"{BASE}/queries").json()["queries"]
            assert (kept["name"], kept["method"]) == ("soft robots", "1c")
            found = find(client, query="soft robots")
            (tmp_path / "q.json").write_bytes(client.get(f"{BASE}/queries/soft robots").content)
            assert brief(found["hits"]) == list(index.run(Query.load(tmp_path / "q.json")))
            assert client.delete(f"{BASE}/queries/soft robots").status_code == 204
            problem(client.delete(f"{BASE}/queries/soft robots"), 404, "no query")
            problem(client.get(f"{BASE}/queries/soft robots"), 404, "no query")

    def test_asking_makes_no_file(self, writer, small):
        assert writer.get(f"{BASE}/queries").json() == {"queries": []}
        problem(writer.post(SEARCH, json={"query": "none"}), 404, "no query 'none'")
        assert [path.name for path in small.path.parent.iterdir()] == ["papers.idx"]


class TestLimits:
    @pytest.mark.parametrize(
        ("asked", "sentence"),
        [
            ({"words": "a" * 21}, "words may be 20 at most, not 21"),
            ({"words": "a", "limit": 21}, "limit may be 20 at most"),
            ({"words": "a", "offset": 21}, "offset may be 20 at most"),
            ({"words": "a", "filter": "a=" + "b" * 20}, "filter may be 20 at most"),
            ({"positive": LIKED}, "positive may be 2 at most, not 3"),
        ],
    )
    def test_of_a_search(self, limited, asked, sentence):
        problem(limited.post(SEARCH, json=asked), 422, sentence)

    def test_of_documents(self, limited):
        asked = {"documents": [{"text": "a"}] * 3}
        problem(limited.post(DOCUMENTS, json=asked), 422, "more than 2 documents")
        problem(limited.delete(DOCUMENTS, params={"id": LIKED}), 422, "more than 2 ids")

    def test_of_a_request(self, limited):
        problem(limited.post(SEARCH, json={"words": "a" * 2_000}), 413, "may have 2000 bytes")
        parts = iter([b'{"words": "', b"a" * 1_000, b"a" * 1_000, b'"}'])
        headers = {"content-type": "application/json"}
        problem(limited.post(SEARCH, content=parts, headers=headers), 413, "may have 2000 bytes")

    def test_they_are_described(self, limited):
        models = limited.get("/openapi.json").json()["components"]["schemas"]
        assert models["SearchByWords"]["properties"]["limit"]["maximum"] == 20
        assert models["SearchByWords"]["properties"]["words"]["maxLength"] == 20
        assert models["SearchByExamples"]["properties"]["positive"]["maxItems"] == 2

    def test_of_time(self, index):
        with serving(index.path, limits=Limits(seconds=1e-9, rate=0)) as client:
            asked = {"positive": LIKED, "method": "ba", "wait": 60}
            problem(client.post(SEARCH, json=asked), 422, "this took longer than 1e-09 sec")


class TestOperations:
    def test_health_and_metrics(self, client):
        assert client.get("/v1/health").json()["status"] == "ok"
        find(client, words="robot")
        text = client.get("/v1/metrics").text
        route = 'method="POST",route="/v1/indexes/{index}/search",status="200"'
        assert f"likewise_requests_total{{{route}}}" in text
        assert 'likewise_documents{index="papers"} 2000' in text
        assert 'le="+Inf"' in text

    def test_two_applications_count_apart(self, client, index):
        with serving(index.path) as other:
            assert "likewise_requests_total{" not in other.get("/v1/metrics").text
        with pytest.raises(KeyError, match="likewise"):
            prometheus_client.REGISTRY._names_to_collectors["likewise_requests"]

    def test_the_description(self, client):
        described = client.get("/openapi.json").json()
        assert described["info"]["title"] == "likewise"
        for path, operations in described["paths"].items():
            for method, operation in operations.items():
                assert operation["description"], (method, path)
                assert path.startswith("/v1/")


class TestPages:
    @pytest.mark.parametrize("address", ["/", "/papers", "/papers/reviews/soft robots?x=1"])
    def test_the_page_has_any_address(self, client, address):
        answer = client.get(address)
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert "<title>" in answer.text

    def test_files(self, client):
        answer = client.get("/static/index.html")
        assert answer.content == client.get("/").content
        tag = {"if-none-match": answer.headers["etag"]}
        assert client.get("/static/index.html", headers=tag).status_code == 304
        assert "text/html" in client.get("/docs").headers["content-type"]

    @pytest.mark.parametrize(
        "address",
        [
            "/static/none.js",
            "/static/%2e%2e/server/app.py",
            "/static/..%2fserver%2fapp.py",
            "/static//etc/passwd",
            "/static/%2fetc%2fpasswd",
            "/static/%00",
            "/v1",
            "/v1/none",
        ],
    )
    def test_nothing_else(self, client, address):
        problem(client.get(address), 404, "no such file|nothing at this address")


class TestProblems:
    def test_a_method_that_is_not_there(self, client):
        answer = client.put(SEARCH)
        problem(answer, 405, "PUT is not possible here: GET, HEAD, POST may be")
        assert answer.headers["allow"] == "GET, HEAD, POST"
        posted_only = client.get("/v1/filters")
        problem(posted_only, 405, "is not possible here")
        assert posted_only.headers["allow"] == "POST"

    @pytest.mark.parametrize("body", ["{", "[1, 2]", "nothing", '{"words": "\ud800"}', "1e999"])
    def test_a_body_that_is_not_understood(self, client, body):
        headers = {"content-type": "application/json"}
        content = body.encode("utf-8", "surrogatepass")
        answer = client.post(SEARCH, content=content, headers=headers)
        assert answer.status_code in (400, 422)
        problem(answer, answer.status_code, ".")

    def test_very_deep_json(self, client):
        headers = {"content-type": "application/json"}
        deep = b'{"documents": [{"text": "a", "x": ' + b"[" * 50_000 + b"]" * 50_000 + b"}]}"
        answer = client.post(DOCUMENTS, content=deep, headers=headers)
        assert answer.status_code in (400, 422)

    def test_two_indexes_of_one_name(self, index):
        with pytest.raises(UsageError, match="two indexes would be called 'papers'"):
            create_app([index.path, index.path])


def test_words_stand_for_terms(client, index):
    words = ["Robots", "the", "walking", "½", ""]
    told = client.post(f"{BASE}/terms", json={"words": words}).json()["terms"]
    assert told == [index.analyzer(word) for word in words]
    assert told[:3] == [["robot"], [], ["walk"]]
    assert client.post(f"{BASE}/terms", json={"words": ["x" * 1_001]}).status_code == 422
