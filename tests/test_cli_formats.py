"""Hits as text: each format read back by an independent reader."""

from __future__ import annotations

import json
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.cli.printing.hits import Results, as_json, as_table, as_trec
from likewise.cli.printing.learned import details, summary
from likewise.cli.printing.text import aligned, columns, cut, one_line, pad, table
from likewise.cli.printing.units import share
from likewise.errors import UsageError
from likewise.search.query import Learned


class Hit(NamedTuple):
    id: str
    score: float
    title: str
    rank: int


HITS = [
    Hit("doc-1", 12.345678901234567, "Plain title", 1),
    Hit('b/äö, "2".txt', 1e-7, 'Quotes " and, commas\nand a second line', 2),
    Hit("x", -0.5, "", 3),
]
texts = st.text(st.characters(codec="utf-8"))
hits = st.lists(
    st.builds(Hit, texts, st.floats(allow_nan=False, allow_infinity=False), texts, st.integers(1)),
    max_size=5,
)


def results(hits=HITS, **options):
    return Results("papers.idx", {"query": "some words"}, hits, **options)


@given(hits)
def test_json_holds_index_query_and_hits(hits):
    found = json.loads(as_json(results(hits)))
    assert found == {
        "index": "papers.idx",
        "query": "some words",
        "hits": [hit._asdict() for hit in hits],
    }


def test_trec_is_six_columns_with_all_digits():
    run = as_trec(results([HITS[0], HITS[2]], topic="T7", run_tag="mine"))
    first, last = (line.split(" ") for line in run.splitlines())
    assert first == ["T7", "Q0", "doc-1", "1", "12.345678901234567", "mine"]
    assert last == ["T7", "Q0", "x", "3", "-0.5", "mine"]


@pytest.mark.parametrize("id", ["two words", "tab\tbed", "line\n", "non\u00a0breaking", ""])
def test_trec_refuses_an_id_it_cannot_carry(id):
    with pytest.raises(UsageError, match=r"the id of a document, .* --format jsonl or csv"):
        as_trec(results([Hit(id, 1.0, "", 1)]))


def test_table_without_a_terminal_cuts_nothing():
    long = "word " * 100 + "end"
    table = as_table(results([Hit("doc-1", 1.0, long, 1)]))
    assert table.splitlines()[1].endswith("end")


def test_table_lines_fit_the_terminal():
    titles = ["word " * 100, "語" * 100, "short", ""]
    table = as_table(
        results([Hit("doc-1", 1.0, title, i) for i, title in enumerate(titles, 1)]), width=60
    )
    assert all(columns(line) <= 60 for line in table.splitlines())
    assert "…" in table
    assert table.splitlines()[3].endswith("short")


def test_table_never_cuts_an_id():
    table = as_table(results([Hit("i" * 100, 1.0, "A long enough title", 1)]), width=60)
    assert "i" * 100 + "  A long en…" in table


def test_table_is_aligned_and_one_line_a_hit():
    lines = as_table(results()).splitlines()
    assert len(lines) == 1 + len(HITS)
    assert lines[0].split() == ["rank", "score", "id", "title"]
    assert {line.index("id") for line in lines[:1]} == {lines[1].index("doc-1")}
    assert 'Quotes " and, commas and a second line' in lines[2]


def test_table_disarms_escape_sequences():
    table = as_table(results([Hit("\x1b]0;id\x07", 1.0, "\x1b[31mred\x9b0m", 1)]))
    assert "\x1b" not in table
    assert "\x9b" not in table


def test_table_without_hits_is_nothing():
    assert as_table(results([])) == ""


@pytest.mark.parametrize(
    ("score", "shown"),
    [(12.3456, "12.35"), (0.00012345, "0.0001234"), (-2.0, "-2.000"), (0, "0.000")],
)
def test_table_shows_four_digits(score, shown):
    assert as_table(results([Hit("a", score, "", 1)])).splitlines()[1].split()[1] == shown


@given(st.text(), st.integers(1, 50))
def test_cut_fits_and_keeps_what_fits(text, width):
    short = cut(text, width)
    assert columns(short) <= width
    assert short == text if columns(text) <= width else short.endswith("…")


def test_columns_counts_wide_and_combining_characters():
    assert columns("ab") == 2
    assert columns("日本") == 4
    assert columns("é") == 1
    assert pad("日", 4) == "日  "


def test_one_line_joins_lines():
    assert one_line(" a\r\n\tb c ") == "a b c"


def test_table_aligns_by_columns_of_the_terminal():
    rows = [("n", "id", "title"), ("12", "日", "first"), ("3", "long", "second")]
    lines = table(rows, None).splitlines()
    assert [columns(line.partition(line.split()[-1])[0]) for line in lines] == [10, 10, 10]
    assert [line[:4] for line in lines] == [" n  ", "12  ", " 3  "]


@given(st.lists(st.tuples(st.text(), st.text()), min_size=1), st.integers(30, 100))
def test_a_table_has_a_line_for_each_row(rows, width):
    assert len(table(rows, width).splitlines()) == len(rows)


@pytest.mark.parametrize(
    ("numbers", "shown"),
    [
        ([0.123456, -0.01, 0], ["+0.1235", "-0.0100", "+0.0000"]),
        ([12345.6, 1.5], ["+12346", "+2"]),
        ([9.9999, 0.5], ["+10.000", "+0.500"]),
        ([0.0], ["+0.000"]),
        ([2e-7], ["+0.0000002000"]),
        ([], []),
    ],
)
def test_aligned_numbers_have_the_same_decimals(numbers, shown):
    assert aligned(numbers) == shown


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False)))
def test_aligned_numbers_read_back(numbers):
    largest = max(map(abs, numbers), default=0)
    for number, shown in zip(numbers, aligned(numbers), strict=True):
        assert float(shown) == pytest.approx(number, abs=max(0.6e-3 * largest, 1e-300))


@pytest.mark.parametrize(
    ("part", "shown"),
    [
        (0.0, "none"),
        (1.0, "all"),
        (0.5, "50 %"),
        (0.9999999, "99.9 %"),
        (1e-9, "0.1 %"),
        (0.876, "87.6 %"),
    ],
)
def test_a_share_is_all_or_none_only_if_it_is(part, shown):
    assert share(part) == shown


def test_how_a_query_was_learned():
    learned = Learned("ba", "", examples=1, unlike=2, unlabeled=1234, gap=0.00041, passes=1200)
    assert summary(learned) == "learned from 1 example and 2 negative examples; method ba"
    assert details(learned) == {
        "other documents": "1,234",
        "passes": "1,200",
        "relative gap": "0.00041",
        "time": "0.000 s",
    }
    slow = Learned(
        "centroid",
        "it was asked for",
        examples=3,
        passes=1,
        seconds=12.34,
        objective=2.5,
        views={"words": 1.0, "latent": 0.5},
    )
    assert summary(slow) == "learned from 3 examples; method centroid; views words, latent"
    assert details(slow) == {
        "reason": "it was asked for",
        "views": "words × 1, latent × 0.5",
        "passes": "1",
        "objective": "2.5",
        "time": "12.3 s",
    }
