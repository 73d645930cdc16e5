"""What a simulation showed, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.effort import EFFORTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise.effort import Effort


class Run(NamedTuple):
    """One method, one seed. Documents are numbers; `priors` were known beforehand."""

    collection: str
    method: str
    seed: int
    priors: list[int]
    order: list[int]
    found: list[bool]
    missed: int
    """Relevant documents that were not reached."""
    documents: int
    updates: int
    seconds: float
    """Processor time of learning and ranking."""

    @property
    def relevance(self) -> NDArray[np.bool_]:
        """By rank, the priors left out; relevant documents that were never reached come last."""
        out = np.zeros(self.documents - len(self.priors), np.bool_)
        out[: len(self.found)] = self.found
        out[len(out) - self.missed :] = True
        return out

    def measures(self, efforts: Sequence[Effort] = EFFORTS) -> dict[str, float]:
        return {str(effort): effort(self.relevance) for effort in efforts}
