"""A collection of Zotero in, results back; a stand-in speaks its local API and its connector."""

from __future__ import annotations

import json

import pytest
import rispy

from helpers.command_line import refuse, succeed
from helpers.zotero_stand_in import StandIn, running
from likewise import Index, InputError, UsageError
from likewise.adapters.zotero import Collection, Zotero


def collection(key, name, parent=False, items=0):
    data = {"key": key, "name": name, "parentCollection": parent}
    return {"key": key, "version": 1, "meta": {"numItems": items}, "data": data}


def item(key, title, *collections, kind="journalArticle", **data):
    own = {"itemType": kind, "title": title, "collections": list(collections), "tags": [], **data}
    return {"key": key, "version": 1, "data": own}


@pytest.fixture
def library():
    filled = [item(f"FILL{n:04}", f"Filler number {n}", abstractNote="wheat") for n in range(210)]
    full = item(
        "ROBOT001",
        "A robot arm",
        "TOPS1111",
        "DEEP1111",
        abstractNote="An arm that grasps.",
        creators=[
            {"creatorType": "author", "firstName": "Ada", "lastName": "Lovelace"},
            {"creatorType": "author", "name": "The Arm Group"},
            {"creatorType": "editor", "firstName": "Ed", "lastName": "Itor"},
        ],
        date="2019-05-02",
        publicationTitle="Journal of Arms",
        DOI="10.1/arm",
        extra="PMID: 123\nread twice",
        tags=[{"tag": "robotics"}, {"tag": "arm", "type": 1}],
    )
    chapter = item("ROBOT002", "Grippers", "DEEP1111", kind="bookSection", bookTitle="Hands")
    return StandIn(
        [
            collection("TOPS1111", "Robots", items=1),
            collection("DEEP1111", "Grasping", "TOPS1111", 2),
            collection("OTHE1111", "Plants"),
            collection("OTHE2222", "Grasping", "OTHE1111"),
        ],
        [full, chapter, item("NOTE0001", "", "TOPS1111", kind="note"), *filled],
    )


@pytest.fixture
def zotero(library):
    with running(library) as address:
        yield Zotero(address)


def test_collections(zotero):
    assert zotero.collections() == [
        Collection("OTHE1111", "Plants", "Plants", 0),
        Collection("OTHE2222", "Grasping", "Plants/Grasping", 0),
        Collection("TOPS1111", "Robots", "Robots", 1),
        Collection("DEEP1111", "Grasping", "Robots/Grasping", 2),
    ]


def test_a_collection_becomes_documents(zotero, tmp_path):
    """With what is below it, once each, under the names that all records here have."""
    arm, chapter = zotero.documents("Robots")
    assert (arm.id, arm.title, arm.text) == ("ROBOT001", "A robot arm", "An arm that grasps.")
    assert arm.fields == {
        "authors": ["Lovelace, Ada", "The Arm Group"],
        "editors": ["Itor, Ed"],
        "date": "2019-05-02",
        "year": 2019,
        "journal": "Journal of Arms",
        "doi": "10.1/arm",
        "pmid": "123",
        "keywords": ["robotics", "arm"],
        "notes": ["PMID: 123\nread twice"],
        "type": "article-journal",
    }
    assert chapter.fields == {"booktitle": "Hands", "type": "chapter"}
    assert [one.id for one in zotero.documents("DEEP1111")] == ["ROBOT001", "ROBOT002"]
    assert [one.id for one in zotero.documents("Plants/Grasping")] == []
    index = Index.create(tmp_path / "zotero.idx", threads=1)
    index.add(zotero.documents())  # of several pages
    assert len(index) == 212
    assert index.search("arm", filter="year>=2019")[0].id == "ROBOT001"


@pytest.fixture
def found(tmp_path):
    index = Index.create(tmp_path / "papers.idx", threads=1)
    index.add(
        {
            "id": f"d{n}",
            "title": f"Arm {n}",
            "abstract": "a robot",
            "keywords": ["own"],
            "doi": f"10.1/{n}",
        }
        for n in range(4)
    )
    return index


def saved(library):
    ((session, ris),) = library.sessions.items()
    return library.targets.get(session), rispy.loads(ris)


def test_hits_become_items(zotero, library, found):
    assert zotero.save(found.search("robot", 3), tags=["from likewise", "new"]) == 3
    target, items = saved(library)
    assert target is None  # what is selected there
    assert [one["title"] for one in items] == ["Arm 0", "Arm 1", "Arm 2"]
    assert [one["doi"] for one in items] == ["10.1/0", "10.1/1", "10.1/2"]
    assert items[0]["keywords"] == ["own", "from likewise", "new"]
    assert zotero.save(found.search("nothing")) == 0


def test_into_a_collection(zotero, library, found):
    zotero.save(found.search("robot", 1), collection="Robots/Grasping", tags="one")
    target, items = saved(library)
    assert target == "C2"
    assert items[0]["keywords"] == ["own", "one"]


def test_a_review_becomes_tags(zotero, library, found):
    session = found.session("arms", reviewer="ada")
    session.judge_all({"d0": "relevant", "d1": "not", "d2": "unsure"})
    assert zotero.save(session, tags=["arms"]) == 2
    _, items = saved(library)
    tags = {one["title"]: one["keywords"][1:] for one in items}
    assert tags == {
        "Arm 0": ["likewise: relevant", "arms"],
        "Arm 1": ["likewise: not relevant", "arms"],
    }


def test_what_goes_wrong(zotero, library, found):
    hits = found.search("robot", 1)
    with pytest.raises(UsageError, match="no collection 'Fish' in Zotero: there is Plants, "):
        list(zotero.documents("Fish"))
    both = "2 collections 'Grasping': say Plants/Grasping or Robots/Grasping"
    with pytest.raises(UsageError, match=both):
        zotero.save(hits, collection="Grasping")
    with pytest.raises(UsageError, match="str is no result: give hits, a session or records"):
        zotero.save(["d0"])
    with pytest.raises(
        UsageError, match="address is 'localhost:1': it must be one such as http://"
    ):
        Zotero("localhost:1")
    with pytest.raises(UsageError, match="it must be users/0, or groups/ and a number"):
        Zotero(library="mine")
    with pytest.raises(UsageError, match="select a group's in Zotero"):
        Zotero(library="groups/7").save(hits, collection="Robots")
    library.collections.append(collection("GONE1111", "Only there"))
    library._tree = lambda: [{"id": "L1", "name": "My Library", "level": 0}]
    with pytest.raises(InputError, match="does not let others save into 'Only there'"):
        zotero.save(hits, collection="Only there")
    library.allowed = False
    with pytest.raises(InputError, match="refuses to answer: allow other applications"):
        zotero.collections()
    library.post = lambda *_: (500, b'{"libraryEditable": false}')
    with pytest.raises(InputError, match=r"Zotero says 500, .*libraryEditable.*: connector/import"):
        zotero.save(hits)
    library.post = lambda *_: (200, b"<html>")
    with pytest.raises(InputError, match="is not Zotero"):
        zotero.save(hits)
    assert not library.sessions


def test_it_does_not_run(library):
    with running(library) as address:
        pass
    with pytest.raises(InputError, match=f"does not answer at {address}: start it, and allow"):
        Zotero(address).collections()


def test_on_the_command_line(library, tmp_path):
    place = tmp_path / "mine.idx"
    with running(library) as address:
        at = ("--address", address)
        listed, _ = succeed("zotero", *at)
        assert "Robots/Grasping" in listed
        named = json.loads(succeed("zotero", "--json", *at)[0])["collections"]
        assert {"path": "Robots", "key": "TOPS1111", "name": "Robots", "items": 1} in named
        refuse(2, "no collection 'Fish' .*", "zotero", place, "--collection", "Fish", *at)
        assert not place.exists()
        _, said = succeed("zotero", place, "--collection", "Robots", *at)
        assert "2 papers from Zotero, 0 of them anew" in said
        _, said = succeed("zotero", place, "--collection", "Robots", *at)
        assert "2 papers from Zotero, 2 of them anew" in said
        Index.open(place).session("review").judge("ROBOT001", "relevant")
        made = ("zotero", place, "--save", "review", "--collection", "Plants", "--tag", "x", *at)
        assert "1 item made" in succeed(*made)[1]
        target, (only,) = saved(library)
        assert (target, only["keywords"][-2:]) == ("C3", ["likewise: relevant", "x"])
        refuse(2, "no session 'none' for .*", "zotero", place, "--save", "none", *at)
        refuse(2, "say which index: .*", "zotero", "--collection", "Robots", *at)
        refuse(2, "--json goes with .*", "zotero", place, "--json", *at)
        refuse(2, "--tag and --database go with --save: .*", "zotero", place, "--tag", "x", *at)
    refuse(1, "Zotero does not answer at .*", "zotero", *at)
