"""Vectors in NumPy's .npy and .npz files: one document a row."""

from __future__ import annotations

import io
import zipfile
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from likewise.engines.sparse import check_sparse
from likewise.errors import InputError, UsageError
from likewise.readers.batch import DenseBatch, SparseBatch, pack
from likewise.readers.compression import OPENERS
from likewise.readers.ids import VectorIds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems
    from likewise.readers.source import Source

MAGIC = b"\x93NUMPY"
SPARSE = {"format", "shape", "data"}  # what scipy.sparse.save_npz writes, among others


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
    """What a batch of these rows says beside their values."""
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
