"""svmlight and LIBSVM files: labels, then number:value pairs; one document a line.

Feature numbers are kept as they stand. Labels become the fields `labels` (all of them) and `label`
(where there is just one), a query number the field `qid`; what follows # is a comment.
"""

from __future__ import annotations

import io
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likewise.errors import InputError
from likewise.readers.batch import SparseBatch, pack, place
from likewise.readers.ids import VectorIds
from likewise.readers.lines import line_chunks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems
    from likewise.readers.source import Source

LARGEST_FEATURE = 2**31 - 1
LONGEST_NUMBER = 99  # digits; leading zeros are no harm, but Python limits what int() reads
QUERY = re.compile(rb"(?:^|\s)qid:(-?\d{1,99})(?=\s|$)")


class _Line(NamedTuple):
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
        for chunk in line_chunks(stream, options.batch_bytes):
            raw = chunk.split(b"\n")
            lines = _content(raw, first, rows)
            first, rows = first + len(raw) - 1, rows + len(lines)
            vectors = _parse(lines)
            if vectors is None:
                lines = [line for line in lines if _is_good(line, source.name, problems)]
                vectors = _parse(lines)
            if vectors is None:
                raise InputError(f"{place(source.name, lines[0].number)} ff.: not svmlight format")
            if lines:
                yield _batch(source.name, lines, vectors, ids)
    ids.check(rows)


def _content(raw: list[bytes], first: int, row: int) -> list[_Line]:
    """The lines that hold a document, without comments."""
    bare = ((number, line.partition(b"#")[0].strip()) for number, line in enumerate(raw, first))
    kept = [(number, text) for number, text in bare if text]
    return [_Line(row + i, number, text) for i, (number, text) in enumerate(kept)]


def _parse(lines: list[_Line]) -> _Vectors | None:
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


def _is_good(line: _Line, source: str, problems: Problems) -> bool:
    fault = _fault(line.text)
    if fault:
        problems.report(place(source, line.number), fault)
    return not fault


def _fault(text: bytes) -> str:
    """What is wrong with a line, or nothing."""
    if not text.isascii():
        return "not svmlight format: it holds bytes that are not ASCII"
    labels, pairs = _split(text.decode())
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


def _split(text: str) -> tuple[list[str], list[str]]:
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


def _batch(source: str, lines: list[_Line], vectors: _Vectors, ids: VectorIds) -> SparseBatch:
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
    records, ends = pack([_record(*entry) for entry in entries])
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


def _record(id: str, labels: tuple[float, ...], line: _Line) -> dict[str, Any]:
    numbers = [int(label) if label.is_integer() else label for label in labels]
    record: dict[str, Any] = {"id": id, "labels": numbers}
    if len(numbers) == 1:
        record["label"] = numbers[0]
    if query := QUERY.search(line.text):
        record["qid"] = int(query[1])
    return record
