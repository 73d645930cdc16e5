"""Records of one paper in a review: shown once, judged once, undone together."""

from __future__ import annotations

import csv

import msgspec
import pytest

from likewise import Index
from likewise.reviews.settings import Settings, decode_settings

COPIES = {"a1": "a", "a2": "a", "b1": "b", "b2": "b", "b3": "b"}


def record(id, name, **more):
    title = f"Cats and {name * 9} of large rivers: a systematic review of {name * 7}"
    return {"id": id, "title": title, "authors": [f"{name}smith, J"], "year": 2010, **more}


@pytest.fixture
def index(tmp_path):
    index = Index.create(tmp_path / "r.idx", latent=0)
    records = [record(id, name) for id, name in COPIES.items()]
    records[1]["doi"] = "10.1000/a2"  # which makes it the more complete one
    index.add([*records, *(record(name, name) for name in "cdefgh")])
    return index


def shown(session):
    found = []
    while page := session.next(3).ids:
        found += page
    return found


def test_each_paper_is_shown_once_and_names_the_others(index):
    session = index.session("r", query="cats")
    page = session.next(20)
    assert len(page.ids) == 8
    assert page.duplicates["a2"] == ("a1",)
    assert sum(id.startswith("b") for id in page.ids) == 1
    assert not session.next().ids


def test_a_judgement_holds_for_all_and_is_undone_together(index):
    session = index.session("r", query="cats")
    session.judge("a2", "relevant", note="yes")
    assert session.judgements() == {"a2": "relevant", "a1": "relevant"}
    assert session.notes() == {"a2": "yes"}
    session.undo()
    assert session.judgements() == {}
    session.redo()
    assert session.judgements() == {"a2": "relevant", "a1": "relevant"}
    session.withdraw("a1")
    assert session.judgements() == {}


def test_a_copy_can_be_judged_otherwise(index):
    session = index.session("r", query="cats")
    session.judge_all({"b1": "relevant", "b2": "not"})
    assert session.judgements() == {"b1": "relevant", "b3": "relevant", "b2": "not"}


def test_counts_are_of_papers(index):
    session = index.session("r", query="cats")
    assert session.stats().documents == 8
    session.judge("b1", "relevant")
    session.judge("c", "not")
    stats = session.stats()
    assert (stats.judged, stats.relevant, stats.gain) == (2, 1, (1, 1))


def test_random_pages_are_drawn_from_papers(index):
    session = index.session("r", query="cats")
    session.judge("a1", "not")
    page = session.sample(20)
    assert len(page.ids) == 7
    assert "7 of 7 unjudged" in page.reason


def test_copies_of_examples_are_not_shown(index):
    session = index.session("r", examples="a1")
    assert not {"a1", "a2"} & set(shown(session))
    assert session.stats().documents == 7


def test_another_reviewer_sees_each_paper_once(index):
    ann = index.session("r", query="cats", reviewer="ann")
    ann.judge("b2", "relevant")
    bob = ann.as_reviewer("bob")
    found = shown(bob)
    assert len(found) == len(set(found)) == 8
    assert found[0].startswith("b")
    bob.judge(found[0], "not")
    (conflict,) = bob.conflicts()  # one paper is one conflict
    assert conflict.document in {"b1", "b2", "b3"}


def test_reviewers_who_share_the_work(index):
    ann = index.session("r", query="cats", reviewer="ann", overlap=False)
    bob = ann.as_reviewer("bob")
    found = [*ann.next(4).ids, *bob.next(10).ids]
    assert len(found) == len(set(found)) == 8


def test_full_texts_are_shown_once(index):
    session = index.session("r", query="cats")
    session.judge("b1", "relevant")
    session = index.session("r", stage="full text")
    page = session.next(10)
    assert len(page.ids) == 1
    session.judge(page.ids[0], "not")
    assert not session.next(10).ids


def test_a_copy_that_comes_later_is_not_shown(index):
    session = index.session("r", query="cats")
    session.judge("c", "not")
    index.add([record("c-again", "c"), record("new", "k")])
    assert {"c-again", "c"}.isdisjoint(found := shown(session))
    assert "new" in found


class TestExports:
    """Each record of a paper has the judgement of its paper, whenever it was added."""

    @pytest.fixture
    def session(self, index):
        session = index.session("r", query="cats", reviewer="ann")
        session.judge("a2", "relevant", reasons=(), note="yes")
        session.judge("c", "not")
        session.as_reviewer("bob").judge("c", "relevant")
        index.add([record("a3", "a"), record("c-again", "c", doi="10.1000/c"), record("k", "k")])
        return session

    def test_a_row_for_each(self, session):
        rows = list(csv.DictReader(session.export().splitlines()))
        said = {(row["id"], row["reviewer"], row["label"], row["copy_of"]) for row in rows}
        assert len(rows) == len(said)
        assert said == {
            ("a2", "ann", "relevant", ""),
            ("a1", "ann", "relevant", "a2"),
            ("a3", "ann", "relevant", "a2"),
            ("c", "ann", "not", "c-again"),
            ("c", "bob", "relevant", "c-again"),
            ("c-again", "ann", "not", ""),
            ("c-again", "bob", "relevant", ""),
        }
        assert [row["id"] for row in rows if row["note"]] == ["a2"]

    def test_of_one_reviewer_and_of_all_documents(self, session):
        rows = csv.DictReader(session.export(reviewer="bob", records="all").splitlines())
        found = {row["id"]: row["label"] for row in rows}
        assert len(found) == 14
        assert {id for id, label in found.items() if label} == {"c", "c-again"}

    def test_references_say_whose_copy_they_are(self, session):
        found = session.export(format="ris", records="relevant")
        assert found.count("N1  - ASReview_relevant") == 5
        assert found.count("N1  - likewise: copy of a2") == 2
        assert "likewise: not (ann), relevant (bob)" in found
        assert session.export(format="trec").count(" 1\n") == 5

    def test_a_note_on_a_copy_is_written_once(self, session):
        session.annotate("a3", note="a copy")
        rows = csv.DictReader(session.export().splitlines())
        found = [(row["label"], row["note"]) for row in rows if row["id"] == "a3"]
        assert found == [("relevant", "a copy")]

    def test_they_come_back(self, session, index):
        again = index.session("again", group_duplicates=False)
        path = index.path.parent / "said.csv"
        session.export(path)
        again.load(path)
        assert again.as_reviewer("ann").judgements() == dict.fromkeys(
            ("a1", "a2", "a3"), "relevant"
        ) | dict.fromkeys(("c", "c-again"), "not")

    def test_not_where_each_is_judged_by_itself(self, session, index):
        index.session("r", group_duplicates=False)
        rows = list(csv.DictReader(session.export().splitlines()))
        assert {row["id"] for row in rows} == {"a1", "a2", "c"}
        assert not any(row["copy_of"] for row in rows)


def test_it_can_be_turned_off_and_on(index):
    session = index.session("r", query="cats", group_duplicates=False)
    assert len(session.next(20).ids) == 11
    session.judge("a1", "relevant")
    assert session.judgements() == {"a1": "relevant"}
    index.session("r", group_duplicates=True)
    assert "a2" not in shown(session)
    assert session.stats().documents == 8


def test_sessions_of_earlier_versions_stay_as_they_were():
    before = msgspec.json.encode({"method": "auto", "page_size": 5}).decode()
    assert decode_settings(before, "r").group_duplicates is False
    assert Settings().group_duplicates is False


def test_an_index_of_vectors_has_none(tmp_path):
    file = tmp_path / "v.svm"
    file.write_text("1 1:3 2:1\n1 2:2 5:1\n1 1:2 3:1\n")
    index = Index.create(tmp_path / "v.idx")
    index.add(file)
    session = index.session("r")
    assert len(session.next().ids) == 3
