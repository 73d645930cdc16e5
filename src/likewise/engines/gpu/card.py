"""What the engine asks of a card. cuda.py has one by CuPy; tests have one by NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from likewise.corpus import Arrays
    from likewise.engines.gpu.layout import Array, Groups, Sparse, Tiled


class Card(Protocol):
    """Arrays are of `xp`, which is NumPy or CuPy. Vectors are float32 or float64, blocks have one
    vector per column; products add in double precision, in an order that does not change.
    """

    xp: Any
    tile: int
    """Documents of a tile: a power of 2."""
    few: int
    """Up to so many documents are taken from the host's rows: visiting these is faster there."""

    def active(self) -> AbstractContextManager[Any]:
        """While this lasts, arrays are made on this card."""

    def brought(self, array: Array) -> Array:
        """The array, copied if it lies on another card; only while this card is active."""

    @property
    def arrays(self) -> Arrays:
        """Operations on the corpus' vectors."""

    def rows_dot(self, rows: Sparse, table: Array, x: Array, factor: Array) -> Array:
        """y[i] = factor[i]·Σ X[i, j]·x[j]; `table` has f(count) of each count."""

    def add_lists(self, by_term: Tiled, table: Array, a: Array, factor: Array, out: Array) -> None:
        """out[j] += Σ X[i, j]·a[i]·factor[i], in double precision."""

    def add_groups(self, groups: Groups, added: Array, out: Array) -> None:
        """Add rows of `added` to the targets of their groups."""

    def copy_rows(self, rows: Sparse, ids: Array, to: Sparse, into: Array) -> None:
        """Copy the rows `ids` to the rows `into` of another matrix, which has space for them."""

    def widened(self, columns: Array) -> Array:
        """Column numbers of two, three or four bytes as uint32."""

    def dense_dot(self, matrix: Array, x: Array, factor: Array) -> Array:
        """y[i] = factor[i]·Σ M[i, j]·x[j]."""

    def dense_sums(self, matrix: Array, a: Array, factor: Array) -> Array:
        """g[j] = Σ a[i]·factor[i]·M[i, j]; of one vector, in double precision."""

    def room(self, bytes: int, what: str) -> None:
        """Raise if there is no memory for so many bytes more."""
