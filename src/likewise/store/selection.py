"""Some documents of a batch."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from likewise.readers.batch import Batch, DenseBatch, Records, SparseBatch
from likewise.store.arrays import select_entries

if TYPE_CHECKING:
    from collections.abc import Sequence

B = TypeVar("B", bound=Records)


def select(batch: B, rows: Sequence[int]) -> B:
    """A batch of these documents only, in this order."""
    lengths = np.diff(batch.ends, prepend=np.uint64(0))[rows]
    chosen = dataclasses.replace(
        batch,
        ids=[batch.ids[i] for i in rows],
        records=b"".join([batch.record(i) for i in rows]),
        ends=np.cumsum(lengths, dtype=np.uint64),
        sources=[batch.sources[i] for i in rows],
        lines=batch.lines[rows],
    )
    if isinstance(chosen, Batch):
        chosen.texts = [[texts[i] for i in rows] for texts in chosen.texts]
    elif isinstance(chosen, SparseBatch):
        chosen.starts, entries = select_entries(chosen.starts, np.array(rows, np.int64))
        chosen.columns, chosen.values = chosen.columns[entries], chosen.values[entries]
    elif isinstance(chosen, DenseBatch):
        chosen.values = chosen.values[rows]
    return chosen
