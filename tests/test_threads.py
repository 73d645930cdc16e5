"""An Index may be used by several threads at once, also while it changes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

from likewise import Document, Index, LockedError
from likewise.datasets import arxiv_sample, topics

THREADS = 8


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    made = Index.create(tmp_path_factory.mktemp("threads") / "arxiv.idx", threads=2)
    made.add(arxiv_sample())
    return made


def at_once(work, count=THREADS):
    """The results of `work(number)`, which all threads begin together."""
    ready = Barrier(count)

    def begin(number):
        ready.wait()
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(begin, range(count)))


def everything(index, examples):
    """What a reader may ask, as plain values."""
    words = index.search("robot arm", k=5, filter="created>=2012")
    query = index.learn(examples, method="steady", views="words,latent")
    hits = index.run(query, k=5, group_duplicates=True)
    return (
        list(words),
        hits.ids,
        np.round([hit.score for hit in hits], 9).tolist(),
        [round(weight, 9) for _, weight in index.explain(hits[0], query).terms[:20]],
        sorted(index.words_of(["robot", "vehicl", "learn"]).values()),
        index.document(hits[0].id).title,
        len(hits._repr_html_()),
        index.count("created>=2015"),
        [field.name for field in index.fields()],
    )


def test_readers_get_what_one_alone_would_get(index):
    examples = topics()["cs.RO"][:3]
    fresh = Index.open(index.path, threads=2)  # nothing is computed yet
    found = at_once(lambda number: everything(fresh, examples))
    alone = everything(Index.open(index.path, threads=2), examples)
    for one in found:
        assert one == alone


def test_a_query_and_hits_are_shared_by_threads(index):
    hits = index.like(topics()["cs.RO"][:3], k=20)
    found = at_once(lambda number: (index.run(hits.query, 20).ids, hits[number:].ids, repr(hits)))
    for number, (ids, rest, shown) in enumerate(found):
        assert ids == hits.ids
        assert rest == hits.ids[number:]
        assert shown == repr(hits)


def test_readers_see_one_generation_or_the_other_while_another_thread_adds(tmp_path):
    index = Index.create(tmp_path / "grow.idx", threads=2)
    index.add(Document(f"0-{n}", "a robot and its arm") for n in range(20))

    def work(number):
        if number == 0:
            for batch in range(1, 8):
                index.add(Document(f"{batch}-{n}", "a robot and its arm") for n in range(20))
            return []
        counts = []
        for _ in range(40):
            frozen = index.frozen()
            hits = frozen.search("robot", k=1000)
            assert len(hits) == len(frozen) == frozen.count()
            assert set(hits.ids) == set(frozen.ids())
            counts.append(len(hits))
        return counts

    for counts in at_once(work, 4)[1:]:
        assert counts == sorted(counts)
        assert {count % 20 for count in counts} == {0}
    assert len(index) == 160


def test_writers_take_turns_or_are_told(tmp_path):
    index = Index.create(tmp_path / "turns.idx")

    def work(number):
        try:
            index.add(Document(str(number), "some text"))
        except LockedError:
            return None
        return str(number)

    added = [id for id in at_once(work) if id is not None]
    assert added
    assert sorted(index.refresh().ids()) == sorted(added)
