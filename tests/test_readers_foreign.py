"""What other libraries hold: Arrow, data sets, arrays of vectors."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from scipy import sparse

from helpers.reading import read_all
from likewise import Index
from likewise.errors import InputError, UsageError

TABLE = pa.table({"doc_id": ["a", "b"], "text": ["one", "two"], "year": [2019, None]})


@pytest.mark.parametrize(
    "given",
    [
        TABLE,
        TABLE.to_batches()[0],
        TABLE.to_reader(max_chunksize=1),
        ds.dataset(TABLE),
        ds.dataset(TABLE).scanner(),
    ],
    ids=lambda given: type(given).__name__,
)
def test_arrow(given: Any) -> None:
    if not hasattr(given, "schema"):
        given = given.to_reader()  # a scanner names its columns differently
    found = read_all(given)
    assert [(one.id, one.texts[1], one.values.get("year")) for one in found] == [
        ("a", "one", 2019),
        ("b", "two", None),
    ]
    assert found[1].place.endswith("row 2")


def test_columns_of_a_table_are_looked_for_at_once() -> None:
    with pytest.raises(InputError, match=r"Table: none of the columns 'x' is named like a text"):
        read_all(pa.table({"x": [1]}))
    assert read_all(pa.table({"x": [1]}), text_column="x")[0].texts == ("", "1")


class Dataset:
    """As Hugging Face's: rows are dictionaries, and the columns have names."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows, self.column_names, self.features = rows, list(rows[0]), {}

    def __iter__(self) -> Any:
        return iter(self.rows)


def test_a_data_set_of_hugging_face() -> None:
    rows = [{"id": n, "text": f"text {n}", "label": np.int64(n)} for n in range(3)]
    found = read_all(Dataset(rows))
    assert [one.values for one in found] == [{**row, "label": n} for n, row in enumerate(rows)]
    assert found[2].place == "Dataset, row 3"
    with pytest.raises(UsageError, match=r"a dict of 'train', 'test' was given: give one of them"):
        read_all({"train": Dataset(rows), "test": Dataset(rows)})
    rows[1]["label"] = object()
    with pytest.raises(InputError, match=r"Dataset, row 2: id 1: field 'label'"):
        read_all(Dataset(rows))


def test_the_real_data_sets_of_hugging_face() -> None:
    datasets = pytest.importorskip("datasets")
    given = datasets.Dataset.from_dict({"id": ["a"], "text": ["one"]})
    assert [one.id for one in read_all(given)] == ["a"]


def test_a_data_set_of_ir_datasets() -> None:
    kind = namedtuple("GenericDoc", ["doc_id", "text"])

    class Collection:
        def docs_iter(self) -> Any:
            return iter([kind("d1", "one"), kind("d2", "two")])

    found = read_all(Collection())
    assert [(one.id, one.texts[1]) for one in found] == [("d1", "one"), ("d2", "two")]
    assert found[1].place == "documents given, number 2"


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix, sparse.coo_array])
def test_arrays_of_vectors_with_ids(tmp_path: Any, kind: Any) -> None:
    vectors = kind(np.eye(3, dtype=np.float32))
    index = Index.create(tmp_path / "v.idx")
    assert index.add(vectors, ids=["a", "b", "c"]).documents == 3
    assert index.ids() == ["a", "b", "c"]
    with pytest.raises(InputError, match=r"the argument ids holds 2 ids but vectors given 3 rows"):
        index.add(vectors, ids=["d", "e"])


def test_vectors_that_cannot_be_taken_are_named() -> None:
    with pytest.raises(UsageError, match=r"vectors need ids: give one for each row"):
        read_all(np.eye(2))
    with pytest.raises(InputError, match=r"vectors given, row 1: a value is NaN"):
        read_all(np.array([[1.0], [np.nan]]), ids=("a", "b"))
    with pytest.raises(InputError, match=r"vectors given is 3: it must be documents x dimensions"):
        read_all(np.ones(3), ids=("a", "b", "c"))
    with pytest.raises(UsageError, match=r"ids are for an array of vectors"):
        read_all([{"text": "x"}], ids=("a",))
