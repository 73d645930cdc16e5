"""What goes with judgements: notes, reasons, tags, stages, a protocol; and what was done."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

from helpers.command_line import succeed
from likewise import Document, Index, UsageError
from likewise.errors import StoreError, UnknownIdError
from likewise.reviews.judgement import Judgement
from likewise.reviews.protocol import Protocol

FULL = "full text"


@pytest.fixture
def index(tmp_path):
    index = Index.create(tmp_path / "small.idx")
    index.add([Document(str(i), f"cats {'dogs ' * (i % 3)} number{i}") for i in range(30)])
    return index


@pytest.fixture
def session(index):
    return index.session("s", query="cats", reviewer="ann")


def again(index, **options):
    return Index.open(index.path).session("s", reviewer="ann", **options)


class TestNotes:
    def test_they_are_kept_with_their_history(self, index, session):
        session.judge("1", "not", note="too old", reasons=["year", "language"], tags=["later"])
        session.annotate("1", note="too old, by far")
        session.annotate("2", tags=["a", "b", "a"])
        session.as_reviewer("bob").annotate("1", note="fine")
        later = again(index)
        assert later.notes() == {"1": "too old, by far"}
        assert later.notes("bob") == {"1": "fine"}
        assert later.tags() == {"1": ("later",), "2": ("a", "b")}
        assert later.reasons() == {"1": ("year", "language")}
        assert [(one.reviewer, one.note, one.tags) for one in later.remarks()] == [
            ("ann", "too old", ("later",)),
            ("ann", "too old, by far", None),
            ("ann", None, ("a", "b")),
            ("bob", "fine", None),
        ]

    def test_undo_takes_reasons_back_and_leaves_what_was_typed(self, session):
        session.judge("1", "not", reasons=["a"], note="typed")
        session.judge("1", "not", reasons=["b"])
        assert session.undo().changes[0].reasons == ("a",)
        assert session.reasons() == {"1": ("a",)}
        session.undo()
        assert (session.judgements(), session.notes()) == ({}, {"1": "typed"})
        session.redo()
        assert session.reasons() == {"1": ("a",)}

    def test_empty_ones_take_away(self, session):
        session.annotate("1", note="x", tags=["t"])
        session.annotate("1", note="")
        assert (session.notes(), session.tags()) == ({}, {"1": ("t",)})
        session.annotate("1", tags=[])
        assert session.tags() == {}
        assert len(session.remarks()) == 3

    def test_several_at_once_all_or_none(self, session):
        good = Judgement("1", "not", reasons=("r",), note="n")
        with pytest.raises(UnknownIdError, match="no document 'x'"):
            session.judge_all([good, Judgement("x", "not")])
        assert (session.judgements(), session.notes()) == ({}, {})
        session.judge_all([good, Judgement("2", "relevant", tags=("t",))])
        assert len(session.history()) == 1
        assert (session.notes(), session.tags()) == ({"1": "n"}, {"2": ("t",)})

    @pytest.mark.parametrize(
        ("given", "sentence"),
        [
            ({"label": "relevant", "reasons": ["x"]}, "reasons say why '1' is not relevant"),
            ({"label": "not", "reasons": ["a;b"]}, "'a;b' cannot be one of the reasons"),
            ({"label": "not", "reasons": [""]}, "'' cannot be one of the reasons"),
            ({"label": "not", "reasons": "abc"}, r"reasons are a list of texts, as in \['abc'\]"),
            ({"label": "not", "reasons": [3]}, "reasons are texts, not int"),
            ({"label": "not", "tags": ["a\nb"]}, "cannot be one of the tags"),
            ({"label": "not", "tags": ["a" * 201]}, "longer than 200"),
            ({"label": "not", "tags": map(str, range(101))}, "there are 101 tags"),
            ({"label": "not", "note": "x" * 100_001}, "a note of 100,001 characters"),
            ({"label": "not", "note": 3}, "a note is text, not int"),
            ({"label": "not", "stage": "later"}, "'later' is no stage: say title/abstract or full"),
            ({"label": "maybe"}, "'maybe' is no judgement"),
        ],
    )
    def test_what_makes_no_sense(self, session, given, sentence):
        with pytest.raises(UsageError, match=sentence):
            session.judge("1", **given)
        assert session.history() == []

    def test_nothing_to_write(self, session):
        with pytest.raises(UsageError, match="give a note or tags"):
            session.annotate("1")
        with pytest.raises(UnknownIdError, match="no document 'x'"):
            session.annotate("x", note="n")


class TestStages:
    def test_each_has_judgements_of_its_own(self, index, session):
        session.judge_all({"1": "relevant", "2": "relevant", "3": "not"})
        full = again(index, stage=FULL)
        assert full.judgements() == {}
        assert sorted(full.page.ids) == ["1", "2"]
        assert "title/abstract" in full.page.reason
        assert full.stats().documents == 2
        full.judge("2", "not", reasons=["no data"])
        assert full.judgements() == {"2": "not"}
        assert full.labels() == {"1": True, "2": False, "3": False}
        assert full.stats().judged == 1
        assert full.undo().changes[0].stage == FULL
        full.redo()
        back = again(index, stage="title/abstract")
        assert back.judgements() == {"1": "relevant", "2": "relevant", "3": "not"}
        assert back.labels()["2"] is True
        assert not {"1", "2", "3"} & set(back.next().ids)

    def test_a_judgement_may_say_its_stage(self, session):
        session.judge("1", "relevant")
        session.judge("1", "not", stage=FULL, reasons=["r"])
        assert session.judgements() == {"1": "relevant"}
        assert session.reasons() == {}
        assert [entry.changes[0].stage for entry in session.history()] == ["title/abstract", FULL]

    def test_the_whole_second_stage(self, index, session):
        session.judge_all({str(i): "relevant" if i % 2 else "not" for i in range(30)})
        full = again(index, stage=FULL, page_size=6)
        shown = []
        while full.page.hits:
            shown += full.page.ids
            full.judge_all(dict.fromkeys(full.page.ids, "relevant"))
        assert sorted(shown, key=int) == [str(i) for i in range(1, 30, 2)]
        assert full.sample().hits == ()

    def test_what_is_no_stage(self, index, session):
        with pytest.raises(UsageError, match="stage is 'x': it may be title/abstract or full text"):
            again(index, stage="x")


class TestRandomPages:
    @pytest.mark.parametrize(("rate", "random"), [(0, []), (0.25, [4, 8]), (0.5, [2, 4, 6, 8])])
    def test_so_many_of_them(self, index, rate, random):
        session = index.session("r", query="cats", random_rate=rate, page_size=2)
        methods = [session.next().method for _ in range(8)]
        assert [i for i, method in enumerate(methods, 1) if method == "random"] == random

    @pytest.mark.parametrize("rate", [-0.1, 1, 2])
    def test_rates(self, index, rate):
        with pytest.raises(UsageError, match="random_rate is"):
            index.session("r", query="cats", random_rate=rate)


class TestFiles:
    @pytest.mark.parametrize("suffix", ["csv", "jsonl"])
    def test_there_and_back(self, index, session, tmp_path, suffix):
        session.judge("1", "not", reasons=["=cmd", "b c"], note='=1+1\n"quoted", è', tags=["-t"])
        session.judge("1", "relevant", stage=FULL)
        session.judge("2", "relevant")
        session.annotate("3", note="not judged yet", tags=["later"])
        session.as_reviewer("bob").judge("1", "unsure", reasons=["b"])
        session.export(tmp_path / f"judged.{suffix}")
        text = session.export(format=suffix)
        other = index.session("other", query="cats", reviewer="eve")
        loaded = other.load(tmp_path / f"judged.{suffix}")
        assert (loaded.judged, loaded.problem_count) == (4, 0)
        for reviewer in ("ann", "bob"):
            for read in ("judgements", "reasons", "notes", "tags"):
                assert getattr(other, read)(reviewer) == getattr(session, read)(reviewer)
        assert other.export(format=suffix) == text
        full = index.session("other", stage=FULL, reviewer="ann")
        assert full.judgements() == {"1": "relevant"}
        assert full.load(tmp_path / f"judged.{suffix}").unchanged == 4
        assert len(full.remarks()) == len(session.remarks())

    def test_what_lines_hold(self, session):
        session.judge("1", "not", reasons=["a", "b"], note="n", tags=["t"])
        session.annotate("2", tags=["u"])
        header, first, second = session.export(format="csv").splitlines()
        said = "label,reviewer,time,stage,reasons,note,tags,decision,copy_of,included"
        assert header == f"id,{said},title,text"
        assert first.startswith("1,not,ann,")
        assert ",title/abstract,a; b,n,t,not,," in first
        assert second.startswith("2,,ann,")
        line = json.loads(session.export(format="jsonl").splitlines()[0])
        assert (line["reasons"], line["note"], line["tags"]) == (["a", "b"], "n", ["t"])
        assert session.export(format="trec").split()[2:] == ["1", "0"]

    def test_lines_that_are_wrong(self, index, tmp_path):
        path = tmp_path / "bad.csv"
        path.write_text(
            "id,label,stage,reasons,note\n1,not,full text,a;b,\n2,relevant,,why,\n"
            "3,not,later,,\n4,,,,\n5,,,,a note\n"
        )
        session = index.session("s", query="cats", reviewer="ann")
        done = session.load(path)
        assert (done.judged, done.problem_count) == (1, 3)
        said = " ".join(map(str, done.problems))
        assert "bad.csv, line 3: reasons say why" in said
        assert "line 4: 'later' is no stage" in said
        assert session.notes() == {"5": "a note"}

    def test_where_judgements_come_from_is_kept(self, index, session, tmp_path):
        session.judge("1", "not")
        session.export(tmp_path / "judged.csv")
        other = index.session("other", reviewer="eve")
        other.load(tmp_path / "judged.csv")
        (act,) = [act for act in index.reviews.audit("other") if act.action == "import"]
        counted = {"judgements": 1, "remarks": 0}
        assert act.detail == {"file": "judged.csv", "reviewer": "ann", **counted}
        assert act.by == "eve"
        mark = other._live.ledger.marks("ann")["1"]
        assert mark.source == "file"


class TestProtocol:
    def test_it_is_kept(self, index, session):
        assert session.protocol == Protocol()
        session.plan(question="Do cats sleep?", reasons=["dogs", "no cats"])
        session.plan(criteria="1. cats\n2. sleep", tags=["later"])
        assert again(index).protocol == Protocol(
            "Do cats sleep?", "1. cats\n2. sleep", ("dogs", "no cats"), ("later",)
        )
        session.plan(reasons=[])
        assert again(index).protocol.reasons == ()

    @pytest.mark.parametrize(
        ("given", "sentence"),
        [
            ({"colour": "x"}, "unknown part 'colour' of a protocol"),
            ({"question": 3}, "question is text"),
            ({"criteria": "x" * 100_001}, "criteria may have 100,000"),
            ({"reasons": ["a;b"]}, "cannot be one of the reasons"),
        ],
    )
    def test_what_makes_no_sense(self, session, given, sentence):
        with pytest.raises(UsageError, match=sentence):
            session.plan(**given)


class TestOwners:
    def test_a_session_belongs_to_who_made_it(self, index, session):
        assert session.owner == "ann"
        assert index.session("s", reviewer="bob").owner == "ann"
        index.reviews.hand_over("s", "bob", by="ann")
        assert session.owner == "bob"
        index.reviews.archive("s")
        (listed,) = index.sessions()
        assert (listed.owner, listed.archived) == ("bob", True)
        assert "s (archived)" in succeed("sessions", index.path)[0]
        index.reviews.archive("s", archived=False)
        assert not index.sessions()[0].archived

    def test_what_was_done_is_kept_also_after_deleting(self, index, session):
        session.judge("1", "not")
        again(index, page_size=3)
        session.plan(question="q")
        index.reviews.rename("s", "t", by="bob")
        index.reviews.delete("t", by="eve")
        acts = index.reviews.audit("s")
        assert [(act.name, act.by, act.action) for act in acts] == [
            ("s", "ann", "create"),
            ("s", "ann", "settings"),
            ("s", "ann", "protocol"),
            ("s", "bob", "rename"),
            ("t", "eve", "delete"),
        ]
        assert acts[3].detail == {"to": "t"}
        assert acts[4].detail == {"events": 1, "owner": "ann"}
        assert index.reviews.audit("t") == index.reviews.audit() == acts
        assert index.reviews.audit("u") == []
        assert index.session("s").owner != ""

    def test_who_may_not(self, index, session):
        def may(row):
            raise PermissionError(row.owner)

        for work in (
            lambda: index.reviews.rename("s", "t", may=may),
            lambda: index.reviews.delete("s", may=may),
            lambda: index.reviews.hand_over("s", "bob", may=may),
            lambda: index.reviews.find("s", may=may, page_size=3),
        ):
            with pytest.raises(PermissionError, match="ann"):
                work()
        assert [act.action for act in index.reviews.audit()] == ["create"]
        assert index.session("s").settings.page_size == 10

    def test_pages_say_what_made_them(self, index, session):
        session.next()
        (page,) = session._live.pages
        assert page.version
        assert (page.generation, page.stage) == (index.generation, "title/abstract")


@pytest.mark.parametrize(
    ("table", "column", "value", "sentence"),
    [
        ("events", "reasons", '{"a"', "holds no JSON"),
        ("events", "reasons", "[1]", "is no event"),
        ("events", "reasons", '"text"', "is no event"),
        ("events", "stage", "later", "is no event"),
        ("remarks", "tags", "[1]", "is no remark"),
        ("remarks", "note", b"bytes", "is no remark"),
        ("pages", "stage", "x", "is no page"),
        ("pages", "generation", "x", "is no page"),
        ("sessions", "protocol", "[]", "the protocol of session 's' is damaged"),
        ("sessions", "archived", "x", "is no session"),
        ("audit", "detail", "[", "holds no JSON"),
        ("audit", "detail", "[]", "is no act"),
    ],
)
def test_rows_that_somebody_has_changed(index, session, table, column, value, sentence):
    """One sentence, that names the database or the session."""
    session.judge(session.page.ids[0], "not", note="n", tags=["t"])
    place = index.path.with_name("small.idx.sessions.sqlite")
    with closing(sqlite3.connect(place)) as connection, connection:
        connection.execute(f"UPDATE likewise_{table} SET {column} = ?", (value,))
    with pytest.raises(StoreError, match=sentence) as caught:
        read_all(index)
    assert "\n" not in str(caught.value)


def read_all(index):
    return again(index).protocol, Index.open(index.path).reviews.audit()
