"""Documents that are in finished segments already, as a writer sees them: it may delete some."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from likewise.store.deletions import write_deletions
from likewise.store.strings import encode
from likewise.views import EMBEDDINGS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise.store.manifest import SegmentEntry, ViewRows
    from likewise.store.segment import Segment
    from likewise.store.transaction import Transaction

BLOCK = 8192  # documents whose vectors are looked at together


class Resident:
    """A finished segment and which of its documents are deleted by now."""

    def __init__(self, segment: Segment, first: int = -1) -> None:
        """`first` is the number in this run of its first document, -1 if it was there before."""
        self.segment = segment
        self.first = first
        self._deleted = segment.deleted_mask()
        self._changed = False

    def find(self, ids: Sequence[bytes]) -> NDArray[np.int64]:
        """The live documents with these ids, -1 where there is none."""
        found = self.segment.ids.find_encoded(ids)
        seen = np.flatnonzero(found >= 0)
        found[seen[self._deleted[found[seen]]]] = -1
        return found

    def delete(self, number: int) -> None:
        self._deleted[number] = True
        self._changed = True

    def write_deletions(self, change: Transaction) -> SegmentEntry:
        """The segment's entry in the next manifest; a file of deletions is written if needed."""
        entry = self.segment.entry
        if not self._changed:
            return entry
        deleted = np.flatnonzero(self._deleted).astype(np.uint32)
        file = change.deletions_file(entry.file)
        deletions = write_deletions(change.directory, file, deleted)
        views = {name: self._less(name, rows) for name, rows in entry.views.items()}
        return msgspec.structs.replace(entry, deletions=deletions, views=views)

    def _less(self, name: str, rows: ViewRows) -> ViewRows:
        """A view's rows in the manifest; of documents that came later, those left are counted."""
        left = int(np.count_nonzero(~self._deleted))
        if name == EMBEDDINGS and rows.later < self.segment.entry.live:
            left = min(left, self._empty(name)) if rows.later else 0
        return msgspec.structs.replace(rows, later=min(rows.later, left))

    def _empty(self, name: str) -> int:
        """Live documents whose vector says nothing; a model may have made one of zeros, too."""
        count, rows = 0, self.segment.view(name)
        for first in range(0, len(rows), BLOCK):
            empty = ~rows[first : first + BLOCK].any(axis=1)
            count += int(np.count_nonzero(empty & ~self._deleted[first : first + BLOCK]))
        return count


Hit = tuple[Resident, int]


def find_live(residents: Sequence[Resident], ids: Sequence[str]) -> dict[int, Hit]:
    """Where the i-th id's live document is, for each that has one."""
    encoded = encode(ids) if residents else []
    hits: dict[int, Hit] = {}
    for resident in residents:
        found = resident.find(encoded)
        hits.update((i, (resident, int(found[i]))) for i in np.flatnonzero(found >= 0).tolist())
    return hits
