"""Hits, explanations, queries and reviews as programs and notebooks use them."""

from __future__ import annotations

import gzip
import json
import pickle
import re
import subprocess
import sys
from html.parser import HTMLParser
from itertools import islice

import pandas as pd
import polars as pl
import pytest

from likewise import Document, Hits, Index, Query, Text, UsageError
from likewise.datasets import arxiv_sample, topics
from likewise.search import frames
from likewise.search.bound import LearnedQuery
from likewise.search.found import Explanation, Hit
from likewise.search.html import HIDDEN
from likewise.search.query import Weight

LONGEST = 600  # characters of a repr
HOSTILE = "<script>alert(1)</script> & \"quotes' <img src=x onerror=alert(2)> \u202egnp.exe"


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    made = Index.create(tmp_path_factory.mktemp("notebook") / "arxiv.idx")
    made.add(arxiv_sample())
    return made


@pytest.fixture(scope="module")
def robots():
    return topics()["cs.RO"][:3]


@pytest.fixture
def hostile(tmp_path):
    """An index whose ids, titles, texts and fields attack the page that shows them."""
    index = Index.create(tmp_path / "hostile.idx")
    with gzip.open(arxiv_sample(), "rt") as lines:
        papers = [json.loads(line) for line in islice(lines, 30)]
    index.add(
        Document(
            f"{HOSTILE}{n}",
            f"{HOSTILE} robot arm {paper['text']}",
            f"{HOSTILE} robot {paper['title']}",
            kind=HOSTILE,
        )
        for n, paper in enumerate(papers)
    )
    return index


class Page(HTMLParser):
    """The tags of a page, their attributes, and its text."""

    def __init__(self, written):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.text, self.marked = [], [], "", []
        self.feed(written)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]

    def handle_data(self, data):
        self.text += data
        if self.tags[-1:] == ["mark"]:
            self.marked.append(data)


SAFE = {"table", "thead", "tbody", "tr", "th", "td", "b", "br", "code", "span", "p", "mark"}


def checked(written):
    page = Page(written)
    assert set(page.tags) <= SAFE
    assert set(page.attributes) <= {"style"}
    assert not HIDDEN.search(written)
    return page


# Hits


def test_a_slice_knows_its_query_and_its_documents(index, robots, tmp_path):
    hits = index.like(robots, k=8)
    some = hits[2:5]
    assert isinstance(some, Hits)
    assert some.query is hits.query
    assert (some.known, some.notes, some.words) == (hits.known, hits.notes, hits.words)
    assert list(some) == list(hits)[2:5]
    assert some.ids == hits.ids[2:5]
    assert isinstance(hits[0], Hit)
    some.save(tmp_path / "some.jsonl")
    assert len((tmp_path / "some.jsonl").read_text().splitlines()) == 3


def test_a_slice_has_the_duplicates_of_its_own_hits(tmp_path):
    index = Index.create(tmp_path / "twice.idx")
    text = "A soft gripper grasps objects that it has never seen, with a camera and two fingers."
    index.add([Document(f"r{n}", text, "Soft grippers", doi="10.1000/x1") for n in range(2)])
    index.add([Document("other", "a robot walks", "Walking", doi="10.1000/y2")])
    hits = index.search("soft gripper robot", group_duplicates=True)
    assert hits.ids == ["other", "r0"]
    assert hits[1:].duplicates == hits.duplicates == {"r0": ("r1",)}
    assert hits[:1].duplicates == {}


def test_words_that_were_searched_for_are_kept(index):
    hits = index.search("robot arm")
    assert hits.words == "robot arm"
    assert hits.query is None


def test_hits_are_examples(index, robots):
    hits = index.search("robot arm", k=5)
    by_hits = index.like(hits[:3])
    assert by_hits == index.like(hits.ids[:3])
    assert index.like(hits[0]) == index.like(hits[0].id)
    assert index.like(robots, unlike=hits[4]) == index.like(robots, unlike=hits.ids[4])
    assert index.documents(hits)[0].id == hits[0].id
    assert index.run(by_hits.query, among=hits).ids == [
        id for id in index.run(by_hits.query, k=2000).ids if id in hits.ids
    ]


def test_pandas_frames(index):
    hits = index.search("robot arm", k=7)
    frame = hits.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == ["rank", "id", "score", "title"]
    assert frame["id"].tolist() == hits.ids
    assert frame["score"].tolist() == [hit.score for hit in hits]
    wide = hits.to_frame(fields=True)
    assert {"text", "cats", "created"} <= set(wide.columns)
    assert wide["text"][0] == index.document(hits[0].id).text
    assert list(hits.to_frame(fields=["cats"]).columns)[4:] == ["cats"]


def test_polars_frames(index):
    hits = index.search("robot arm", k=7)
    frame = hits.to_frame("polars", fields=["created"])
    assert isinstance(frame, pl.DataFrame)
    assert frame.columns == ["rank", "id", "score", "title", "created"]
    assert frame["id"].to_list() == hits.ids


def test_no_hits_are_a_frame_too(index):
    assert index.search("xyzzy").to_frame().shape == (0, 4)
    assert index.search("xyzzy").to_frame("polars", fields=["cats"]).shape == (0, 5)


def test_a_frame_that_cannot_be_made(index, monkeypatch):
    hits = index.search("robot")
    with pytest.raises(UsageError, match="unknown library 'arrow': choose pandas or polars"):
        hits.to_frame("arrow")
    with pytest.raises(UsageError, match="none of the hits has a field 'nothing'"):
        hits.to_frame(fields=["nothing"])
    monkeypatch.setattr(frames, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match="needs pandas or polars: pip install pandas"):
        hits.to_frame()


# Pickles


def test_an_index_is_pickled_by_its_path(index):
    again = pickle.loads(pickle.dumps(index))
    assert again.search("robot arm") == index.search("robot arm")
    assert len(pickle.dumps(index)) < 500


def test_a_frozen_handle_is_no_pickle(tmp_path):
    index = Index.create(tmp_path / "grow.idx")
    index.add(Document("a", "one robot"))
    frozen = index.frozen()
    index.add(Document("b", "two robots"))
    assert len(frozen) == 1
    assert len(pickle.loads(pickle.dumps(frozen))) == 2


@pytest.mark.parametrize("views", ["words", "words,latent"])
def test_a_learned_query_is_pickled_as_a_saved_one(index, robots, views):
    hits = index.like(robots, method="steady", views=views)
    query = pickle.loads(pickle.dumps(hits.query))
    assert isinstance(query, Query)
    found = index.run(query)
    assert found.ids == hits.ids
    assert [hit.score for hit in found] == pytest.approx([hit.score for hit in hits])
    assert pickle.loads(pickle.dumps(query)) == query


def test_hits_find_their_documents_in_another_process(index, robots, tmp_path):
    hits = index.like(robots, k=4)
    (tmp_path / "hits.pickle").write_bytes(pickle.dumps(hits))
    program = f"""
import pickle
hits = pickle.load(open({str(tmp_path / "hits.pickle")!r}, "rb"))
hits.save({str(tmp_path / "hits.ris")!r})
print(hits.ids, hits.query.learned.examples, "<mark" in hits._repr_html_(), hits[1:].ids)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert not done.stderr
    assert done.stdout.strip() == f"{hits.ids} 3 True {hits.ids[1:]}"
    assert (tmp_path / "hits.ris").read_text().count("TY  - ") == 4


# What is shown


def test_reprs_are_short(index, robots, tmp_path):
    hits = index.like(robots, k=500)
    session = index.session(
        "short", examples=robots, database=tmp_path / "s.sqlite", reviewer="ann"
    )
    long = Document("x" * 5000, "word " * 9000, "title " * 900, field=["value"] * 9000)
    shown = [
        index, hits, hits[:0], hits[0], hits.query, hits.query.portable, hits.query.learned,
        index.explain(hits[0], hits.query), index.document(hits[0].id), long, Text("a" * 9000),
        session, session.page, index.search("robot"), index.as_query({"robot": 1.0}),
    ]  # fmt: skip
    for one in shown:
        assert len(repr(one)) <= LONGEST, type(one)
        assert "\n" not in repr(one)
    assert repr(Text("a b")) == "Text('a b')"
    assert repr(Document("1", "some text", "A title")) == (
        "Document('1', 'some text', title='A title')"
    )
    assert re.match(r"<500 hits: \S+ \(\d\.\d+\), ", repr(hits))
    assert "robot +" in repr(hits.query)


def test_hits_show_the_words_they_were_found_by(index, robots):
    for hits in (index.search("robot arms", k=3), index.like(robots, k=3)):
        page = checked(hits._repr_html_())
        assert page.tags.count("tr") == 4
        assert {word.lower() for word in page.marked} & {"robot", "robots", "robotic"}
        for hit in hits:
            assert hit.id in page.text


def test_many_hits_are_not_all_shown(index):
    page = checked(index.search("the robot model", k=200)._repr_html_())
    assert page.tags.count("tr") == 21
    assert "and 180 more" in page.text
    assert "nothing was found" in checked(index.search("xyzzy")._repr_html_()).text


def test_an_explanation_and_a_query_have_bars(index, robots):
    hits = index.like(robots)
    why = index.explain(hits[0], hits.query)
    page = checked(why._repr_html_())
    assert hits[0].id in page.text
    assert why.terms[0].term in page.text
    assert page.tags.count("tr") == min(len(why.terms), 30)
    for query in (hits.query, hits.query.portable):
        page = checked(query._repr_html_())
        assert "robot" in page.text
        assert "3 examples" in page.text


def test_hostile_text_is_only_text(hostile):
    ids = hostile.ids()
    hits = hostile.search("robot arm script", k=30)
    learned = hostile.like(ids[:2], unlike=ids[3], method="centroid")
    for shown in (
        hits,
        learned,
        learned.query,
        learned.query.portable,
        hostile.explain(hits[0], learned.query),
        Explanation(HOSTILE, 1.0, [Weight(HOSTILE, 1.0)]),
        Hits([Hit(HOSTILE, 1.0, HOSTILE, 1)], notes=[HOSTILE]),
    ):
        page = checked(shown._repr_html_())
        assert "alert(1)" in page.text or isinstance(shown, Query | LearnedQuery)
    assert "script" in checked(hits._repr_html_()).marked


def test_a_hostile_review_is_only_text(hostile, tmp_path):
    name = f"{HOSTILE} review".replace("\u202e", "")
    session = hostile.session(
        name, examples=hostile.ids()[0], reviewer=name, database=tmp_path / "r.sqlite"
    )
    page = session.page
    assert "alert(1)" in checked(page._repr_html_()).text
    session.judge(page.hits[0], "relevant")
    session.judge(page.hits[1], "not")
    shown = checked(session._repr_html_())
    assert "2 of" in shown.text
    assert "alert(1)" in shown.text
    assert "mark" in shown.tags


def test_looking_at_a_review_changes_nothing(index, robots, tmp_path):
    session = index.session("look", examples=robots, database=tmp_path / "s.sqlite")
    before = session.stats().pages
    checked(session._repr_html_())
    assert session.stats().pages == before


def test_a_copy_keeps_the_query(index, robots):
    hits = index.like(robots)
    assert hits.copy().query is hits.query
    assert hits.copy() == hits


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_of_no_hits_join_those_of_some(index, library):
    some, none = (index.search(words, 3).to_frame(library) for words in ("robot", "zzzzq"))
    assert len(none) == 0
    if library == "pandas":
        assert none.dtypes.to_dict() == some.dtypes.to_dict()
        assert pd.concat([none, some]).dtypes.to_dict() == some.dtypes.to_dict()
    else:
        assert none.schema == some.schema
        assert pl.concat([none, some]).height == 3


def test_one_field_is_no_list_of_its_letters(index):
    with pytest.raises(UsageError, match="fields is 'primary': give names"):
        index.search("robot").to_frame(fields="primary")
    with pytest.raises(UsageError, match="fields is 'title': give names"):
        index.export_query({"robot": 1.0}, "elasticsearch", fields="title")
    with pytest.raises(UsageError, match=r"a field 'nosuch': choose from text, cats, primary"):
        index.search("robot").to_frame(fields=["nosuch"])


def test_hits_and_tables_are_told_what_to_give_instead(index, robots):
    words, learned = index.search("robot"), index.like(robots)
    with pytest.raises(UsageError, match=r"hits of words are no learned query.*\.words of"):
        index.explain(words[0], words)
    with pytest.raises(UsageError, match=r"None is no learned query.*\.words of a search"):
        index.explain(words[0], words.query)
    with pytest.raises(UsageError, match=r"hits have a \.query, but are no query"):
        index.run(learned)
    with pytest.raises(UsageError, match=r"a DataFrame is no list of examples: .*frame\['id'\]"):
        index.like(words.to_frame())


def test_a_hit_is_in_its_index(index):
    hit = index.search("robot")[0]
    assert hit in index
    assert hit._replace(id="elsewhere") not in index
    assert None not in index


def test_values_that_are_no_text_do_not_break_a_repr():
    with pytest.raises(UsageError, match="the text of an example is None: give a str"):
        Text(None)
    assert repr(Document("a", None, None)) == "Document('a', '')"
    assert Document(None, ["two", "lines"]).id == Document(None, "two\nlines").id


def test_a_file_that_cannot_be_written_is_named_alone(index, robots, tmp_path):
    for save in (index.search("robot").save, index.learn(robots).save, index.export):
        with pytest.raises(FileNotFoundError) as caught:
            save(tmp_path / "nowhere" / "it.csv")
        assert str(caught.value).endswith("it.csv'")


def test_what_hangs_on_an_index_has_a_short_repr(index):
    assert repr(index.views) == "IndexViews(titles, latent)"
    assert repr(index.reviews).startswith("Reviews(")


def test_a_session_says_how_to_take_it_to_another_process(index):
    with pytest.raises(TypeError, match=r"open it again there, as index\.session\('pickled'\)"):
        pickle.dumps(index.session("pickled", query="robot"))
