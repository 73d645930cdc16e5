"""What travels between a client and a cluster of real processes does not grow with documents."""

from __future__ import annotations

import random
from contextlib import contextmanager

import pytest

from helpers.clusters import scheduler
from likewise import Document, Index
from likewise.engines.cluster import pieces, selecting
from likewise.search.methods import METHODS
from likewise.solvers import thinned

distributed = pytest.importorskip("distributed")
WORDS = [a + b + c for a in "bdgklmnprst" for b in "aeiou" for c in "bdgkmnprt"]
SMALL, LARGE = 5_000, 20_000
EXAMPLES = [f"d{7 * i}" for i in range(12)]
MORE = 1.25  # times the bytes, for a method that takes a few rounds more
NOISE = 20_000  # bytes: heartbeats, and keys with more digits
WORKER = "--nthreads 1 --host 127.0.0.1"
CASES = {
    **{name: {"method": name} for name in ("auto", *METHODS)},
    "ba, disliked": {"method": "ba", "unlike": ["d2", "d5"]},
    "pr, disliked": {"method": "pr", "unlike": ["d2", "d5"]},
    "rank, weights": {"method": "rank", "weights": [1.0] * 11 + [2.0]},
    "steady, weights": {"method": "steady", "weights": [1.0] * 11 + [2.0]},
}


def text(i):
    """Of the same terms, however many documents there are, but not the same as another document's:
    values that equal the last of the best are told, too, up to a number that these would reach.
    """
    return " ".join(random.Random(i).choices(WORDS, k=9))


@pytest.fixture(scope="module")
def indexes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bytes")
    with scheduler(WORKER, WORKER) as (address, _):
        opened = []
        for size in (SMALL, LARGE):
            path = folder / f"{size}.idx"
            made = Index.create(path, latent=0, titles=False, shards=2)
            made.add([Document(f"d{i}", text(i)) for i in range(size)])
            opened.append(Index.open(path, engine="cluster", address=address))
        assert opened[0].manifest.terms == opened[1].manifest.terms
        yield opened


@pytest.fixture(autouse=True)
def small_limits(monkeypatch):
    """What is bounded by itself, such as a sample, is as large here for both indexes."""
    monkeypatch.setattr(thinned, "LEAST", 1_000)
    monkeypatch.setattr(thinned, "DRAWN", 150)
    monkeypatch.setattr(pieces, "FEW", 256)
    monkeypatch.setattr(selecting, "TOLD", 64)


@contextmanager
def counted():
    """The bytes that this process receives and sends over its connections."""
    from tornado.iostream import IOStream

    kept = IOStream.read_from_fd, IOStream.write_to_fd
    moved = [0, 0]

    def read(self, buffer):
        size = kept[0](self, buffer)
        moved[0] += size or 0
        return size

    def write(self, data):
        size = kept[1](self, data)
        moved[1] += size or 0
        return size

    IOStream.read_from_fd, IOStream.write_to_fd = read, write
    try:
        yield moved
    finally:
        IOStream.read_from_fd, IOStream.write_to_fd = kept


@pytest.mark.filterwarnings("ignore::likewise.errors.NotConverged")
@pytest.mark.parametrize("case", CASES)
def test_bytes_do_not_grow_with_documents(indexes, case):
    limit = {} if case.split(",")[0] in ("auto", "centroid", "rocchio") else {"max_passes": 4}
    found = []
    for index in indexes:
        with counted() as moved:
            index.like(EXAMPLES, **CASES[case], **limit)
        found.append(moved)
    (received, sent), (more_received, more_sent) = found
    assert more_received <= MORE * received + NOISE
    assert more_sent <= MORE * sent + NOISE


def test_the_count_sees_a_vector_over_documents(indexes):
    """Otherwise the test above could not fail."""
    index = indexes[1]
    corpus = index.corpus("tfidf")
    scores = corpus.scores(corpus.arrays.vector([1.0] * corpus.shape[1]))
    with counted() as moved:
        corpus.arrays.host(scores)
    assert moved[0] >= 8 * LARGE
