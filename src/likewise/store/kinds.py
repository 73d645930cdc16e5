"""The kinds of index: what one holds, how it is stored, and how it may be weighted.

An index is of one kind. Whatever depends on it is a field of its `Kind`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from likewise import weighting as weightings
from likewise.readers.batch import Batch, DenseBatch, SparseBatch
from likewise.store.matrices import CountMatrix, DenseMatrix, ValueMatrix
from likewise.store.rows import CountRows, DenseRows, TextRows, ValueRows, are_counts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from likewise.readers.batch import AnyBatch
    from likewise.store.manifest import KindName
    from likewise.store.matrices import Matrix
    from likewise.store.rows import Rows
    from likewise.store.strings import StringTable
    from likewise.text import Analyzer
    from likewise.weighting import Weighting

    Terms = Sequence[StringTable]

EVERY_WEIGHTING = tuple(weightings.WEIGHTINGS)


@dataclass(frozen=True)
class Kind:
    """What an index holds. `weightings` are those that fit it, the default first."""

    name: KindName
    description: str
    batch: type[AnyBatch]  # that readers make of it
    rows: Callable[[Analyzer, Terms, int], Rows]
    matrix: Matrix[Any]
    weightings: tuple[str, ...]
    has_text: bool = False  # that words, or a model, can be compared with
    has_counts: bool = False  # of terms, which a latent space is learned from

    def weighting(self, name: str | None, preferred: str | None = None) -> Weighting:
        """The weighting of this name; else the preferred one if it fits, or the default."""
        return weightings.choose(name, self.weightings, self.name, preferred)


KINDS: dict[KindName, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            "text",
            "text",
            Batch,
            TextRows,
            CountMatrix(),
            EVERY_WEIGHTING,
            has_text=True,
            has_counts=True,
        ),
        Kind(
            "counts",
            "vectors of counts",
            SparseBatch,
            lambda _analyzer, known, _threads: CountRows(known),
            CountMatrix(),
            EVERY_WEIGHTING,
            has_counts=True,
        ),
        Kind(
            "values",
            "sparse vectors of real values",
            SparseBatch,
            lambda _analyzer, known, _threads: ValueRows(known),
            ValueMatrix(),
            ("unit", "raw"),
        ),
        Kind(
            "dense",
            "dense vectors",
            DenseBatch,
            lambda _analyzer, known, _threads: DenseRows(known),
            DenseMatrix(),
            ("unit", "raw"),
        ),
    )
}


def kind_of(name: KindName | None) -> Kind:
    """The kind of this name; an index that has none yet is as one of text."""
    return KINDS[name or "text"]


def kind_of_batch(batch: AnyBatch) -> Kind:
    """The kind of index that a first batch makes."""
    if isinstance(batch, Batch):
        return KINDS["text"]
    if isinstance(batch, DenseBatch):
        return KINDS["dense"]
    return KINDS["counts" if are_counts(batch.values) else "values"]
