"""Collections of other libraries, known by their methods: none of these is imported.

Tables of Arrow, data sets of Hugging Face and of ir_datasets, arrays of vectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from likewise.errors import UsageError
from likewise.readers.objects import Frame, read_documents
from likewise.readers.streams import Source
from likewise.readers.vectors import read_array

if TYPE_CHECKING:
    from likewise.readers.batch import AnyBatch
    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems

VECTORS = "vectors given"


def as_table(given: Any) -> Frame | None:
    """A table, batch, reader or data set of Arrow, or a data set of Hugging Face, as a Frame."""
    if isinstance(given, type):
        return None
    name = type(given).__name__
    names = getattr(getattr(given, "schema", None), "names", None)
    if isinstance(names, list):
        batches = _arrow_batches(given)
        if batches is not None:
            return Frame(name, names, lambda: _arrow_rows(batches))
    columns = getattr(given, "column_names", None)
    if isinstance(columns, list) and hasattr(given, "features") and isinstance(given, Iterable):
        return Frame(name, columns, lambda: _dictionaries(given, columns))
    return None


def refuse_splits(given: Mapping[Any, Any]) -> None:
    """A dictionary of data sets is not a document: say which of them is meant."""
    if given and all(hasattr(one, "column_names") for one in given.values()):
        splits = ", ".join(map(repr, given))
        raise UsageError(f"a {type(given).__name__} of {splits} was given: give one of them")


def read_foreign(given: Any, options: ReadOptions, problems: Problems) -> Iterator[AnyBatch] | None:
    """Documents of ir_datasets, or vectors in an array or a sparse matrix; None for others."""
    if callable(getattr(given, "docs_iter", None)):
        _refuse_ids(options)
        return read_documents((_record(one) for one in given.docs_iter()), options, problems)
    if isinstance(given, np.ndarray) or callable(getattr(given, "tocsr", None)):
        if options.ids is None:
            raise UsageError("vectors need ids: give one for each row, as in add(vectors, ids=…)")
        return read_array(given, Source(VECTORS, "", None), options, problems)
    _refuse_ids(options)
    return None


def _refuse_ids(options: ReadOptions) -> None:
    if options.ids is not None:
        raise UsageError("ids are for an array of vectors: documents have ids of their own")


def _arrow_batches(given: Any) -> Iterable[Any] | None:
    batches: Iterable[Any]
    if callable(getattr(given, "to_batches", None)):
        batches = given.to_batches()
        return batches
    if callable(getattr(given, "read_next_batch", None)):
        batches = iter(given)
        return batches
    return [given] if callable(getattr(given, "to_pylist", None)) else None


def _arrow_rows(batches: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
    for batch in batches:
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def _dictionaries(given: Iterable[Any], columns: list[str]) -> Iterator[tuple[Any, ...]]:
    return (tuple(row[column] for column in columns) for row in given)


def _record(document: Any) -> Any:
    """A document of ir_datasets, a named tuple, as a dictionary."""
    fields = getattr(document, "_asdict", None)
    return fields() if callable(fields) else document
