"""What the database keeps for teams and for reviews that go on: each thing is written and read."""

from __future__ import annotations

import threading

import pytest

from likewise import UsageError
from likewise.errors import StoreError
from likewise.reviews import (
    adjudications,
    arrivals,
    assignments,
    attachments,
    audit,
    preferences,
    records,
    searches,
)
from likewise.reviews.arrivals import Extent
from likewise.reviews.database import Database
from likewise.reviews.ledger import FIRST
from likewise.reviews.preferences import Highlight
from likewise.reviews.protocol import Team
from likewise.reviews.tables import metadata

FULL = "full text"


@pytest.fixture(params=["sqlite", "postgres"])
def database(request, tmp_path):
    if request.param == "sqlite":
        place = tmp_path / "kept.sqlite"
    else:
        place = request.getfixturevalue("postgres").database()
    database = Database(place)
    yield database
    database.close()


@pytest.fixture
def session(database):
    return records.create(database, "s", "id", "/x.idx", "{}", "{}", "ann").number


def test_assignments(database, session):
    assert assignments.assign(database, session, {"ann": ["1", "2", "1"]}, FIRST, "eve") == 2
    assert assignments.assign(database, session, {"ann": ["2", "3"]}, FIRST, "eve") == 1
    assert assignments.assign(database, session, {"bob": ["1"]}, FIRST, "eve") == 1
    assert assignments.assign(database, session, {"bob": ["1"]}, FULL, "eve") == 1
    found = assignments.assigned(database, session, FIRST)
    assert [(one.document, one.reviewer) for one in found if one.by == "eve"] == [
        *[("1", "ann"), ("2", "ann"), ("3", "ann"), ("1", "bob")]
    ]
    assert adjudications.team_of(records.find(database, "s")).changes == 4
    assert assignments.unassign(database, session, FIRST, "eve") == 4
    assert assignments.assigned(database, session, FIRST) == []
    assert len(assignments.assigned(database, session, FULL)) == 1


def claim(who, documents, seconds=60.0, **more):
    return assignments.Claim(who, tuple(documents), FIRST, seconds, **more)


def test_a_lease_keeps_a_document_for_one(database, session):
    def take(*asked, **more):
        return assignments.take(database, session, claim(*asked, **more))

    assert take("ann", ["1", "2"]) == ["1", "2"]
    assert take("bob", ["2", "4", "3"]) == ["4", "3"]
    assert take("ann", ["1", "3"]) == ["1"]  # renewed
    assert assignments.held(database, session, FIRST) == {
        "1": "ann", "2": "ann", "3": "bob", "4": "bob"
    }  # fmt: skip
    assert assignments.held(database, session, FULL) == {}
    assert take("bob", ["1", "2"], done=(("2", "ann"), ("1", "bob"))) == ["2"]
    assert take("ann", ["9"], -1.0) == ["9"]  # it is over already
    assignments.renew(database, session, "ann", FIRST, 60)  # and cannot be renewed
    assert take("bob", ["9"]) == ["9"]
    assert take("bob", []) == []


def test_nobody_is_given_what_another_holds(database, session):
    given, wanted = [], [str(i) for i in range(40)]

    def work(who):
        for id in wanted:
            given.extend(assignments.take(database, session, claim(who, [id])))

    threads = [threading.Thread(target=work, args=(f"r{i}",)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(given)) == len(given) == 40


def test_decisions_are_apart_from_votes(database, session):
    decide = adjudications.adjudicate
    decide(database, session, "1", "not", FIRST, "eve", reasons=("r",), note="both are wrong")
    decide(database, session, "1", "relevant", FULL, "eve")
    decide(database, session, "2", "relevant", FIRST, "eve")
    decide(database, session, "2", None, FIRST, "eve")
    found = adjudications.decisions(database, session)
    assert len(found) == 4
    (held,) = adjudications.in_force(found, FIRST).values()
    assert (held.document, held.label, held.reasons, held.note, held.by) == (
        *("1", "not", ("r",), "both are wrong", "eve"),
    )
    assert adjudications.in_force(found, FULL)["1"].label == "relevant"
    acts = [act for act in audit.read(database, session) if act.action == "adjudicate"]
    assert acts[0].detail == {"document": "1", "label": "not", "stage": FIRST}
    assert records.news(database, session, records.Position()).events == []


def test_who_may_decide(database, session):
    def may(row):
        raise PermissionError(adjudications.team_of(row).adjudicator)

    team = Team(("ann", "bob"), agree=2, blinded=True, sees_all=("eve",), adjudicator="eve")
    adjudications.change_team(database, session, team, "ann")
    assert adjudications.team_of(records.find(database, "s")) == team
    with pytest.raises(PermissionError, match="eve"):
        adjudications.adjudicate(database, session, "1", "not", FIRST, "bob", may=may)
    assert adjudications.decisions(database, session) == []
    with pytest.raises(UsageError, match="agree is 0"):
        adjudications.change_team(database, session, Team(agree=0), "ann")


def test_preferences(database, session):
    words = (Highlight("randomised", "green"), Highlight("mice"))
    assert preferences.highlights_of(database, session, "ann") == ()
    preferences.put_highlights(database, session, "ann", words)
    preferences.put_highlights(database, session, "bob", words[:1])
    preferences.put_highlights(database, session, "bob", words[1:])
    assert preferences.highlights_of(database, session, "ann") == words
    assert preferences.highlights_of(database, session, "bob") == words[1:]
    assert preferences.keys_of(database, "ann") == {}
    preferences.put_keys(database, "ann", {"relevant": "j"})
    preferences.put_keys(database, "ann", {"relevant": "k"})
    assert preferences.keys_of(database, "ann") == {"relevant": "k"}
    with database.writing() as connection:
        connection.exec_driver_sql("UPDATE likewise_reviewers SET keys = '['")
    with pytest.raises(StoreError, match="preferences of reviewer 'ann' are damaged"):
        preferences.keys_of(database, "ann")


def test_attachments(database, session, monkeypatch):
    attachments.attach(database, session, "1", "one.pdf", b"%PDF\0\xff", "ann")
    attachments.attach(database, session, "2", "two.txt", b"", "bob", "text/plain")
    one, two = attachments.attached(database, session)
    assert one[1:6] == ("1", "one.pdf", "application/pdf", 6, "ann")
    assert (two.media_type, two.size) == ("text/plain", 0)
    assert attachments.content_of(database, session, one.number) == b"%PDF\0\xff"
    attachments.detach(database, session, one.number, "ann")
    with pytest.raises(UsageError, match="there is no attachment"):
        attachments.content_of(database, session, one.number)
    assert attachments.attached(database, session) == [two]
    assert [act.action for act in audit.read(database, session)][1:] == [
        *["attach", "attach", "detach"]
    ]
    monkeypatch.setattr(attachments, "LARGEST", 3)
    with pytest.raises(UsageError, match="big has"):
        attachments.attach(database, session, "1", "big", b"1234", "ann")


def test_how_far_the_index_was(database, session):
    arrivals.arrive(database, session, Extent(1, 10, "9"))
    arrivals.arrive(database, session, Extent(2, 12, "11"))
    assert [one[:3] for one in arrivals.extents(database, session)] == [(1, 10, "9"), (2, 12, "11")]


def test_saved_searches_and_who_has_seen_them(database):
    asked = {"words": "robot arm", "filter": "year>=2019"}
    searches.save(database, "papers", "q", {"words": "x"}, "ann")
    searches.save(database, "papers", "q", asked, "ann")
    searches.save(database, "papers", "r", {"query": "saved"}, "bob")
    searches.save(database, "news", "q", {"words": "y"}, "ann")
    first, second = searches.saved(database, "papers")
    assert (first.name, first.search, first.owner) == ("q", asked, "ann")
    assert second.search == {"query": "saved"}
    assert searches.last_look(database, "papers", "q", "ann") is None
    searches.look(database, "papers", "q", "ann", Extent(1, 10, "9"))
    searches.look(database, "papers", "q", "ann", Extent(3, 13, "x"))
    assert searches.last_look(database, "papers", "q", "ann")[:3] == (3, 13, "x")
    assert searches.last_look(database, "papers", "q", "bob") is None
    assert searches.forget(database, "papers", "q")
    assert not searches.forget(database, "papers", "q")
    assert searches.last_look(database, "papers", "q", "ann") is None
    assert [one.name for one in searches.saved(database, "news")] == ["q"]


def test_all_of_it_goes_with_a_session_but_what_was_done(database, session):
    assignments.assign(database, session, {"ann": ["1"]}, FIRST, "eve")
    assignments.take(database, session, claim("ann", ["1"]))
    adjudications.adjudicate(database, session, "1", "not", FIRST, "eve")
    preferences.put_highlights(database, session, "ann", (Highlight("x"),))
    attachments.attach(database, session, "1", "one.pdf", b"x", "ann")
    arrivals.arrive(database, session, Extent(1, 10, "9"))
    records.remove(database, "s", "eve")
    with database.reading() as connection:
        left = {
            table.name
            for table in metadata.sorted_tables
            if connection.execute(table.select()).first() is not None
        }
    assert left == {"likewise_meta", "likewise_audit"}


@pytest.mark.parametrize(
    "work",
    [
        lambda database: assignments.assign(database, 7, {"ann": ["1"]}, FIRST, "eve"),
        lambda database: attachments.attach(database, 7, "1", "x", b"", "ann"),
        lambda database: arrivals.arrive(database, 7, Extent(1, 1, "x")),
        lambda database: preferences.put_highlights(database, 7, "ann", ()),
        lambda database: adjudications.adjudicate(database, 7, "1", "not", FIRST, "eve"),
    ],
)
def test_of_a_session_that_was_deleted(database, work):
    with pytest.raises(UsageError, match="was deleted meanwhile"):
        work(database)
