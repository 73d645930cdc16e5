"""The list of judged records: found by what was said, by whom, why and when, and by doubt."""

from __future__ import annotations

import json
import time

import pytest

from helpers.command_line import refuse, succeed
from likewise import Index, UsageError
from likewise.errors import UnknownIdError


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Twenty records on cats, twenty on ships; one of each is judged wrongly."""
    index = Index.create(tmp_path_factory.mktemp("judged") / "r.idx", threads=1)
    cats, ships = "cats purr whiskers kittens", "ships harbour anchors sails"
    index.add(
        {"id": f"c{i}", "title": f"Cats {i}", "text": f"{cats} one{i} two{i}"} for i in range(20)
    )
    index.add(
        {"id": f"s{i}", "title": f"Ships {i}", "text": f"{ships} six{i} ten{i}"} for i in range(20)
    )
    session = index.session("s", query="cats", reviewer="ann", group_duplicates=False)
    for i in range(20):
        session.judge(f"c{i}", "not" if i == 7 else "relevant", reasons=["dogs"] if i == 7 else [])
        label = "relevant" if i == 4 else "not"
        session.judge(f"s{i}", label, reasons=[] if i == 4 else ["a boat"], tags=[f"t{i % 2}"])
    session.as_reviewer("bob").judge("c1", "not", reasons=["a boat"], note="no cat")
    return index.path


@pytest.fixture
def session(path):
    return Index.open(path).session("s", reviewer="ann")


def ids(found):
    return [one.document for one in found.records]


def test_what_is_wrong_is_doubtful(session):
    found = session.judged(doubtful=True)
    assert set(ids(found)[:2]) == {"c7", "s4"}
    assert all(one.doubt > 0.8 for one in found.records[:2])
    assert found.records[0].doubt >= found.records[-1].doubt > 0.5
    assert len(found.records) < 6
    assert all(one.doubt is None for one in session.judged(n=3).records)


def test_nothing_is_doubtful_while_there_is_nothing_to_compare(path):
    session = Index.open(path).session("few", query="cats", reviewer="ann")
    assert session.judged(doubtful=True) == ([], 0)
    session.judge("c1", "relevant")
    session.judge("s1", "not")
    assert session.judged(doubtful=True) == ([], 0)
    assert session.judged().total == 2


LATER = time.time() + 86_400  # tests are collected long before the last one runs


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({}, 40),
        ({"label": "relevant"}, 20),  # also what one calls relevant and another not
        ({"label": "not"}, 20),
        ({"label": "not", "by": "bob"}, 1),
        ({"label": "unsure"}, 0),
        ({"by": "bob"}, 1),
        ({"by": "nobody"}, 0),
        ({"reason": "a boat"}, 20),
        ({"reason": "a boat", "by": "bob"}, 1),
        ({"reason": "dogs", "label": "not"}, 1),
        ({"tag": "t1"}, 10),
        ({"how": "conflict"}, 1),
        ({"how": "agreed"}, 39),
        ({"since": LATER}, 0),
        ({"until": LATER}, 40),
        ({"since": 0, "until": 1}, 0),
    ],
)
def test_what_is_asked_for(session, wanted, expected):
    found = session.judged(n=7, **wanted)
    assert found.total == expected
    assert len(found.records) == min(expected, 7)
    rest = session.judged(n=100, offset=7, **wanted)
    assert len(rest.records) == max(expected - 7, 0)
    assert not set(ids(found)) & set(ids(rest))


def test_the_last_is_first(session):
    assert ids(session.judged(n=2)) == ["c1", "s19"]
    record = session.record("c1")
    assert (record.label, record.how, record.title) == ("relevant", "conflict", "Cats 1")
    assert [(vote.reviewer, vote.label, vote.note) for vote in record.votes] == [
        *[("ann", "relevant", ""), ("bob", "not", "no cat")]
    ]
    assert sorted(step.what for step in session.record_history("c1")) == ["judge", "judge", "note"]
    assert session.words_used() == (["a boat", "dogs"], ["t0", "t1"])


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ({"label": "maybe"}, "'maybe' is no judgement"),
        ({"how": "well"}, "how is 'well'"),
        ({"colour": "red"}, "cannot be chosen by 'colour'"),
        ({"n": 0}, "ask for at least one"),
        ({"offset": -1}, "from 0 on"),
    ],
)
def test_what_makes_no_sense(session, wanted, sentence):
    with pytest.raises(UsageError, match=sentence):
        session.judged(**wanted)
    with pytest.raises(UnknownIdError, match="no document 'none'"):
        session.record("none")


def test_of_what_has_left_the_index(tmp_path):
    index = Index.create(tmp_path / "r.idx", threads=1)
    index.add([{"id": "a", "text": "cats"}, {"id": "b", "text": "dogs"}])
    session = index.session("s", reviewer="ann")
    session.judge("a", "relevant")
    index.delete(["a"])
    (record,) = Index.open(index.path).session("s", reviewer="ann").judged().records
    assert (record.document, record.title, record.present) == ("a", "", False)


def test_from_the_command_line(path):
    listed = succeed("judged", path, "--name", "s", "--doubtful")[0]
    assert {line.split()[0] for line in listed.splitlines()[1:3]} == {"c7", "s4"}
    found = json.loads(succeed("judged", path, "--name", "s", "--by", "bob", "--json")[0])
    assert [(one["document"], one["label"]) for one in found["records"]] == [("c1", "relevant")]
    assert "and 37 more records" in succeed("judged", path, "--name", "s", "-n", "3")[0]
    assert "no judged record" in succeed("judged", path, "--name", "s", "--tag", "x")[0]
    shown = succeed("judged", path, "--name", "s", "--id", "c1")[0]
    assert "bob says not (a boat)" in shown
    assert "bob wrote “no cat”" in shown
    refuse(2, ".*--correct goes with --id.*", "judged", path, "--correct", "not")
    refuse(2, ".*--id shows one record.*", "judged", path, "--id", "x", "--label", "not")
    refuse(2, ".*no session 'none'.*", "judged", path, "--name", "none")


def test_a_team_from_the_command_line(tmp_path):
    index = Index.create(tmp_path / "r.idx", threads=1)
    index.add([{"id": f"d{i}", "text": f"cats {i}"} for i in range(4)])
    ann = index.session("s", reviewer="ann", group_duplicates=False)
    ann.judge("d0", "relevant")
    ann.as_reviewer("bob").judge("d0", "not")
    base = ("team", index.path, "--name", "s")
    shown = succeed(
        *base, "--member", "ann", "--member", "bob", "--agree", "2", "--reviewer", "ann"
    )
    assert "reviewers see each other" in shown[0]
    assert "d0" in shown[0]
    decided = succeed(
        *base, "--decide", "d0=not", "--reason", "dogs", "--note", "said so", "--reviewer", "ann"
    )[0]
    assert "conflict" not in decided
    told = json.loads(succeed(*base, "--assign", "1", "--reviewer", "ann", "--json")[0])
    assert (told["work"], told["decisions"][0]["note"]) == ("assigned", "said so")
    succeed(*base, "--unassign", "--blinded", "--reviewer", "ann")
    assert index.session("s", reviewer="ann").team.settings.blinded
    refuse(2, ".*ann decides.*", *base, "--decide", "d0=relevant", "--reviewer", "bob")
    refuse(2, ".*give ID=relevant.*", *base, "--decide", "d0", "--reviewer", "ann")
    refuse(2, ".*go with --decide.*", *base, "--note", "x")
    refuse(2, ".*exclude each other.*", *base, "--assign", "1", "--unassign")
