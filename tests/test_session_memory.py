"""Sessions in memory are bounded by bytes, all of an index together."""

from __future__ import annotations

import gc
import weakref

import pytest

from helpers.server_client import make_index
from likewise import Index

JUDGED = 12


@pytest.fixture
def index(tmp_path):
    return make_index(tmp_path)


def judge_some(index, name):
    """A session with judgements and a page, and what it holds in memory."""
    session = index.session(name, query="robot")
    for number, id in enumerate(index.ids()[:JUDGED]):
        session.judge(id, ("relevant", "not")[number % 2])
    session.next()
    return session


def in_memory(session):
    return weakref.ref(session._live)


def test_a_column_for_each_judged_document_is_counted(index):
    assert judge_some(index, "one")._live.size >= 4 * len(index) * JUDGED


def test_those_used_longest_ago_are_let_go(index):
    index.reviews.most_bytes = 2 * judge_some(index, "s0")._live.size
    held = [in_memory(judge_some(index, f"s{number}")) for number in range(1, 6)]
    index.session("s5")  # sizes are looked at when a session is asked for
    gc.collect()
    assert [live() is not None for live in held] == [False, False, False, True, True]


def test_one_that_is_in_use_goes_on(index):
    index.reviews.most_bytes = 0
    mine = judge_some(index, "mine")
    judge_some(index, "other")
    again = index.session("mine")  # read from the database
    assert again._live is not mine._live
    id = index.ids()[JUDGED]
    mine.judge(id, "relevant")
    assert again.judgements()[id] == mine.judgements()[id]
    assert len(again.judgements()) == JUDGED + 1


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_deleted_one_is_forgotten(index, elsewhere):
    held = in_memory(judge_some(index, "gone"))
    if elsewhere:  # it is found out when the name is asked for
        Index.open(index.path).reviews.delete("gone")
        assert index.find_session("gone") is None
    else:
        index.reviews.delete("gone")
    gc.collect()
    assert held() is None
