"""Whether to stop, in one sentence: what a session, the terminal and HTTP say, and from what."""

from __future__ import annotations

from itertools import accumulate

import pytest

from likewise import Document, Index
from likewise.errors import UsageError
from likewise.reviews.stopping import RULES, Estimate, RandomSample, Sample, Screening
from likewise.reviews.stopping.verdict import decide, prospect


def bound(low):
    return Estimate("a rule", False, "", None, low, 1.0, 0.95)


def verdict(documents, gains, estimates, target=0.95):
    return decide(Screening(documents, gains), estimates, target, list(accumulate(gains)))


class TestSentence:
    @pytest.mark.parametrize(
        ("gains", "says", "since"),
        [
            ([], "Go on: nothing has been judged yet.", None),
            ([False], "Go on: nothing relevant has been found in 1 record so far.", None),
            ([True], "Go on: the last record was relevant.", 0),
            ([True, False], "Go on: the last relevant record was 1 record ago.", 1),
            (
                [True] + [False] * 1200,
                "Go on: the last relevant record was 1,200 records ago.",
                1200,
            ),
        ],
    )
    def test_go_on(self, gains, says, since):
        said = verdict(5000, gains, [bound(0.9), bound(None)])
        assert (said.stop, said.sentence, said.since) == (False, says, since)

    def test_stop_by_the_highest_bound_rounded_down(self):
        said = verdict(50, [True] * 20, [bound(0.9), bound(0.9567)._replace(rule="b")])
        assert said.sentence == (
            "You can stop: with 95 % confidence at least 95 % of the relevant ones are found."
        )
        assert (said.stop, said.low, said.rule) == (True, 0.9567, "b")

    def test_the_target_is_the_callers(self):
        assert not verdict(50, [True] * 20, [bound(0.93)]).stop
        assert "at least 93 %" in verdict(50, [True] * 20, [bound(0.93)], 0.9).sentence

    def test_everything_judged(self):
        said = verdict(2, [True, False], [bound(1.0)])
        assert (said.stop, said.sentence) == (True, "You are done: every record has been judged.")
        assert verdict(2, [False, False], []).stop

    def test_what_nobody_could_decide_is_not_done(self):
        said = decide(Screening(3, [True, False]), [bound(0.5)], 0.95, [0, 1, 1])
        assert said.sentence == "Every record has been judged; 1 is not decided on."
        assert (said.stop, said.since) == (False, 1)


class TestProspect:
    def test_is_what_the_sample_says_then(self):
        before = Screening(500, [True] * 30 + [False] * 70)
        told = prospect(before, 200)
        after = Screening(500, [*before.gains, *[False] * 200], [Sample(400, 200, 0, 30)])
        assert told.low == RandomSample()(after).low
        assert prospect(before, told.needed).low >= 0.95 > prospect(before, told.needed - 1).low
        assert 200 < told.needed < 400

    def test_where_there_is_nothing_to_tell(self):
        assert prospect(Screening(10, [False]), 5).low is None
        assert prospect(Screening(2, [True, False]), 5) == (0, None, None, 0.95, 0.95)
        assert prospect(Screening(10, [True]), 500).size == 9


@pytest.fixture
def session(tmp_path):
    index = Index.create(tmp_path / "small.idx")
    index.add([Document(str(i), f"cats {'dogs' * (i % 3 == 0)} word{i}") for i in range(60)])
    return index.session("s", query="dogs", examples=["1"])


def judge(session, ids):
    session.judge_all({id: "relevant" if int(id) % 3 == 0 else "not" for id in ids})


def shown(session):
    """What rules are shown."""
    seen = []

    class Look:
        source = "here"

        def __call__(self, screening):
            seen.append(screening)
            return Estimate("look", False, "")

    session.stats([Look()])
    return seen[0]


class TestSessions:
    def test_counts_and_the_gain_curve(self, session):
        judge(session, session.next(10).ids)
        odd = session.next(5).ids[2]
        session.judge(odd, "unsure")
        found = session.stats()
        relevant = sum(int(id) % 3 == 0 for id in session.judgements() if id != odd)
        assert (found.documents, found.judged, found.undecided) == (59, 11, 1)
        assert (found.relevant, found.others) == (relevant, 10 - relevant)
        assert found.passed_over == 4
        assert len(found.gain) == 11
        assert found.gain[-1] == relevant
        assert [one.rule for one in found.estimates] == [str(rule) for rule in RULES]
        assert found.stopping.since == 11 - 1 - max(
            place for place in range(11) if place == 0 or found.gain[place] > found.gain[place - 1]
        )

    def test_random_pages_are_samples_wherever_they_stand(self, session):
        assert shown(session).samples == []
        judge(session, session.next(9).ids)
        before = session.stats().relevant
        drawn = session.sample(10).ids
        assert shown(session).samples == [(50, 0, 0, before)]
        judge(session, drawn)
        relevant = sum(int(id) % 3 == 0 for id in drawn)
        assert shown(session).samples == [(50, 10, relevant, before)]
        assert shown(session).unranked == list(range(9, 19))
        judge(session, session.next(5).ids)
        now = session.stats().relevant
        more = session.sample(4).ids
        judge(session, more)
        assert shown(session).samples == [
            (50, 10, relevant, before),
            (35, 4, sum(int(id) % 3 == 0 for id in more), now),
        ]

    def test_a_sample_counts_as_far_as_it_was_judged_in_its_order(self, session):
        drawn = session.sample(10).ids
        judge(session, [*drawn[:3], *drawn[4:8]])
        assert shown(session).samples[0].judged == 3
        session.judge(drawn[3], "unsure")  # which counts neither way
        relevant = sum(int(id) % 3 == 0 for id in [*drawn[:3], *drawn[4:8]])
        assert shown(session).samples == [(59, 7, relevant, 0)]
        assert shown(session).left == 59 - 7

    def test_a_sorted_file_says_nothing_about_what_is_left(self, session, tmp_path):
        """All relevant ones first, and then a long row of others: no reason to stop."""
        ids = sorted((str(i) for i in range(2, 50)), key=lambda id: int(id) % 3 != 0)
        rows = [f"{id},{'relevant' if int(id) % 3 == 0 else 'not'}\n" for id in ids]
        (tmp_path / "judged.csv").write_text("id,label\n" + "".join(rows))
        session.load(tmp_path / "judged.csv")
        assert len(shown(session).unranked) == 48
        (ranked, _) = session.stats().estimates
        assert ranked.low == pytest.approx(16 / (16 + 11))  # as far as that can be told
        judge(session, session.next(5).ids)
        assert len(shown(session).unranked) == 48

    def test_what_another_has_on_screen_is_known_later(self, tmp_path, session):
        index = Index.open(tmp_path / "small.idx")
        ann = index.session("shared", query="dogs", reviewer="ann", overlap=False)
        bob = ann.as_reviewer("bob")
        on_screen = ann.next(6).ids
        drawn = bob.sample(10).ids
        assert set(on_screen).isdisjoint(drawn)
        judge(bob, drawn)
        assert shown(bob).samples == []  # nobody knows yet what those on screen are
        judge(ann, on_screen)
        before = sum(int(id) % 3 == 0 for id in on_screen)
        relevant = sum(int(id) % 3 == 0 for id in drawn)
        assert shown(bob).samples == [(54, 10, relevant, before)]

    def test_a_blinded_reviewer_draws_from_what_she_has_not_judged(self, session):
        session.team.change(reviewers=("ann", "bob"), blinded=True)
        ann, bob = session.as_reviewer("ann"), session.as_reviewer("bob")
        judge(bob, bob.next(20).ids)
        judge(ann, ann.next(5).ids)
        before = ann.stats().relevant
        drawn = ann.sample(10).ids
        judge(ann, drawn)
        relevant = sum(int(id) % 3 == 0 for id in drawn)
        assert shown(ann).samples == [(54, 10, relevant, before)]
        assert ann.stats().judged == 15

    def test_a_sample_of_other_documents_does_not_count(self, session, tmp_path):
        judge(session, session.sample(10).ids)
        assert len(shown(session).samples) == 1
        index = Index.open(tmp_path / "small.idx")
        index.add([Document("300", "dogs that came later")])
        later = index.session("s")
        assert later.stats().documents == 60
        assert shown(later).samples == []
        assert len(shown(later).unranked) == 10

    def test_it_ends(self, session):
        judge(session, session.next(59).ids)
        assert session.stats().stopping.sentence == "You are done: every record has been judged."

    def test_a_target_is_a_share(self, session):
        with pytest.raises(UsageError, match="target is 95"):
            session.stats(target=95)
        with pytest.raises(UsageError, match="sample of 0"):
            session.prospect(0)
        assert session.prospect(20).low is None
        judge(session, session.next(9).ids)
        assert 0 < session.prospect(20, target=0.5).low < 1
