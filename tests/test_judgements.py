"""Judgements and the database that keeps them: the meaning of events, and what may go wrong."""

from __future__ import annotations

import os
import random
import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from helpers import session_killing
from helpers.process import run_program
from likewise.errors import LockedError, StoreError, UsageError
from likewise.reviews import database as databases
from likewise.reviews import records
from likewise.reviews.agreement import combined, conflicts, kappa
from likewise.reviews.database import Database
from likewise.reviews.ledger import LABELS, PRIOR, STAGES, Event, Ledger
from likewise.reviews.records import Draft, Entries, Position
from likewise.reviews.tables import VERSION

KILLS = int(os.environ.get("LIKEWISE_TEST_KILLS", "10"))  # raise it to search for rare moments

labels = st.sampled_from([*LABELS, None])
drafts = st.lists(st.tuples(st.sampled_from("xyz"), labels), min_size=1, max_size=3)
judging = st.tuples(st.just("judge"), st.sampled_from("ab"), drafts)
stepping = st.tuples(st.sampled_from(["undo", "redo"]), st.sampled_from("ab"), st.none())


class Model:
    """One reviewer: every state there was, and where in them we are."""

    def __init__(self):
        self.states, self.place = [{}], 0

    def judge(self, drafts):
        state = dict(self.states[self.place])
        for document, label in drafts:
            state.pop(document, None) if label is None else state.update({document: label})
        self.states[self.place + 1 :] = [state]
        self.place += 1

    def undo(self, _):
        self.place = max(self.place - 1, 0)

    def redo(self, _):
        self.place = min(self.place + 1, len(self.states) - 1)

    @property
    def now(self):
        return self.states[self.place]


@given(st.lists(judging | stepping, max_size=30), st.data())
def test_events_mean_the_same_to_whoever_reads_them(actions, data):
    models, events = {"a": Model(), "b": Model()}, []
    for number, (action, reviewer, drafts) in enumerate(actions):
        getattr(models[reviewer], action)(drafts)
        batch = str(number) if drafts and len(drafts) > 1 else None
        for document, label in drafts or [(None, None)]:
            event = Event(len(events) + 1, reviewer, action, document, label, batch, 0.0)
            events.append(event)
    ledger, late = Ledger(), Ledger()
    ledger.feed(events)
    cut = data.draw(st.integers(0, len(events)))
    late.feed(events[:cut])
    late.by_document()
    late.feed(events[cut:])
    for reviewer, model in models.items():
        found = {document: mark.label for document, mark in ledger.marks(reviewer).items()}
        assert found == model.now
    assert late.history == ledger.history
    assert late.by_document() == ledger.by_document()
    firsts = [min(m.first for m in said.values()) for said in ledger.by_document().values()]
    assert firsts == sorted(firsts)


@given(st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1))
def test_kappa_is_cohens(pairs):
    first, second = zip(*pairs, strict=True)
    if len({*first, *second}) == 1:
        assert kappa(pairs) is None
    else:
        assert kappa(pairs) == pytest.approx(cohen_kappa_score(first, second))


def test_kappa_of_a_published_table():
    """Cohen 1960, table 1 in proportions of 200: p_o = .70, p_e = .41, κ = .492."""
    table = {"aa": 88, "ab": 14, "ac": 18, "ba": 10, "bb": 40, "bc": 10, "ca": 2, "cb": 6, "cc": 12}
    pairs = [tuple(pair) for pair, count in table.items() for _ in range(count)]
    assert kappa(pairs) == pytest.approx(0.492, abs=5e-4)


def test_how_labels_combine():
    def said(*given):
        ledger = Ledger()
        ledger.feed(
            Event(i, f"r{i}", "judge", "x", label, None, 0.0) for i, label in enumerate(given, 1)
        )
        return ledger.by_document()

    assert combined(said("not", "relevant", "not"), "any") == {"x": True}
    assert combined(said("not", "relevant", "not"), "majority") == {"x": False}
    assert combined(said("not", "relevant", "unsure"), "majority") == {}
    assert combined(said("unsure"), "any") == combined(said("unsure"), "majority") == {}
    assert combined(said("unsure", "not"), "any") == {"x": False}
    assert conflicts(said("unsure", "not")) == []
    assert [c.document for c in conflicts(said("relevant", "not"))] == ["x"]


@pytest.fixture
def place(tmp_path):
    return tmp_path / "kept.sqlite"


def begin(database, name="s"):
    return records.create(database, name, "id", "/x.idx", "{}", "{}").number


def enter(database, number, drafts):
    return records.append(
        database, number, Position(), lambda _: Entries(records.judgements("a", drafts))
    )


class TestDatabase:
    def test_waits_for_the_disk_and_checks_what_refers_to_what(self, place):
        with Database(place).reading() as connection:
            asked = {
                name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
                for name in ("journal_mode", "synchronous", "foreign_keys")
            }
        assert asked == {"journal_mode": "wal", "synchronous": 3, "foreign_keys": 1}

    def test_newer(self, place):
        Database(place).close()
        with sqlite3.connect(place) as connection:
            connection.execute("UPDATE likewise_meta SET value = ?", [VERSION + 1])
        connection.close()
        with pytest.raises(StoreError, match=f"newer likewise .version {VERSION + 1}.*: upgrade"):
            Database(place)

    def test_no_version(self, place):
        Database(place).close()
        with sqlite3.connect(place) as connection:
            connection.execute("DELETE FROM likewise_meta")
        connection.close()
        with pytest.raises(StoreError, match="tables of another program"):
            Database(place)

    @pytest.mark.parametrize("content", [b"no database at all, but a text" * 50, b"\x00" * 4096])
    def test_foreign(self, place, content):
        place.write_bytes(content)
        with pytest.raises(StoreError, match=r"kept.sqlite is damaged or no database"):
            Database(place)
        assert place.read_bytes() == content

    def test_damaged(self, place):
        database = Database(place)
        number = begin(database)
        drafts = [Draft(f"document {i}", "not") for i in range(2000)]
        enter(database, number, drafts)
        database.close()
        content = bytearray(place.read_bytes())
        content[4096:] = b"\xff" * (len(content) - 4096)
        place.write_bytes(content)
        with pytest.raises(StoreError, match=r"kept.sqlite is damaged or no database"):
            records.news(Database(place), number, Position())

    def test_cut_short(self, place):
        Database(place).close()
        place.write_bytes(place.read_bytes()[:5000])
        with pytest.raises(StoreError, match=r"kept\.sqlite"):
            begin(Database(place))

    def test_no_folder_and_no_permission(self, tmp_path):
        with pytest.raises(StoreError, match=r"cannot use the database .*: unable to open"):
            Database(tmp_path / "nowhere" / "kept.sqlite")

    def test_busy_for_too_long(self, place, monkeypatch):
        monkeypatch.setattr(databases, "PATIENCE", 0)
        database = Database(place)
        other = sqlite3.connect(place, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LockedError, match="was busy for 0 seconds"):
            begin(database)
        other.close()
        assert begin(database)

    @pytest.mark.parametrize(
        ("url", "sentence"),
        [
            ("mysql://host/db", "a database of mysql is not known"),
            ("://", "no URL of a database"),
            ("sqlite://", "in memory keeps nothing"),
            ("sqlite:///:memory:", "in memory keeps nothing"),
        ],
    )
    def test_urls_that_make_no_sense(self, url, sentence):
        with pytest.raises(UsageError, match=sentence):
            Database(url)

    def test_a_url_of_sqlite(self, place):
        begin(Database(f"sqlite:///{place}"))
        assert records.find(Database(place), "s")

    def test_nobody_answers(self):
        url = "postgresql://someone:secret@127.0.0.1:1/nothing"
        with pytest.raises(StoreError, match="cannot use the database") as caught:
            Database(url)
        assert "secret" not in str(caught.value)

    def test_an_id_that_no_database_takes(self, place):
        database = Database(place)
        number = begin(database)
        with pytest.raises(StoreError, match="cannot use the database"):
            enter(database, number, [Draft("\ud800", "not")])

    def test_two_make_the_same_session(self, place):
        database = Database(place)
        assert begin(database) == begin(Database(place))

    def test_numbers_are_never_used_again(self, place):
        """A handle of a deleted session must not meet the next one."""
        database = Database(place)
        number = begin(database)
        records.remove(database, "s")
        assert begin(database) > number


def test_a_killed_reviewer_loses_nothing(quick_folder):
    done = run_program(session_killing.__file__, "kill", quick_folder, 1, KILLS)
    assert done.returncode == 0, done.stderr


def test_processes_that_judge_in_one_session_all_keep_theirs(quick_folder):
    done = run_program(session_killing.__file__, "together", quick_folder, 1, 1)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("seed", range(20))
def test_votes_that_are_followed_are_those_made_anew(seed):
    """Asked for after each event, or once at the end: the same votes in the same order."""
    chosen = random.Random(seed)
    followed, events = Ledger(), []
    for number in range(1, 120):
        action = chosen.choices(("judge", "undo", "redo"), (8, 2, 1))[0]
        judging = action == "judge"
        event = Event(
            number,
            chosen.choice("ab"),
            action,
            chosen.choice("pqrstuvw") if judging else None,
            chosen.choice(("relevant", "not", "unsure", None)) if judging else None,
            str(number),
            float(number),
            chosen.choice(STAGES),
            source=chosen.choice(("", "", PRIOR)) if judging else "",
        )
        events.append(event)
        followed.feed([event])
        anew = Ledger()
        anew.feed(events)
        for stage in STAGES:
            assert list(followed.by_document(stage).items()) == list(
                anew.by_document(stage).items()
            )
