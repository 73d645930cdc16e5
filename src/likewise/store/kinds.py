"""One kind of document an index: what the first batch is decides, the others must be like it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from likewise.errors import UsageError
from likewise.readers.batch import Batch, DenseBatch, SparseBatch
from likewise.store.matrices import MATRICES
from likewise.store.text_rows import TextRows
from likewise.store.vector_rows import CountRows, DenseRows, ValueRows, are_counts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from likewise.readers.batch import AnyBatch
    from likewise.store.manifest import Kind
    from likewise.store.matrices import Matrix
    from likewise.store.strings import Flat, StringTable
    from likewise.store.transaction import Transaction
    from likewise.text import Analyzer

    Terms = Sequence[StringTable]

DESCRIPTIONS = {
    "text": "text",
    "counts": "vectors of counts",
    "values": "sparse vectors of real values",
    "dense": "dense vectors",
}
ACCEPTED: dict[str, type] = {
    "text": Batch,
    "counts": SparseBatch,
    "values": SparseBatch,
    "dense": DenseBatch,
}


class Rows(Protocol):
    """Collects the rows of a segment, and numbers terms over all of them."""

    @property
    def memory(self) -> int:
        """Bytes that the rows collected take."""

    @property
    def terms(self) -> int:
        """Terms numbered so far; to be asked after drain()."""

    def add(self, batch: Any) -> None: ...
    def drain(self) -> Any: ...
    def terms_since(self, first: int) -> Flat: ...
    def close(self) -> None: ...


ROWS: dict[Kind, Callable[[Analyzer, Terms, int], Rows]] = {
    "text": TextRows,
    "counts": lambda _analyzer, known, _threads: CountRows(known),
    "values": lambda _analyzer, known, _threads: ValueRows(known),
    "dense": lambda _analyzer, known, _threads: DenseRows(known),
}


class Kinds:
    """Makes the collector of rows when the kind is known, and refuses batches of other kinds."""

    rows: Rows

    def __init__(
        self,
        change: Transaction,
        analyzer: Analyzer,
        known: Terms,
        threads: int,
    ) -> None:
        self.kind = change.manifest.kind
        self._directory = change.directory
        self._latent = change.manifest.latent
        self._analyzer = analyzer
        self._known = known
        self._threads = threads
        self._made = False

    @property
    def matrix(self) -> Matrix[Any]:
        return MATRICES[self.kind or "text"]

    def rows_for(self, batch: AnyBatch) -> Rows:
        if self.kind is None:
            self.kind = kind_of(batch)
            self._refuse_latent(batch)
        if not isinstance(batch, ACCEPTED[self.kind]):
            raise UsageError(
                f"{batch.place(0)} is {DESCRIPTIONS[kind_of(batch)]}, but {self._directory} holds "
                f"{DESCRIPTIONS[self.kind]}: make another index for it"
            )
        if not self._made:
            self.rows = ROWS[self.kind](self._analyzer, self._known, self._threads)
            self._made = True
        return self.rows

    def _refuse_latent(self, batch: AnyBatch) -> None:
        """A latent space that was asked for is not left out in silence."""
        if self._latent and self.kind not in ("text", "counts"):
            raise UsageError(
                f"{batch.place(0)} is {DESCRIPTIONS[self.kind or 'text']}: a latent space, which "
                f"{self._directory} is to have, is learned from words (leave out --latent)"
            )

    def close(self) -> None:
        if self._made:
            self.rows.close()


def kind_of(batch: AnyBatch) -> Kind:
    if isinstance(batch, Batch):
        return "text"
    if isinstance(batch, DenseBatch):
        return "dense"
    return "counts" if are_counts(batch.values) else "values"
