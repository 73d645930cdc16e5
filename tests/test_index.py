"""The index as a user holds it: making, adding, deleting, merging, looking, and what it refuses."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import likewise
from helpers import reference_products as reference
from likewise import Document, Index, InputError, LeftOut, StoreError, Text, UsageError
from likewise.weighting import WEIGHTINGS

PAPERS = (
    Document("gas", "Cold atoms in a trap form a quantum gas.", "Quantum gases", year=2001),
    Document("robot", "A robot arm learns to grasp from examples.", "Grasping", year=2002),
    Document("market", "Prices of stocks jump when news arrive.", "Jumps", year=2003),
    Document("atoms", "Atoms and molecules collide in the gas."),
)


@pytest.fixture
def index(tmp_path):
    made = Index.create(tmp_path / "papers.idx")
    made.add(PAPERS)
    return made


def scores(hits):
    return {hit.id: hit.score for hit in hits}


# Making and looking


def test_a_new_index_opens_as_it_was_made(tmp_path, index):
    opened = Index.open(str(tmp_path / "papers.idx"))
    for one in (index, opened):
        assert len(one) == 4
        assert one.ids() == ["gas", "robot", "market", "atoms"]
        assert "gas" in one
        assert "gases" not in one
        assert 17 not in one
        assert repr(one) == f"Index('{tmp_path / 'papers.idx'}', 4 documents)"
    assert opened.search("gas") == index.search("gas")


def test_a_document_comes_back_as_it_was_given(index):
    document = index.document("gas")
    assert document == PAPERS[0]
    assert document.fields == {"year": 2001}
    with pytest.raises(UsageError, match=r"no document 'gaz' in .*papers\.idx"):
        index.document("gaz")


def test_terms_stand_in_the_corpus_order(index):
    terms = index.terms()
    assert index.corpus().shape == (4, len(terms))
    row = index.corpus("raw").rows(np.array([3]))
    assert {terms[column] for column in row.columns} == {"atom", "molecul", "collid", "gas"}


def test_info_tells_what_there_is(tmp_path, index):
    info = index.info()
    assert info.path == str(tmp_path / "papers.idx")
    assert (info.kind, info.documents, info.deleted, info.segments) == ("text", 4, 0, 1)
    assert info.terms == len(index.terms())
    assert info.bytes_on_disk > info.bytes_of_records > 0
    assert info.settings["language"] == "english"
    index.delete("gas")
    assert index.info()[2:4] == (3, 1)
    assert index.info().generation == info.generation + 1


def test_verify_finds_a_flipped_bit(index):
    index.verify()
    [segment] = (index.path / "segments").glob("*.seg")
    content = bytearray(segment.read_bytes())
    content[len(content) // 2] ^= 1
    segment.write_bytes(content)
    with pytest.raises(StoreError, match=segment.name):
        Index.open(index.path).verify()


def test_there_is_no_index_to_open_or_room_to_make_one(tmp_path, index):
    with pytest.raises(StoreError, match="no index at"):
        Index.open(tmp_path / "other.idx")
    with pytest.raises(UsageError, match="already"):
        Index.create(index.path)
    for threads in (0, -1):
        with pytest.raises(UsageError, match=f"threads is {threads}"):
            Index.open(index.path, threads=threads)


def test_a_handle_is_a_context_too(index):
    with Index.open(index.path) as opened:
        assert opened.search("robot")[0].id == "robot"


def test_the_public_names_are_there():
    for name in likewise.__all__:
        assert getattr(likewise, name).__name__ == name
    with pytest.raises(AttributeError, match="nothing"):
        _ = likewise.nothing


# Adding


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "a.txt").write_text("Quantum gases in a trap")
    (folder / "b.jsonl").write_text('{"id": "b", "text": "a robot"}\n{"id": "c", "text": "an arm"}')
    return folder


def test_whatever_holds_documents_can_be_added(tmp_path, folder):
    given = {
        "a folder": (folder, ["a.txt", "b", "c"]),
        "a folder's name": (str(folder), ["a.txt", "b", "c"]),
        "a file": (folder / "b.jsonl", ["b", "c"]),
        "files": ([folder / "b.jsonl", folder / "a.txt"], ["b", "c", f"{folder}/a.txt"]),
        "a document": (PAPERS[0], ["gas"]),
        "a dictionary": ({"id": "d", "text": "words"}, ["d"]),
        "documents": (list(PAPERS), ["gas", "robot", "market", "atoms"]),
        "an iterator": ((paper for paper in PAPERS[:2]), ["gas", "robot"]),
        "nothing": ([], []),
    }
    for number, (documents, ids) in enumerate(given.values()):
        index = Index.create(tmp_path / f"{number}.idx")
        assert index.add(documents).documents == len(ids)
        assert index.ids() == ids


def test_what_is_left_out_is_told(tmp_path, index):
    lines = tmp_path / "more.jsonl"
    lines.write_bytes(
        b'{"id": "e", "text": "\xc3\xa4 caf\xe9"}\n{"id": \n{"id": "f", "text": "tea"}\n'
    )
    with pytest.warns(LeftOut, match=r"^left out: .*more\.jsonl, line 2: not valid JSON[^(]*$"):
        added = index.add(lines)
    assert (added.documents, added.problem_count, added.characters_replaced) == (2, 1, 1)
    assert added.problems[0].place == f"{lines}, line 2"
    assert index.ids()[4:] == ["e", "f"]
    with pytest.raises(InputError, match="not valid"):
        index.add(lines, strict=True, on_duplicate="replace")
    assert len(index) == 6


def test_a_failed_addition_changes_nothing(index):
    generation = index.info().generation
    with pytest.raises(InputError, match="'gas'"):
        index.add([Document("new", "words"), PAPERS[0]])
    assert "new" not in index.refresh()
    assert index.info().generation == generation


def test_duplicates_are_skipped_or_replace(index):
    changed = Document("gas", "Something else entirely.")
    assert index.add(changed, on_duplicate="skip").skipped == 1
    assert index.document("gas") == PAPERS[0]
    assert index.add(changed, on_duplicate="replace").replaced == 1
    assert index.document("gas").text == "Something else entirely."
    assert len(index) == 4
    assert scores(index.search("cold trap")) == {}


def test_columns_can_be_named(tmp_path, index):
    table = tmp_path / "table.csv"
    table.write_text("key,words,other\n7,robots,x\n")
    index.add(table, text_column="words")
    assert index.document("7").text == "robots"
    with pytest.raises(UsageError, match=r"unknown option 'text_colum': .*text_column"):
        index.add(table, text_colum="words")


def test_memory_bounds_make_more_segments_and_no_difference(tmp_path, index):
    small = Index.create(tmp_path / "small.idx")
    small.add(({"id": p.id, "text": p.text, "title": p.title} for p in PAPERS), memory=1)
    assert scores(small.search("gas atoms robot")) == scores(index.search("gas atoms robot"))


# Generations


def test_a_handle_sees_its_own_writes_and_others_after_refresh(index):
    other = Index.open(index.path)
    index.add(Document("tea", "Robots make tea."))
    index.delete("robot")
    assert [hit.id for hit in index.search("robot")] == ["tea"]
    assert [hit.id for hit in other.search("robot")] == ["robot"]
    assert other.document("robot") == PAPERS[1]
    assert "tea" not in other
    assert other.refresh() is other
    assert other.search("robot") == index.search("robot")
    assert other.ids() == index.ids() == ["gas", "market", "atoms", "tea"]


def test_a_handle_survives_a_merge_by_another(index):
    other = Index.open(index.path)
    before = other.search("gas"), other.like("gas", method="centroid")
    index.add(Document("tea", "Tea and gas."))
    index.delete("atoms")
    index.merge()
    assert (other.search("gas"), other.like("gas", method="centroid")) == before
    other.verify()
    assert [hit.id for hit in other.refresh().search("gas")] == ["tea", "gas"]


def test_refreshing_what_has_not_changed_costs_nothing(index):
    corpus = index.corpus()
    assert index.refresh().corpus() is corpus
    index.delete("gas")
    assert index.corpus() is not corpus


def test_delete(index):
    assert index.delete(["gas", "robot", "gas"]) == 2
    with pytest.raises(UsageError, match=r"'gas'.*nothing was deleted"):
        index.delete(["market", "gas"])
    assert index.delete(["market", "gas"], ignore_missing=True) == 1
    assert index.ids() == ["atoms"]
    assert index.search("robot") == []
    index.delete("atoms")
    assert index.search("gas") == []
    assert index.corpus().shape[0] == 0


def test_merge_keeps_everything_but_the_deleted(index):
    index.add(Document("tea", "Tea and gas."))
    index.delete("robot")
    before = index.search("gas atoms tea robot")
    index.merge()
    assert index.search("gas atoms tea robot") == before
    assert (index.info().segments, index.info().deleted) == (1, 0)
    assert index.document("tea").text == "Tea and gas."
    with pytest.raises(UsageError):
        index.document("robot")


WORDS = ("apple", "bread", "cider", "dates", "eggs")
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), min_size=1, max_size=8)


@settings(max_examples=15, deadline=None)
@given(texts=TEXTS, data=st.data())
def test_it_does_not_matter_how_documents_came_in(tmp_path_factory, texts, data):
    folder = tmp_path_factory.mktemp("ways")
    documents = [Document(str(number), text) for number, text in enumerate(texts)]
    at_once = Index.create(folder / "one.idx", language="none")
    at_once.add(documents)
    cut = data.draw(st.integers(0, len(documents)))
    passing = data.draw(st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join))
    in_parts = Index.create(folder / "parts.idx", language="none")
    in_parts.add([Document("passing", passing), *documents[:cut]])
    in_parts.add([*documents[cut:], Document("last", f"{passing} figs")])
    in_parts.delete(["last", "passing"])
    query = " ".join(data.draw(st.lists(st.sampled_from(WORDS), max_size=4)))
    expected = scores(at_once.search(query, k=20))
    assert scores(in_parts.search(query, k=20)) == pytest.approx(expected, abs=1e-12)
    in_parts.merge()
    assert scores(in_parts.search(query, k=20)) == pytest.approx(expected, abs=1e-12)
    if any(texts):
        liked = [str(number) for number, text in enumerate(texts) if text][:3]
        learned = [
            scores(index.like(liked, method="centroid", k=20)) for index in (at_once, in_parts)
        ]
        assert learned[0] == pytest.approx(learned[1], abs=1e-12)


# Settings


@pytest.mark.parametrize(
    ("options", "terms"),
    [
        ({}, {"run", "cat", "long", "titl"}),
        ({"language": "none"}, {"the", "running", "cats", "a", "long", "title"}),
        ({"stop_words": False}, {"the", "run", "cat", "a", "long", "titl"}),
        ({"bigrams": True}, {"run", "cat", "run cat", "long", "titl", "long titl"}),
        ({"fields": ["text"]}, {"run", "cat"}),
        ({"fields": "abstract"}, {"abstract"}),
        ({"fields": ["abstract", "text"]}, {"run", "cat", "abstract"}),
    ],
)  # fmt: skip
def test_settings_are_recorded_and_applied(tmp_path, options, terms):
    path = tmp_path / "i.idx"
    Index.create(path, **options).add(
        Document("x", "The running cats", "A long title", abstract="abstract")
    )
    index = Index.open(path)
    assert set(index.terms()) == terms
    info = index.info().settings
    assert all(info[name] in (value, [value]) for name, value in options.items())
    found = index.search("THE RUNNING CATS are abstract")
    assert scores(found) == {"x": pytest.approx(found[0].score)}
    assert bool(index.search("runs")) == ("run" in terms)


def test_settings_that_make_no_sense_make_no_index(tmp_path):
    with pytest.raises(UsageError, match="klingon"):
        Index.create(tmp_path / "i.idx", language="klingon")
    with pytest.raises(UsageError, match="fields"):
        Index.create(tmp_path / "i.idx", fields=[])
    assert not (tmp_path / "i.idx").exists()


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_a_corpus_has_the_weights_of_the_live_documents(index, weighting):
    index.add([Document("empty", ""), Document("atoms again", "atoms " * 300)])
    index.delete("robot")
    counts = np.zeros((5, len(index.terms())), np.int64)
    raw = index.corpus("raw")
    for number in range(5):
        row = raw.rows(np.array([number]))
        counts[number, row.columns] = row.values
    assert counts[index.ids().index("atoms again"), index.terms().index("atom")] == 300
    expected = reference.weights(counts, weighting)
    w = np.random.default_rng(0).normal(size=counts.shape[1])
    np.testing.assert_allclose(index.corpus(weighting).scores(w), expected @ w, atol=1e-12)


def test_the_number_of_threads_does_not_matter(tmp_path, folder):
    found = []
    for threads in (1, 3):
        index = Index.create(tmp_path / f"{threads}.idx", threads=threads)
        index.add(folder)
        found.append((index.terms(), index.search("robot gases"), index.like("b", method="ba")))
    assert found[0] == found[1]


# Vectors, and nothing at all

ROWS = [{1: 3, 2: 1}, {2: 2, 5: 1}, {1: 2, 2: 1, 3: 1}, {5: 4}]


@pytest.fixture(params=["counts", "values", "dense"])
def vectors(request, tmp_path):
    index = Index.create(tmp_path / "vectors.idx")
    kind = request.param
    if kind == "dense":
        rows = np.array([[row.get(column, 0) for column in range(1, 6)] for row in ROWS])
        np.save(tmp_path / "v.npy", rows.astype(np.float32) - 0.25)
        (tmp_path / "ids.txt").write_text("a\nb\nc\nd\n")
        index.add(tmp_path / "v.npy", ids_file=tmp_path / "ids.txt")
    else:
        plus = 0.5 if kind == "values" else 0
        lines = [" ".join(["1", *(f"{c}:{v + plus}" for c, v in row.items())]) for row in ROWS]
        (tmp_path / "v.svm").write_text("\n".join(lines))
        (tmp_path / "ids.txt").write_text("a\nb\nc\nd\n")
        index.add(tmp_path / "v.svm", ids_file=tmp_path / "ids.txt")
    assert index.info().kind == kind
    return index


def test_vectors_are_found_by_examples_from_the_index(vectors):
    assert vectors.corpus().shape[0] == 4
    assert vectors.ids() == ["a", "b", "c", "d"]
    for method in ("centroid", "1c", "rocchio", "ba", "pr"):
        hits = vectors.like("a", method=method, k=2)
        assert hits[0].id == "c", method
        explained = vectors.explain(hits[0], hits.query)
        assert sum(part.weight for part in explained.terms) == pytest.approx(hits[0].score)
    assert [hit.id for hit in vectors.like(["b"], ["a"], k=1)] == ["d"]


def test_vectors_have_no_words(vectors):
    with pytest.raises(UsageError, match="holds vectors, not text"):
        vectors.search("2")
    with pytest.raises(UsageError, match="holds vectors, not text"):
        vectors.explain("a", "2")
    for example in (Text("2"), Document("x", "2"), {"text": "2"}, vectors.path.parent / "v.svm"):
        with pytest.raises(UsageError, match="holds vectors: give ids"):
            vectors.like(["a", example])


def test_vectors_have_weightings_of_their_own(vectors):
    kind = vectors.info().kind
    assert vectors.like("a", weighting="raw", k=1)[0].id == "c"
    if kind != "counts":
        with pytest.raises(UsageError, match=f"'tfidf' does not fit an index of {kind}"):
            vectors.like("a", weighting="tfidf")


def test_text_cannot_join_vectors(vectors):
    with pytest.raises(UsageError, match="make another index"):
        vectors.add(PAPERS[0])
    assert len(vectors.refresh()) == 4


def test_an_empty_index(tmp_path):
    index = Index.create(tmp_path / "e.idx")
    assert index.search("anything") == []
    assert index.ids() == index.terms() == []
    assert "x" not in index
    assert index.corpus().shape == (0, 0)
    assert (index.info().kind, index.info().documents) == ("empty", 0)
    index.verify()
    index.merge()
    for examples in ("x", Text("words"), []):
        with pytest.raises(UsageError, match=r"e\.idx is empty: add documents"):
            index.like(examples)
    with pytest.raises(UsageError, match="no document 'x'"):
        index.delete("x")
    with pytest.raises(UsageError, match="k is 0"):
        index.search("anything", k=0)


def test_an_index_of_empty_documents(tmp_path):
    index = Index.create(tmp_path / "e.idx")
    index.add([Document("a", ""), Document("b", "the of")])
    assert index.search("the words") == []
    with pytest.raises(UsageError, match="none of the 1 examples has a term"):
        index.like("a", method="centroid")


@pytest.mark.parametrize("k", [0, -3])
def test_k_below_one_is_refused(index, k):
    with pytest.raises(UsageError, match=f"k is {k}"):
        index.search("gas", k=k)
    with pytest.raises(UsageError, match=f"k is {k}"):
        index.like("gas", k=k)


def test_k_beyond_the_corpus_gives_what_there_is(index):
    assert len(index.search("gas", k=1000)) == 2
    hits = index.like("gas", k=1000)
    assert [hit.rank for hit in hits] == [1, 2, 3]
    assert {hit.id for hit in hits} == {"robot", "market", "atoms"}


def test_hits_are_plain_records(index):
    [hit] = index.search("grasp")
    assert hit._asdict() == {"id": "robot", "score": hit.score, "title": "Grasping", "rank": 1}
    assert json.loads(json.dumps(hit)) == list(hit)


def test_files_of_unknown_kinds_are_counted(tmp_path):
    folder = tmp_path / "papers"
    folder.mkdir()
    for name in ("a.txt", "b.doc", "c.doc", "d.rtf"):
        (folder / name).write_text("apples")
    added = Index.create(tmp_path / "i.idx").add(folder)
    assert added.documents == 1
    assert dict(added.unknown) == {".doc": 2, ".rtf": 1}


def test_the_kind_of_an_index_can_be_said(tmp_path):
    (tmp_path / "rows.svm").write_text("1 3:2 5:1\n0 3:1\n")
    index = Index.create(tmp_path / "i.idx", kind="values")
    index.add(tmp_path / "rows.svm")
    assert index.info().kind == "values"
    assert index.corpus("raw").scores(np.ones(2)).tolist() == [3.0, 1.0]
    with pytest.raises(UsageError, match="choose text, counts, values, dense"):
        Index.create(tmp_path / "j.idx", kind="pictures")
