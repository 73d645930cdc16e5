"""Hits as text: each format read back by an independent reader."""

from __future__ import annotations

import csv
import io
import json
from typing import NamedTuple, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.cli.display import columns, cut, one_line, pad
from likewise.cli.formats import (
    FORMATS,
    HitFormat,
    Results,
    as_csv,
    as_json,
    as_jsonl,
    as_table,
    as_trec,
)
from likewise.errors import UsageError


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


def test_every_format_named_is_there():
    assert set(FORMATS) == set(get_args(HitFormat))


@given(hits)
def test_json_holds_index_query_and_hits(hits):
    found = json.loads(as_json(results(hits)))
    assert found == {
        "index": "papers.idx",
        "query": "some words",
        "hits": [hit._asdict() for hit in hits],
    }


@given(hits)
def test_jsonl_is_one_hit_a_line(hits):
    lines = as_jsonl(results(hits)).split("\n")
    assert lines.pop() == ""
    assert [json.loads(line) for line in lines] == [hit._asdict() for hit in hits]


def test_csv_has_a_header_and_reads_back():
    rows = list(csv.DictReader(io.StringIO(as_csv(results()), newline="")))
    assert [
        (row["id"], float(row["score"]), row["title"], int(row["rank"])) for row in rows
    ] == HITS


def test_csv_without_hits_is_its_header():
    assert as_csv(results([])) == "rank,score,id,title\n"


def test_trec_is_six_columns_with_all_digits():
    run = as_trec(results([HITS[0], HITS[2]], topic="T7", run_tag="mine"))
    first, last = (line.split(" ") for line in run.splitlines())
    assert first == ["T7", "Q0", "doc-1", "1", "12.345678901234567", "mine"]
    assert last == ["T7", "Q0", "x", "3", "-0.5", "mine"]


@pytest.mark.parametrize("id", ["two words", "tab\tbed", "line\n", "non\u00a0breaking", ""])
def test_trec_refuses_an_id_it_cannot_carry(id):
    with pytest.raises(UsageError, match=r"the id of a document, .* --format jsonl or csv"):
        as_trec(results([Hit(id, 1.0, "", 1)]))


@pytest.mark.parametrize("option", ["topic", "run_tag"])
def test_trec_refuses_white_space_in_its_options(option):
    with pytest.raises(UsageError, match=f"--{option.replace('_', '-')} 'a b'"):
        as_trec(results(**{option: "a b"}))


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
