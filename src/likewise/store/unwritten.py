"""A segment on its way to disk: its ids and keys are found all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.store.strings import StringTable

if TYPE_CHECKING:
    from concurrent.futures import Future

    from numpy.typing import NDArray

    from likewise.store.keys import KeyTable
    from likewise.store.segment import Segment
    from likewise.store.strings import Tables


class Unwritten:
    """What is asked of a segment before it can be opened; `taken` bytes are in use until then."""

    def __init__(
        self,
        ids: Tables,
        keys: Future[KeyTable],
        documents: int,
        segment: Future[Segment],
        taken: int = 0,
    ) -> None:
        self.ids = StringTable(ids.__getitem__)
        self.taken = taken
        self._keys, self._documents, self._segment = keys, documents, segment

    @property
    def keys(self) -> KeyTable:
        """Few collections have any: nobody waits for them before they are asked for."""
        return self._keys.result()

    def deleted_mask(self) -> NDArray[np.bool_]:
        return np.zeros(self._documents, np.bool_)

    def release(self) -> None:
        """All of it is needed."""

    def done(self) -> bool:
        return self._segment.done()

    def written(self) -> Segment:
        """The segment, once it is on disk."""
        return self._segment.result()
