"""An index on a cluster of real processes: what it finds, and what happens when these end."""

from __future__ import annotations

import re
import shutil
import time

import numpy as np
import pytest
from typer.testing import CliRunner

from helpers.clusters import dask, kill, scheduler, wait_until
from helpers.server_client import serving
from helpers.sharded import joined, pages_of, pairs, whole
from likewise import Index, StoreError, Text, UsageError
from likewise.cli.app import app
from likewise.datasets import arxiv_sample, topics
from likewise.engines import named
from likewise.engines.cluster.connecting import Build
from likewise.errors import ClusterError
from likewise.search.learning import learn
from likewise.search.methods import Options

pytest.importorskip("distributed")
CUTS = [0, 5, 40, 40, 500]  # very different shards, and an empty one
WORKER = "--nthreads 1 --host 127.0.0.1"


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    made = Index.create(tmp_path_factory.mktemp("sample") / "all.idx", latent=0)
    made.add(arxiv_sample())
    return made.documents(made.ids())[:1000]


@pytest.fixture(scope="module")
def one(tmp_path_factory, sample):
    return whole(tmp_path_factory.mktemp("one") / "one.idx", sample)


@pytest.fixture(scope="module")
def shards(tmp_path_factory, sample):
    ends = [*CUTS[1:], len(sample)]
    parts = [sample[a:b] for a, b in zip(CUTS, ends, strict=True)]
    return joined(tmp_path_factory.mktemp("many") / "many.idx", parts).path


@pytest.fixture(scope="module")
def running():
    with scheduler(WORKER, WORKER) as (address, processes):
        yield address, processes


@pytest.fixture(scope="module")
def many(shards, running):
    return Index.open(shards, engine="cluster", address=running[0])


@pytest.fixture(scope="module")
def topic(one):
    return [id for id in sorted(topics()["cs.IR"]) if id in one]


# The same answers


def test_words_filters_and_explanations(one, many):
    for words in ("search engine", "neural -network", '"machine learning" retrieval'):
        assert pairs(many.search(words, 20)) == pairs(one.search(words, 20))
    filter = "created >= 2024"
    assert pairs(many.search("model", filter=filter)) == pairs(one.search("model", filter=filter))
    assert many.count(filter) == one.count(filter)
    hit = one.search("retrieval", 1)[0]
    assert many.explain(hit.id, "retrieval") == one.explain(hit.id, "retrieval")


@pytest.mark.parametrize("method", ["1c", "ba", "p@k", "rank", "rocchio"])
def test_methods_find_the_same(one, many, topic, method):
    tol = {} if method in ("rank", "rocchio") else {"tol": 1e-4}
    given = {"unlike": topic[6:8], "method": method, "k": 20, **tol}
    a, b = (index.like(topic[:6], **given) for index in (one, many))
    assert len({hit.id for hit in a} & {hit.id for hit in b}) >= 19
    if tol:
        one_, other = a.query.learned, b.query.learned
        assert other.objective <= one_.objective * (1 + 2e-4) + 1e-9
        assert other.gap <= 1e-4
    elif method == "rocchio":
        np.testing.assert_allclose([h.score for h in a], [h.score for h in b], rtol=1e-9)


def test_auto_and_examples_from_outside(one, many, topic):
    for given in (topic[:6], [Text("search engines rank documents by relevance"), *topic[:3]]):
        a, b = (index.like(given, k=20, tol=1e-4) for index in (one, many))
        assert a.query.learned.method == b.query.learned.method
        assert len({hit.id for hit in a} & {hit.id for hit in b}) >= 19


def test_a_learned_query_has_the_same_scores(one, many, topic):
    query = one.learn(topic[:5], method="ba")
    assert pairs(many.run(query, 20)) == pairs(one.run(query, 20))


def test_feedback_shows_the_same_pages(one, many, topic):
    shown = [pages_of(index, topic, pages=2, k=6) for index in (one, many)]
    assert shown[0] == shown[1]


def test_a_latent_space_and_parts_of_titles(tmp_path, sample, running, topic):
    index = Index.create(tmp_path / "views.idx", shards=2, latent=8)
    index.add(sample[:300])
    index.learn_latent(8)
    there = Index.open(index.path, engine="cluster", address=running[0])
    liked = index.ids()[:3]
    views = {"views": "words,latent,titles", "method": "rocchio"}
    a, b = (each.like(liked, k=10, **views) for each in (index, there))
    assert [hit.id for hit in a] == [hit.id for hit in b]
    np.testing.assert_allclose([h.score for h in a], [h.score for h in b], rtol=1e-6)
    assert there.explain(a[0].id, a.query) == index.explain(a[0].id, a.query)


# What is refused


def test_addresses(shards):
    with pytest.raises(UsageError, match="needs the address of a scheduler"):
        Index.open(shards, engine="cluster")
    with pytest.raises(UsageError, match="has no address"):
        Index.open(shards, engine="memory", address="local:2")


def test_options_of_the_command_line(shards, one, running):
    run = CliRunner().invoke
    refused = run(
        app, ["search", str(shards), "cells", "--engine", "memory", "--cluster", "local:2"]
    )
    assert refused.exit_code == 2
    assert "--cluster computes instead of --engine memory" in refused.stderr
    refused = run(app, ["search", str(shards), "cells", "--engine", "cluster"])
    assert refused.exit_code == 2
    assert "needs an address" in refused.stderr
    options = ["retrieval", "--format", "trec", "--cluster", running[0]]
    found = run(app, ["search", str(shards), *options])
    ids = [line.split()[2] for line in found.stdout.splitlines()]
    assert ids == [hit.id for hit in one.search("retrieval")], found.stderr


def test_a_damaged_shard_is_named(tmp_path, shards, running, topic):
    copy = tmp_path / "damaged.idx"
    shutil.copytree(shards, copy)
    file = max(
        (copy / "shards" / "0001" / "segments").glob("*.seg"), key=lambda f: f.stat().st_size
    )
    whole_file = bytearray(file.read_bytes())
    for place in range(len(whole_file) // 4, len(whole_file) - 4096, 512):
        whole_file[place] ^= 0xFF
    file.write_bytes(whole_file)
    index = Index.open(copy, engine="cluster", address=running[0])
    with pytest.raises(StoreError, match=r"shards/0001/segments/\d+\.seg"):
        index.like(topic[:3], method="rocchio")


def test_a_worker_of_another_version_refuses(monkeypatch, shards, many):
    index = Index.open(shards, engine=many.engine)
    cluster = index.searcher._engine.cluster
    monkeypatch.setattr(cluster, "build", Build("9.9", "3.0", "none"))
    with pytest.raises(ClusterError, match=r"worker \S+ runs likewise .* but this process runs"):
        index.search("retrieval")


# What ends: in this order, as what is lost does not come back


def test_a_worker_ends_while_a_query_is_learned_and_while_one_runs(many, running, topic):
    """The answer is the same bits, on the worker that is left."""
    options = Options(tol=1e-5)
    expected = learn(many.searcher, topic[:6], method="ba", options=options)
    words = pairs(many.search("search engine", 20))
    left = [running[1][1]]

    def end_one(*_):
        if left:
            kill(left.pop().pid)

    again = learn(many.searcher, topic[:6], method="ba", options=options, report=end_one)
    assert not left
    assert (again.solution.sparse.weights == expected.solution.sparse.weights).all()
    assert again.learned.passes == expected.learned.passes
    assert pairs(many.search("search engine", 20)) == words


def test_a_server_without_its_scheduler_says_so_until_there_is_one(shards, running):
    address, processes = running
    asked = "/v1/indexes/many/search?q=retrieval"
    with serving(shards, engine=named("cluster", address)) as client:
        found = client.get(asked).json()["hits"]
        assert found
        for process in processes:
            process.kill()
            process.wait()
        began = time.monotonic()
        answer = client.get(asked)
        assert answer.status_code == 503, answer.text
        said = answer.json()["detail"]
        assert re.search(f"the cluster at {address} was lost|nobody answers at {address}", said)
        assert time.monotonic() - began < 30
        port = address.rpartition(":")[2]
        processes.append(dask("scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard"))
        processes.append(dask("worker", address, "--no-nanny", "--no-dashboard", *WORKER.split()))
        wait_until(lambda: client.get(asked).status_code == 200, 0.5)
        assert client.get(asked).json()["hits"] == found
