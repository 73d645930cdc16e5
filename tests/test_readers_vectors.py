"""Vectors: svmlight files and NumPy arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from helpers.reading import SHARED, lines, read_all, unpack
from likewise.errors import InputError, UsageError
from likewise.readers import DenseBatch, Problems, ReadOptions, SparseBatch, read

if TYPE_CHECKING:
    from pathlib import Path

rows_of_features = st.lists(
    st.dictionaries(
        st.integers(0, 2**31 - 1), st.floats(-(2.0**100), 2.0**100, width=32), max_size=5
    ),
    max_size=8,
)


def entries(batches: list[Any]) -> list[dict[int, float]]:
    """Each row's entries, after checking that the arrays agree."""
    found = []
    for batch in batches:
        assert isinstance(batch, SparseBatch)
        assert batch.starts[0] == 0
        assert batch.starts[-1] == len(batch.columns) == len(batch.values)
        for start, end in zip(batch.starts[:-1], batch.starts[1:], strict=True):
            row = zip(batch.columns[start:end].tolist(), batch.values[start:end], strict=True)
            found.append({column: float(value) for column, value in row})
    return found


@settings(deadline=None)
@given(rows_of_features, st.integers(1, 200))
def test_svmlight_goes_in_and_comes_out(tmp_path_factory: Any, rows: Any, size: int) -> None:
    path = tmp_path_factory.mktemp("vectors") / "x.svm"
    written = [
        " ".join(["1", *(f"{column}:{value!r}" for column, value in sorted(row.items()))])
        for row in rows
    ]
    path.write_text("# comment\n" + "".join(f"{line} # x\n\n" for line in written))
    batches = list(read(path, ReadOptions(batch_bytes=size)))
    assert entries(batches) == rows
    numbers = [int(line) for batch in batches for line in batch.lines]
    assert numbers == list(range(2, 2 * len(rows) + 2, 2))


def test_svmlight_labels_and_ids(tmp_path: Path) -> None:
    (tmp_path / "x.svm").write_text("-1 1:2\n# note\n3,0.5 qid:7 1:2 # docid\n1:2\nqid:8 1:2\n")
    found = read_all(tmp_path)
    assert [document.id for document in found] == ["x.svm:1", "x.svm:3", "x.svm:4", "x.svm:5"]
    assert found[0].values == {"id": "x.svm:1", "labels": [-1], "label": -1}
    assert found[1].values == {"id": "x.svm:3", "labels": [0.5, 3], "qid": 7}
    assert found[2].values == {"id": "x.svm:4", "labels": []}
    assert found[3].values == {"id": "x.svm:5", "labels": [], "qid": 8}
    assert found[1].place == f"{tmp_path}/x.svm, line 3"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("one 1:2", "the label 'one' is not a number"),
        ("1 a:2", "'a:2' is not a feature number, a colon and a value"),
        ("1 1:", "'1:' is not a feature number, a colon and a value"),
        ("1 1:2:3", "'1:2:3' is not a feature number"),
        ("1 2", "'2' is not a feature number"),
        ("1 -1:2", "'-1:2' is not a feature number"),
        ("1 5:1 3:1", "feature 3 comes after 5: numbers must ascend"),
        ("1 5:1 5:1", "feature 5 comes after 5: numbers must ascend"),
        ("1 2147483648:1", "feature numbers end at 2147483647, and this one is 2147483648"),
        ("1 " + "9" * 5000 + ":1", "feature numbers end at 2147483647"),
        ("1 ²:1", "not svmlight format: it holds bytes that are not ASCII"),
    ],
)
def test_a_bad_svmlight_line_is_named_and_the_rest_kept(
    tmp_path: Path, line: str, message: str
) -> None:
    (tmp_path / "x.svm").write_text(f"1 1:1\n{line}\n2 2:2\n")
    (tmp_path / "ids.txt").write_text("a\nb\nc\n")
    problems = Problems()
    options = ReadOptions(ids_file=tmp_path / "ids.txt")
    batches = list(read(tmp_path / "x.svm", options, problems))
    assert entries(batches) == [{1: 1.0}, {2: 2.0}]
    assert [document.id for document in unpack(batches)] == ["a", "c"]
    assert lines(problems)[0].startswith(f"{tmp_path}/x.svm, line 2: {message}")
    with pytest.raises(InputError, match=r"x.svm, line 2: "):
        read_all(tmp_path / "x.svm", Problems(strict=True))


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e300"])
def test_svmlight_values_must_be_finite(tmp_path: Path, value: str) -> None:
    (tmp_path / "x.svm").write_text(f"1 1:1\n1\n1 2:1 4:{value} 5:1\n")
    with pytest.raises(InputError, match=r"x.svm, line 3: feature 4 is NaN, infinite or too large"):
        read_all(tmp_path / "x.svm", Problems())


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int64", "bool"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_dense_arrays(tmp_path: Path, dtype: str, order: Any) -> None:
    array = np.asarray(np.arange(35).reshape(7, 5) % 9, dtype=dtype, order=order)
    np.save(tmp_path / "x.npy", array)
    np.savez(tmp_path / "y.npz", array)
    for name in ("x.npy", "y.npz"):
        batches = list(read(tmp_path / name, ReadOptions(batch_bytes=45)))
        assert [len(batch) for batch in batches] == [2, 2, 2, 1]
        values = [batch.values for batch in batches if isinstance(batch, DenseBatch)]
        assert {part.dtype for part in values} == {np.dtype(np.float32)}
        assert_array_equal(np.vstack(values), array.astype(np.float32))
        assert [d.id for d in unpack(batches)] == [f"{tmp_path}/{name}:{i}" for i in range(7)]
        assert batches[2].place(1) == f"{tmp_path}/{name}, row 5"


@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
def test_sparse_archives(tmp_path: Path, kind: Any) -> None:
    matrix = sp.random_array((20, 9), density=0.2, format="csr", rng=np.random.default_rng(3))
    sp.save_npz(tmp_path / "x.npz", matrix.asformat(kind))
    expected = [
        {int(j): float(np.float32(matrix[i, j])) for j in np.flatnonzero(matrix[[i]].toarray())}
        for i in range(20)
    ]
    for size in (1, 50, 1 << 20):
        assert entries(list(read(tmp_path / "x.npz", ReadOptions(batch_bytes=size)))) == expected


def test_arrays_without_rows(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros((0, 3)))
    sp.save_npz(tmp_path / "x.npz", sp.csr_array((0, 3)))
    assert read_all([tmp_path / "x.npy", tmp_path / "x.npz"]) == []


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros(3), "x.np[yz] is 3: it must be documents x dimensions"),
        (np.zeros((2, 2, 2)), "x.np[yz] is 2 x 2 x 2: it must be documents x dimensions"),
        (np.zeros((2, 0)), "x.np[yz] is 2 x 0: it must be"),
        (np.array(1.0), "x.np[yz] is a single number"),
        (np.zeros((2, 2), complex), "x.np[yz] holds complex128, not real numbers"),
        (np.array([["a"]]), "x.np[yz] holds <U1, not real numbers"),
        (np.array([[None]]), "x.np[yz] is not an a"),
        (np.array([[1, 2], [3, np.nan]]), "x.np[yz], row 1: a value is NaN, infinite or too"),
        (np.array([[-np.inf, 2], [3, 4]]), "x.np[yz], row 0: a value is NaN, infinite or too"),
        (np.array([[1, 2], [3, 1e300]]), "x.np[yz], row 1: a value is NaN, infinite or too"),
    ],
)
def test_arrays_that_are_refused(tmp_path: Path, array: Any, message: str) -> None:
    np.save(tmp_path / "x.npy", array)
    np.savez(tmp_path / "x.npz", array)
    for path in (tmp_path / "x.npy", tmp_path / "x.npz"):
        with pytest.raises(InputError, match=message):
            read_all(path, Problems())


def test_archives_that_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, a=np.eye(2), b=np.eye(2))
    with pytest.raises(InputError, match=r"x.npz holds the arrays a, b: it must be one array"):
        read_all(path)
    whole = path.read_bytes()
    for broken in (whole[:-30], b"not a zip", b""):
        path.write_bytes(broken)
        with pytest.raises(InputError, match=r"x.npz is not an archive of arrays"):
            read_all(path)
    matrix = sp.csr_array(np.array([[0.0, 1.0], [np.inf, 0.0]]))
    sp.save_npz(path, matrix)
    with pytest.raises(InputError, match=r"x.npz, row 1: a value is NaN"):
        read_all(path)
    np.savez(path, format="csr", shape=(2, 2), data=np.ones(3))
    with pytest.raises(InputError, match=r"x.npz is not a sparse matrix"):
        read_all(path)


def test_a_cut_array_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    np.save(path, np.eye(9))
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(InputError, match=r"x.npy is not an array of numbers"):
        read_all(path)


def test_ids_from_a_file(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.eye(3))
    (tmp_path / "x.svm").write_text("1 1:1\n1 1:2\n1 1:3\n")
    ids = tmp_path / "ids.txt"
    ids.write_bytes("\ufeffä 1\r\nb\r\nc\r\n\r\n".encode())
    for name in ("x.npy", "x.svm"):
        assert [d.id for d in read_all(tmp_path / name, ids_file=ids)] == ["ä 1", "b", "c"]
    with pytest.raises(UsageError, match=r"one file of vectors, and 2 were given"):
        read_all([tmp_path / "x.npy", tmp_path / "x.svm"], ids_file=ids)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a\nb\n", r"ids.txt holds 2 ids but .*x\.\w+ 3 (or more )?rows"),
        (b"a\nb\nc\nd\n", r"ids.txt holds 4 ids but .*x\.\w+ 3 rows"),
        (b"", r"ids.txt holds 0 ids but .*x\.\w+ [123] (or more )?rows"),
        (b"a\n\nc\n", r"ids.txt, line 2: an id is missing"),
        (b"a\n\xff\nc\n", r"ids.txt: not valid UTF-8"),
    ],
)
@pytest.mark.parametrize("size", [1, 1 << 20])
def test_ids_that_do_not_fit(tmp_path: Path, data: bytes, message: str, size: int) -> None:
    np.save(tmp_path / "x.npy", np.eye(3))
    (tmp_path / "x.svm").write_text("1 1:1\n1 1:2\n1 1:3\n")
    ids = tmp_path / "ids.txt"
    ids.write_bytes(data)
    for name in ("x.npy", "x.svm"):
        with pytest.raises(InputError, match=message):
            read_all(tmp_path / name, ids_file=ids, batch_bytes=size)


def test_reuters_counts_with_their_ids() -> None:
    folder = SHARED / "qbme" / "reuters21578"
    if not folder.exists():
        pytest.skip("the shared data are not here")
    options = ReadOptions(ids_file=folder / "modapte_test.ids.txt.gz")
    batches = list(read(folder / "modapte_test.svm.gz", options))
    assert batches[0].ids[:2] == ["14826", "14828"]
    assert sum(map(len, batches)) == sum(1 for _ in entries(batches))


WELL_FORMED: dict[str, Any] = {
    "format": b"csr",
    "shape": [3, 5],
    "data": np.ones(4),
    "indices": [0, 1, 2, 3],
    "indptr": [0, 1, 2, 4],
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"indptr": [0, 1_000_000, 2, 4]}, "indptr does not ascend"),
        ({"indptr": [0, -3, 2, 4]}, "indptr does not ascend"),
        ({"indptr": [0, 1, 2, 3]}, "indptr ends with 3, but 4 values are stored"),
        ({"indptr": [0, 1, 4]}, "indptr has 3 entries, not 4"),
        ({"indptr": [0.0, 1.0, 2.0, 4.0]}, "indptr is not one list of whole numbers"),
        ({"indices": [0, -5, 2, 3]}, "indices holds -5, which is below 0"),
        ({"indices": [0, 1, 2, 2**40]}, "indices holds 1099511627776, but numbers go from 0 to 4"),
        ({"indices": [0, 1, 2]}, "indices has 3 entries for 4 values"),
        ({"shape": [3, -5]}, "its shape is 3 x -5"),
        ({"shape": [15]}, "it has 1 axes, not 2"),
        ({"format": b"odd"}, "unknown sparse format 'odd': use one of"),
        ({"format": b"coo"}, "it lacks 'row'"),
        ({"format": b"coo", "row": [0, 1, 2, 3], "col": [0, 1, 2, 3]}, "row holds 3, but"),
        ({"format": b"csc", "indptr": [0, 9, 2, 2, 2, 4]}, "indptr does not ascend"),
        ({"format": b"dia", "offsets": [0, 1]}, "data has not one row for each of 2 offsets"),
        ({"format": b"bsr"}, "data is not a list of blocks"),
    ],
)
def test_archives_that_point_elsewhere_are_refused(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, **WELL_FORMED)
    assert len(read_all(path)) == 3
    np.savez(path, **{**WELL_FORMED, **change})
    with pytest.raises(InputError, match=rf"x\.npz.*{message}"):
        read_all(path)


def test_values_of_any_precision(tmp_path: Path) -> None:
    for dtype in ("float16", "uint8", "bool", "int64"):
        np.savez(tmp_path / "x.npz", **{**WELL_FORMED, "data": np.ones(4, dtype)})
        expected = [{0: 1.0}, {1: 1.0}, {2: 1.0, 3: 1.0}]
        assert entries(list(read(tmp_path / "x.npz", ReadOptions()))) == expected
