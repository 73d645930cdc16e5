"""Reviews on a cluster of real processes: from Python, a terminal and over HTTP, as without one."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from helpers.clusters import scheduler
from helpers.command_line import succeed
from helpers.process import Terminal
from helpers.server_client import serving
from likewise import Index
from likewise.datasets import arxiv_sample, topics
from likewise.engines import named
from likewise.engines.cluster import collection
from likewise.feedback.twoclass import TwoClass

pytest.importorskip("distributed")
WORDS = "search engine retrieval"
TOPIC = topics()["cs.IR"]


@pytest.fixture(scope="module")
def address():
    with scheduler("--nthreads 1", "--nthreads 1") as (found, _):
        yield found
        if found in collection._known:
            collection._known.pop(found).cluster.close()


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Three shards with every view: titles, a latent space and embeddings."""
    folder = tmp_path_factory.mktemp("built")
    every = Index.create(folder / "all.idx", latent=0)
    every.add(arxiv_sample())
    made = Index.create(folder / "papers.idx", shards=3, latent=8)
    made.add(every.documents(every.ids())[:700])
    made.embed(np.random.default_rng(0).normal(size=(700, 6)).astype(np.float32))
    return made.path


@pytest.fixture
def two(built, tmp_path, address):
    """The same index on this machine and on the cluster, each with sessions of its own."""
    found = []
    for name, options in (("here", {}), ("there", {"engine": "cluster", "address": address})):
        shutil.copytree(built, tmp_path / name / "papers.idx")
        found.append(Index.open(tmp_path / name / "papers.idx", **options))
    return found


@pytest.fixture(autouse=True)
def _exact(monkeypatch):
    """Learned to the end: to 1e-2, as reviews do it, two ways lead to two near solutions."""
    monkeypatch.setitem(TwoClass.__init__.__kwdefaults__, "tol", 1e-7)


def labels(ids):
    return {id: "relevant" if id in TOPIC else "not" for id in ids}


def same(a, b):
    assert [hit.id for hit in a] == [hit.id for hit in b]
    np.testing.assert_allclose([h.score for h in a], [h.score for h in b], rtol=1e-6)


def review(index, folder, **options):
    """What a reviewer sees from beginning to end, and what is left of it."""
    session = index.session("s", query=WORDS, reviewer="ann", page_size=8, **options)
    seen = []
    for _ in range(3):
        page = session.page
        seen.append((page.ids, page.method, page.number))
        why = session.explain(page.ids[0])
        seen.append([one.term for one in why.terms[:3]])
        session.judge_all(labels(page.ids))
    session.undo()
    session.redo()
    seen.append(session.sample(5).ids)
    stats = session.stats()
    seen += [stats.judged, stats.relevant, session.judgements()]
    session.export(folder / "judged.csv")
    lines = (folder / "judged.csv").read_text().splitlines()
    return seen, sorted(line.split(",")[0] for line in lines)


def test_a_session_in_python(two, tmp_path):
    here, there = (review(index, tmp_path) for index in two)
    assert there == here
    again = Index.open(two[1].path).session("s", reviewer="ann")  # continued without a cluster
    assert again.judgements() == here[0][-1]
    a, b = (index.session("s", reviewer="ann").stats() for index in two)
    assert a.stopping == b.stopping
    assert a.gain == b.gain


def test_judgements_in_postgres(two, tmp_path, postgres):
    here, there = (review(index, tmp_path, database=postgres.database()) for index in two)
    assert there == here
    assert not two[1].path.with_name("papers.idx.sessions.sqlite").exists()


@pytest.mark.parametrize("views", ["words,embeddings", "words,titles,latent,embeddings"])
def test_all_views_with_filters_and_explanations(two, views):
    here, there = two
    liked, chosen = [id for id in here.ids() if id in TOPIC][:3], "created >= 2015"
    options = {"views": views, "method": "rocchio", "filter": chosen, "k": 15}
    a, b = (index.like(liked, **options) for index in two)
    same(a, b)
    why = [index.explain(a[0].id, a.query) for index in two]
    assert [one.term for one in why[0].terms[:9]] == [one.term for one in why[1].terms[:9]]
    assert there.count(chosen) == here.count(chosen)
    same(*(index.search("model", filter=chosen) for index in two))


def test_a_review_over_http(two, address):
    seen = []
    for index, engine in zip(two, ("local", named("cluster", address)), strict=True):
        with serving(index.path, engine=engine) as client:
            place = "/v1/indexes/papers/sessions"
            made = client.post(place, json={"name": "s", "words": WORDS})
            assert made.status_code == 201, made.text
            pages = []
            page = client.get(f"{place}/s/page", params={"explain": 2}).json()
            for _ in range(3):
                pages.append([hit["id"] for hit in page["hits"]])
                given = [{"id": id, "label": label} for id, label in labels(pages[-1]).items()]
                wanted = {"judgements": given, "next": {"size": 6, "explain": 1}}
                page = client.post(f"{place}/s/judgements", json=wanted).json()["page"]
            stopping = client.get(f"{place}/s").json()
            left = client.get(f"{place}/s/judgements").json()["judgements"]
            seen.append((pages, stopping["judged"], left))
    assert seen[0] == seen[1]


def test_a_review_in_a_terminal_and_an_explanation(two, address):
    """Judged there, exported afterwards; a cluster computes."""
    here, there = two
    first = here.session("s", query=WORDS).page.ids[0]
    options = ["--query", WORDS, "--name", "t", "--reviewer", "ann", "--cluster", address]
    terminal = Terminal(there.path, *options, lines=40)
    try:
        terminal.see("q quit")
        terminal.press("y", "q")
        terminal.see("--export FILE")
        assert terminal.end() == 0
    finally:
        if terminal.process.poll() is None:
            terminal.process.kill()
            terminal.process.wait()
    assert Index.open(there.path).session("t", reviewer="ann").judgements() == {first: "relevant"}
    why = [
        json.loads(succeed("explain", index.path, first, WORDS, "--format", "json", *more)[0])
        for index, more in ((here, []), (there, ["--cluster", address]))
    ]
    assert why[0]["terms"] == why[1]["terms"]
