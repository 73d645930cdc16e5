"""What the first answer after opening does by several threads, and others do not do again."""

import shutil
import threading
from contextlib import closing

import numpy as np
import pytest

from likewise import Index
from likewise.engines.local import collection
from likewise.engines.together import together
from likewise.errors import StoreError
from likewise.search import generation
from likewise.store import dictionary, snapshot
from likewise.store.container import read_together
from likewise.views import TITLES

EXAMPLES = ["0", "3", "6"]


def documents(first, last):
    words = ["graph neural network", "protein folding", "galaxy survey of héros"]
    return [
        {"id": str(i), "title": f"{words[i % 3]} {i}", "text": f"{words[i % 3]} about w{i % 7}"}
        for i in range(first, last)
    ]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Four segments of about the same size."""
    path = tmp_path_factory.mktemp("first") / "papers.idx"
    for part in range(4):
        add = Index.create(path, latent=0) if not part else Index.open(path)
        add.add(documents(60 * part, 60 * part + 60))
    assert len(Index.open(path).manifest.segments) == 4
    return path


@pytest.fixture
def at_once(monkeypatch):
    """As if these few documents were many; what was read together: of how many files, by how many
    threads.
    """
    monkeypatch.setattr(collection, "MANY_ROWS", 1)
    monkeypatch.setattr(snapshot, "MANY", 1)
    read = []

    def noted(wanted, threads):
        given = list(wanted)
        read.append((len(given), threads))
        read_together(given, threads)

    for module in (snapshot, dictionary, generation):
        monkeypatch.setattr(module, "read_together", noted)
    return read


def answer(path, threads, method):
    index = Index.open(path, threads=threads)
    hits = index.like(EXAMPLES, method=method, k=20)
    words, titles = index.corpus("tfidf"), index.searcher.view(TITLES)
    return [tuple(hit) for hit in hits], [
        array.tobytes()
        for one in (words, titles)
        for array in (one.squares, one.term_factors, one.total(), one.scores(one.total()))
    ]


@pytest.mark.parametrize("method", ["1c", "auto"])
def test_segments_that_are_read_together_give_the_same_bits(path, method, at_once):
    alone = answer(path, 1, method)
    assert at_once == [(4, 1)] * 4  # ids and titles; words; parts of titles; the inverted file
    del at_once[:]
    assert answer(path, 3, method) == alone
    assert at_once == [(4, 3)] * 4


def test_a_few_documents_start_no_thread(path):
    before = threading.active_count()
    Index.open(path, threads=1).like(EXAMPLES)
    assert threading.active_count() == before


@pytest.mark.parametrize("section", ["titles.text", "ids.text"])
def test_what_is_damaged_is_told_when_it_is_asked_for(path, tmp_path, section, at_once):
    index = Index.open(path)
    copy = tmp_path / "copy.idx"
    shutil.copytree(path, copy)
    entry = Index.open(copy).manifest.segments[1]
    whole = index._snapshot.segments[1]._file._sections[section]
    with closing((copy / entry.file).open("r+b")) as file:
        file.seek(whole.offset + 2)
        file.write(b"\xff")
    opened = Index.open(copy, threads=2)
    query = opened.learn(EXAMPLES, method="1c")
    with pytest.raises(StoreError, match=section):
        opened.run(query, k=200)


def test_results_are_in_the_order_of_what_was_given():
    ready = threading.Event()

    def work(number):
        if number == 0:
            assert ready.wait(10)  # the first one ends last
        else:
            ready.set()
        return number * 2

    assert together(work, [0, 1], 2) == [0, 2]
    assert together(np.sqrt, [4.0], 8) == [2.0]


def test_an_error_of_one_is_raised():
    def work(number):
        raise ValueError(str(number))

    with pytest.raises(ValueError, match="1"):
        together(work, [1, 2, 3], 2)
