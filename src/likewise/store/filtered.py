"""Which documents of a generation a filter leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.document import values_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.filtering import Filter
    from likewise.store.snapshot import Snapshot


def matching(snapshot: Snapshot, filter: Filter) -> NDArray[np.bool_]:
    """A mask over the live documents, read-only."""
    found = (filter.matches(values_of(snapshot.record(i))) for i in range(len(snapshot)))
    mask = np.fromiter(found, np.bool_, len(snapshot))
    mask.flags.writeable = False
    return mask
