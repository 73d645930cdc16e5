"""Columns that a part of a corpus numbers in its own way, as a shard does.

Vectors over terms are brought into a part's numbers, and back, once a pass for all neighbours that
share them. A row's entries stay in stored order, which is that of the document: so its sums are the
same bits whatever its columns are called.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise import _core

    Numbers = NDArray[np.uint32]
    Places = NDArray[np.int64]
    Vectors = NDArray[Any]


class Renumbered:
    """Column c of a part is column numbers[c] of its corpus; no two are the same."""

    def __init__(self, numbers: Numbers) -> None:
        self.numbers = numbers

    def find(self, columns: NDArray[np.integer]) -> tuple[Places, Places]:
        """Which of some columns of the corpus are here, and their numbers here."""
        order, ascending = self._sorted
        places = np.searchsorted(ascending, columns)
        known = np.flatnonzero(places < len(ascending))
        known = known[ascending[places[known]] == columns[known]]
        return known, order[places[known]]

    @cached_property
    def _sorted(self) -> tuple[Places, Numbers]:
        order = np.argsort(self.numbers)
        return order, self.numbers[order]


class _Part(Protocol):
    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def columns(self) -> Renumbered | None: ...


def known_columns(part: _Part, columns: NDArray[np.int32]) -> tuple[Places, NDArray[np.int32]]:
    """Which of some columns of the corpus a part has, and their numbers there."""
    if part.columns is None:
        known, local = np.arange(len(columns)), columns
    else:
        known, found = part.columns.find(columns)
        local = found.astype(np.int32)
    within = local < part.shape[1]
    return known[within], local[within]


class Inwards:
    """A vector or a block over the corpus' columns, as each part numbers them."""

    _of: Renumbered | None = None

    def __init__(self, whole: Vectors) -> None:
        self._whole = self._own = whole

    def __call__(self, part: _Part) -> Vectors:
        if part.columns is not self._of:
            self._of = part.columns
            self._own = self._whole if self._of is None else self._whole[self._of.numbers]
        return self._own[: part.shape[1]]


class Outwards:
    """Sums the parts' vectors by the corpus' columns: over neighbours first, then over all."""

    _of: Renumbered | None = None

    def __init__(self, total: Vectors, todo: _core.Pass | None = None) -> None:
        """`todo` is run before sums are read."""
        self._total = self._own = total
        self._todo = todo

    def __call__(self, part: _Part) -> Vectors:
        """What to add a part's vector to."""
        if part.columns is not self._of:
            self._bring()
            self._of = part.columns
            self._own = self._total
            if self._of is not None:
                shape = (len(self._of.numbers), *self._total.shape[1:])
                self._own = np.zeros(shape, self._total.dtype)
        return self._own[: part.shape[1]]

    def total(self) -> Vectors:
        self._bring()
        self._of, self._own = None, self._total
        return self._total

    def _bring(self) -> None:
        if self._todo is not None:
            self._todo.run()
        if self._of is not None:
            self._total[self._of.numbers] += self._own
