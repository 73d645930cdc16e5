"""The documents of an index page by page, and the ids that documents get in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from likewise.readers.objects import read_documents
from likewise.readers.options import ReadOptions
from likewise.readers.problems import Problems
from likewise.server.causes import Cause
from likewise.server.models.indexes import DocumentList, ListedDocument
from likewise.server.problems import ProblemError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.filters import Filter
    from likewise.index import Index
    from likewise.server.stop import Stop


def listed_documents(
    index: Index, filter: Filter | None, after: str | None, limit: int, snippet: int, stop: Stop
) -> DocumentList:
    """A page, from the document behind `after` on."""
    snapshot = index.searcher.snapshot
    first = 0
    if after is not None:
        first = int(snapshot.numbers([after])[0]) + 1
        if not first:
            gone = f"no document {after!r} to go on after: it was deleted, or never there"
            raise ProblemError(Cause.unknown_document, gone)
    mask = index.searcher.kept(filter)
    if mask is None:
        numbers, matching = range(first, min(first + limit, len(index))), len(index)
        more = first + limit < len(index)
    else:
        found = np.flatnonzero(mask)
        matching = len(found)
        rest = found[np.searchsorted(found, first) :]
        numbers, more = rest[:limit].tolist(), len(rest) > limit
    ids, documents = snapshot.ids(numbers), []
    for number, id in zip(numbers, ids, strict=True):
        stop.check()
        one = snapshot.document(number, id)
        documents.append(
            ListedDocument(id=id, title=one.title, snippet=one.text[:snippet], fields=one.fields)
        )
    return DocumentList(
        generation=index.generation,
        total=len(index),
        matching=matching,
        documents=documents,
        next_after=ids[-1] if more else None,
    )


def ids_of(index: Index, given: Sequence[dict[str, Any]]) -> list[str | None]:
    """The id of each document given, as the readers tell it, if the index has it by now."""
    options = ReadOptions(fields=index.analyzer.settings.fields)
    ids: dict[int, str] = {}
    for batch in read_documents(given, options, Problems(strict=False)):
        ids |= zip(batch.lines.tolist(), batch.ids, strict=True)
    numbers = index.searcher.snapshot.numbers(list(ids.values())).tolist()
    there = {line for line, number in zip(ids, numbers, strict=True) if number >= 0}
    return [ids[line] if line in there else None for line in range(1, len(given) + 1)]
