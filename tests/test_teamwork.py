"""Several reviewers: who is shown what, what holds of what they say, and how far they agree."""

from __future__ import annotations

import time
from collections import Counter

import pytest

from helpers.counting import counting
from helpers.working_together import check_together, work_together
from likewise import Index, UsageError
from likewise.reviews.agreement import alpha, final
from likewise.reviews.ledger import Mark

NAMES = ("ann", "bob", "cem")


@pytest.fixture
def index(tmp_path):
    index = Index.create(tmp_path / "papers.idx", threads=1)
    index.add([{"id": str(i), "text": f"cats {'dogs ' * (i % 7)} number{i}"} for i in range(60)])
    return index


def begin(index, *, overlap=False, **team):
    session = index.session("s", query="cats", reviewer="eve", page_size=5, overlap=overlap)
    session.team.change(reviewers=NAMES, **team)
    return session, [session.as_reviewer(name) for name in NAMES]


def marks(text):
    labels = {"r": "relevant", "n": "not", "u": "unsure"}
    return {str(i): Mark(labels[letter], i, 0.0) for i, letter in enumerate(text)}


@pytest.mark.parametrize(
    ("votes", "decision", "agree", "expected"),
    [
        ("r", None, 1, (True, "agreed")),
        ("n", None, 1, (False, "agreed")),
        ("u", None, 1, (None, "open")),
        ("rn", None, 1, (True, "conflict")),
        ("rnn", None, 1, (True, "conflict")),
        ("r", None, 2, (True, "open")),
        ("ru", None, 2, (True, "open")),
        ("rr", None, 2, (True, "agreed")),
        ("rnn", None, 2, (False, "agreed")),
        ("rrnn", None, 2, (True, "conflict")),
        ("rn", None, 2, (True, "conflict")),
        ("rn", "not", 2, (False, "decided")),
        ("rr", "not", 2, (False, "decided")),
        ("rr", "unsure", 2, (None, "decided")),
        ("", "relevant", 1, (True, "decided")),
        ("", None, 1, (None, "open")),
    ],
)
def test_what_holds(votes, decision, agree, expected):
    assert final(marks(votes), decision, agree, "any") == expected


def test_krippendorff_s_alpha():
    """The example of K. Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), part C:
    four observers, twelve units, seven values missing.
    """
    rows = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]
    units = [[row[i] for row in rows if row[i] != "."] for i in range(12)]
    assert alpha(units) == pytest.approx(0.743, abs=5e-4)


def test_alpha_at_its_ends():
    assert alpha([]) is None
    assert alpha([["a"], ["b"]]) is None  # nothing was judged twice
    assert alpha([["a", "a"], ["a", "a"]]) is None  # nobody ever said anything else
    assert alpha([["a", "a"], ["b", "b"]]) == 1
    assert alpha([["a", "b"], ["b", "a"]]) == pytest.approx(-0.5)


def judge_page(session, label="not"):
    ids = session.page.ids
    session.judge_all(dict.fromkeys(ids, label))
    return ids


@pytest.mark.parametrize("agree", [1, 2])
def test_a_shared_queue_gives_each_record_to_as_many_as_must_agree(index, agree):
    session, team = begin(index, agree=agree)
    shown = Counter()
    for _ in range(100):
        before = shown.total()
        for one in team:
            held = session.team.held()
            ids = one.page.ids
            assert not {id for id in ids if held.get(id, one.reviewer) != one.reviewer}
            judge_page(one)
            shown.update(ids)
        if shown.total() == before:
            break
    assert set(shown.values()) == {agree}
    assert len(shown) == 60
    assert all(len(session.record(id).votes) == agree for id in shown)
    assert session.team.work == "shared"
    assert not session.team.held()


def test_nobody_has_what_another_has_on_screen(index):
    _, team = begin(index)
    pages = [one.page.ids for one in team]
    assert len({id for ids in pages for id in ids}) == 15
    assert [one.page.ids for one in team] == pages  # reloaded
    assert not set(team[0].sample(60).ids) & {id for ids in pages[1:] for id in ids}


def test_what_was_left_comes_free(index):
    session, (ann, bob, cem) = begin(index, lease=0.3)
    first = ann.page.ids
    ann.judge(first[0], "relevant")
    assert not set(first) & set(bob.next(55).ids)
    time.sleep(0.35)
    given = cem.next(60).ids
    assert set(first[1:]) < set(given)
    assert first[0] not in given
    cem.judge_all(dict.fromkeys(first[1:3], "not"))
    left = ann.page.ids  # what cem has is his now
    assert not set(left) & set(given)
    ann.judge(first[3], "relevant")  # late, and kept all the same
    assert len(session.record(first[3]).votes) == 1


def test_who_goes_on_judging_keeps_her_page(index, monkeypatch):
    _, (ann, bob, _) = begin(index, lease=100.0)
    first = ann.page.ids
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 60)
    ann.judge(first[0], "relevant")
    monkeypatch.setattr(time, "time", lambda: now + 120)
    assert not set(first) & set(bob.next(60).ids)
    monkeypatch.setattr(time, "time", lambda: now + 170)
    assert set(first[1:]) <= set(bob.next(60).ids)


@pytest.mark.parametrize("who", ["ann", "bob"])
def test_another_process_is_a_little_faster(index, monkeypatch, who):
    """Both choose by what they know; what is kept decides, and who comes second chooses again."""
    _, (ann, *_) = begin(index)
    other = Index.open(index.path).session("s", reviewer=who)
    lost = []
    ranked = type(ann._live).ranked

    def slow(live, *args):
        page = ranked(live, *args)
        if live is ann._live and not lost:
            lost.append(other.next().ids)
        return page

    monkeypatch.setattr(type(ann._live), "ranked", slow)
    mine = ann.next().ids
    assert len(mine) == 5
    assert not set(lost[0]) & set(mine)


def test_leases_are_one_statement(index, monkeypatch):
    """Ten judgements and the next page, with a shared queue and without."""
    counts = []
    for overlap in (True, False):
        session = index.session(f"s{overlap}", query="cats", reviewer="ann", overlap=overlap)
        session.team.change(reviewers=NAMES)
        page = session.page
        with counting(monkeypatch) as work:
            session.judge_all(dict.fromkeys(page.ids, "not"))
            session.next()
        counts.append(len(work.statements))
        assert (work.transactions, work.rankings) == (3, 1)
    assert counts[1] == counts[0] + 1


@pytest.mark.parametrize("per_record", [1, 2, 3])
def test_assignments(index, per_record):
    session, team = begin(index, overlap=True)
    given = session.team.assign(per_record)
    assert given == dict.fromkeys(NAMES, 20 * per_record)
    assert session.team.assign(per_record) == given  # nothing is left to assign
    assert session.team.work == "assigned"
    shown = Counter()
    for one in team:
        while ids := judge_page(one):
            shown.update(ids)
        assert [share.judged for share in one.team.progress()][NAMES.index(one.reviewer)] == (
            20 * per_record
        )
    assert set(shown.values()) == {per_record}
    assert not session.page.hits  # nothing is assigned to eve
    index.add([{"id": "new", "text": "cats again"}])
    later = Index.open(index.path).session("s", reviewer="eve")
    assert sum(later.team.assign(per_record).values()) == 61 * per_record
    assert later.team.unassign() == 61 * per_record
    assert later.team.work == "all"


def test_assignments_that_make_no_sense(index):
    session, _ = begin(index)
    for given, sentence in (
        ({"per_record": 4}, "there are 3"),
        ({"per_record": 0}, "there are 3"),
        ({"reviewers": []}, "nobody to assign"),
        ({"documents": ["none"]}, "no document 'none'"),
    ):
        with pytest.raises(UsageError, match=sentence):
            session.team.assign(**given)
    assert session.team.work == "shared"


def test_decisions_go_before_votes(index):
    session, (ann, bob, _) = begin(index, overlap=True, agree=2)
    ann.judge("1", "relevant")
    bob.judge("1", "not")
    ann.judge("2", "not")
    bob.judge("2", "not")
    assert (session.stats(()).relevant, session.stats(()).others) == (1, 1)
    assert [one.document for one in session.conflicts()] == ["1"]
    session.team.decide("1", "not", reasons=["animals"], note="see the protocol")
    assert (session.stats(()).relevant, session.stats(()).others) == (0, 2)
    assert session.export(format="trec").split()[3::4] == ["0", "0"]
    steps = session.record_history("1")
    assert [(step.by, step.what, step.label) for step in steps] == [
        *[("ann", "judge", "relevant"), ("bob", "judge", "not"), ("eve", "decide", "not")]
    ]
    assert steps[-1].note == "see the protocol"
    assert session.team.decisions()["1"].reasons == ("animals",)
    other = Index.open(index.path).session("s", reviewer="ann")
    assert other.labels() == {"1": False, "2": False}


def test_progress_of_each(index):
    session, (ann, _, _) = begin(index, overlap=True)
    ann.judge("1", "relevant")
    ann.judge("2", "unsure")
    assert session.team.progress()[0] == ("ann", 2, 60, 1, 0, 1)
    assert session.team.progress()[1] == ("bob", 0, 60, 0, 0, 0)


def test_what_was_known_before_is_no_vote(index):
    """It would outvote who differs, and count as a reviewer to agree with."""
    team = {"reviewers": ["ann", "bob"], "agree": 2}
    session = index.reviews.begin("known", known=["1"], team=team, reviewer="eve")
    assert session.labels() == {"1": True}
    ann, bob = session.as_reviewer("ann"), session.as_reviewer("bob")
    ann.judge("1", "relevant")
    bob.judge("1", "not")
    assert [one.labels for one in session.conflicts()] == [{"ann": "relevant", "bob": "not"}]
    assert [(one.first, one.second) for one in session.agreement()] == [("ann", "bob")]
    assert [share.reviewer for share in session.team.progress()] == ["ann", "bob"]
    bob.withdraw("1")
    ann.withdraw("1")
    assert session.labels() == {"1": True}


def test_two_browsers_and_a_terminal(index):
    """A thousand judgements in tests/torture/review_together.py."""
    done = work_together(index.path, 30)
    assert check_together(index.path, *done) >= 30


def test_a_shared_queue_in_postgresql(index, postgres):
    place = postgres.database()
    ann = index.session("s", query="cats", reviewer="ann", overlap=False, database=place)
    ann.team.change(reviewers=("ann", "bob"), agree=2)
    bob = Index.open(index.path).session("s", reviewer="bob", database=place)
    first, second = ann.page.ids, bob.page.ids
    assert not set(first) & set(second)
    ann.judge_all(dict.fromkeys(first, "not"))
    bob.judge_all(dict.fromkeys(second, "relevant"))
    assert set(ann.page.ids) == set(second)  # it waits for a second judgement
    assert set(bob.page.ids) == set(first)
