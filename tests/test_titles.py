"""The view of titles: its rows in step with the documents, and what feedback makes of them."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from math import fsum

import msgspec
import numpy as np
import pytest

from helpers.command_line import refuse, succeed
from likewise import Document, Index, UsageError, _core
from likewise.corpus import SparseVector
from likewise.datasets import arxiv_sample, topics
from likewise.engines.local import parts
from likewise.errors import StoreError
from likewise.evaluation.simulation import Collection, Setting, replay
from likewise.feedback import Ranker, Start
from likewise.feedback.twoclass import TwoClass
from likewise.feedback.views import FACTORS, views_of
from likewise.search.query import Query
from likewise.store.arrays import counts_from_values
from likewise.store.checking import check
from likewise.store.container import Container, ContainerWriter
from likewise.store.manifest import read_manifest, write_manifest
from likewise.store.saving import save
from likewise.store.structure import frequencies
from likewise.store.titles import TitleAnalyzer
from likewise.views import titles

TITLES = ["Walking robots", "A robot’s arm: Über-grip!", "", "arm arm ARM", "x", "機械学習の研究"]


def documents(first: int, last: int) -> list[Document]:
    return [
        Document(f"d{i}", f"text number {i}", title=f"{TITLES[i % len(TITLES)]}")
        for i in range(first, last)
    ]


@pytest.fixture
def index(tmp_path):
    made = Index.create(tmp_path / "papers.idx", latent=0)
    made.add(documents(0, 30))
    return made


def rows(index: Index) -> list[dict[int, int]]:
    """The stored rows of the live documents."""
    found = []
    for segment in index._snapshot.segments:
        stored = segment.sparse_view("titles", titles.WIDTH)
        numbers = np.arange(segment.documents, dtype=np.uint32)
        live = numbers if segment.live is None else segment.live
        starts, columns, counts = _core.Counts(stored, titles.WIDTH).entries(live)
        for a, b in pairwise(starts.tolist()):
            found.append(dict(zip(columns[a:b].tolist(), counts[a:b].tolist(), strict=True)))
    return found


def plainly(index: Index) -> list[dict[int, int]]:
    """The same from the documents, in plain Python: words, edges, four letters in a row."""
    found = []
    for id in index.ids():
        title = index.document(id).title.lower().replace("’s", " s")
        words = "".join(c if c.isalnum() else " " for c in title).split()
        if title == TITLES[-1]:  # Chinese and Japanese have no spaces: each pair is a word
            words = [title[i : i + 2] for i in range(len(title) - 1)]
        pieces = [f" {w} "[i : i + 4] for w in words for i in range(max(1, len(w) - 1))]
        found.append(dict(Counter(map(titles.column, pieces))))
    return found


def test_parts_of_a_word_and_their_columns_stay_what_they_are():
    assert titles.parts("robot") == [" rob", "robo", "obot", "bot "]
    assert (titles.parts("x"), titles.parts("ab")) == ([" x "], [" ab "])
    assert [titles.column(part) for part in (" rob", "robo", "é")] == [3281, 26408, 3251]
    assert TitleAnalyzer().parts("Arm, arms") == {" arm", "arm ", "arms", "rms "}


def test_rows_count_the_parts_of_titles_however_many_threads(index, tmp_path):
    assert rows(index) == plainly(index)
    assert sum(not row for row in rows(index)) == index.info().documents - 25 == 5
    assert index.info().views["titles"].documents == 25
    other = Index.create(tmp_path / "other.idx", latent=0, threads=3)
    other.add(documents(0, 30))
    files = [sorted((made.path / "segments").glob("*.view")) for made in (index, other)]
    assert [p.read_bytes() for p in files[0]] == [p.read_bytes() for p in files[1]]


def test_rows_follow_every_change_of_the_index(index, tmp_path):
    index.add(documents(30, 45), merge=False)
    index.delete(["d1", "d33", "d44"])
    assert rows(index) == plainly(index)
    index.add([Document("d3", "other text", title="Replaced by this")], on_duplicate="replace")
    assert rows(index) == plainly(index)
    index.merge()
    assert index.info().segments == 1
    assert rows(index) == plainly(index)
    index.delete("d5")
    index.reindex(language="none")
    assert rows(index) == plainly(index)
    index.verify()
    index.backup(tmp_path / "kept")
    copy = Index.restore(tmp_path / "kept", tmp_path / "copy.idx")
    copy.delete("d0")
    over = Index.restore(tmp_path / "kept", tmp_path / "copy.idx", force=True)
    assert rows(over) == rows(index)
    for i in range(50, 70):
        index.add(documents(i, i + 1))
    assert index.info().segments < 10
    assert rows(index) == plainly(index)
    index.reindex(fields=["text"])
    assert "titles" not in index.info().views


def test_large_segments_tell_in_how_many_titles_a_part_is(index, tmp_path, monkeypatch):
    monkeypatch.setattr("likewise.store.titles.MANY", 20)
    telling = Index.create(tmp_path / "telling.idx", latent=0)
    telling.add(documents(0, 30))
    for one in (index, telling):
        one.add(documents(30, 40))
        one.delete(["d1", "d31"])
    segments = telling._snapshot.segments
    large, small = (one.stored_sparse_view("titles", titles.WIDTH) for one in segments)
    assert small.frequencies is None
    counted = _core.Counts(large.rows, titles.WIDTH).frequencies()
    assert large.frequencies().tolist() == counted.tolist()
    views = [one.searcher.view("titles") for one in (index, telling)]
    assert views[0].term_factors.tobytes() == views[1].term_factors.tobytes()
    assert index.like(["d0", "d3"], method="auto") == telling.like(["d0", "d3"], method="auto")
    telling.verify()


@pytest.mark.parametrize(("told", "why"), [([1, 1, 1], "add up"), ([3, 0, 0], "more rows")])
def test_how_many_titles_have_a_part_is_checked(told, why, tmp_path):
    rows = counts_from_values(np.array([0, 1, 2]), np.array([0, 2]), np.ones(2))
    writer = ContainerWriter(tmp_path / "x.view", "view")
    writer.arrays("rows", {**rows, "frequencies": np.array(told, np.uint16)})
    writer.close()
    with pytest.raises(StoreError, match=why):
        frequencies(Container(tmp_path / "x.view", "view"), "rows", rows, 3)


def test_the_view_is_dropped_and_made_again(index):
    before = rows(index)
    index.delete("d2")
    index.views.drop_titles()
    assert "titles" not in index.info().views
    index.add(documents(30, 31))
    assert not list((index.path / "segments").glob("*.view"))
    index.views.add_titles()
    assert rows(index) == plainly(index)
    assert rows(index)[:2] == before[:2]


def test_an_index_without_the_view_opens_and_goes_on_without(index):
    manifest = msgspec.json.decode(msgspec.json.encode(read_manifest(index.path)))
    del manifest["sparse"]
    for segment in manifest["segments"]:
        del segment["sparse"]
    write_manifest(index.path, msgspec.convert(manifest, type(read_manifest(index.path))))
    old = Index.open(index.path)
    assert old.info().views == {}
    old.add(documents(30, 40))
    assert Ranker(old.searcher, Start(examples=["d1"])).page(3).hits
    old.merge()
    old.verify()


def test_documents_that_have_no_titles_make_no_view(tmp_path):
    made = Index.create(tmp_path / "vectors.idx")
    (tmp_path / "v.npy").write_bytes(b"")
    np.save(tmp_path / "v.npy", np.eye(4, dtype=np.float32))
    made.add(tmp_path / "v.npy")
    assert made.info().views == {}
    with pytest.raises(UsageError, match="holds vectors, not text: its documents have no titles"):
        made.views.add_titles()
    plain = Index.create(tmp_path / "plain.idx", fields=["text"])
    plain.add(documents(0, 3))
    with pytest.raises(UsageError, match="searches text, no field 'title': likewise reindex"):
        plain.views.add_titles()
    with pytest.raises(UsageError, match="only text with a field 'title' has titles"):
        Index.create(tmp_path / "x.idx", fields=["text"], titles=True)


def test_damage_is_told_and_saved_from(index, tmp_path):
    file = next((index.path / "segments").glob("*.view"))
    whole = bytearray(file.read_bytes())
    whole[len(whole) // 2] ^= 1
    file.write_bytes(whole)
    (damage,) = check(index.path).damages
    said = "parts of titles of 30 documents are damaged: `likewise views --add titles`"
    assert said in str(damage)
    save(index.path, tmp_path / "saved.idx")
    saved = Index.open(tmp_path / "saved.idx")
    assert rows(saved) == plainly(saved)
    index.views.add_titles()
    assert check(index.path).sound


# Feedback


@pytest.fixture(scope="module")
def arxiv(tmp_path_factory):
    made = Index.create(tmp_path_factory.mktemp("titles") / "arxiv.idx", latent=0)
    made.add(arxiv_sample())
    return made


@pytest.fixture(scope="module")
def topic():
    return set(topics()["cs.IR"])


def judged(index: Index, topic: set[str], start: Start | None = None) -> Ranker:
    ranker = Ranker(index.searcher, start or Start("retrieval"))
    ranker.judge({id: id in topic for id in [*sorted(topic)[:3], *index.ids()[:5]]})
    return ranker


def test_two_class_learns_from_all_views_that_the_index_has(arxiv, topic, tmp_path):
    page = judged(arxiv, topic).page(5)
    assert page.method == "two-class"
    assert page.query.views == {"words": 1.0, "titles": FACTORS["titles"]}
    shown = arxiv.run(page.query, 5)
    assert [hit.id for hit in shown] == [hit.id for hit in page.hits]
    embedded = Index.restore(arxiv.backup(tmp_path / "a").path, tmp_path / "e.idx")
    vectors = np.random.default_rng(0).normal(size=(len(arxiv), 8)).astype(np.float32)
    embedded.embed(vectors[:50], arxiv.ids()[:50])
    found = views_of(embedded.searcher, FACTORS)
    assert found.factors == pytest.approx({"words": 1.0} | FACTORS, rel=0.02)
    assert found.length == pytest.approx(1 + 0.25 + 0.25 * 50 / len(arxiv), abs=1e-3)
    assert set(judged(embedded, topic).page(5).query.views) == {"words", "titles", "embeddings"}


def test_an_explanation_adds_up_and_names_parts_of_the_title_in_its_details(arxiv, topic):
    page = judged(arxiv, topic).page(3)
    hit = page.hits[0]
    explained = arxiv.explain(hit, page.query)
    by_title = {weight.term: weight.weight for weight in explained.terms}["(parts of the title)"]
    details = arxiv.views.explain_title(hit, page.query)
    assert fsum(part.weight for part in details) == pytest.approx(by_title)
    assert arxiv.views.explain_title(hit, "retrieval") == []
    assert arxiv.run(page.query, 3)[0].score == pytest.approx(explained.score)
    spelled = {name for part in details for name in part.term.split(", ")}
    assert spelled <= TitleAnalyzer().parts(hit.title)
    assert not any(term.term in spelled and " " in term.term for term in explained.terms)


def test_a_saved_query_runs_elsewhere_with_titles_or_says_that_they_are_left_out(
    arxiv, topic, tmp_path
):
    query = judged(arxiv, topic).query
    query.portable.save(tmp_path / "q.json")
    saved = Query.load(tmp_path / "q.json")
    again = arxiv.run(saved, 10)
    assert [hit.id for hit in again] == [hit.id for hit in arxiv.run(query, 10)]
    bare = Index.create(tmp_path / "bare.idx", latent=0, titles=False)
    bare.add(arxiv_sample())
    notes = bare.run(saved, 10).notes
    assert "the query's parts of titles are left out: this index has no view of titles" in notes
    part = msgspec.structs.replace(saved.titles, columns=(5, 5), weights=(1.0, 1.0))
    with pytest.raises(UsageError, match="not one weight for each part of titles"):
        arxiv.run(msgspec.structs.replace(saved, titles=part), 3)


def test_an_example_from_outside_has_a_title_too(arxiv, topic):
    outside = Document(None, "ranking of documents", title="Learned retrieval of documents")
    ranker = judged(arxiv, topic, Start(examples=[outside]))
    assert ranker.page(3).query.views["titles"] == FACTORS["titles"]
    corpus = ranker._situations.of("smooth", FACTORS).learned_from
    row = corpus.rows(np.array([len(arxiv)]))
    own = row.columns >= arxiv.searcher.columns({"words": 1.0}).width
    assert own.sum() == len(TitleAnalyzer().parts(outside.title))


def test_engines_and_rows_agree_with_columns(arxiv, topic):
    other = Index.open(arxiv.path, engine="memory")
    pages = [judged(index, topic).page(20) for index in (arxiv, other)]
    assert [hit.id for hit in pages[0].hits] == [hit.id for hit in pages[1].hits]
    exact = []
    for memory in (1 << 20, 0):
        ranker = judged(arxiv, topic)
        ranker._learners["two-class"] = TwoClass(tol=1e-6, memory=memory)
        exact.append([hit.id for hit in ranker.page(20).hits])
    assert len(set(exact[0]) & set(exact[1])) >= 19


def test_a_simulation_is_the_same_again_on_other_threads(arxiv, topic):
    relevant = np.array([id in topic for id in arxiv.ids()])
    orders = [
        replay(Collection("a", index, relevant), Setting(most=60), seed=1).order
        for index in (arxiv, Index.open(arxiv.path, threads=3))
    ]
    assert orders[0] == orders[1]


# The command line


def test_views_are_listed_added_and_removed(tmp_path):
    (tmp_path / "p.jsonl").write_text(
        "".join(json.dumps({"id": i, "title": "a robot", "text": "arm"}) + "\n" for i in range(9))
    )
    place = tmp_path / "p.idx"
    succeed("index", tmp_path / "p.jsonl", "-o", place, "--views", "words")
    costs = json.loads(succeed("views", place, "--json")[0])
    assert list(costs) == ["words"]
    assert "has the view titles now" in succeed("views", place, "--add", "titles")[1]
    costs = json.loads(succeed("views", place, "--json")[0])
    assert (costs["titles"]["documents"], costs["titles"]["dimensions"]) == (9, 65536)
    assert min(costs["titles"]["bytes"], costs["titles"]["seconds"]) > 0
    assert "titles" in succeed("views", place)[0]
    assert "parts of the titles of 9 documents" in succeed("info", place)[0]
    assert "has no view titles now" in succeed("views", place, "--drop", "titles")[1]
    refuse(2, ".* has no view 'titles': there is .*", "views", place, "--drop", "titles")
    refuse(2, "no view 'tags' can be .*titles or latent", "views", place, "--add", "tags")
    refuse(2, "embeddings .*: likewise embed", "views", place, "--add", "embeddings")
    anew = ("index", tmp_path / "p.jsonl", "-o", tmp_path / "q")
    refuse(2, "--views tags: choose from words, titles, latent", *anew, "--views", "tags")
    refuse(2, "--views names .* wants none", *anew, "--views", "latent", "--no-latent")


def test_many_titles_are_scanned_instead_of_inverted(arxiv, topic, monkeypatch):
    view = arxiv.searcher.view("titles")
    row = view.rows(np.array([7]))
    w = SparseVector(row.columns, row.values)
    monkeypatch.setattr(parts, "INVERTED", 0)
    scanned = Index.open(arxiv.path).searcher.view("titles")
    assert scanned.scores(w) == pytest.approx(view.scores(w), abs=1e-6)
    assert scanned.top(w, 10) == view.top(w, 10)
    block = np.eye(len(arxiv), 3, dtype=np.float32)
    assert scanned.weighted_sum(block) == pytest.approx(view.weighted_sum(block), abs=1e-6)
    assert not any("inverted" in vars(s.part.matrix) for s in scanned._segments)
