"""What a program hands over: kept as JSON, taken or refused as a file's record is, never lost."""

from __future__ import annotations

import csv
import json
import uuid
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from likewise import Document, Index, InputError, LeftOut, UsageError
from likewise.readers.values import NotPlainError, plain

if TYPE_CHECKING:
    from collections.abc import Iterator


class Colour(Enum):
    RED = "red"


class NAType:
    """As pandas has it: a value that compares as neither yes nor no."""

    def __eq__(self, other: object) -> Any:
        return self

    def __bool__(self) -> bool:
        raise TypeError("boolean value of NA is ambiguous")

    __hash__ = None  # type: ignore[assignment]


class Stamp(datetime):
    """A datetime of another package, as pandas' Timestamp is."""


@dataclass
class Place:
    city: str
    year: np.int64


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (np.int64(3), 3),
        (np.uint8(3), 3),
        (np.float64(2.5), 2.5),
        (np.float32(0.5), 0.5),
        (np.longdouble(2), 2.0),
        (np.str_("x"), "x"),
        (np.bool_(True), True),
        (np.float64("nan"), None),
        (np.float16("nan"), None),
        (float("nan"), None),
        (Decimal("NaN"), None),
        (np.datetime64("NaT"), None),
        (np.timedelta64("NaT"), None),
        (NAType(), None),
        (np.datetime64("2020-01-02T03:04:05", "ns"), "2020-01-02T03:04:05"),
        (np.datetime64("2020-01-02"), "2020-01-02"),
        (np.timedelta64(3 * 10**9, "ns"), "PT3S"),
        (datetime(2020, 1, 2, 3), "2020-01-02T03:00:00"),
        (datetime(2020, 1, 2, tzinfo=UTC), "2020-01-02T00:00:00Z"),
        (Stamp(2020, 1, 2), "2020-01-02T00:00:00"),
        (date(2020, 1, 2), "2020-01-02"),
        (time(3), "03:00:00"),
        (timedelta(3), "P3D"),
        (Decimal("1.50"), 1.5),
        (Decimal("3.00"), 3),
        (Decimal("0.12345678901234567890"), "0.12345678901234567890"),
        (Decimal("1e400"), "1E+400"),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (Path("a/b"), "a/b"),
        (Colour.RED, "red"),
        ((1, np.nan, np.int8(2)), [1, None, 2]),
        ({3, 1, 2}, [1, 2, 3]),
        (np.array([[1.0, np.nan]]), [[1.0, None]]),
        (np.array(3), 3),
        (np.array(["2020-01-02"], "M8[ns]"), ["2020-01-02T00:00:00"]),
        (np.array("2020-01-02", "M8[D]"), "2020-01-02"),
        ({"a": {1: np.int64(1)}}, {"a": {"1": 1}}),
        (Place("Bern", np.int64(1999)), {"city": "Bern", "year": 1999}),
        (1 << 70, 1 << 70),
    ],
)
def test_values_become_plain(value: Any, kept: Any) -> None:
    found = plain(value)
    assert (found, type(found)) == (kept, type(kept))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (float("inf"), "infinite"),
        (np.float32("-inf"), "infinite"),
        (Decimal("Infinity"), "infinite"),
        (b"text", "bytes are not text: decode them first"),
        (1j, "complex cannot be kept: make it text"),
        (object(), "object cannot be kept"),
        ([1, {"a": object()}], "field 'a': a value of type object"),
        ({(1, 2): 3}, r"the name \(1, 2\) of a field is a tuple"),
        ({1: "a", "1": "b"}, "two of its fields are named '1'"),
    ],
)
def test_what_json_cannot_hold_is_refused(value: Any, message: str) -> None:
    with pytest.raises(NotPlainError, match=message):
        plain(value)


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return Index.create(tmp_path / "papers.idx")


def test_rows_with_scalars_of_other_packages_are_all_there(index: Index) -> None:
    rows = [
        {
            "id": np.int64(n),
            "text": np.str_("apples"),
            "year": np.int64(2000 + n),
            "when": Stamp(2020, 1, 2),
        }
        for n in range(2000)
    ]
    assert index.add(rows).documents == len(index) == 2000
    assert index.count("year>=2019 when>=2020-01-01") == 1981
    assert index.document("7").fields == {"year": 2007, "when": "2020-01-02T00:00:00"}


def test_a_value_that_cannot_be_kept_is_an_error_that_names_row_and_field(index: Index) -> None:
    rows = [{"id": "a", "text": "x"}, {"id": "b", "text": "y", "size": 2j}]
    expected = "documents given, number 2: id 'b': field 'size': a value of type complex"
    with pytest.raises(InputError, match=expected):
        index.add(rows)
    assert len(index.refresh()) == 0


def test_what_is_left_out_on_request_is_told(index: Index) -> None:
    rows = [{"id": "a", "text": "x"}, {"id": "b", "text": "y", "size": 2j}, {"id": "c"}]
    with pytest.warns(
        LeftOut, match=r"2 of the documents given left out: .*number 2: id 'b'.*1 more"
    ):
        added = index.add(rows, strict=False)
    assert (added.documents, added.problem_count, len(added.problems)) == (1, 2, 2)
    assert "number 3: id 'c': none of its fields ('id') is a text" in str(added.problems[1])


RECORDS: list[dict[str, Any]] = [
    {"id": "a", "text": "apples"},
    {"id": "a", "title": "only a title", "text": ""},
    {"id": "", "pmid": "12", "text": "apples"},
    {"id": "a", "text": "", "contents": "apples"},
    {"id": "a", "text": "apples", "abstract": "figs"},
    {"text": "no id"},
]
IN_JSON: list[dict[str, Any]] = [
    {"id": 7, "text": "apples"},
    {"id": 1.5, "text": "apples"},
    {"id": True, "text": "apples"},
    {"id": None, "text": "apples"},
    {"id": "a", "text": None},
    {"id": "a", "year": 1999},
    {"id": "a", "text": ["apples", 3]},
    {"id": "a", "text": {"html": "apples"}},
    {"id": "a", "text": True},
    {"id": "a", "text": "apples", "key": ["x"]},
    {"id": "a", "text": "half \ud800"},
    {"id": "a", "Body": "apples", "text": "figs"},
]


def outcome(folder: Path, given: Any, **options: Any) -> Any:
    """The documents as they are in the index, or that there is none."""
    index = Index.create(folder)
    try:
        index.add(given, strict=False, **options)
    except InputError:
        return []
    found = index.documents(index.ids())
    return [
        (d.id, d.title, d.text, d.fields.get("abstract"), index.search("apples")) for d in found
    ]


def written(folder: Path, record: dict[str, Any]) -> Iterator[Path]:
    lines = folder / "one.jsonl"
    lines.write_text(json.dumps(record) + "\n")
    yield lines
    if all(isinstance(value, str) for value in record.values()) and record in RECORDS:
        table = folder / "one.csv"
        with table.open("w", newline="") as file:
            writer = csv.DictWriter(file, record)
            writer.writeheader()
            writer.writerow(record)
        yield table


@pytest.mark.filterwarnings("ignore::likewise.LeftOut")
@pytest.mark.parametrize("options", [{}, {"text_column": "Body"}, {"id_column": "key"}])
@pytest.mark.parametrize("record", [*RECORDS, *IN_JSON])
def test_a_record_has_one_outcome(tmp_path: Path, record: Any, options: Any) -> None:
    given = outcome(tmp_path / "given", [record], **options)
    for number, file in enumerate(written(tmp_path, record)):
        if options and file.suffix == ".csv":
            continue  # a header without the column that is named is an error of its own
        found = outcome(tmp_path / f"file{number}", file, **options)
        assert found == given, file.suffix


def test_the_fields_analysed_are_found_in_a_table(tmp_path: Path) -> None:
    table = tmp_path / "papers.csv"
    table.write_text("id,Abstract,Summary\na,apples,figs\n")
    for field, word in (("abstract", "apples"), ("summary", "figs")):
        index = Index.create(tmp_path / field, fields=field)
        index.add(table)
        assert [hit.id for hit in index.search(word)] == ["a"]
    with pytest.raises(InputError, match=r"is named like a field that is analysed \('body'\)"):
        Index.create(tmp_path / "body", fields="body").add(table)


def test_text_that_is_taken_for_a_path_is_told(index: Index) -> None:
    with pytest.raises(InputError, match=r"no file or folder 'apples .*Document\(id, text\)"):
        index.add(["apples and figs " * 1000])


class Names(list[Any]):
    names: tuple[Any, ...] = (None,)


class PandasLike:
    """Rows as a DataFrame of pandas gives them, where there is no pandas."""

    def __init__(self, columns: list[Any], rows: list[tuple[Any, ...]], index: str = "") -> None:
        self.columns, self._rows = columns, rows
        self.index = Names()
        self.index.names = (index or None,)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.columns)

    def itertuples(self, *, index: bool, name: None) -> Iterator[tuple[Any, ...]]:
        assert not index
        return iter(self._rows)

    def reset_index(self) -> PandasLike:
        rows = [(f"r{number}", *row) for number, row in enumerate(self._rows)]
        return PandasLike([self.index.names[0], *self.columns], rows)


class PolarsLike:
    def __init__(self, columns: list[Any], rows: list[tuple[Any, ...]]) -> None:
        self.columns, self._rows = columns, rows

    def iter_rows(self) -> Iterator[tuple[Any, ...]]:
        return iter(self._rows)


ROWS = [("a", "On apples", "red apples", np.float64("nan")), ("b", "On figs", "green figs", 2.0)]


@pytest.mark.parametrize("kind", [PandasLike, PolarsLike])
def test_a_table_is_its_rows(index: Index, kind: Any) -> None:
    assert index.add(kind(["ID", "Title", "Abstract", "size"], ROWS)).documents == 2
    assert index.document("a") == Document("a", "red apples", "On apples", size=None)
    assert index.document("b").fields == {"size": 2.0}


def test_an_index_with_a_name_is_a_column(index: Index) -> None:
    index.add(PandasLike(["text"], [("apples",), ("figs",)], index="id"))
    assert index.ids() == ["r0", "r1"]


def test_a_table_without_text_names_its_columns(index: Index) -> None:
    table = PandasLike(["id", "words", 3], [("a", "apples", "figs")])
    with pytest.raises(InputError, match=r"PandasLike: .*'id', 'words', '3'.*text_column"):
        index.add(table)
    assert index.add(table, text_column="words").documents == 1
    assert index.search("apples")[0].id == "a"
    with pytest.raises(UsageError, match="for files"):
        index.add(table, format="csv")
    with pytest.raises(UsageError, match=r"column \('a', 'b'\) is not named by text"):
        index.add(PandasLike([("a", "b")], []))


def test_a_bad_row_of_a_table_is_named(index: Index) -> None:
    table = PandasLike(["id", "text", "x"], [("a", "apples", 1), ("b", "figs", b"raw")])
    with pytest.raises(InputError, match="Like, row 2: id 'b': field 'x': bytes are not text"):
        index.add(table)


def test_pandas_itself(index: Index) -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(
        {
            "id": [1, 2],
            "text": ["red apples", None],
            "when": [pandas.Timestamp("2020-01-02"), pandas.NaT],
            "n": pandas.array([1, None], dtype="Int64"),
        }
    )
    assert index.add(table).documents == 2
    assert index.document("1").fields == {"when": "2020-01-02T00:00:00", "n": 1}
    assert index.document("2").fields == {"when": None, "n": None}
    assert index.add(table.set_index("id"), on_duplicate="skip").skipped == 2


def test_polars_itself(index: Index) -> None:
    polars = pytest.importorskip("polars")
    assert index.add(polars.DataFrame({"id": ["a"], "text": ["apples"]})).documents == 1
