"""Rules for stopping, against other implementations and on screenings whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, hypergeom, lognorm

from likewise.reviews.stopping import (
    Chances,
    Chao,
    Control,
    Exponential,
    Knee,
    PowerLaw,
    QuantCI,
    Quantile,
    RandomSample,
    RankedUrn,
    Sample,
    SampledUrn,
    Screening,
    Target,
)
from likewise.reviews.stopping.chao import missing
from likewise.reviews.stopping.hypergeometric import chance
from likewise.reviews.stopping.knee import slope_ratio

SCREENINGS = 250
EVERY = (
    Chao(),
    Exponential(),
    Knee(),
    PowerLaw(),
    QuantCI(),
    Quantile(),
    RandomSample(),
    RankedUrn(),
    SampledUrn(),
    Target(),
)


def ranked(rng, documents, relevant, sharpness):
    """Documents in an order in which relevant ones come the sooner the sharper it is."""
    truth = np.zeros(documents, bool)
    truth[:relevant] = True
    scores = rng.normal(size=documents) + sharpness * truth
    return truth[np.argsort(-scores)]


def holds(said, recall):
    return said.low - 1e-9 <= recall <= said.high + 1e-9


@given(st.data())
def test_chance_is_scipys(data):
    urn = data.draw(st.integers(1, 400))
    relevant, n = data.draw(st.integers(0, urn)), data.draw(st.integers(0, urn))
    k = data.draw(st.integers(-1, n))
    assert chance(urn, relevant, n, k) == pytest.approx(
        hypergeom.cdf(k, urn, relevant, n), abs=1e-9
    )


def screen(rng, judged, drawn, documents=600):
    """A ranked phase and then a random one; the recall at its end, and what rules are shown."""
    truth = ranked(rng, documents, int(rng.integers(20, 80)), 1.5)
    before, rest = truth[:judged], rng.permutation(truth[judged:])
    gains = [*before, *rest[:drawn]]
    sample = Sample(len(rest), drawn, int(rest[:drawn].sum()), int(before.sum()))
    places = range(judged, len(gains))
    return sum(gains) / truth.sum(), Screening(documents, gains, [sample], places)


class TestSampleLookedAtOnce:
    def test_the_interval_holds_as_often_as_it_says(self):
        rng, rule = np.random.default_rng(1), SampledUrn()
        held, off = 0, 0.0
        for _ in range(SCREENINGS):
            recall, screening = screen(rng, 150, 120)
            said = rule(screening)
            assert said.low <= said.recall <= said.high
            held += holds(said, recall)
            off += said.recall - recall
        assert held >= 0.94 * SCREENINGS
        assert abs(off) / SCREENINGS < 0.05

    def test_its_bounds_are_the_numbers_that_scipy_does_not_find_unlikely(self):
        _, screening = screen(np.random.default_rng(5), 150, 120)
        (urn, n, k, before), found = screening.samples[0], screening.found
        inside = np.arange(found - before, urn - n + k + 1)
        few = hypergeom.sf(k - 1, urn, inside, n) > 0.025
        many = hypergeom.cdf(k, urn, inside, n) > 0.025
        likely = inside[few & many]
        said = SampledUrn()(screening)
        assert said.low == pytest.approx(found / (before + likely.max()))
        assert said.high == pytest.approx(found / (before + likely.min()))

    def test_stopping_misses_the_target_as_rarely_as_it_says(self):
        rng, rule = np.random.default_rng(2), SampledUrn(target=0.8, confidence=0.9)
        wrong = stopped = 0
        for _ in range(SCREENINGS):
            recall, screening = screen(rng, int(rng.integers(100, 300)), 150)
            stopped += rule(screening).stop
            wrong += rule(screening).stop and recall < 0.8
        assert stopped > 20
        assert wrong <= SCREENINGS * 0.1

    def test_when_there_is_nothing_to_say(self):
        assert "no random sample" in SampledUrn()(Screening(9, [True])).because
        nothing = Screening(9, [False], [Sample(9, 1, 0, 0)])
        assert "nothing relevant" in SampledUrn()(nothing).because

    def test_the_whole_urn_is_certainty(self):
        said = SampledUrn()(Screening(10, [True, False] * 5, [Sample(10, 10, 5, 0)]))
        assert (said.low, said.recall, said.high, said.stop) == (1, 1, 1, True)


class TestRandomSample:
    def mixed(self, rng, truth):
        """Ten ranked documents and ten at random, in turn; the screening after each draw."""
        order, free, samples, places = [], list(range(len(truth))), [], []
        while len(free) > 40:
            order, free = order + free[:10], free[10:]
            page = rng.permutation(len(free))[:10]
            before = int(truth[order].sum())
            drawn = [free[place] for place in page]
            samples.append(Sample(len(free), 10, int(truth[drawn].sum()), before))
            places += range(len(order), len(order) + 10)
            order += drawn
            free = [one for one in free if one not in set(drawn)]
            yield Screening(len(truth), truth[order].tolist(), list(samples), list(places))

    def test_it_holds_at_all_moments_at_once(self):
        """Whoever looks after each draw sees a wrong interval, ever, in at most 5 % of reviews."""
        rng, rule, always, reviews = np.random.default_rng(3), RandomSample(), 0, 150
        for _ in range(reviews):
            truth = ranked(rng, 300, int(rng.integers(5, 60)), rng.uniform(0, 2))
            said = [(rule(one), one.found / truth.sum()) for one in self.mixed(rng, truth)]
            always += all(holds(one, recall) for one, recall in said if one.low is not None)
        assert always >= 0.94 * reviews

    def test_one_draw_holds(self):
        rng, rule, held, widths = np.random.default_rng(4), RandomSample(), 0, []
        for _ in range(SCREENINGS):
            recall, screening = screen(rng, 150, 120)
            said, once = rule(screening), SampledUrn()(screening)
            held += holds(said, recall)
            widths.append((said.high - said.low) / max(once.high - once.low, 1e-9))
        assert held >= 0.94 * SCREENINGS
        assert np.median(widths) < 1.5  # the price of looking as often as one likes

    def test_is_what_a_sum_over_all_numbers_gives(self):
        rng = np.random.default_rng(6)
        *_, screening = self.mixed(rng, ranked(rng, 200, 30, 1.0))
        first = screening.samples[0]
        totals = np.arange(first.before, first.before + first.urn + 1)
        logs = sum(
            hypergeom.logpmf(k, urn, np.clip(totals - before, 0, urn), n)
            + np.where((totals >= before) & (totals - before <= urn), 0.0, -np.inf)
            for urn, n, k, before in screening.samples
        )
        x = totals - first.before
        weights = np.diff(np.log(np.arange(1, first.urn + 3)))
        mixture = np.log((weights / weights.sum() * np.exp(logs - logs.max())).sum()) + logs.max()
        there = (x >= 0) & (logs >= np.log(0.05) + mixture)
        there &= (totals >= screening.found) & (totals <= screening.found + screening.left)
        said = RandomSample()(screening)
        assert said.low == pytest.approx(screening.found / totals[there].max())
        assert said.high == pytest.approx(screening.found / totals[there].min())

    def test_many_documents(self):
        """Weights are on a grid then; three in a hundred found in vain leave few."""
        said = RandomSample()(
            Screening(2_000_000, [True] * 50 + [False] * 60_000, [Sample(1_999_950, 60_000, 0, 50)])
        )
        assert 0 < said.low < said.recall == said.high == 1

    def test_when_there_is_nothing_to_say(self):
        assert "nothing was drawn" in RandomSample()(Screening(9, [True])).because
        assert (
            "nothing was drawn"
            in RandomSample()(Screening(9, [True], [Sample(8, 0, 0, 1)])).because
        )
        nothing = RandomSample()(Screening(9, [False], [Sample(9, 1, 0, 0)]))
        assert nothing.low is None

    def test_everything_drawn_is_certainty(self):
        said = RandomSample()(Screening(10, [True, False] * 5, [Sample(10, 10, 5, 0)]))
        assert (said.low, said.recall, said.high, said.stop) == (1, 1, 1, True)


class TestRanked:
    def test_is_what_the_paper_computes(self):
        """By scipy, from each beginning: 100 documents, found 4 in the first 5, 35 in vain."""
        gains = [True, True, False, True, True, *[False] * 35]
        before = np.cumsum([0, *gains])[:-1]
        starts = np.arange(40)

        def p(total):
            return hypergeom.cdf(4 - before, 100 - starts, total - before, 40 - starts).min()

        most = max(total for total in range(4, 65) if p(total) >= 0.05)
        said = RankedUrn()(Screening(100, gains))
        assert said.low == pytest.approx(4 / most)
        assert not said.stop
        assert said.because == "of the last 35 that the ranking chose, 0 were relevant"

    @pytest.mark.parametrize("sharpness", [1.0, 3.0])
    def test_its_bound_holds_on_rankings(self, sharpness):
        rng, rule, held, looks = np.random.default_rng(3), RankedUrn(), 0, 100
        for _ in range(looks):
            truth = ranked(rng, 500, 30, sharpness)
            judged = int(rng.integers(50, 450))
            said = rule(Screening(500, truth[:judged].tolist()))
            held += said.low is None or truth[:judged].sum() / 30 >= said.low - 1e-9
        assert held >= 0.94 * looks

    def test_what_was_drawn_at_random_is_not_ranked(self):
        gains = [True] * 5 + [False] * 35
        alone = RankedUrn()(Screening(90, gains))
        mixed = Screening(100, [*gains[:20], *[False] * 10, *gains[20:]], (), range(20, 30))
        assert RankedUrn()(mixed).low == pytest.approx(alone.low)
        found = mixed._replace(gains=[*gains[:20], True, *[False] * 9, *gains[20:]])
        assert RankedUrn()(found).low == pytest.approx(6 / (1 + 5 / alone.low))

    def test_all_judged(self):
        said = RankedUrn()(Screening(4, [True, False, True, False]))
        assert said.stop
        assert said.low == 1

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


class TestPointProcesses:
    @pytest.mark.parametrize("rule", [PowerLaw(confidence=0.9), Exponential(confidence=0.9)])
    def test_the_interval_holds_where_the_rate_falls_so(self, rule):
        rng, held, trials = np.random.default_rng(4), 0, 0
        for _ in range(150):
            places = self.places(rng, rule, 20_000)
            gains = np.zeros(4_000, bool)
            gains[places[places < 4_000].astype(int)] = True
            if gains.sum() >= 5:
                later = int((places >= 4_000).sum())
                held += holds(
                    rule(Screening(20_000, gains.tolist())), gains.sum() / (gains.sum() + later)
                )
                trials += 1
        assert trials > 100
        assert held >= 0.9 * trials - 3 * (0.09 * trials) ** 0.5

    def places(self, rng, rule, documents):
        """Where relevant documents are, by the process that the rule assumes."""
        if isinstance(rule, PowerLaw):
            return documents * rng.random(rng.poisson(40)) ** (1 / rng.uniform(0.2, 0.7))
        drawn = rng.exponential(rng.uniform(1_000, 4_000), rng.poisson(40))
        return drawn[drawn < documents]

    @pytest.mark.parametrize("rule", [PowerLaw(), Exponential()])
    def test_says_how_many(self, rule):
        said = rule(Screening(200, [True] * 10 + [False] * 90))
        assert said.low <= said.recall <= said.high == 1
        assert "are still to come" in said.because
        assert "waits for 5" in rule(Screening(200, [True])).because
        done = rule(Screening(20, [True, False] * 10))
        assert (done.recall, done.low, done.stop) == (1, 1, True)


class TestSetAside:
    @given(st.integers(1, 80), st.data())
    def test_the_bounds_are_clopper_and_pearsons(self, there, data):
        reached = data.draw(st.integers(0, there))
        said = Quantile()(Screening(100, [], control=Control(there, reached)))
        exact = binomtest(reached, there).proportion_ci(method="exact")
        assert (said.low, said.high) == pytest.approx((exact.low, exact.high))

    def test_fifty_nine_are_needed_for_95_percent(self):
        def stops(there, reached):
            return Quantile()(Screening(100, [], control=Control(there, reached))).stop

        assert stops(59, 59)
        assert not stops(58, 58)
        assert not stops(59, 58)
        assert stops(93, 92)

    def test_target_set(self):
        def said(reached):
            return Target()(Screening(100, [], control=Control(10, reached)))

        assert (said(10).stop, said(10).low) == (True, pytest.approx(0.05**0.1))
        assert (said(9).stop, said(9).low) == (False, None)

    def test_they_cover(self):
        rng, held, when_stopped, stopped = np.random.default_rng(7), 0, 0, 0
        for _ in range(SCREENINGS):
            places = np.flatnonzero(ranked(rng, 1000, 80, 1.5))
            aside, judged = rng.choice(places, 20, replace=False), int(rng.integers(20, 900))
            control = Control(20, int((aside < judged).sum()))
            recall = (places < judged).mean()
            held += holds(Quantile()(Screening(1000, [], control=control)), recall)
            last = np.sort(aside[:10])[-1] + 1  # the target set of ten is complete
            stopped += 1
            when_stopped += (places < last).mean() >= 0.05**0.1
        assert held >= 0.94 * SCREENINGS
        assert when_stopped >= 0.94 * stopped


class TestChao:
    @given(st.integers(1, 60), st.integers(1, 60))
    def test_against_scipys_lognormal(self, once, twice):
        few, likely, many = missing(once, twice, 0.95)
        assert likely == pytest.approx(once**2 / (2 * twice))
        ratio = once / twice
        variance = twice * (0.25 * ratio**4 + ratio**3 + 0.5 * ratio**2)
        spread = np.sqrt(np.log1p(variance / likely**2))
        assert few == pytest.approx(lognorm.ppf(0.025, spread, scale=likely))
        assert many == pytest.approx(lognorm.ppf(0.975, spread, scale=likely))

    def test_equal_chances_are_estimated_well(self):
        """Four lists that each find a document with the same chance, independently."""
        rng, held = np.random.default_rng(8), 0
        for _ in range(SCREENINGS):
            times = rng.binomial(4, 0.4, 200)
            captures = times[times > 0].tolist()
            gains = [True] * len(captures) + [False] * 500
            said = Chao()(Screening(2000, gains, captures=captures))
            held += said.low <= len(captures) / 200
        assert held >= 0.94 * SCREENINGS

    def test_what_it_needs(self):
        assert "several rankings" in Chao()(Screening(9, [True])).because
        assert "just two" in Chao()(Screening(9, [True], captures=[1])).because
        every = Chao()(Screening(9, [True] * 2, captures=[2, 4]))
        assert (every.low, every.high) == (1, 1)


class TestQuantCI:
    def test_covers_if_the_probabilities_are_right(self):
        rng, held = np.random.default_rng(9), 0
        for _ in range(SCREENINGS):
            p = np.sort(rng.beta(0.1, 2.0, 1000))[::-1]
            relevant, judged = rng.random(1000) < p, 200
            spread = p * (1 - p)
            chances = Chances(p[:judged].sum(), p.sum(), spread[:judged].sum(), spread.sum())
            said = QuantCI()(Screening(1000, relevant[:judged].tolist(), chances=chances))
            held += holds(said, relevant[:judged].sum() / relevant.sum())
        assert held >= 0.94 * SCREENINGS

    def test_by_hand(self):
        """8 ± √1.6 of 10 ± √2.6: 0.8 ± 1.96·√(1.6 + 0.64·2.6)/10."""
        said = QuantCI()(Screening(50, [True], chances=Chances(8, 10, 1.6, 2.6)))
        half = 1.959964 * np.sqrt(1.6 + 0.64 * 2.6) / 10
        assert (said.low, said.recall, said.high) == pytest.approx((0.8 - half, 0.8, 1.0))
        assert "needs a model" in QuantCI()(Screening(50, [True])).because


@given(st.lists(st.booleans(), max_size=60), st.integers(0, 60), st.data())
def test_every_rule_takes_every_screening(gains, more, data):
    drawn = data.draw(st.integers(0, len(gains)))
    before = len(gains) - drawn
    sample = Sample(drawn + more, drawn, sum(gains[before:]), sum(gains[:before]))
    control = Control(3, data.draw(st.integers(0, 3)))
    captures = [data.draw(st.integers(1, 3)) for _ in range(sum(gains))]
    screening = Screening(
        len(gains) + more, gains, [sample], range(before, len(gains)), control, captures
    )
    for rule in EVERY:
        said = rule(screening)
        assert said.rule == str(rule)
        assert rule.source
        bounds = [said.low, said.recall, said.high]
        known = [bound for bound in bounds if bound is not None]
        assert known == sorted(known)
        assert all(0 <= bound <= 1 for bound in known)
