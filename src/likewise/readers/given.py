"""Documents that a program hands over."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from likewise.document import Document
from likewise.errors import UsageError
from likewise.readers.columns import rename
from likewise.readers.gather import Entry, gather

if TYPE_CHECKING:
    from likewise.readers.batch import Batch
    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems


def read_given(
    documents: Iterable[Any], options: ReadOptions, problems: Problems
) -> Iterator[Batch]:
    """Documents, or dictionaries with the names that a line of JSONL may have."""
    yield from gather(_entries(documents, options), options, problems, unit="number")


def _entries(documents: Iterable[Any], options: ReadOptions) -> Iterator[Entry]:
    for number, document in enumerate(documents, 1):
        yield Entry("documents given", number, _values(document, number, options))


def _values(document: Any, number: int, options: ReadOptions) -> Mapping[str, Any]:
    if isinstance(document, Document):
        return document.values()
    if isinstance(document, Mapping):
        names = rename(list(document), options.columns)
        return dict(zip(names, document.values(), strict=True))
    raise UsageError(
        f"number {number} of the documents given is a {type(document).__name__}, "
        "not a Document or a dictionary"
    )
