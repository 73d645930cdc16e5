"""Vectors from files: NumPy's .npy, .npz (dense or SciPy's sparse) and svmlight, one a document.

Ids come from a file, one a line, or are the file's name and the number of the row.

In svmlight, feature numbers are kept as they stand. Labels become the fields `labels` (all of
them) and `label` (where there is just one), a query number the field `qid`; what follows # is a
comment.
"""

from __future__ import annotations

import io
import re
import zipfile
from itertools import pairwise
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likewise.engines.sparse import check_sparse
from likewise.errors import InputError, UsageError
from likewise.readers.batch import DenseBatch, SparseBatch, pack, place
from likewise.readers.streams import OPENERS, Source, is_utf8, line_chunks, open_utf8

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems

MAGIC = b"\x93NUMPY"
SPARSE = {"format", "shape", "data"}  # what scipy.sparse.save_npz writes, among others
LARGEST_FEATURE = 2**31 - 1
LONGEST_NUMBER = 99  # digits; leading zeros are no harm, but Python limits what int() reads
QUERY = re.compile(rb"(?:^|\s)qid:(-?\d{1,99})(?=\s|$)")


class VectorIds:
    """Names the rows of one source, counted from 0."""

    def __init__(self, source: Source, options: ReadOptions, problems: Problems) -> None:
        self._source = source
        self._file = options.ids_file
        given = None if options.ids is None else list(options.ids)
        self._ids = read_ids(self._file, problems) if self._file else given

    def of(self, rows: list[int], numbers: list[int]) -> list[str]:
        """The ids of some rows; `numbers` name them where there is no file of ids."""
        if self._ids is None:
            prefix = self._source.id or self._source.name
            return [f"{prefix}:{number}" for number in numbers]
        if rows and rows[-1] >= len(self._ids):
            self.check(rows[-1] + 1, "or more rows")
        return [self._ids[row] for row in rows]

    def check(self, rows: int, what: str = "rows") -> None:
        """Refuse another number of rows than there are ids."""
        if self._ids is not None and rows != len(self._ids):
            raise InputError(
                f"{self._file or 'the argument ids'} holds {len(self._ids)} ids but "
                f"{self._source.name} {rows} {what}"
            )


def read_ids(path: Path, problems: Problems) -> list[str]:
    """One id a line; the file may be compressed."""
    with open_utf8(Source(str(path), "", path, encoding="utf-8"), problems) as stream:
        data = stream.read()
    if not is_utf8(data):
        raise InputError(f"{path}: not valid UTF-8")
    ids = [line.strip() for line in data.decode().rstrip().split("\n")] if data.strip() else []
    if "" in ids:
        raise InputError(f"{path}, line {ids.index('') + 1}: an id is missing")
    return ids


def read_npy(source: Source, options: ReadOptions, problems: Problems) -> Iterator[DenseBatch]:
    """One array; a file that is not compressed is mapped, not loaded."""
    with source.open() as stream:
        if not stream.peek(len(MAGIC)).startswith(MAGIC):
            raise InputError(f"{source.name} is not an array as NumPy saves it")
        try:
            if source.path and source.path.suffix.lower() not in OPENERS:
                array = np.load(source.path, mmap_mode="r", allow_pickle=False)
            else:
                array = np.lib.format.read_array(stream, allow_pickle=False)
        except (ValueError, EOFError) as error:
            raise InputError(f"{source.name} is not an array of numbers: {error}") from error
    yield from _dense(array, source, options, problems)


def read_npz(
    source: Source, options: ReadOptions, problems: Problems
) -> Iterator[DenseBatch | SparseBatch]:
    """What scipy.sparse.save_npz writes, or an archive of one dense array."""
    with source.open() as stream:
        data = io.BytesIO(stream.read())
    try:
        with np.load(data, allow_pickle=False) as arrays:
            names = set(arrays.files)
            array = arrays[arrays.files[0]] if len(names) == 1 else None
    except (ValueError, EOFError, OSError, zipfile.BadZipFile) as error:
        raise InputError(f"{source.name} is not an archive of arrays: {error}") from error
    if array is not None:
        yield from _dense(array, source, options, problems)
    elif names >= SPARSE:
        yield from _sparse(_load_sparse(data, source), source, options, problems)
    else:
        raise InputError(
            f"{source.name} holds the arrays {', '.join(sorted(names))}: it must be one array, "
            "or a matrix as scipy.sparse.save_npz writes it"
        )


def read_array(
    array: Any, source: Source, options: ReadOptions, problems: Problems
) -> Iterator[DenseBatch | SparseBatch]:
    """An array that a program gives, or a matrix of scipy.sparse."""
    if isinstance(array, np.ndarray):
        yield from _dense(array, source, options, problems)
        return
    _check_shape(array, source)
    matrix = array.tocsr().copy()
    matrix.sum_duplicates()
    yield from _sparse(matrix, source, options, problems)


def _load_sparse(data: io.BytesIO, source: Source) -> Any:
    from scipy.sparse import load_npz

    try:
        check_sparse(_stored_arrays(data))
        data.seek(0)
        matrix: Any = load_npz(data)
        _check_shape(matrix, source)
        matrix = matrix.astype(np.result_type(matrix.dtype, np.float32)).tocsr()
        matrix.sum_duplicates()
    except UsageError as error:
        raise InputError(f"{source.name}: {error}") from error
    except (ValueError, KeyError, NotImplementedError, OverflowError) as error:
        raise InputError(f"{source.name} is not a sparse matrix: {error}") from error
    except AttributeError as error:
        raise InputError(
            f"{source.name} is not a sparse matrix: it lacks {error.name!r}"
        ) from error
    except MemoryError as error:
        raise InputError(f"{source.name}: there is not enough memory for its shape") from error
    return matrix


def _stored_arrays(data: io.BytesIO) -> SimpleNamespace:
    """The arrays of the archive by their names, as scipy.sparse would put them together."""
    data.seek(0)
    with np.load(data, allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    form = arrays.pop("format").item()
    shape = tuple(int(size) for size in np.atleast_1d(arrays.pop("shape")))
    if "coords" in arrays:  # one row for each axis
        arrays["row"], arrays["col"] = arrays.pop("coords")
    return SimpleNamespace(
        format=form.decode("ascii") if isinstance(form, bytes) else form, shape=shape, **arrays
    )


def _dense(
    array: NDArray[Any], source: Source, options: ReadOptions, problems: Problems
) -> Iterator[DenseBatch]:
    _check_shape(array, source)
    ids = VectorIds(source, options, problems)
    ids.check(len(array))
    step = max(1, options.batch_bytes // (4 * max(1, array.shape[1])))
    for start in range(0, len(array), step):
        values = _single(array[start : start + step])
        finite = np.isfinite(values).all(axis=1)
        if not finite.all():
            _refuse(source, start + int(np.argmin(finite)))
        yield DenseBatch(**_named(source, ids, start, len(values)), values=values)


def _sparse(
    matrix: Any, source: Source, options: ReadOptions, problems: Problems
) -> Iterator[SparseBatch]:
    ids = VectorIds(source, options, problems)
    ids.check(matrix.shape[0])
    values = _single(matrix.data)
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        _refuse(source, int(np.searchsorted(matrix.indptr, bad[0], side="right")) - 1)
    mean = max(1, 8 * matrix.nnz // max(1, matrix.shape[0]))
    step = max(1, options.batch_bytes // mean)
    for start in range(0, matrix.shape[0], step):
        starts = matrix.indptr[start : start + step + 1].astype(np.int64)
        entries = slice(starts[0], starts[-1])
        yield SparseBatch(
            **_named(source, ids, start, len(starts) - 1),
            starts=starts - starts[0],
            columns=matrix.indices[entries].astype(np.int64),
            values=values[entries],
        )


def _check_shape(array: Any, source: Source) -> None:
    if array.dtype.kind not in "fiub":
        raise InputError(f"{source.name} holds {array.dtype}, not real numbers")
    if array.ndim != 2 or not array.shape[1]:
        shape = " x ".join(map(str, array.shape)) or "a single number"
        raise InputError(f"{source.name} is {shape}: it must be documents x dimensions")


def _single(values: NDArray[Any]) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(values, dtype=np.float32)


def _refuse(source: Source, row: int) -> None:
    raise InputError(
        f"{source.name}, row {row}: a value is NaN, infinite or too large for single precision"
    )


def _named(source: Source, ids: VectorIds, start: int, size: int) -> dict[str, Any]:
    """The fields of a batch of these rows, beside their values."""
    rows = list(range(start, start + size))
    names = ids.of(rows, rows)
    records, ends = pack([{"id": name} for name in names])
    return {
        "ids": names,
        "records": records,
        "ends": ends,
        "sources": [source.name] * size,
        "lines": np.array(rows, np.int64),
        "unit": "row",
    }


class _SvmLine(NamedTuple):
    row: int
    number: int
    text: bytes


class _Vectors(NamedTuple):
    labels: list[tuple[float, ...]]
    starts: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: NDArray[np.float32]


def read_svmlight(
    source: Source, options: ReadOptions, problems: Problems
) -> Iterator[SparseBatch]:
    ids = VectorIds(source, options, problems)
    first, rows = 1, 0
    with source.open() as stream:
        for chunk in line_chunks(stream, options.batch_bytes, source.name):
            raw = chunk.split(b"\n")
            lines = _content(raw, first, rows)
            first, rows = first + len(raw) - 1, rows + len(lines)
            vectors = _parse_svm(lines)
            if vectors is None:
                lines = [line for line in lines if _is_good(line, source.name, problems)]
                vectors = _parse_svm(lines)
            if vectors is None:
                raise InputError(f"{place(source.name, lines[0].number)} ff.: not svmlight format")
            if lines:
                yield _svm_batch(source.name, lines, vectors, ids)
    ids.check(rows)


def _content(raw: list[bytes], first: int, row: int) -> list[_SvmLine]:
    """The lines that hold a document, without comments."""
    bare = ((number, line.partition(b"#")[0].strip()) for number, line in enumerate(raw, first))
    kept = [(number, text) for number, text in bare if text]
    return [_SvmLine(row + i, number, text) for i, (number, text) in enumerate(kept)]


def _parse_svm(lines: list[_SvmLine]) -> _Vectors | None:
    from sklearn.datasets import load_svmlight_file

    stream = io.BytesIO(b"\n".join([line.text for line in lines]))
    try:
        matrix, labels = load_svmlight_file(stream, multilabel=True, zero_based=True)
    except (ValueError, OverflowError):
        return None
    with np.errstate(over="ignore"):
        values = matrix.data.astype(np.float32)
    starts, columns = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)
    return _Vectors(labels, starts, columns, values)


def _is_good(line: _SvmLine, source: str, problems: Problems) -> bool:
    fault = _fault(line.text)
    if fault:
        problems.report(place(source, line.number), fault)
    return not fault


def _fault(text: bytes) -> str:
    """What is wrong with a line, or an empty text."""
    if not text.isascii():
        return "not svmlight format: it holds bytes that are not ASCII"
    labels, pairs = _split_svm(text.decode())
    for label in labels:
        if not _is_number(label):
            return f"the label {label!r} is not a number"
    for pair in pairs:
        number, colon, value = pair.partition(":")
        if not (colon and number.isdecimal() and _is_number(value)):
            return f"{pair!r} is not a feature number, a colon and a value"
        if len(number) > LONGEST_NUMBER or int(number) > LARGEST_FEATURE:
            return f"feature numbers end at {LARGEST_FEATURE}, and this one is {number[:99]}"
    numbers = [int(pair.partition(":")[0]) for pair in pairs]
    for before, after in pairwise(numbers):
        if after <= before:
            return f"feature {after} comes after {before}: numbers must ascend"
    return ""


def _split_svm(text: str) -> tuple[list[str], list[str]]:
    """A line's labels and its features; a query number is neither."""
    words = text.split()
    labels = words.pop(0).split(",") if ":" not in words[0] else []
    if words and words[0].startswith("qid:"):
        del words[0]
    return labels, words


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _svm_batch(
    source: str, lines: list[_SvmLine], vectors: _Vectors, ids: VectorIds
) -> SparseBatch:
    numbers = [line.number for line in lines]
    bad = np.flatnonzero(~np.isfinite(vectors.values))
    if len(bad):
        row = int(np.searchsorted(vectors.starts, bad[0], side="right")) - 1
        raise InputError(
            f"{place(source, numbers[row])}: feature {vectors.columns[bad[0]]} is NaN, infinite "
            "or too large for single precision"
        )
    names = ids.of([line.row for line in lines], numbers)
    entries = zip(names, vectors.labels, lines, strict=True)
    records, ends = pack([_svm_record(*entry) for entry in entries])
    return SparseBatch(
        ids=names,
        records=records,
        ends=ends,
        sources=[source] * len(lines),
        lines=np.array(numbers, np.int64),
        starts=vectors.starts,
        columns=vectors.columns,
        values=vectors.values,
    )


def _svm_record(id: str, labels: tuple[float, ...], line: _SvmLine) -> dict[str, Any]:
    numbers = [int(label) if label.is_integer() else label for label in labels]
    record: dict[str, Any] = {"id": id, "labels": numbers}
    if len(numbers) == 1:
        record["label"] = numbers[0]
    if query := QUERY.search(line.text):
        record["qid"] = int(query[1])
    return record
