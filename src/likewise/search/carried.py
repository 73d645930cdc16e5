"""Vectors that documents bring with them, as embeddings of an index or of examples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from likewise.document import Document, Text
from likewise.errors import UsageError
from likewise.views import EMBEDDINGS
from likewise.views.models import unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise.search.open_index import OpenIndex
    from likewise.search.viewed_index import ViewedIndex
    from likewise.store.snapshot import Snapshot

    Row = NDArray[np.float32]


class Carried:
    """Watches documents on their way into an index, and keeps the vectors that they bring."""

    def __init__(self, index: OpenIndex) -> None:
        self._before = index.searcher.snapshot
        self._vectors: dict[str, Row] = {}
        view = self._before.manifest.views.get(EMBEDDINGS)
        self._dimensions = view.dimensions if view else None
        self._model = view.source if view and view.probe else ""

    def watch(self, documents: Any) -> Any:
        """The documents as they were given; those of an iterator are looked at in passing."""
        if isinstance(documents, Document):
            self._look(documents)
        elif isinstance(documents, (list, tuple)):
            for document in documents:
                self._look(document)
        elif isinstance(documents, Iterator):
            return map(self._look, documents)
        return documents

    def bring(self, index: ViewedIndex, *, skipped: bool) -> None:
        """Make them embeddings of the documents that were added; not of those `skipped`."""
        there = index.searcher.snapshot
        ids = list(self._vectors)
        wanted = there.numbers(ids) >= 0
        if skipped:
            wanted &= self._before.numbers(ids) < 0
        added = [id for id, one in zip(ids, wanted.tolist(), strict=True) if one]
        if added:
            index.embed(np.stack([self._vectors[id] for id in added]), added)

    def _look(self, document: Any) -> Any:
        if isinstance(document, Document) and document.vector is not None:
            self._vectors[document.id] = self._checked(document)
        return document

    def _checked(self, document: Document) -> Row:
        if self._model:
            raise UsageError(
                f"document {document.id!r} brings a vector, but the embeddings of "
                f"{self._before.directory} were made by {self._model}: leave it out, and embed "
                "the document by the model"
            )
        vector = _row(document)
        if self._dimensions not in (None, len(vector)):
            raise UsageError(
                f"document {document.id!r} has a vector of {len(vector)} numbers, and others "
                f"have {self._dimensions}: give vectors of one model"
            )
        self._dimensions = len(vector)
        return vector


def of_examples(snapshot: Snapshot, examples: Sequence[Text | Document | None]) -> Row:
    """A row for each example in the index' embeddings: 0 for one that brings no vector."""
    view, centre = snapshot.manifest.views[EMBEDDINGS], snapshot.centre
    rows = np.zeros((len(examples), view.dimensions), np.float32)
    for place, example in enumerate(examples):
        if example is None or example.vector is None:
            continue
        vector = _row(example)
        if len(vector) != view.dimensions:
            raise UsageError(
                f"an example's vector has {len(vector)} numbers, and the embeddings of "
                f"{snapshot.directory} ({view.source}) have {view.dimensions}: give one of the "
                "same model"
            )
        rows[place] = vector if centre is None or not vector.any() else vector - centre
    return rows


def _row(document: Text | Document) -> Row:
    """A vector of unit length."""
    name = f"document {document.id!r}" if isinstance(document, Document) else "the text"
    try:
        vector = np.asarray(document.vector, np.float64)
    except (TypeError, ValueError):
        vector = np.zeros((0, 0))
    if vector.ndim != 1 or not len(vector):
        raise UsageError(f"the vector of {name} is not a list of numbers")
    if not np.isfinite(vector).all():
        raise UsageError(f"the vector of {name} has a number that is missing or infinite")
    row: Row = unit(vector[None], name)[0]
    return row
