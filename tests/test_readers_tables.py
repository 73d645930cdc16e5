"""Spreadsheets, Parquet, Arrow and Feather: one document a row."""

from __future__ import annotations

import datetime
import gzip
import io
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
import xlsxwriter

from helpers.reading import lines, read_all
from likewise.errors import InputError
from likewise.readers import Problems

if TYPE_CHECKING:
    from pathlib import Path

TABLE = pa.table(
    {
        "id": ["a", "b"],
        "Abstract": ["one", None],
        "year": [2019, None],
        "when": [datetime.date(2020, 1, 2), None],
        "tags": [["x", "y"], []],
    }
)


def book(sheets: dict[str, list[list[Any]]]) -> bytes:
    out = io.BytesIO()
    with xlsxwriter.Workbook(out, {"default_date_format": "yyyy-mm-dd"}) as file:
        for name, rows in sheets.items():
            sheet = file.add_worksheet(name)
            for number, row in enumerate(rows):
                sheet.write_row(number, 0, row)
    return out.getvalue()


def test_a_sheet_is_read_row_by_row(tmp_path: Path) -> None:
    moment = datetime.date(2020, 1, 2)
    rows = [[], ["ID", "Title", "Abstract", "n", "day"], [7, "One", "a\nb", 1.5, moment], []]
    rows.append(["x", "Two", "", "", ""])
    (tmp_path / "a.xlsx").write_bytes(book({"Sheet1": rows}))
    one, two = read_all(tmp_path / "a.xlsx")
    assert (one.id, one.texts, one.place) == ("7", ("One", "a\nb"), f"{tmp_path}/a.xlsx, row 3")
    assert (one.values["n"], one.values["day"]) == (1.5, "2020-01-02")
    assert (two.id, two.texts, two.place) == ("x", ("Two", ""), f"{tmp_path}/a.xlsx, row 5")
    assert "n" not in two.values


def test_sheets_without_a_text_are_named(tmp_path: Path) -> None:
    text, numbers = [["id", "text"], ["a", "one"]], [["x", "y"], [1, 2]]
    (tmp_path / "a.xlsx").write_bytes(book({"A": text, "B": numbers, "empty": []}))
    problems = Problems()
    assert [one.id for one in read_all(tmp_path / "a.xlsx", problems)] == ["a"]
    (line,) = lines(problems)
    assert line.startswith(f"{tmp_path}/a.xlsx: sheet 'B': none of the columns 'x', 'y' is named")
    (tmp_path / "b.xlsx").write_bytes(book({"B": numbers}))
    with pytest.raises(InputError, match=r"b.xlsx: none of the columns 'x', 'y'"):
        read_all(tmp_path / "b.xlsx", Problems())
    assert len(read_all(tmp_path / "b.xlsx", text_column="y")) == 1


@pytest.mark.parametrize("name", ["a.xlsx", "a.xls", "a.ods", "a.parquet", "a.arrow", "a.feather"])
def test_what_is_no_table_is_named(tmp_path: Path, name: str) -> None:
    for content in (b"", b"no table at all", b"PK\x03\x04" + bytes(50), b"PAR1" + bytes(20)):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match=rf"{name} is no \w+( file)? or damaged"):
            read_all(tmp_path / name)


def written(kind: str) -> bytes:
    out = io.BytesIO()
    if kind == "parquet":
        pq.write_table(TABLE, out)
    elif kind == "feather":
        feather.write_feather(TABLE, out)
    else:
        new = pa.ipc.new_file if kind == "file" else pa.ipc.new_stream
        with new(out, TABLE.schema) as writer:
            writer.write_table(TABLE)
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.parquet", "parquet"),
        ("a.feather", "feather"),
        ("a.arrow", "file"),
        ("a.arrow", "stream"),
        ("a.arrow.gz", "file"),
    ],
)
def test_arrow(tmp_path: Path, name: str, kind: str) -> None:
    data = written(kind)
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    one, two = read_all(tmp_path / name)
    assert (one.id, one.texts, one.place) == ("a", ("", "one"), f"{tmp_path}/{name}, row 1")
    assert (one.values["year"], one.values["when"]) == (2019, "2020-01-02")
    assert one.values["tags"] == ["x", "y"]
    assert (two.id, two.texts) == ("b", ("", ""))
    assert "year" not in two.values


def test_a_value_that_cannot_be_kept_names_its_row(tmp_path: Path) -> None:
    table = pa.table({"text": ["one", "two"], "raw": [None, b"\xff"]})
    pq.write_table(table, tmp_path / "a.parquet")
    problems = Problems()
    assert [one.texts[1] for one in read_all(tmp_path / "a.parquet", problems)] == ["one"]
    assert lines(problems)[0].startswith(f"{tmp_path}/a.parquet, row 2: field 'raw': bytes are not")
