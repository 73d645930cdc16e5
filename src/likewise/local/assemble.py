"""From segments' matrices and a weighting to the Corpus a learner sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.local.corpus import LocalCorpus
from likewise.local.segments import Factors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.local.segments import Stored
    from likewise.weighting import Weighting


def assemble(
    stored: Sequence[Stored], width: int, weighting: Weighting, threads: int = 1
) -> LocalCorpus:
    factors = Factors.of(stored, width, weighting)
    segments = [factors.segment(each, threads) for each in stored]
    return LocalCorpus(segments, factors, threads=threads)
