"""Filters: what is written, and what it means."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from likewise.errors import UsageError
from likewise.filters import OPERATORS, ORDER, Condition, Filter

names = st.text(min_size=1, max_size=8)


@st.composite
def conditions(draw):
    operator = draw(st.sampled_from(OPERATORS))
    values = draw(st.lists(names | st.just(""), min_size=1, max_size=3))
    return Condition(draw(names), operator, tuple(values[:1] if operator in ORDER else values))


@given(st.lists(conditions(), min_size=1, max_size=4))
@example([Condition('"', "=", ("\\", 'a"b', " ", "\n"))])
@example([Condition("a", "!=", ("",))])
def test_what_is_written_can_be_read(given):
    filter = Filter(tuple(given))
    assert Filter.parse(str(filter)) == filter


@pytest.mark.parametrize(
    ("text", "matches", "does_not"),
    [
        ("year=2019", [2019, 2019.0, "2019", [1, 2019]], [2020, "2019.0", None, {}, True, []]),
        ("year!=2019", [2020, None, [], "x"], [2019, [2018, 2019]]),
        ("year>=2019", [2019, 2019.5, "2020", "2019-05-20", 10**400], [2018, "2018", "n/a", None]),
        ("year<2019", [2018, "2018-12-31", "-5", [2020, 1]], [2019, "2019-01-01", True, "about"]),
        ("created>2019-05", ["2019-05-20", "2020"], ["2019-05", "2018-01-01", 2020]),
        ("primary=cs.CL,cs.LG", ["cs.CL", ["x", "cs.LG"]], ["cs.cl", None, "cs"]),
        ("primary!=cs.CL,cs.LG", ["cs", None], ["cs.CL", ["x", "cs.LG"]]),
        ('source="The Times"', ["The Times"], ["Times"]),
        ("open=true", [True, "true", [False, True]], [False, 1, "True"]),
        ("n=1e3", [1000, 1000.0, "1e3"], ["1000", 1001]),
        ("n<=1e999", [5, 10**400, 1e308], ["text", None]),
        ("name>b", ["c", "b1"], ["a", "b", 5, None]),
    ],
)
def test_what_a_condition_means(text, matches, does_not):
    filter = Filter.parse(text)
    (field,) = filter.fields
    assert [value for value in matches if not filter.matches({field: value})] == []
    assert [value for value in does_not if filter.matches({field: value})] == []
    assert filter.matches({}) == filter.matches({field: None})


def test_all_conditions_must_hold():
    filter = Filter.parse(" year >= 2019  category=cs.CL,cs.LG ")
    assert str(filter) == "year>=2019 category=cs.CL,cs.LG"
    assert filter.fields == ["year", "category"]
    assert filter.matches({"year": 2020, "category": "cs.LG"})
    assert not filter.matches({"year": 2018, "category": "cs.LG"})
    assert not filter.matches({"year": 2020, "category": "cs.RO"})


@pytest.mark.parametrize(
    "text", ["year", "year=", "=2019", "year>=2019 and", "year==2019", 'a="b', "a=b,", "a=b=c"]
)
def test_what_is_not_understood(text):
    with pytest.raises(UsageError, match=r"is not understood from .* on: write conditions"):
        Filter.parse(text)


def test_nothing_and_too_much():
    with pytest.raises(UsageError, match="the filter is empty"):
        Filter.parse("  ")
    with pytest.raises(UsageError, match="year< takes one value, not 2"):
        Filter.parse("year<2019,2020")


@given(st.text(max_size=40))
def test_any_text_is_a_filter_or_an_error(text):
    try:
        filter = Filter.parse(text)
    except UsageError:
        return
    assert Filter.parse(str(filter)) == filter
    filter.matches({})


def test_what_is_said_twice_counts_once():
    """Or a short filter would be much work."""
    filter = Filter.parse(" ".join(["a>1"] * 900) + " b=" + ",".join(["x", "y"] * 500))
    assert str(filter) == "a>1 b=x,y"
    assert filter == Filter.parse("a>1 b=x,y")
