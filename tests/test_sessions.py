"""Sessions from Python: pages, judgements, reviewers, and what survives."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest

from likewise import Document, Index, Text
from likewise.datasets import arxiv_sample, topics
from likewise.errors import StoreError, UnknownIdError, UnknownSessionError, UsageError
from likewise.reviews import records
from likewise.reviews.database import Database
from likewise.reviews.ledger import Change
from likewise.reviews.tables import VERSION

TOPIC = "q-bio.PE"
DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    directory = tmp_path_factory.mktemp("arxiv") / "arxiv.idx"
    Index.create(directory).add(arxiv_sample())
    return directory


@pytest.fixture
def index(built, tmp_path):
    """The bundled collection, with no sessions yet; copying is quicker than indexing."""
    shutil.copytree(built, tmp_path / "arxiv.idx")
    return Index.open(tmp_path / "arxiv.idx")


@pytest.fixture
def small(tmp_path):
    index = Index.create(tmp_path / "small.idx")
    index.add(
        [Document(str(i), f"cats {'dogs ' * (i % 3)} number{i}", f"No. {i}") for i in range(30)]
    )
    return index


def again(index):
    """The same as another process sees it."""
    return Index.open(index.path)


class TestPages:
    def test_nothing_is_shown_twice(self, small):
        session = small.session("s", query="cats", page_size=7)
        shown = [id for _ in range(6) for id in session.next().ids]
        assert sorted(shown, key=int) == [str(i) for i in range(30)]

    def test_what_was_passed_over_is_shown_if_asked(self, small):
        session = small.session("s", query="cats")
        first = session.next()
        session.judge(first.ids[0], "not")
        assert set(session.next(30, again=True).ids) == {str(i) for i in range(30)} - {first.ids[0]}

    def test_a_page_waits_to_be_judged(self, small):
        session = small.session("s", query="cats", page_size=2)
        page = session.page
        assert session.page == page
        session.judge(page.ids[0], "relevant")
        assert session.page == again(small).session("s").page == page
        session.judge(page.ids[1], "unsure")
        assert session.page.number == 2
        assert not set(session.page.ids) & set(page.ids)

    def test_there_is_nothing_left(self, small):
        session = small.session("s", query="cats", page_size=30)
        session.judge_all(dict.fromkeys(session.page.ids, "not"))
        assert session.page.hits == ()
        assert session.page.reason == "every record has been judged or shown"
        small.add([Document("new", "cats again")])
        assert session.page.ids == ["new"]

    def test_the_state_decides_the_method_and_says_so(self, small):
        session = small.session("s", query="cats", page_size=2)
        assert session.page.method == "none"
        assert session.page.reason
        session.judge_all(dict.fromkeys(session.page.ids, "not"))
        only_not = session.next().method
        session.judge(session.page.ids[0], "relevant")
        assert len({"none", only_not, session.next().method}) == 3

    def test_judgements_lead_to_the_topic(self, index):
        wanted = set(topics()[TOPIC])
        session = index.session("s", query="spread of epidemics")
        for _ in range(8):
            session.judge_all(
                {id: "relevant" if id in wanted else "not" for id in session.page.ids}
            )
        found = sum(label == "relevant" for label in session.judgements().values())
        plain = sum(hit.id in wanted for hit in index.search("spread of epidemics", k=80))
        assert found > plain

    def test_added_and_deleted_documents(self, small):
        session = small.session("s", query="zebras cats", page_size=3)
        page = session.page
        session.judge(page.ids[0], "relevant")
        small.delete(page.ids[:2])
        small.add([Document("zebra", "zebras and cats")])
        assert session.page.ids == page.ids[2:]
        assert "zebra" in session.next(30).ids
        assert page.ids[0] in session.judgements()
        with pytest.raises(
            UsageError, match=r"no document '.*' in .*: it was deleted, or was never"
        ):
            session.judge(page.ids[0], "not")
        session.withdraw(page.ids[0])
        assert session.judgements() == {}

    @pytest.mark.parametrize("n", [0, -1])
    def test_sizes(self, small, n):
        with pytest.raises(UsageError, match="at least one"):
            small.session("s", query="cats", page_size=n)
        with pytest.raises(UsageError, match="at least one"):
            small.session("s", query="cats").next(n)
        with pytest.raises(UsageError, match="at least one"):
            small.session("s", query="cats").sample(n)

    def test_a_sample_is_random_and_repeatable(self, small, tmp_path):
        ids = small.session("s", query="cats").sample(30).ids
        assert ids != sorted(ids, key=int)
        assert sorted(ids, key=int) == [str(i) for i in range(30)]
        assert small.session("t", query="cats", database=tmp_path / "other").sample(30).ids == ids
        assert small.session("s").page.method == "random"


class TestStart:
    def test_examples_of_every_kind_survive(self, small, tmp_path):
        file = tmp_path / "example.txt"
        file.write_text("cats dogs")
        examples = ["3", file, Text("dogs dogs"), Document("mine", "cats"), {"text": "number7"}]
        first = small.session("s", examples=examples, unlike=["4"]).page
        file.unlink()
        later = again(small).session("s")
        assert later.page == first
        assert not {"3", "4"} & set(later.next(30).ids)

    def test_an_example_that_is_deleted_is_passed_over(self, small):
        session = small.session("s", examples=["3", "5"])
        small.delete("3")
        assert len(session.page.ids) == 10
        small.delete("5")
        assert len(session.next().ids) == 10

    def test_nothing_to_begin_with(self, small):
        session = small.session("s")
        assert len(session.page.ids) == 10
        assert session.query is None
        with pytest.raises(UsageError, match="random order"):
            session.explain(session.page.ids[0])

    def test_an_empty_index(self, tmp_path):
        index = Index.create(tmp_path / "empty.idx")
        assert index.session("s").page.hits == ()

    def test_unknown_examples(self, small):
        with pytest.raises(UsageError, match="no document 'x'"):
            small.session("s", examples=["x"])
        with pytest.raises(UsageError, match="no example"):
            small.session("s", examples=[3])
        with pytest.raises(UsageError, match="the query is empty"):
            small.session("s", query=" ")
        assert small.sessions() == []

    def test_another_start_is_another_session(self, small):
        small.session("s", query="cats")
        small.session("s", query="cats")
        with pytest.raises(UsageError, match="'s' began with something else"):
            small.session("s", query="dogs")

    def test_settings_are_kept_and_can_be_changed(self, small):
        small.session("s", query="cats", page_size=3, method="rocchio")
        assert again(small).session("s").settings.method == "rocchio"
        assert len(again(small).session("s", method="auto").page.ids) == 3
        assert again(small).session("s").settings.method == "auto"

    def test_settings_that_another_process_has_changed(self, small):
        session = small.session("s", query="cats", page_size=3)
        again(small).session("s", page_size=4)
        small.session("s", method="rocchio")
        assert session.settings.page_size == again(small).session("s").settings.page_size == 4

    @pytest.mark.parametrize(
        ("setting", "sentence"),
        [
            ({"method": "x"}, "unknown feedback 'x'"),
            ({"combine": "x"}, "combine is 'x'"),
            ({"colour": 1}, "unknown option 'colour'"),
            ({"seed": -1}, "seed is -1"),
            ({"reviewer": " "}, "reviewer's name is empty"),
            ({"weighting": "x"}, "weighting 'x'"),
        ],
    )
    def test_what_makes_no_sense(self, small, setting, sentence):
        with pytest.raises(UsageError, match=sentence):
            small.session("s", query="cats", **setting)
        small.session("t", query="cats")
        with pytest.raises(UsageError, match=sentence):
            small.session("t", **setting)

    @pytest.mark.parametrize("name", ["", " ", "a\nb"])
    def test_names(self, small, name):
        with pytest.raises(UsageError, match="no name for a session"):
            small.session(name)


class TestJudging:
    def test_only_what_is_a_judgement(self, small):
        session = small.session("s", query="cats")
        with pytest.raises(UsageError, match="'good' is no judgement: say relevant, not or unsure"):
            session.judge("1", "good")
        with pytest.raises(UsageError, match="no document 'x'"):
            session.judge_all({"1": "not", "x": "not"})
        with pytest.raises(UsageError, match="has not judged '1'"):
            session.withdraw("1")
        assert session.judgements() == {}

    def test_changing_undo_and_redo_across_restarts(self, small):
        small.session("s", query="cats", reviewer="ann").judge("1", "relevant")
        small.session("s", reviewer="bob").judge("1", "not")
        session = again(small).session("s", reviewer="ann")
        session.judge(session.page.hits[0], "unsure")
        session.judge("1", "not")
        assert session.undo().changes == (Change("1", "not", "relevant"),)
        again(small).session("s", reviewer="ann").undo()
        assert session.judgements() == {"1": "relevant"}
        assert again(small).session("s", reviewer="ann").redo().action == "redo"
        session.redo()
        assert session.judgements()["1"] == "not"
        with pytest.raises(UsageError, match="'ann' has undone nothing"):
            session.redo()
        assert session.judgements("bob") == {"1": "not"}
        assert [e.action for e in session.history()] == [
            *["judge"] * 4, "undo", "undo", "redo", "redo"
        ]  # fmt: skip

    def test_several_at_once_are_undone_together(self, small):
        session = small.session("s", query="cats")
        session.judge_all({"1": "not", "2": "relevant"})
        assert len(session.history()) == 1
        session.undo()
        assert session.judgements() == {}
        with pytest.raises(UsageError, match="nothing that could be undone"):
            session.undo()

    def test_judging_and_withdrawing_are_one_step(self, small):
        session = small.session("s", query="cats", reviewer="ann")
        session.judge_all({"1": "not", "2": "relevant"})
        with pytest.raises(UsageError, match="reviewer 'ann' has not judged '4'"):
            session.judge_all({"3": "not", "4": None})
        session.judge_all({"1": None, "3": "unsure"})
        assert session.judgements() == {"2": "relevant", "3": "unsure"}
        assert set(session.undo().changes) == {
            Change("1", None, "not"),
            Change("3", "unsure", None),
        }
        assert session.judgements() == {"1": "not", "2": "relevant"}

    def test_documents_of_a_page(self, small):
        session = small.session("s", query="cats")
        page = session.page
        assert session.documents(page.ids) == small.documents(page.ids)
        with pytest.raises(UnknownIdError, match="no document 'x'"):
            session.documents(["x"])

    def test_explaining_by_another_query(self, small):
        session = small.session("s", query="cats")
        assert session.explain("1", "dogs") == small.explain("1", "dogs")
        with pytest.raises(UnknownIdError, match="no document 'x'"):
            session.explain("x")

    def test_the_learned_query(self, small):
        session = small.session("s", query="cats")
        assert session.query == "cats"
        session.judge_all({"1": "relevant", "3": "not"})
        assert small.run(session.query, k=3)
        explanation = session.explain("2")
        assert explanation.score == pytest.approx(sum(t.weight for t in explanation.terms))


class TestReviewers:
    def test_each_judges_everything(self, small):
        ann = small.session("s", query="cats", reviewer="ann", page_size=5)
        bob = ann.as_reviewer("bob")
        ann.judge_all(dict.fromkeys(ann.page.ids, "not"))
        assert bob.page.ids == ann.judgements().keys() | set() or bob.page.ids == list(
            ann.judgements()
        )
        assert "records that other reviewers have judged come first" in bob.page.reason
        bob.judge_all(dict.fromkeys(bob.page.ids, "relevant"))
        assert not set(bob.page.ids) & set(ann.judgements())

    def test_or_they_share_the_work(self, small):
        ann = small.session("s", query="cats", reviewer="ann", overlap=False)
        bob = again(small).session("s", reviewer="bob")
        seen = [*ann.page.ids, *bob.page.ids, *ann.next().ids, *bob.next().ids]
        assert len(set(seen)) == len(seen) == 30

    def test_agreement_and_conflicts(self, small):
        ann = small.session("s", query="cats", reviewer="ann")
        bob = ann.as_reviewer("bob")
        assert ann.agreement() == []
        ann.judge_all({"1": "relevant", "2": "relevant", "3": "not", "4": "not", "5": "unsure"})
        bob.judge_all({"1": "relevant", "2": "not", "3": "not", "4": "not", "6": "not"})
        (found,) = ann.agreement()
        assert found[:4] == ("ann", "bob", 4, 3)
        assert found.kappa == pytest.approx(0.5)
        assert bob.conflicts() == [("2", {"ann": "relevant", "bob": "not"})]
        assert ann.labels() == {"1": True, "2": True, "3": False, "4": False, "6": False}
        assert ann.reviewers() == ["ann", "bob"]
        majority = small.session("s", combine="majority")
        assert majority.labels() == {"1": True, "3": False, "4": False, "6": False}


class TestWeighting:
    @pytest.mark.parametrize("stored", [None, "tfidf", "pivoted", "smooth"])
    def test_a_session_goes_on_with_what_it_was_told(self, small, stored):
        """Whoever said nothing gets the weighting that the method is best with."""
        session = small.session("s", query="cats", weighting=stored)
        session.judge_all({"1": "relevant", "2": "not"})
        later = again(small).session("s")
        assert later.settings.weighting == stored
        assert later.query.weighting == (stored or "smooth")
        assert len(later.next().ids) == 10

    def test_words_alone_weigh_as_in_a_search(self, small):
        session = small.session("s", query="dogs cats")
        assert session.page.ids == [hit.id for hit in small.search("dogs cats", 10)]
        assert session.explain("1").score == small.explain("1", "dogs cats").score


class TestKeeping:
    def test_beside_the_index(self, small):
        small.session("s", query="cats").judge("1", "not")
        small.merge()
        assert again(small).session("s").judgements() == {"1": "not"}
        assert {p.name for p in small.path.iterdir()} == {
            "lock",
            "manifest.copy.json",
            "manifest.json",
            "segments",
        }
        assert small.path.with_name("small.idx.sessions.sqlite").exists()

    def test_indexed_anew(self, small):
        """The same collection with other settings, and then with some documents more and less."""
        small.session("s", query="cats").judge_all({"1": "relevant", "2": "not", "3": "not"})
        documents = [small.document(id) for id in small.ids()]
        for settings, kept in (({"bigrams": True}, documents), ({}, documents[2:])):
            shutil.rmtree(small.path)
            built = Index.create(small.path, **settings)
            built.add([*kept, Document("more", "cats")])
            session = built.session("s")
            assert len(session.judgements()) == 3
            assert len(session.page.ids) == 10

    def test_a_session_of_another_index(self, small, tmp_path):
        place = tmp_path / "shared.sqlite"
        small.session("s", query="cats", database=place).judge("1", "not")
        other = Index.create(tmp_path / "other.idx")
        other.add([Document("1", "cats elsewhere")])
        with pytest.raises(
            UsageError, match=r"'s' in .*shared.sqlite is of another index, .*small"
        ):
            other.session("s", database=place)
        assert other.session("s", database=place, adopt=True).judgements() == {"1": "not"}
        with pytest.raises(UsageError, match="is of another index"):
            again(small).session("s", database=place)

    def test_another_collection_in_the_same_place(self, small):
        small.session("s", query="cats").judge("1", "not")
        shutil.rmtree(small.path)
        other = Index.create(small.path)
        other.add([Document("x", "cats elsewhere")])
        with pytest.raises(UsageError, match="is of another index"):
            other.session("s")
        assert [(one.name, one.here) for one in other.sessions()] == [("s", False)]

    def test_the_reviews_of_an_index(self, small):
        """The methods of Index are the same by other names."""
        reviews = small.reviews
        session = reviews.open("one", query="cats", reviewer="ann", page_size=4)
        session.judge("1", "not")
        assert small.session("one", reviewer="ann").judgements() == {"1": "not"}
        assert reviews.find("one").settings.page_size == 4
        assert reviews.find("two") is None
        assert reviews.list() == small.sessions()
        reviews.rename("one", "two")
        assert reviews.turn("two", lambda found: found.judgements(), reviewer="ann") == {"1": "not"}
        with pytest.raises(UnknownSessionError, match="no session 'one'"):
            reviews.turn("one", lambda found: found.judgements())
        reviews.delete("two")
        assert reviews.list() == []

    def test_listing_renaming_and_deleting(self, small):
        assert small.sessions() == []
        with pytest.raises(UsageError, match="no session 'x': there is no"):
            small.delete_session("x")
        session = small.session("one", query="cats")
        small.session("two").judge("1", "not")
        assert [(one.name, one.reviewers, one.events) for one in small.sessions()] == [
            ("two", 1, 1),
            ("one", 0, 0),
        ]
        with pytest.raises(UsageError, match=r"a session 'two' in .* already"):
            small.rename_session("one", "two")
        with pytest.raises(UsageError, match="no session 'x'"):
            small.rename_session("x", "y")
        small.rename_session("one", "three")
        small.session("three")
        assert session.name == "three"
        small.delete_session("three")
        with pytest.raises(UsageError, match="no session 'three'"):
            small.delete_session("three")
        with pytest.raises(UsageError, match="was deleted meanwhile"):
            session.judge("1", "not")
        assert small.session("three").judgements() == {}


@pytest.mark.parametrize("version", range(1, VERSION + 1))
def test_every_database_that_was_released_opens(tmp_path, version):
    """Made by helpers/session_specimen.py; the index needs no document of the session."""
    shutil.copy(DATA / f"specimen-v{version}.sessions.sqlite", tmp_path / "kept.sqlite")
    shutil.copytree(DATA / "specimen-v1.idx", tmp_path / "specimen.idx")
    index = Index.open(tmp_path / "specimen.idx")
    session = index.session("s", reviewer="ann", database=tmp_path / "kept.sqlite", adopt=True)
    assert session.judgements() == {"cats": "relevant", "large": "not"}
    assert session.judgements("bob") == {"cats": "not"}
    assert [entry.action for entry in session.history()] == ["judge", "judge", "judge", "undo"]
    assert session.page.number == 1
    session.judge("late", "unsure")
    assert session.settings.weighting is None
    assert session.query.weighting == "smooth"  # what its method is best with, as in a new one


def test_threads_take_turns(small):
    """Judging, paging and looking at once: nothing is lost, nothing is shown twice."""
    failures, shown = [], []

    def work(name):
        try:
            session = small.session("s", query="cats", reviewer=name, overlap=False, page_size=2)
            for _ in range(3):
                page = session.next()
                shown.extend(page.ids)
                for id in page.ids:
                    session.judge(id, "relevant")
                session.history()
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(f"r{i}",)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert len(set(shown)) == len(shown) == 24
    assert len(small.session("s").labels()) == 24


def test_damaged_rows(small):
    session = small.session("s", query="cats")
    database = Database(small.path.with_name("small.idx.sessions.sqlite"))
    records.change(database, records.find(database, "s").number, "ann", "damage", start="{")
    with pytest.raises(StoreError, match="what session 's' began with is damaged"):
        again(small).session("s")
    assert session.page
