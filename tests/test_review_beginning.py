"""How a review begins: papers known before, labels in the records, a protocol and a team."""

from __future__ import annotations

import pytest

from helpers.server_client import problem, serving
from likewise import Document, Index, UsageError
from likewise.reviews import Protocol
from likewise.reviews.ledger import PRIOR

RECORDS = [
    Document("r1", "Bees build.", "Bees build hexagons of wax", doi="10.1000/BEE", pmid="11"),
    Document("r2", "Ants carry.", "Ants carry leaves", doi="10.1000/ant"),
    Document("r3", "Wasps sting.", "Wasps sting in summer", pmid=33),
    Document("7", "Moths fly.", "Moths fly at night to lamps"),
]
KNOWN = """TY  - JOUR
ID  - 7
TI  - Bees Build Hexagons of Wax.
ER  -
TY  - JOUR
TI  - Spiders spin silk every morning
AB  - On silk.
ER  -
TY  - JOUR
TI  - Something else
DO  - https://doi.org/10.1000/ANT
ER  -
"""


@pytest.fixture
def index(tmp_path):
    made = Index.create(tmp_path / "insects.idx", latent=0)
    made.add(RECORDS)
    return made


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "known.ris"
    path.write_text(KNOWN)
    return path


@pytest.mark.parametrize(
    ("name", "id", "by"),
    [
        ("r1", "r1", "id"),
        (" https://doi.org/10.1000/bee ", "r1", "doi"),
        ("doi:10.1000/ANT", "r2", "doi"),
        ("PMID: 33", "r3", "pmid"),
        ("11", "r1", "pmid"),
        ("7", "7", "id"),
        ("wasps sting in SUMMER", "r3", "title"),
    ],
)
def test_names_of_records(index, name, id, by):
    assert index.reviews.look_up([name]).found == ((name.strip(), id, by),)


def test_a_deleted_record_is_not_known(index):
    index.delete("r2")
    assert index.reviews.look_up(["10.1000/ant"]).unknown == ("10.1000/ant",)


def test_a_file_of_known_papers(index, file):
    known = index.reviews.look_up([file])
    assert [(one.id, one.by) for one in known.found] == [("r1", "title"), ("r2", "doi")]
    assert [one.title for one in known.outside] == ["Spiders spin silk every morning"]
    assert known.unknown == ()


def test_beginning_with_all_there_is(index, file):
    session = index.reviews.begin(
        "insects",
        reviewer="ann",
        known=[file],
        known_not=["PMID 33"],
        protocol={"question": "What do insects make?", "reasons": ["no insect"]},
        team={"reviewers": ["ann", "ben"], "agree": 2},
        random_rate=0.5,
        page_size=1,
    )
    assert session.judgements() == {"r1": "relevant", "r2": "relevant", "r3": "not"}
    marks = session._live.marks("ann")
    assert {mark.source for mark in marks.values()} == {PRIOR}
    assert session.protocol == Protocol("What do insects make?", reasons=("no insect",))
    assert '"agree":2' in session._live.row.team
    (outside,) = session._live.start.examples
    assert outside.document["title"] == "Spiders spin silk every morning"
    assert session.next().ids == ["7"]
    with pytest.raises(UsageError, match="nothing that could be undone"):
        session.undo()  # what it began with stays
    session.judge("7", "not")
    session.undo()
    session.judge("r1", "not")  # but can be corrected
    assert session.judgements() == {"r1": "not", "r2": "relevant", "r3": "not"}
    assert session.undo().changes[0].after == "relevant"
    with pytest.raises(UsageError, match="there is a session 'insects' already"):
        index.reviews.begin("insects")


def test_labels_in_the_records(tmp_path):
    index = Index.create(tmp_path / "a.idx", latent=0)
    index.add(
        [{"id": "a", "text": "x", "included": "yes"}, {"id": "b", "text": "y", "included": 0}]
    )
    session = index.reviews.begin("old", labels=True, reviewer="ann")
    assert session.judgements() == {"a": "relevant", "b": "not"}
    with serving(tmp_path / "a.idx") as client:
        found = client.get("/v1/indexes/a/labels").json()
    assert found == {"labels": {"relevant": 1, "not": 1}}


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"known": ["10.9/none", "r1"]}, "no record has the id, DOI, PMID or title '10.9/none'"),
        ({"known": ["r1"], "known_not": ["11"]}, "'r1' is given as relevant and as not relevant"),
        ({"labels": True}, "no document has a label"),
        ({"protocol": {"answer": "42"}}, "unknown part 'answer' of a protocol"),
        ({"team": {"agree": 0}}, "at least one reviewer"),
        ({"random_rate": 1.0}, "random_rate"),
    ],
)
def test_what_cannot_begin_leaves_nothing(index, given, complaint):
    with pytest.raises(UsageError, match=complaint):
        index.reviews.begin("new", **given)
    assert index.sessions() == []


def test_over_http(index):
    with serving(index.path) as client:
        base = "/v1/indexes/insects"
        papers = [{"title": "Bees build hexagons of wax"}, {"title": "New", "text": "one"}]
        asked = {"names": ["PMID 33", "none such"], "papers": papers}
        found = client.post(f"{base}/known", json=asked).json()
        assert [(one["id"], one["by"]) for one in found["found"]] == [
            ("r3", "pmid"),
            ("r1", "title"),
        ]
        assert (found["outside"], found["unknown"]) == ([1], ["none such"])
        new = {"name": "s", "known": ["r1"], "protocol": {"tags": ["ask"]}, "team": {"agree": 1}}
        assert client.post(f"{base}/sessions", json=new).json()["judged"]["relevant"] == 1
        assert client.get(f"{base}/sessions/s/protocol").json()["tags"] == ["ask"]
        refused = client.post(f"{base}/sessions", json={"name": "t", "known": ["none such"]})
        problem(refused, 422, "'none such'")
        note = {"id": "r2", "note": "see table 2"}
        assert client.post(f"{base}/sessions/s/remarks", json=note).json()["note"] == "see table 2"
        problem(client.post(f"{base}/sessions/s/remarks", json={"id": "r2"}), 422, "nothing")


def test_random_pages_come_at_their_rate_and_repeat(tmp_path):
    index = Index.create(tmp_path / "b.idx", latent=0)
    index.add([Document(f"d{i}", f"bees and wax {i}") for i in range(60)])
    runs = []
    for name in ("one", "two"):
        session = index.session(name, query="bees", random_rate=0.25, page_size=3, seed=5)
        pages = [session.next() for _ in range(8)]
        assert [page.method == "random" for page in pages] == [False, False, False, True] * 2
        runs.append([page.ids for page in pages])
    assert runs[0] == runs[1]
