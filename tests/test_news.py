"""A living review: records that come later, saved searches with what is new, and their feeds."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from helpers.command_line import refuse, succeed
from helpers.server_client import problem, serving
from likewise import Document, Index
from likewise.errors import StoreError, UsageError
from likewise.reviews.arrivals import extent_of, first_new
from likewise.reviews.tables import searches as table
from likewise.watching.feed import entries, feed

BASE = "/v1/indexes/papers"


def heat(id: str, **fields: object) -> Document:
    return Document(id, "engine steam heat boiler", f"heat {id}", **fields)


def birds(id: str) -> Document:
    return Document(id, "wing feather nest egg", f"birds {id}")


@pytest.fixture
def index(tmp_path) -> Index:
    made = Index.create(tmp_path / "papers.idx")
    made.add([heat(f"h{i}", year=2000 + i) for i in range(5)] + [birds(f"b{i}") for i in range(5)])
    return made


class TestReview:
    def test_what_comes_later_is_new_until_it_is_seen(self, index):
        session = index.session("heat", query="steam", reviewer="ann")
        assert (session.news.ids, session.news.unjudged) == ([], 0)
        assert session.news.since is not None
        index.add([heat("n1"), birds("n2")])
        assert session.news.ids == ["n1", "n2"]
        assert session.news.among(["n1", "h1"]) == {"n1"}
        assert "n1" in session.next().ids  # it is ranked with the others
        session.judge("n1", "relevant")
        assert session.news.unjudged == 1
        before = session.news.since
        session.news.seen()
        assert (session.news.ids, session.news.unjudged) == ([], 0)
        assert session.news.since > before
        index.add([heat("n3")])
        again = Index.open(index.path).session("heat", reviewer="bob")
        assert again.news.ids == ["n3"]

    def test_a_record_that_was_replaced_is_new(self, index):
        session = index.session("heat", query="steam", reviewer="ann")
        index.add([heat("h1", note="corrected")], on_duplicate="replace")
        assert session.news.ids == ["h1"]

    def test_deleting_and_merging_make_nothing_new(self, index):
        session = index.session("heat", query="steam", reviewer="ann")
        index.delete(["h0", "b4"])  # the last one, too
        assert session.news.ids == []
        index.add([heat("n1"), heat("n2"), heat("n3")])
        found = set(session.news.ids)
        assert found <= {"n1", "n2", "n3"}  # some may be missed, none is wrong
        index.merge()
        assert set(session.news.ids) == found

    def test_an_empty_index(self, tmp_path):
        empty = Index.create(tmp_path / "empty.idx")
        extent = extent_of(empty.searcher.snapshot)
        assert (extent.documents, extent.last) == (0, "")
        empty.add([heat("h1")])
        assert first_new(empty.searcher.snapshot, extent) == 0


class TestSearches:
    def test_what_came_and_matches(self, index):
        kept = index.reviews.searches()
        kept.save("steam", "steam heat", filter="year>=2003", owner="ann")
        assert [hit.id for hit in kept.run("steam")] == ["h3", "h4"]
        index.add([heat("n1", year=2020), heat("n2", year=1990), birds("n3")])
        found = kept.new("steam", reviewer="ann")
        assert ([hit.id for hit in found.hits], found.new) == (["n1"], 3)
        assert kept.new("steam", reviewer="bob").since is None  # who has never looked
        kept.seen("steam", reviewer="ann")
        assert not kept.new("steam", reviewer="ann").hits
        assert [one.name for one in kept.list()] == ["steam"]
        kept.delete("steam")
        assert kept.list() == []

    def test_a_learned_query(self, index):
        kept = index.reviews.searches()
        query = index.learn(["h0", "h1"]).portable
        kept.save("like heat", query=query, owner="ann")
        index.add([birds("n1"), heat("n2")])
        best = Index.open(index.path).reviews.searches().new("like heat", reviewer="ann").hits[0]
        assert best.id == "n2"

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ({}, "give one of them"),
            ({"words": " "}, "give one of them"),
            ({"words": "a", "filter": "year>"}, "filter"),
            ({"words": "a", "filter": "yaer>2000"}, "yaer"),
            ({"words": "a" * 100_001}, "100,000 characters"),
        ],
    )
    def test_what_cannot_be_kept(self, index, given, said):
        kept = index.reviews.searches()
        with pytest.raises(UsageError, match=said):
            kept.save("x", **given)
        assert kept.list() == []

    def test_looking_makes_no_file(self, index):
        assert index.reviews.searches().list() == []
        assert not index.reviews.place.exists()

    def test_names(self, index):
        kept = index.reviews.searches()
        with pytest.raises(UsageError, match="no name for a search"):
            kept.save("\n", "words")
        with pytest.raises(UsageError, match="there are none"):
            kept.new("none")
        kept.save("a", "words")
        with pytest.raises(UsageError, match="there are 'a'"):
            kept.delete("b")

    @pytest.mark.parametrize("text", ['{"words": 3}', '{"query": {"terms": ["a"]}}', "{}"])
    def test_a_damaged_row(self, index, text):
        kept = index.reviews.searches()
        kept.save("a", "words", owner="ann")
        with index.reviews._database(None).writing() as connection:
            connection.execute(table.update().values(search=text))
        with pytest.raises((StoreError, UsageError)):
            kept.new("a", reviewer="ann")

    def test_a_feed(self, index):
        kept = index.reviews.searches()
        kept.save("steam", "steam", owner="ann")
        assert entries(index, kept, "steam") == []
        index.add([heat("n1", doi="10.1/x"), birds("n2")])
        assert [one.id for one in entries(index, kept, "steam")] == ["n1"]
        index.add([heat("n3\u0000<&>")])
        text = feed(index, kept, "steam")
        root = ElementTree.fromstring(text)
        titles = [one.text for one in root.iter("{http://www.w3.org/2005/Atom}title")]
        assert len(titles) == 3
        assert feed(index, kept, "steam") == text  # as often as it is asked for
        assert 'href="https://doi.org/10.1/x"' in text
        kept.delete("steam")
        kept.save("steam", "steam", owner="ann")
        assert entries(index, kept, "steam") == []


class TestShell:
    def test_searches(self, index):
        place = (index.path, "--reviewer", "ann")
        assert "no search is kept" in succeed("searches", *place)[1]
        succeed("searches", *place, "steam", "--words", "steam", "--filter", "year>=2000")
        index.add([heat("n1", year=2020)])
        assert succeed("searches", *place)[0].splitlines()[1].split()[:2] == ["1", "steam"]
        listed = json.loads(succeed("searches", *place, "--json")[0])["searches"]
        assert listed == [{"name": "steam", "new": 1, "by": "steam", "filter": "year>=2000"}]
        assert "n1" in succeed("searches", *place, "steam")[0]
        assert "nothing new" in succeed("searches", *place, "steam")[1]
        succeed("searches", *place, "steam", "--delete")
        refuse(2, "no search 'steam' is saved.*", "searches", *place, "steam")

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            (("--words", "a"), "give the name of the search"),
            (("x", "--words", "a", "--delete"), "--delete goes alone"),
            (("x", "--filter", "year=1"), "--filter goes with --words or --query"),
        ],
    )
    def test_wrong_use(self, index, given, said):
        refuse(2, said, "searches", index.path, *given)

    def test_a_query_from_a_file(self, index, tmp_path):
        file = tmp_path / "q.json"
        succeed("search", index.path, "--like", "id:h0", "--save-query", file)
        succeed("searches", index.path, "liked", "--query", file)
        index.add([heat("n1")])
        assert "n1" in succeed("searches", index.path, "liked")[0]


class TestServer:
    @pytest.fixture
    def client(self, index):
        with serving(index.path) as client:
            yield client

    def add(self, client, *documents):
        given = [{"id": one.id, "title": one.title, "text": one.text} for one in documents]
        made = client.post(f"{BASE}/documents", json={"documents": given})
        assert made.status_code == 201, made.text

    def test_news_of_a_review(self, client):
        client.post(f"{BASE}/sessions", json={"name": "heat", "words": "steam"})
        news = f"{BASE}/sessions/heat/news"
        assert client.get(news).json()["new"] == 0
        self.add(client, heat("n1"), birds("n2"))
        told = client.get(news).json()
        assert (told["new"], told["unjudged"], told["ids"]) == (2, 2, ["n1", "n2"])
        assert told["since"].endswith("Z")
        assert client.post(news).json()["new"] == 0
        problem(client.get(f"{BASE}/sessions/none/news"), 404, "no session")

    def test_saved_searches(self, client):
        searches = f"{BASE}/searches"
        made = client.post(searches, json={"name": "steam", "words": "steam", "page": "q=steam"})
        assert made.status_code == 201, made.text
        assert made.json()["page"] == "q=steam"
        assert (
            client.get(f"{searches}/steam/feed")
            .headers["content-type"]
            .startswith("application/atom+xml")
        )
        self.add(client, heat("n1"), birds("n2"))
        (listed,) = client.get(searches).json()["searches"]
        assert (listed["name"], listed["new"], listed["learned"]) == ("steam", 1, False)
        fresh = client.get(f"{searches}/steam/new").json()
        assert [hit["id"] for hit in fresh["hits"]] == ["n1"]
        assert fresh["documents"] == 2
        assert "heat n1" in client.get(f"{searches}/steam/feed").text
        assert client.post(f"{searches}/steam/seen").status_code == 204
        assert client.get(searches).json()["searches"][0]["new"] == 0
        asked = {"positive": ["h0", "h1"], "method": "centroid"}
        learned = client.post(f"{BASE}/search", json=asked).json()["query"]["id"]
        made = client.post(searches, json={"name": "liked", "query": learned})
        assert made.json()["learned"] is True
        assert client.delete(f"{searches}/steam").status_code == 204
        problem(client.get(f"{searches}/steam/new"), 404, "no search 'steam'")
        problem(client.post(searches, json={"name": "x"}), 422, "give one of them")
        problem(client.post(searches, json={"name": "x", "words": "a", "filter": "y>"}), 422, "")
