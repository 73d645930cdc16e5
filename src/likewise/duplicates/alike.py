"""Records of the same paper among some that are in no index yet, by what they tell about it.

Without an index there are no terms of abstracts to compare: titles must be nearly the same, and
authors and years must not speak against it. So fewer are found than in the index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.duplicates import candidates
from likewise.duplicates.compare import Comparison
from likewise.duplicates.facts import Facts, as_array, decoded
from likewise.duplicates.groups import joined

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEED = 20_260_101
FEW_WORDS = 0.6  # in common with the longer title, below which nothing else is looked at


class Alike:
    """Collects what records tell: about 300 bytes each."""

    def __init__(self) -> None:
        self._facts = Facts()

    def add(self, records: bytes) -> None:
        """Records as JSON, one a line."""
        self._facts.add(decoded(records))

    def count(self) -> int:
        """How many are of the same paper as an earlier one."""
        compare = Comparison(self._facts, lambda number: frozenset(), has_texts=False)
        found = [(a, b) for a, b in self._candidates().tolist() if compare(a, b)]
        return sum(len(group) - 1 for group in joined(found, lambda number: number))

    def _candidates(self) -> NDArray[np.int64]:
        facts = self._facts
        titles = candidates.hashes_of(facts.titles)
        by_key = np.stack([titles, as_array(facts.dois), as_array(facts.pmids)]).astype(np.uint64)
        words = candidates.together(candidates.title_sets(facts.titles))
        by_title = candidates.band_keys([words], candidates.TITLES, 2, SEED)
        found = [np.zeros(0, np.int64)]
        for keys in np.concatenate([by_key, by_title]):
            there = np.flatnonzero(keys)
            found.append(candidates.pairs(there, keys[there], titles[there]))
        codes = np.unique(np.concatenate(found))
        pairs = np.stack([codes >> 32, codes & 0xFFFFFFFF], axis=1)
        return pairs[candidates.shares(pairs, words) >= FEW_WORDS]
