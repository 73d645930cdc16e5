"""CSV and TSV: columns by name, rows that are not what they should be."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.reading import Read, lines, read_all
from likewise.document import content_id
from likewise.errors import InputError
from likewise.readers import Problems
from likewise.readers.delimited import read_rows

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


def read_table(
    data: bytes | str, problems: Problems | None = None, suffix: str = ".csv", **options: Any
) -> list[Read]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"x{suffix}"
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        found = read_all(path, problems, **options)
        if problems is not None:
            problems.listed[:] = [
                problem._replace(place=problem.place.removeprefix(f"{folder}/"))
                for problem in problems.listed
            ]
        return found


@settings(deadline=None)
@given(
    st.lists(st.tuples(words.filter(bool), words, words, words), max_size=8),
    st.sampled_from([(".csv", ","), (".csv", ";"), (".csv", "\t"), (".tsv", "\t")]),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.integers(1, 300),
)
def test_what_goes_in_comes_out(given: list[Any], kind: Any, end: str, size: int) -> None:
    suffix, delimiter = kind
    table = io.StringIO(newline="")
    writer = csv.writer(table, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL)
    writer.writerows([("Id", "Title", "Abstract", "a,;b"), *given])
    found = read_table(table.getvalue(), suffix=suffix, batch_bytes=size)
    names = ("id", "title", "text", "a,;b")
    assert [document.values for document in found] == [
        dict(zip(names, row, strict=True)) for row in given
    ]
    assert [document.id for document in found] == [row[0] for row in given]
    assert [document.texts for document in found] == [(row[1], row[2]) for row in given]


@pytest.mark.parametrize(
    "header",
    ["id,title,text", " ID ,TITLE,Contents", "Record ID,Primary Title,Notes Abstract"],
)
def test_columns_are_found_by_name(header: str) -> None:
    [document] = read_table(f"\ufeff{header}\n7,t,x\n")
    assert document.values == {"id": "7", "title": "t", "text": "x"}
    assert document.place.endswith("x.csv, line 2")


def test_columns_can_be_named() -> None:
    data = "id,text,Full Text,text,\n1,a,b,c,d\n"
    assert read_table(data, text_column="full_text")[0].values == {
        "id": "1",
        "text_2": "a",
        "text": "b",
        "text_3": "c",
        "column_5": "d",
    }
    assert read_table(data, text_column="full_text")[0].texts == ("", "b")
    with pytest.raises(InputError, match=r"x.csv: there is no column 'body' among 'id', 'text',"):
        read_table(data, text_column="body")


def test_a_table_needs_a_text_column() -> None:
    with pytest.raises(InputError, match=r"columns 'id', 'tekst' is named .* --text-column"):
        read_table("id,tekst\n1,x\n")
    with pytest.raises(InputError, match=r"x.csv is empty"):
        read_table("\n\n")
    assert read_table("id,text\n") == []


def test_rows_without_an_id() -> None:
    assert read_table("title,text\na,b\n")[0].id == content_id(["a", "b"])


def test_ragged_rows_are_named_and_the_rest_kept() -> None:
    data = 'id,text\n1,"two\nlines"\n2\n\n3,a,b\n4,d\n'
    problems = Problems()
    assert [(d.id, d.place.split()[-1]) for d in read_table(data, problems)] == [
        ("1", "2"),
        ("4", "7"),
    ]
    assert lines(problems) == [
        "x.csv, line 4: 1 cells where the header has 2",
        "x.csv, line 6: 3 cells where the header has 2",
    ]
    with pytest.raises(InputError, match=r"x.csv, line 4: 1 cells"):
        read_table(data, Problems(strict=True))


@pytest.mark.parametrize(
    "broken",
    ['2,"open\n', '2,"open\n3,a "quoted" word\n', '2,"open\n3,"also\n'],
)
def test_a_quote_left_open_costs_its_own_line_only(broken: str) -> None:
    problems = Problems()
    data = f"id,text\n1,a\n{broken}4,b\n5,c\n"
    ids = [document.id for document in read_table(data, problems)]
    assert [ids[0], *ids[-2:]] == ["1", "4", "5"]
    assert set(ids) | {problem.place.split()[-1] for problem in problems.listed} >= {"3"}
    assert lines(problems)[0].startswith("x.csv, line 3: a quote is opened in this row")


def test_quotes_within_one_line_are_taken_as_they_are() -> None:
    assert read_table('id,text\n1,"a" b\n2,c "d"\n')[0].texts[1] == "a b"
    assert read_table('id,text\n1,"a" b\n2,c "d"\n')[1].texts[1] == 'c "d"'


def test_an_open_quote_does_not_swallow_a_long_file() -> None:
    reported = []
    text = iter(["id,text\n", '1,"open\n', *(f"{i},word\n" for i in range(2, 500))])
    found = read_rows(text, ",", lambda line, message: reported.append(line), longest=100)
    assert [next(found), next(found)] == [(1, ["id", "text"]), (3, ["2", "word"])]
    assert sum(1 for _ in text) > 400, "lines far below were read to make sense of one row"
    assert reported == [2]


def test_every_row_after_an_open_quote_is_read() -> None:
    problems = Problems()
    data = 'id,text\n1,"open\n' + "".join(f"{i},word\n" for i in range(2, 500))
    assert [int(document.id) for document in read_table(data, problems, longest_row=100)] == list(
        range(2, 500)
    )
    assert problems.count == 1


def test_a_row_cut_short_is_a_problem() -> None:
    problems = Problems()
    assert [document.id for document in read_table('id,text\n1,a\n2,"cu', problems)] == ["1"]
    assert lines(problems)[0].startswith("x.csv, line 3: a quote is opened in this row")


def test_cells_may_be_long_and_hold_nul() -> None:
    long = "word " * 100_000
    assert [d.texts[1] for d in read_table(f"id,text\n1,{long}\n2,a\0b\n")] == [long, "a\0b"]


def test_invalid_utf8_is_counted_or_strictly_refused() -> None:
    data = "id,text\n1,naïve\n".encode() + b"2,\xff\xfe\n"
    problems = Problems()
    assert [d.texts[1] for d in read_table(data, problems)] == ["naïve", "\ufffd" * 2]
    assert list(problems.replaced.values()) == [2]
    with pytest.raises(InputError, match=r"x.csv, line 3: not valid UTF-8"):
        read_table(data, Problems(strict=True))


def test_unicode_text_as_spreadsheets_save_it() -> None:
    data = "id\ttext\r\n1\tnaïve\r\n".encode("utf-16")
    assert read_table(data)[0].texts[1] == "naïve"
    problems = Problems()
    read_table(data + b"2\0\t\0\x00\xd8", problems)
    assert list(problems.replaced.values()) == [1]
