"""An index in shards ranks as one without, whatever the shards are; and what it refuses."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from functools import partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from helpers.sharded import joined, pages_of, pairs, specimen, whole
from likewise import Document, Index, StoreError, Text, UsageError
from likewise.cli.app import app
from likewise.datasets import arxiv_sample, topics
from likewise.errors import DuplicateError
from likewise.readers import ReadOptions, read
from likewise.reviews.arrivals import Extent
from likewise.reviews.report.past import Past
from likewise.search.methods import ABOUT
from likewise.store import sharding
from likewise.store.container import ContainerWriter
from likewise.store.joining import Numbering, join
from likewise.store.manifest import NAME, read_manifest
from likewise.store.sharding import Runs
from likewise.store.strings import flatten
from likewise.store.transaction import Transaction

SPECIMEN = Path(__file__).parent / "data" / "specimen-v4-shards.idx"
MEMORY = Path("/dev/shm")  # need not wait for a disk
WORDS = ["cells", "cell", "gene", "naïve", "Ärzte", "the", "hidden", "x1", "細胞", "trial", "risk"]
CUTS = {
    "even": [0.25, 0.5, 0.75],
    "very different": [0.01, 0.03],
    "empty ones": [0.0, 0.0, 0.5, 0.5, 1.0],
    "one": [],
}

texts = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)
collections = st.lists(st.tuples(texts, texts, st.integers(1, 3)), max_size=9)


def split(documents, cuts):
    places = [0, *cuts, len(documents)]
    return [documents[a:b] for a, b in pairwise(places)]


# Equality


@settings(max_examples=30, deadline=None)
@given(collection=collections, data=st.data())
def test_ranks_and_scores_are_those_of_one_index(collection, data):
    """Bit for bit, where the query is the same: sums are in the order of the document."""
    documents = [
        Document(f"d{i}", text, title=title, year=str(year))
        for i, (title, text, year) in enumerate(collection)
    ]
    cuts = sorted(data.draw(st.lists(st.integers(0, len(documents)), max_size=4)))
    with TemporaryDirectory(dir=MEMORY if os.access(MEMORY, os.W_OK) else None) as folder:
        one = whole(Path(folder) / "one", documents)
        many = joined(Path(folder) / "many", split(documents, cuts))
        assert many.ids() == one.ids()
        assert many.terms() == one.terms()
        assert len(many) == len(one)
        words = data.draw(texts)
        for filter in (None, "year >= 2"):
            found = many.search(words, 5, filter=filter)
            assert pairs(found) == pairs(one.search(words, 5, filter=filter))
            assert many.count(filter) == one.count(filter)
        for hit in one.search(words, 3):
            assert many.explain(hit.id, words) == one.explain(hit.id, words)
            assert many.document(hit.id) == one.document(hit.id)
        for weighting in ("tfidf", "pivoted", "damped", "counts"):
            a, b = one.corpus(weighting), many.corpus(weighting)
            assert (a.term_factors == b.term_factors).all()
            assert (a.squares == b.squares).all()
            w = np.random.default_rng(0).normal(size=a.shape[1])
            assert (a.scores(w) == b.scores(w)).all()
            assert a.top(w, 20) == b.top(w, 20)
            weights = np.arange(len(documents), dtype=np.float64)
            np.testing.assert_allclose(a.weighted_sum(weights), b.weighted_sum(weights), rtol=1e-12)


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    made = Index.create(tmp_path_factory.mktemp("one") / "one.idx", latent=0)
    made.add(arxiv_sample())
    return made


@pytest.fixture(scope="module")
def sample(one):
    return one.documents(one.ids())


@pytest.fixture(scope="module", params=CUTS)
def many(request, tmp_path_factory, sample):
    cuts = [int(cut * len(sample)) for cut in CUTS[request.param]]
    return joined(tmp_path_factory.mktemp("many") / "many.idx", split(sample, cuts))


@pytest.fixture(scope="module")
def topic():
    return sorted(topics()["cs.IR"])


@pytest.mark.parametrize("method", sorted(ABOUT))
def test_every_method_finds_the_same(one, many, topic, method):
    examples, others = topic[:6], topic[6:8]
    a, b = (index.like(examples, unlike=others, method=method, k=20) for index in (one, many))
    assert [hit.id for hit in a] == [hit.id for hit in b]
    np.testing.assert_allclose([h.score for h in a], [h.score for h in b], rtol=1e-6, atol=1e-9)


def test_examples_from_outside_and_learned_queries(one, many, topic, tmp_path):
    examples = [Text("search engines rank documents by relevance"), *topic[:3]]
    assert pairs(many.like(examples, method="1c")) == pairs(one.like(examples, method="1c"))
    query = one.learn(topic[:5], method="ba")
    assert pairs(many.run(query, 20)) == pairs(one.run(query, 20))
    for hit in one.run(query, 3):
        assert many.explain(hit.id, query).score == one.explain(hit.id, query).score
    query.save(tmp_path / "query.json")
    assert pairs(many.like(topic[:5], method="centroid", filter="created >= 2024")) == pairs(
        one.like(topic[:5], method="centroid", filter="created >= 2024")
    )


def test_feedback_shows_the_same_pages(one, many, topic):
    shown = [pages_of(index, topic, pages=4, k=8) for index in (one, many)]
    assert shown[0] == shown[1]


def test_a_review_and_its_duplicates(one, many, topic):
    assert many.duplicates() == one.duplicates()
    pages = []
    for index in (one, many):
        session = index.session(many.path.parent.name, query="search engine")
        session.judge(topic[0], "relevant")
        pages.append([hit.id for hit in session.next(5).hits])
    assert pages[0] == pages[1]


@pytest.mark.parametrize("engine", ["memory"])
def test_other_engines_open_it(one, many, engine):
    opened = Index.open(many.path, engine=engine)
    assert [h.id for h in opened.search("neural networks")] == [
        h.id for h in one.search("neural networks")
    ]


@pytest.mark.parametrize("kind", ["dense", "values", "counts"])
def test_vectors(tmp_path, kind):
    rng = np.random.default_rng(2)  # of counts, too, no two rows are alike: there are no ties
    x = rng.poisson(1.0, (30, 6)) + 0.0
    if kind != "counts":
        x = x * rng.normal(size=x.shape)
    ids = [f"v{i}" for i in range(30)]
    rows = x.astype(np.float32) if kind == "dense" else _csr(x)
    path = tmp_path / "many.idx"
    one = Index.create(tmp_path / "one.idx", latent=0, kind=kind)
    one.add(rows, ids=ids)
    many = Index.create(path, kind=kind, shards=3)
    many.add(rows, ids=ids)
    assert [len(Index.open(path / f"shards/{i:04}")) for i in range(3)] == [10, 10, 10]
    a, b = (i.like(["v3", "v8"], method="centroid") for i in (one, many))
    assert [hit.id for hit in a] == [hit.id for hit in b]
    np.testing.assert_allclose([hit.score for hit in a], [hit.score for hit in b], rtol=1e-12)
    a, b = (i.like(["v3", "v8"], unlike=["v9"], method="rank", k=20) for i in (one, many))
    assert [hit.id for hit in a] == [hit.id for hit in b]


def _csr(x):
    from scipy.sparse import csr_array

    return csr_array(x)


# Shards as such


def test_a_shard_opens_alone_and_may_change_without_the_whole(tmp_path, sample):
    path = tmp_path / "many.idx"
    many = joined(path, split(sample[:60], [20, 40]))
    before = pairs(many.search("theory", 50))
    shard = Index.open(path / "shards/0001")
    assert len(shard) == 20
    assert shard.search("theory")
    shard.add([Document("later", "theory theory theory")])
    assert pairs(Index.open(path).search("theory", 50)) == before
    many.verify()


def test_deleted_documents_of_a_shard_are_not_in_the_whole(tmp_path, sample):
    rest = [document for i, document in enumerate(sample[:40]) if i not in (3, 25)]
    one = whole(tmp_path / "one", rest)
    path = tmp_path / "many"
    Index.create(path, shards=2)
    for number, part in enumerate(split(sample[:40], [20])):
        shard = Index.create(path / f"shards/{number:04}", latent=0)
        shard.add(part)
        shard.delete(sample[3 if number == 0 else 25].id)
    with Transaction(path, shards=True) as change:
        change.commit(join(change, ["shards/0000", "shards/0001"]))
    many = Index.open(path)
    assert many.ids() == one.ids()
    for words in ("theory", "model of a system"):
        assert [h.id for h in many.search(words)] == [h.id for h in one.search(words)]
        np.testing.assert_allclose(
            [h.score for h in many.search(words)], [h.score for h in one.search(words)], rtol=1e-12
        )


@pytest.fixture
def both(tmp_path, sample):
    """The same few documents without and with shards."""
    documents = sample[:300]
    return whole(tmp_path / "one", documents), joined(
        tmp_path / "many", split(documents, [10, 200]), latent=0
    )


def test_documents_are_deleted(both):
    gone = both[0].ids()[5:250:7]
    for index in both:
        assert index.delete(gone) == len(gone)
    one, many = both
    assert many.ids() == one.ids()
    for words in ("theory", "model of a system"):
        assert pairs(many.search(words)) == pairs(one.search(words))
    examples = one.ids()[:4]
    a, b = (index.like(examples, method="ba", k=20) for index in both)
    assert [hit.id for hit in a] == [hit.id for hit in b]
    with Transaction(many.path / "shards/0001"):
        pass  # a writer of a shard removes what it does not know
    assert Index.open(many.path).ids() == one.ids()
    assert Index.open(many.path / "shards/0001").ids() != one.ids()


def test_the_latent_space_is_that_of_all_documents(both):
    for index in both:
        index.views.learn_latent(20)
    one, many = both
    assert many.info().views["latent"].documents == 300
    a, b = (index.matrix(views="words,latent")[:, -20:].toarray() for index in both)
    np.testing.assert_allclose(a, b, atol=0.02)
    examples = one.ids()[:6]
    found = [[hit.id for hit in index.like(examples, k=20)] for index in both]
    assert len({*found[0]} & {*found[1]}) >= 19
    text = [Text("search engines rank documents")]
    assert [h.id for h in many.like(text)][:3] == [h.id for h in one.like(text)][:3]
    for index in both:
        index.delete(index.ids()[::9])
    assert [len(index) for index in both] == [266, 266]
    many.verify()
    many.views.drop_latent()
    assert "latent" not in Index.open(many.path).info().views


def test_embeddings_are_brought(both):
    vectors = np.random.default_rng(0).normal(size=(300, 5)).astype(np.float32)
    for index in both:
        index.embed(vectors, index.ids())
    examples = both[0].ids()[:4]
    a, b = (
        i.like(examples, method="centroid", views={"words": 1.0, "embeddings": 2.0}) for i in both
    )
    assert pairs(a) == pairs(b)


def test_it_is_named_and_documents_bring_vectors(tmp_path):
    index = Index.create(tmp_path / "many", shards=2)
    index.add([Document(f"d{i}", "text", vector=[1.0, i]) for i in range(6)])
    assert index.info().views["embeddings"].documents == 6
    index.project.rename("All of them")
    assert Index.open(index.path).info().title == "All of them"


def test_a_latent_space_comes_by_itself(tmp_path):
    index = Index.create(tmp_path / "many.idx", shards=3)
    index.add(arxiv_sample())
    assert index.info().views["latent"].documents == len(index) == 2000
    assert Index.open(index.path / "shards/0001").info().views.keys() <= {"titles"}


@pytest.fixture
def grown(quick_folder, sample):
    """The same with additions, deletions and two dense views: an index without and with shards."""
    vectors = np.random.default_rng(0).normal(size=(400, 4)).astype(np.float32)
    found = []
    for name, shards in (("one", None), ("many", 3)):
        index = Index.create(quick_folder / name, latent=12, shards=shards)
        index.add(sample[:200])
        index.embed(vectors[:200], index.ids())
        index.delete(sample[7].id)
        index.add(sample[200:230])
        index.delete([sample[201].id, sample[3].id])
        index.add([])
        index.add([Document("new", "a word nobody had: quokka"), *sample[230:240]])
        found.append(index)
    return found


def same(one, many):
    assert many.ids() == one.ids()
    for words in ("quokka theory", "model of a system"):
        assert pairs(many.search(words, 20)) == pairs(one.search(words, 20))
    examples = one.ids()[:5]
    a, b = (index.like(examples, method="ba", k=20) for index in (one, many))
    assert [hit.id for hit in a] == [hit.id for hit in b]
    views = {"words": 1.0, "embeddings": 2.0}
    a, b = (index.like(examples, method="centroid", views=views) for index in (one, many))
    assert pairs(a) == pairs(b)
    many.verify()
    listed = {shard.folder for shard in many.manifest.sharding.shards}
    assert {f"shards/{path.name}" for path in (many.path / "shards").iterdir()} == listed
    for folder in listed:
        Index.open(many.path / folder).verify()


def test_additions_go_to_a_new_shard_until_it_is_as_large_as_others(grown):
    one, many = grown
    same(one, many)
    assert many.terms() == one.terms()
    assert many.info().shards == 4
    last = many.manifest.sharding.shards[-1].folder
    assert Index.open(many.path / last).ids() == many.ids()[-40:]
    for name in ("documents", "later"):
        a, b = (getattr(i.info().views["latent"], name) for i in (one, many))
        assert a == b
    assert many.info().views["embeddings"].later == one.info().views["embeddings"].later
    a, b = (i.matrix(views="words,latent")[:, -12:].toarray() for i in (one, many))
    np.testing.assert_allclose(a, b, atol=0.03)
    says = r"number 1\d*: id 'new' is already in the index \S*many: choose --on-duplicate"
    with pytest.raises(DuplicateError, match=says):
        many.add([Document("new", "again")])
    with pytest.raises(DuplicateError, match=says):
        many.add([Document(f"x{i}", "text") for i in range(99)] + [Document("new", "again")])
    same(one, Index.open(many.path))
    for index in grown:
        index.add([Document("new", "quokka and model")], on_duplicate="replace")
    same(one, many)
    assert many.info().shards == 4
    for index in grown:
        index.add([Document(f"later{i}", "a later model") for i in range(90)])
        index.add([Document("last", "the last model")])
    same(one, many)
    assert many.info().shards == 5


def test_many_small_additions_leave_few_segments(quick_folder):
    one = Index.create(quick_folder / "one", latent=0)
    many = Index.create(quick_folder / "many", latent=0, shards=2)
    for index in (one, many):
        index.add([Document(f"d{i}", f"word{i} of all") for i in range(40)])
        index.embed(np.eye(40, 5, dtype=np.float32) + 1, index.ids())
        for i in range(10):
            index.add([Document(f"e{i}", f"word{i} of all")])
    same(one, many)
    assert many.info().shards == 3
    assert many.info().segments < 8


def test_shards_are_merged(grown):
    one, many = grown
    gone = one.ids()[50:60]
    for index in grown:
        index.delete(gone)
        index.merge()
    same(one, many)
    assert many.info().segments == 4
    assert many.manifest.sharding.count == 4
    assert not any(segment.deletions for segment in many.manifest.segments)
    latent = many.info().views["latent"]
    assert (latent.documents, latent.later) == (len(many), 0)
    generation = many.generation
    many.merge()
    many.merge(small=True)
    assert many.generation == generation
    for index in grown:
        index.delete(index.ids())
        index.merge()
        assert len(index) == 0
        index.add([Document(f"d{i}", "quokka theory") for i in range(9)])
    assert many.ids() == one.ids()
    assert many.info().shards == 4
    assert pairs(many.search("quokka")) == pairs(one.search("quokka"))


@pytest.mark.parametrize("choice", ["skip", "replace"])
def test_duplicates_in_other_shards_are_skipped_or_replaced(tmp_path, sample, choice):
    one, many = Index.create(tmp_path / "one"), Index.create(tmp_path / "many", shards=3)
    first = [
        *sample[:20],
        Document("a", "first text", doi="10.1/x"),
        *sample[20:40],
        Document(sample[2].id, "again"),
        Document("b", "second text", doi="10.1/x"),
        *sample[40:60],
    ]
    later = [Document(sample[30].id, "once more"), Document("c", "third text", doi="10.1/X")]
    for documents in (first, later):
        a, b = (index.add(documents, on_duplicate=choice) for index in (one, many))
        assert a._replace(segments=0) == b._replace(segments=0)
        assert many.ids() == one.ids()
        for words in ("text theory", "once more again"):
            assert [h.id for h in many.search(words)] == [h.id for h in one.search(words)]
    many.verify()


def test_it_is_analysed_anew(grown):
    one, many = grown
    for index in grown:
        index.reindex(language="none")
    same(one, many)
    assert many.search("the") == one.search("the") != []


def test_a_backup_is_restored(grown, tmp_path):
    one, many = grown
    many.backup(tmp_path / "backup.zip")
    restored = Index.restore(tmp_path / "backup.zip", tmp_path / "restored")
    same(one, restored)
    for index in (one, restored):
        index.add([Document("after", "a model after it")])
        index.merge()
    same(one, restored)
    with pytest.raises(UsageError, match="in shards is not restored in place of another"):
        Index.restore(tmp_path / "backup.zip", many.path, force=True)


def test_a_shard_that_was_changed_alone_is_left_alone(grown):
    one, many = grown
    last = many.manifest.sharding.shards[-1].folder
    shard = Index.open(many.path / last)
    shard.add([Document("own", "of the shard")])
    shard.merge()
    same(one, Index.open(many.path))
    with pytest.raises(UsageError, match=r"was changed as an index of its own"):
        many.merge()
    for index in grown:
        index.add([Document("after", "a model")])
    same(one, many)
    assert many.info().shards == 5
    assert "own" in Index.open(many.path / last).ids()


def test_the_past_of_an_index_in_shards(tmp_path, sample):
    """For a review that is made again: as it was with fewer documents."""
    one, many = (
        Index.create(tmp_path / "one", latent=0),
        Index.create(tmp_path / "many", latent=0, shards=3),
    )
    for index in (one, many):
        index.add(sample[:60])
        index.add(sample[60:90])
    for documents in (60, 25):
        extent = Extent(1, documents, sample[documents - 1].id)
        found = []
        for index in (one, many):
            with Past(index.searcher, {1: extent}) as past:
                then = past.at(1)
                assert then.snapshot.ids(range(documents)) == [d.id for d in sample[:documents]]
                found.append(then.words().top(then.query_of("theory of a model"), 9))
        assert found[0] == found[1]


def test_folders_are_added_to_shards(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        for i in range(4):
            (tmp_path / folder / f"{i}.txt").write_text(f"text {i} of {folder}")
    one, many = Index.create(tmp_path / "one"), Index.create(tmp_path / "many", shards=2)
    for index in (one, many):
        index.add(tmp_path / "a")
        index.add(tmp_path / "b")
    assert many.ids() == one.ids()
    assert dict(many.roots) == dict(one.roots)
    assert [s.records for s in many.info().sources] == [s.records for s in one.info().sources]


def test_an_id_that_comes_again_is_named(tmp_path, sample):
    documents = [*sample[:10], Document(sample[2].id, "again")]
    index = Index.create(tmp_path / "many.idx", shards=3)
    says = rf"number 11: id '{sample[2].id}' is already in the index \S*many.idx: choose"
    with pytest.raises(DuplicateError, match=says):
        index.add(documents)
    assert len(Index.open(index.path)) == 0
    assert not (index.path / "shards/0000").exists()
    index.add(sample[:10])
    assert len(index) == 10


def test_an_id_in_two_shards_is_not_joined(tmp_path, sample):
    parts = [sample[:3], sample[3:5], sample[1:2]]
    with pytest.raises(DuplicateError, match=rf"'{sample[1].id}' is in .*0000 and again in .*0002"):
        joined(tmp_path / "many", parts)


def test_a_build_that_was_killed_leaves_an_empty_index(tmp_path, sample):
    path = tmp_path / "many.idx"
    index = Index.create(path, shards=2)
    Index.create(path / "shards/0000", latent=0).add(sample[:5])
    assert len(Index.open(path)) == 0
    index.add(sample[:8])
    assert [len(Index.open(path / f"shards/000{i}")) for i in (0, 1)] == [4, 4]
    assert Index.open(path).ids() == [document.id for document in sample[:8]]


KILLED = """
import os, signal, sys
from likewise import Document, Index

path, after, what = sys.argv[1], int(sys.argv[2]), sys.argv[3]
new = [Document(f"new{i}", f"word{i} of a text") for i in range(20)]
CHANGES = {
    "add": lambda index: index.add(new),
    "replace": lambda index: index.add([*new, Document("d1", "other")], on_duplicate="replace"),
    "merge": lambda index: index.merge(),
    "delete": lambda index: index.delete("d2"),
    "reindex": lambda index: index.reindex(),
}
sync, done = os.fsync, 0
def fsync(descriptor):
    global done
    done += 1
    if done > after:
        os.kill(os.getpid(), signal.SIGKILL)
    sync(descriptor)
os.fsync = fsync
CHANGES[what](Index.open(path))
"""
MOMENTS = [
    ("empty", "add", 2), ("empty", "add", 11), ("empty", "add", 26),
    ("filled", "add", 2), ("filled", "add", 9), ("filled", "add", 12),
    ("growing", "add", 4), ("growing", "add", 8), ("growing", "add", 13),
    ("growing", "replace", 10), ("growing", "replace", 16), ("growing", "merge", 5),
    ("growing", "merge", 12), ("growing", "delete", 1), ("growing", "reindex", 20),
]  # fmt: skip


@pytest.mark.parametrize(("state", "change", "after"), MOMENTS)
def test_a_writer_that_is_killed_changes_all_shards_or_none(quick_folder, state, change, after):
    path = quick_folder / "many.idx"
    index = Index.create(path, shards=3)
    if state != "empty":
        index.add([Document(f"d{i}", f"word{i} of all") for i in range(9)])
    if state == "growing":
        index.delete("d5")
        index.add([Document("e", "the last word1")])
    before, generation = index.ids(), index.generation
    command = [sys.executable, "-c", KILLED, path, str(after), change]
    done = subprocess.run(command, check=False)
    assert done.returncode in (0, -signal.SIGKILL)
    now = Index.open(path)
    now.verify()
    new = [f"new{i}" for i in range(20)]
    if now.generation == generation:
        assert now.ids() == before
    elif change in ("add", "replace"):
        assert set(now.ids()) == {*before, *new}
    now.add([Document("after", "word1")])
    assert now.ids()[-1] == "after"
    now.merge()
    assert now.search("word1")
    shards = {f"shards/{folder.name}" for folder in (path / "shards").iterdir()}
    assert shards == {shard.folder for shard in now.manifest.sharding.shards}


def test_one_that_is_made_anew_has_no_shards_of_the_former(tmp_path, sample):
    path = tmp_path / "many.idx"
    Index.create(path, shards=2)
    Index.create(path / "shards/0000", latent=0).add(sample[:5])
    Index.create(path)
    assert not (path / "shards/0000").exists()


def test_what_shards_cannot_do(tmp_path, many):
    with pytest.raises(UsageError, match="shards is 0"):
        Index.create(tmp_path / "a", shards=0)
    with pytest.raises(UsageError, match="4096 at most"):
        Index.create(tmp_path / "a", shards=5000)
    assert not (tmp_path / "a").exists()
    assert not many.upgrade()


def test_shards_that_were_made_otherwise_are_not_joined(tmp_path):
    path = tmp_path / "mixed"
    Index.create(path, shards=2)
    for number, language in enumerate(("english", "german")):
        shard = Index.create(path / f"shards/000{number}", latent=0, language=language)
        shard.add([Document(language, "text")])
    with (
        Transaction(path, shards=True) as change,
        pytest.raises(UsageError, match="differ in their settings"),
    ):
        change.commit(join(change, ["shards/0000", "shards/0001"]))


def test_an_empty_input_leaves_it_empty(tmp_path):
    index = Index.create(tmp_path / "many.idx", shards=3)
    assert index.add([]).documents == 0
    assert index.search("anything") == []
    assert len(index) == 0


# Division


@pytest.fixture
def lines(tmp_path):
    path = tmp_path / "documents.jsonl"
    rows = [{"id": f"d{i}", "text": f"word{i} " + "filler " * (i % 50)} for i in range(3000)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_small_file_is_divided_evenly(tmp_path, lines):
    index = Index.create(tmp_path / "many.idx", shards=7)
    assert index.add(lines).documents == 3000
    sizes = [len(Index.open(index.path / f"shards/{i:04}")) for i in range(7)]
    assert set(sizes) == {428, 429}
    assert index.ids() == [f"d{i}" for i in range(3000)]
    (source,) = index.info().sources
    assert (source.name, source.read) == ("documents.jsonl", 3000)


def test_a_large_one_by_what_was_read_of_it(tmp_path, lines, monkeypatch):
    monkeypatch.setattr(sharding, "AHEAD", 0)
    files = [tmp_path / f"part{i}.jsonl" for i in range(6)]
    rows = lines.read_text().splitlines(keepends=True)
    for i, file in enumerate(files):
        file.write_text("".join(rows[500 * i : 500 * i + 500]))
    monkeypatch.setattr("likewise.readers.ReadOptions", partial(ReadOptions, batch_bytes=1000))
    told = []
    index = Index.create(tmp_path / "many.idx", shards=3, threads=1)
    index.add(files, progress=lambda done, total: told.append(done))
    assert told
    assert index.ids() == [f"d{i}" for i in range(3000)]
    sizes = [len(Index.open(index.path / f"shards/{i:04}")) for i in range(3)]
    assert max(abs(size - 1000) for size in sizes) < 100


def batches_of(sizes):
    first = 0
    for size in sizes:
        documents = [Document(f"d{i}", "text") for i in range(first, first + size)]
        yield from read(documents, ReadOptions())
        first += size


@given(
    sizes=st.lists(st.integers(1, 9), max_size=8),
    count=st.integers(1, 5),
    ahead=st.sampled_from([0, 200, 1 << 20]),
)
def test_runs_have_every_document_once_and_in_order(sizes, count, ahead):
    seen = 0

    def counted():
        nonlocal seen
        for batch in batches_of(sizes):
            seen += len(batch)
            yield batch

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sharding, "AHEAD", ahead)
        runs = Runs(counted(), count, lambda: seen / max(sum(sizes), 1))
        found = [[id for batch in run for id in batch.ids] for run in runs]
    assert len(found) == count
    assert [id for run in found for id in run] == [f"d{i}" for i in range(sum(sizes))]
    if ahead > 1000:
        assert max(map(len, found)) - min(map(len, found)) <= 1


def test_documents_of_which_nobody_knows_the_number(tmp_path, monkeypatch):
    documents = [Document(f"d{i}", "text " * 50) for i in range(20)]
    index = Index.create(tmp_path / "a.idx", shards=2)
    index.add(iter(documents))  # few enough to be counted
    assert len(Index.open(index.path / "shards/0001")) == 10
    monkeypatch.setattr(sharding, "AHEAD", 0)
    index = Index.create(tmp_path / "b.idx", shards=2)
    with pytest.raises(UsageError, match="cannot be divided into shards"):
        index.add(iter(documents))
    index.add(documents)
    assert len(index) == 20


# Terms


@settings(max_examples=50)
@given(
    dictionaries=st.lists(st.lists(st.text(max_size=3), unique=True, max_size=12), max_size=5),
    first_half=st.sampled_from([8, 1, 0]),
)
def test_terms_are_numbered_by_first_appearance(dictionaries, first_half):
    """Also if hashes have few different first halves."""
    from xxhash import xxh3_128_digest

    def digest(term):
        whole = xxh3_128_digest(term)
        return whole[:first_half].ljust(8, b"\0") + whole[8:]

    numbering, known = Numbering(digest), {}
    for terms in dictionaries:
        expected = [known.setdefault(term, len(known)) for term in terms]
        assert numbering.add(flatten(terms)).tolist() == expected
    assert numbering.terms == len(known)


# Damage and strangers


@pytest.fixture
def copied(tmp_path, many):
    path = tmp_path / "copy.idx"
    shutil.copytree(many.path, path)
    return path


def test_a_damaged_file_of_numbers_is_named_and_others_are_untouched(copied):
    from likewise.store.checking import check

    (entry, *_) = [s for s in read_manifest(copied).sharding.shards if s.terms]
    file = copied / entry.file
    content = bytearray(file.read_bytes())
    content[64] ^= 1
    file.write_bytes(content)
    with pytest.raises(StoreError, match=file.name):
        Index.open(copied).search("theory")
    (damage,) = check(copied).damages
    assert damage.file == entry.file
    assert Index.open(copied / entry.folder).search("theory")


@pytest.mark.parametrize("wrong", ["twice", "beyond", "another order", "too few"])
def test_numbers_that_make_no_sense_are_refused(copied, wrong):
    manifest = read_manifest(copied)
    shard = max(manifest.sharding.shards, key=lambda shard: shard.terms)
    place = manifest.sharding.shards.index(shard)
    numbers = Index.open(copied).searcher.snapshot.dictionaries[place].numbers.copy()
    if wrong == "twice":
        numbers[0] = numbers[1]
    elif wrong == "beyond":
        numbers[0] = manifest.terms + 7
    elif wrong == "another order":
        numbers = numbers[::-1].copy()
    else:
        numbers = numbers[:-1]
    (copied / shard.file).unlink()
    writer = ContainerWriter(copied / shard.file, "numbers")
    writer.array("numbers", numbers)
    writer.close()
    with pytest.raises(StoreError, match=shard.file):
        Index.open(copied).search("theory")


def test_the_specimen_opens(tmp_path):
    there, now = Index.open(SPECIMEN), specimen(tmp_path / "now.idx")
    there.verify()
    assert there.info().shards == 3
    assert there.ids() == now.ids() == ["cats", "много", "large", "late"]
    assert there.terms() == now.terms()
    assert pairs(there.search("dogs and cats")) == pairs(now.search("dogs and cats"))
    assert [hit.id for hit in there.search("dogs")] == ["late"]


def test_a_manifest_of_shards_is_of_a_format_that_older_versions_refuse(many):
    assert json.loads((many.path / NAME).read_bytes())["format"] == 4


# The command


def test_the_command(tmp_path, lines):
    def run(*arguments):
        result = CliRunner().invoke(app, [*map(str, arguments)])
        assert result.exit_code == 0, result.output
        return result.output

    one, many = tmp_path / "one.idx", tmp_path / "many.idx"
    run("index", lines, "-o", one, "--no-latent")
    run("index", lines, "-o", many, "--shards", 3)
    assert "shards" in run("info", many)
    found = [run("search", path, "word7 filler", "--format", "jsonl") for path in (one, many)]
    assert found[0] == found[1]
