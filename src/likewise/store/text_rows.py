"""Rows of counts out of texts, on two threads that keep each other busy.

The calling thread decodes and stems, which needs Python; one worker counts, which does not. The
worker alone touches the counter, in the order of submission, so results never depend on timing.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from likewise import _core
from likewise.store.numbering import Numbered
from likewise.text.unicode import unicode_classes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Future

    from likewise._core import CountArrays
    from likewise.readers.batch import Batch
    from likewise.store.strings import Flat, StringTable
    from likewise.text import Analyzer, Terms

AHEAD = 2  # batches that are being counted while the calling thread goes on


class TextRows:
    """Analyses batches of text; a step behind, so that counting and stemming overlap."""

    def __init__(self, analyzer: Analyzer, known: Sequence[StringTable], threads: int) -> None:
        settings = analyzer.settings
        self._analyzer = analyzer
        self._counter = _core.Counter(
            unicode_classes,
            threads=threads,
            max_bytes=settings.max_bytes,
            bigrams=settings.bigrams,
        )
        self._numbered = Numbered(self._counter, known)
        self._worker = ThreadPoolExecutor(1)
        self._counting: deque[Future[list[str]]] = deque()
        self._absorbing: deque[Future[int]] = deque()
        self.memory = 0

    def add(self, batch: Batch) -> None:
        self._counting.append(self._worker.submit(self._counter.count, batch.texts))
        if len(self._counting) > AHEAD:
            self._absorb_oldest()

    def drain(self) -> CountArrays:
        """All rows so far, which are then forgotten; their terms are not."""
        while self._counting:
            self._absorb_oldest()
        rows = self._worker.submit(self._numbered.drain).result()
        self._absorbing.clear()
        self.memory = 0
        return rows

    @property
    def terms(self) -> int:
        """Terms in the dictionary; to be asked after drain()."""
        return self._numbered.terms

    def terms_since(self, first: int) -> Flat:
        return self._numbered.terms_since(first)

    def close(self) -> None:
        self._worker.shutdown(cancel_futures=True)

    def _absorb_oldest(self) -> None:
        forms = self._counting.popleft().result()
        terms = self._analyzer.terms(forms)
        self._absorbing.append(self._worker.submit(self._absorb, terms))
        if len(self._absorbing) > AHEAD:  # never the newest: how much is known may not vary
            self.memory = self._absorbing.popleft().result()

    def _absorb(self, terms: list[Terms]) -> int:
        self._counter.absorb(terms)
        return self._counter.memory
