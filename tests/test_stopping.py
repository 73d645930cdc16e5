"""Rules for stopping, against other implementations and on screenings whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom

from likewise import Document, Index
from likewise.reviews.stopping import (
    RULES,
    Knee,
    PowerLaw,
    RankedUrn,
    Sample,
    SampledUrn,
    Screening,
)
from likewise.reviews.stopping.hypergeometric import chance, missing_at
from likewise.reviews.stopping.knee import slope_ratio
from likewise.reviews.stopping.powerlaw import still_to_come

SCREENINGS = 400


def ranked(rng, documents, relevant, sharpness):
    """Documents in an order in which relevant ones come the sooner the sharper it is."""
    truth = np.zeros(documents, bool)
    truth[:relevant] = True
    scores = rng.normal(size=documents) + sharpness * truth
    return truth[np.argsort(-scores)]


@given(st.data())
def test_chance_is_scipys(data):
    urn = data.draw(st.integers(1, 400))
    relevant, n = data.draw(st.integers(0, urn)), data.draw(st.integers(0, urn))
    k = data.draw(st.integers(-1, n))
    assert chance(urn, relevant, n, k) == pytest.approx(
        hypergeom.cdf(k, urn, relevant, n), abs=1e-9
    )


@given(st.integers(1, 200), st.integers(0, 200), st.floats(0.01, 1))
def test_how_many_must_be_missing(found, before, target):
    before = min(before, found)
    fewest = missing_at(target, found, before)
    assert found / (before + fewest) < target + 1e-9
    if fewest > found - before:
        assert found / (before + fewest - 1) >= target - 1e-9


class TestSample:
    def screen(self, rng, judged, drawn):
        """A ranked phase and then a random one; the recall at its end, and the rule's input."""
        truth = ranked(rng, 600, int(rng.integers(20, 80)), 1.5)
        before, rest = truth[:judged], rng.permutation(truth[judged:])
        gains = [*before, *rest[:drawn]]
        sample = Sample(len(rest), drawn, int(rest[:drawn].sum()), int(before.sum()))
        return sum(gains) / truth.sum(), Screening(600, gains, sample)

    def test_the_interval_holds_as_often_as_it_says(self):
        rng, rule = np.random.default_rng(1), SampledUrn(confidence=0.9)
        misses = {"low": 0, "high": 0, "estimate": 0.0}
        for _ in range(SCREENINGS):
            recall, screening = self.screen(rng, 150, 120)
            said = rule(screening)
            assert said.low <= said.recall <= said.high
            misses["low"] += recall < said.low - 1e-12
            misses["high"] += recall > said.high + 1e-12
            misses["estimate"] += said.recall - recall
        most = SCREENINGS * 0.05 + 3 * (SCREENINGS * 0.05) ** 0.5  # and three deviations by chance
        assert max(misses["low"], misses["high"]) <= most
        assert abs(misses["estimate"]) / SCREENINGS < 0.05

    def test_stopping_misses_the_target_as_rarely_as_it_says(self):
        rng, rule = np.random.default_rng(2), SampledUrn(target=0.8, confidence=0.9)
        wrong = stopped = 0
        for _ in range(SCREENINGS):
            recall, screening = self.screen(rng, int(rng.integers(100, 300)), 150)
            stopped += rule(screening).stop
            wrong += rule(screening).stop and recall < 0.8
        assert stopped > 20
        assert wrong <= SCREENINGS * 0.1

    def test_when_there_is_nothing_to_say(self):
        assert "no random sample" in SampledUrn()(Screening(9, [True])).because
        nothing = Screening(9, [False], Sample(9, 1, 0, 0))
        assert "nothing relevant" in SampledUrn()(nothing).because

    def test_the_whole_urn_is_certainty(self):
        said = SampledUrn()(Screening(10, [True, False] * 5, Sample(10, 10, 5, 0)))
        assert (said.low, said.recall, said.high, said.stop) == (1, 1, 1, True)


class TestRanked:
    def test_is_what_the_paper_computes(self):
        """By hand: 100 documents, found 4 in the first 5, then 35 in vain."""
        gains = [True, True, False, True, True, *[False] * 35]
        p = [
            hypergeom.cdf(4 - before, 100 - start, missing_at(0.95, 4, before), 40 - start)
            for start, before in enumerate(np.cumsum([0, *gains])[:-1])
        ]
        said = RankedUrn()(Screening(100, gains))
        assert said.because.endswith(f"p = {min(p):.3g} if recall were below 95 %")
        assert not said.stop

    @pytest.mark.parametrize("sharpness", [1.0, 3.0])
    def test_its_bound_holds_on_rankings(self, sharpness):
        rng, rule, missed = np.random.default_rng(3), RankedUrn(), 0
        for _ in range(30):
            truth = ranked(rng, 500, 30, sharpness)
            judged = int(rng.integers(50, 450))
            said = rule(Screening(500, truth[:judged].tolist()))
            missed += said.low is not None and truth[:judged].sum() / 30 < said.low
        assert missed <= 4

    def test_all_judged(self):
        said = RankedUrn()(Screening(4, [True, False, True, False]))
        assert said.stop
        assert said.low == pytest.approx(1, abs=1e-3)

    def test_many_beginnings(self):
        gains = [True] * 700 + [False] * 700
        assert RankedUrn()(Screening(2000, gains)).stop


class TestKnee:
    def test_waits(self):
        assert "waits until 1,000" in Knee()(Screening(5000, [True] * 999)).because
        assert "nothing relevant" in Knee()(Screening(5000, [False] * 1000)).because

    def test_by_hand(self):
        """100 of the first 100, none of the next 900: 1 / (1/900), and 56 is asked for."""
        assert slope_ratio(np.cumsum([True] * 100 + [False] * 900)) == (100, pytest.approx(900))
        said = Knee()(Screening(5000, [True] * 100 + [False] * 900))
        assert said.stop
        assert said.because.endswith("it asks for 56")
        assert said.recall is None

    def test_a_steady_stream_goes_on(self):
        assert not Knee()(Screening(5000, [i % 10 == 0 for i in range(2000)])).stop

    @pytest.mark.parametrize("gains", [[True], [False, True], [True, True, True]])
    def test_short_curves(self, gains):
        Knee(least=1)(Screening(10, gains))


class TestPowerLaw:
    def process(self, rng, documents, judged, mean, exponent):
        """A power law on documents: how many come up to `judged`, and later."""
        total = rng.poisson(mean)
        places = documents * rng.random(total) ** (1 / exponent)
        gains = np.zeros(judged, bool)
        gains[places[places < judged].astype(int)] = True
        return gains.tolist(), int((places >= judged).sum())

    def test_the_interval_holds_as_often_as_it_says(self):
        rng, outside, trials = np.random.default_rng(4), 0, 0
        for _ in range(150):
            gains, later = self.process(rng, 20_000, 4_000, 40, rng.uniform(0.2, 0.7))
            if sum(gains) >= 5:
                few, many = still_to_come(Screening(20_000, gains), [0.05, 0.95])
                outside += not few <= later <= many
                trials += 1
        assert outside <= trials * 0.1 + 3 * (trials * 0.1) ** 0.5

    def test_says_how_many(self):
        gains = [True] * 10 + [False] * 90
        said = PowerLaw()(Screening(200, gains))
        assert said.low < said.recall <= said.high == 1
        assert "are still to come" in said.because
        assert "waits for 5" in PowerLaw()(Screening(200, [True])).because

    def test_all_judged(self):
        said = PowerLaw()(Screening(20, [True, False] * 10))
        assert (said.recall, said.low, said.stop) == (1, 1, True)


@given(st.lists(st.booleans(), max_size=60), st.integers(0, 60))
def test_every_rule_takes_every_screening(gains, more):
    screening = Screening(len(gains) + more, gains)
    for rule in RULES:
        said = rule(screening)
        assert said.rule == str(rule)
        assert rule.source
        bounds = [said.low, said.recall, said.high]
        known = [bound for bound in bounds if bound is not None]
        assert known == sorted(known)
        assert all(0 <= bound <= 1 for bound in known)


class TestSessions:
    @pytest.fixture
    def session(self, tmp_path):
        index = Index.create(tmp_path / "small.idx")
        index.add([Document(str(i), f"cats {'dogs' * (i % 3 == 0)} word{i}") for i in range(60)])
        return index.session("s", query="dogs", examples=["1"])

    def judge(self, session, ids):
        session.judge_all({id: "relevant" if int(id) % 3 == 0 else "not" for id in ids})

    def test_counts_and_the_gain_curve(self, session):
        self.judge(session, session.next(10).ids)
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

    def sample(self, session):
        seen = []

        class Look:
            source = "here"

            def __call__(self, screening):
                seen.append(screening.sample)

        session.stats([Look()])
        return seen[0]

    def test_random_pages_make_one_sample_while_nothing_comes_between(self, session):
        assert self.sample(session) is None
        self.judge(session, session.next(9).ids)
        before = session.stats().relevant
        drawn = session.sample(10).ids
        assert self.sample(session) == (50, 0, 0, before)
        self.judge(session, drawn)
        drawn += session.sample(10).ids
        self.judge(session, drawn[10:])
        relevant = sum(int(id) % 3 == 0 for id in drawn)
        assert self.sample(session) == (50, 20, relevant, before)
        self.judge(session, session.next(5).ids)
        assert self.sample(session) == (50, 20, relevant, before)
        before = session.stats().relevant
        self.judge(session, session.sample(5).ids)
        assert self.sample(session)[:2] == (25, 5)
        assert self.sample(session).before == before
