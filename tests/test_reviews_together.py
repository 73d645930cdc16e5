"""What several judge at the same moment is entered at once, and is as if they had come in turn."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from helpers.server_client import make_index, problem, serving
from likewise import Index
from likewise.errors import StoreError, UnknownIdError
from likewise.reviews.committing import Commits
from likewise.reviews.judgement import Judgement
from likewise.reviews.together import Given, apart, judge_together, showing_together
from likewise.server.access import ANYONE
from likewise.server.judging import Asked, Next, One
from likewise.server.stop import Stop
from likewise.server.together import Waiting
from likewise.server.together import _enter as enter

SESSIONS = "/v1/indexes/papers/sessions"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return make_index(tmp_path_factory.mktemp("together")).path


@pytest.fixture
def session(made, tmp_path):
    shutil.copytree(made, tmp_path / "papers.idx")
    return Index.open(tmp_path / "papers.idx").session(
        "s", query="robot", reviewer="ada", group_duplicates=False
    )


def said(session, *judged):
    return Given(session, [Judgement(id, label) for id, label in judged])


def test_each_has_a_step_of_her_own(session):
    ids = session.next(6).ids
    ben = session.as_reviewer("ben")
    given = [
        said(session, (ids[0], "relevant")),
        said(ben, (ids[1], "not"), (ids[2], "unsure")),
        said(session, ("no such document", "not")),
        said(session, (ids[3], "not")),
    ]
    errors = judge_together(given)
    assert [type(error) for error in errors] == [type(None), type(None), UnknownIdError, type(None)]
    assert session.judgements() == {ids[0]: "relevant", ids[3]: "not"}
    assert ben.judgements() == {ids[1]: "not", ids[2]: "unsure"}
    session.undo()
    ben.undo()
    assert session.judgements() == {ids[0]: "relevant"}
    assert ben.judgements() == {}


def test_what_depends_on_another_is_apart(session):
    ids = session.next(4).ids
    first, second, again, other = (
        said(session, (ids[0], "not")),
        said(session, (ids[1], "not")),
        said(session, (ids[0], "relevant")),
        said(session, (ids[2], "not")),
    )
    withdrawn = said(session, (ids[1], None))
    assert list(apart([first, second, other])) == [[first, second, other]]
    assert list(apart([first, second, again, other])) == [[first, second], [again, other]]
    assert list(apart([first, withdrawn, other])) == [[first], [withdrawn], [other]]
    assert list(apart([withdrawn])) == [[withdrawn]]
    assert list(apart([])) == []


def test_learned_one_after_another(session, made):
    """As from the same judgements one by one, and without learning from them before a page."""
    ids = session.next(9).ids
    labels = ["relevant", "not", "not", "relevant", "not", "not", "relevant", "not", "not"]
    session.judge(ids[0], labels[0])
    session.next(1)  # something is learned already
    judge_together([said(session, pair) for pair in zip(ids[1:], labels[1:], strict=True)])
    session.learn()
    together = session._live.ranked(20)
    alone = Index.open(made).session("alone", query="robot", reviewer="ada", group_duplicates=False)
    for id, label in zip(ids, labels, strict=True):
        alone.judge(id, label)
        _ = alone._live.ranked(1)
    one_by_one = alone._live.ranked(20)
    assert [hit.id for hit in together.hits] == [hit.id for hit in one_by_one.hits]
    scores = [[hit.score for hit in page.hits] for page in (together, one_by_one)]
    np.testing.assert_allclose(*scores, rtol=1e-6)


def test_pages_are_kept_by_one_commit(session, monkeypatch):
    commits, commit = [], Commits._commit
    monkeypatch.setattr(Commits, "_commit", lambda *of: (commits.append(of), commit(*of)))
    session.next(2)  # notes how far the index was, once
    commits.clear()
    with showing_together(session):
        pages = [session.next(3) for _ in range(3)]
    assert len(commits) == 1
    ids = [id for page in pages for id in page.ids]
    assert len(set(ids)) == 9
    assert [page.number for page in pages] == [2, 3, 4]


def fails(self, group):
    """In place of a commit."""
    self._group = None
    group.connection.rollback()
    group.error = StoreError("the disk is full")
    group.done.set()


def test_pages_that_were_not_kept_were_not_shown(session, monkeypatch):
    shown = session.next(2).ids
    session.judge(shown[0], "relevant")
    with (  # noqa: PT012
        monkeypatch.context() as full,
        pytest.raises(StoreError, match="full"),
        showing_together(session),
    ):
        lost = session.next(3).ids
        full.setattr(Commits, "_commit", fails)
    assert session.next(3).ids == lost
    assert session.judgements() == {shown[0]: "relevant"}
    assert session.page.number == 2


def asking(id, label):
    """A request as the server has it: a judgement, and the next page."""
    asked = Asked([One(id, label)], reviewer="ada", next=Next(size=2))
    return Waiting(None, "s", ANYONE, asked, Stop(60))


@pytest.mark.parametrize("failing", [1, 2, 3])
def test_each_is_told_of_her_own_judgement(session, monkeypatch, failing):
    """Two commits of judgements, since one changes the other, and one of pages: one fails."""
    ids = session.next(3).ids
    commits, commit = [], Commits._commit

    def sometimes(self, group):
        if self._group is group:  # there is something to commit
            commits.append(group)
        return (fails if len(commits) == failing else commit)(self, group)

    batch = [asking(ids[0], "not"), asking(ids[1], "not"), asking(ids[0], "relevant")]
    with monkeypatch.context() as full:
        full.setattr(Commits, "_commit", sometimes)
        enter(session, batch)
    assert [str(one.error) for one in batch] == [
        "the disk is full" if part == failing else "None" for part in (1, 1, 2)
    ]
    told = [json.loads(one.body) for one in batch if one.error is None]
    assert all(one["entered"] == 1 and (one["page"] is None) == (failing == 3) for one in told)
    kept = {1: {ids[0]: "relevant"}, 2: {ids[0]: "not", ids[1]: "not"}}
    assert session.judgements() == kept.get(failing, {ids[0]: "relevant", ids[1]: "not"})
    again = Index.open(session._live.generation.place).session("s", reviewer="ada")
    assert again.judgements() == session.judgements()  # what is on disk


def test_many_at_once_over_http(made):
    """Each is answered with a page of her own; wrong ones alone are refused."""
    with serving(made) as client:
        client.post(SESSIONS, json={"name": "many", "words": "robot"}).raise_for_status()
        address = f"{SESSIONS}/many"
        ids = [
            hit["id"] for hit in client.post(f"{address}/page", json={"size": 40}).json()["hits"]
        ]

        def judged(place):
            one = {"id": ids[place] if place % 7 else "none", "label": "not"}
            asked = {"judgements": [one], "next": {"size": 2}, "reviewer": f"r{place % 5}"}
            return client.post(f"{address}/judgements", json=asked)

        with ThreadPoolExecutor(16) as pool:
            found = list(pool.map(judged, range(40)))
        for place, answer in enumerate(found):
            if place % 7:
                assert answer.status_code == 200
                assert len(answer.json()["page"]["hits"]) == 2
            else:
                problem(answer, 404, "none")
        kept = [client.get(f"{address}/judgements?reviewer=r{n}").json() for n in range(5)]
        entered = {id: label for one in kept for id, label in one["judgements"].items()}
        assert {ids[place] for place in range(40) if place % 7} <= entered.keys()
