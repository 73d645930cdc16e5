"""The corpora of one generation: its words by weighting, its other views, and stacks of them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from likewise import weighting as weightings
from likewise.corpus import SparseVector
from likewise.errors import UsageError
from likewise.local import CountMatrix, DensePart, LocalCorpus, Part, Stored, ValuePart, assemble
from likewise.views import Stack, View, stack
from likewise.views.latent import Folding

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likewise._core import CountArrays
    from likewise.store.segment import Segment
    from likewise.store.snapshot import Snapshot
    from likewise.weighting import Weighting

WORDS, LATENT, EMBEDDINGS = "words", "latent", "embeddings"
LATENT_WEIGHTING = "tfidf"
SOME = 100
ONLY_WORDS: Mapping[str, float] = {WORDS: 1.0}


class Corpora:
    """Made once each, when they are first asked for; lengths are found once per weighting."""

    def __init__(self, snapshot: Snapshot, threads: int) -> None:
        self._snapshot, self._threads = snapshot, threads
        self._made: dict[str, LocalCorpus] = {}

    def weighting(self, name: str | None, preferred: str | None = None) -> Weighting:
        return weightings.choose(name, self._snapshot.manifest.kind or "text", preferred)

    def words(self, weighting: str | None = None) -> LocalCorpus:
        chosen = self.weighting(weighting)
        if chosen.name not in self._made:
            width = self._snapshot.terms
            self._made[chosen.name] = assemble(self.stored, width, chosen, self._threads)
        return self._made[chosen.name]

    def view(self, name: str) -> LocalCorpus:
        """The latent space, or the embeddings: a mapped dense vector a document."""
        if name not in self._snapshot.manifest.views:
            known = ", ".join([WORDS, *self._snapshot.manifest.views])
            raise UsageError(f"no view {name!r} in {self._snapshot.directory}: there is {known}")
        if f"view {name}" not in self._made:
            rows = [Stored(DensePart(s.view(name)), s.live) for s in self._snapshot.segments]
            width = self._snapshot.manifest.views[name].dimensions
            raw = weightings.WEIGHTINGS["raw"]
            self._made[f"view {name}"] = assemble(rows, width, raw, self._threads)
        return self._made[f"view {name}"]

    def stacked(
        self,
        weighting: str | None,
        factors: Mapping[str, float] = ONLY_WORDS,
        outside: CountArrays | None = None,
    ) -> LocalCorpus | Stack:
        """Views side by side, the words first, and behind all documents those from outside."""
        found = []
        for name, factor in factors.items():
            corpus = self.words(weighting) if name == WORDS else self.view(name)
            if outside is not None:
                corpus = corpus.extended(outside if name == WORDS else self._folded(name, outside))
            found.append(View(name, corpus, factor))
        if len(found) == 1 and found[0].factor == 1.0 and isinstance(found[0].corpus, LocalCorpus):
            return found[0].corpus
        return stack(found)

    @property
    def entries(self) -> int:
        """Numbers that the documents' own vectors hold."""
        return sum(segment.entries for segment in self._snapshot.segments)

    @cached_property
    def folding(self) -> Folding | None:
        model = self._snapshot.latent
        return None if model is None else Folding(model, self._threads)

    @cached_property
    def stored(self) -> list[Stored]:
        kind = self._snapshot.manifest.kind
        return [Stored(_matrix(s, kind), s.live) for s in self._snapshot.segments]

    @cached_property
    def stretch(self) -> float:
        """How much longer a document is than its latent vector was, on average over some."""
        some = range(min(SOME, len(self._snapshot)))
        lengths = [np.linalg.norm(place) for _, place in map(self._in_latent_words, some)]
        known = [length for length in lengths if length > 0]
        return float(np.mean([1 / length for length in known])) if known else 1.0

    def latent_words(self, number: int, vector: NDArray[np.float64]) -> SparseVector:
        """What each word of a document adds to its score by a vector of the latent space.

        What is missing to that score is the same for all documents: the centre's.
        """
        row, place = self._in_latent_words(number)
        length = float(np.linalg.norm(place))
        if not length or self._snapshot.latent is None:
            return SparseVector(row.columns[:0], row.weights[:0])
        model = self._snapshot.latent
        along = model.basis[np.searchsorted(model.terms, row.columns)].astype(np.float64) @ vector
        return SparseVector(row.columns, row.weights * along / length)

    def _in_latent_words(self, number: int) -> tuple[SparseVector, NDArray[np.float64]]:
        """A document's terms that the latent space knows, without column factors, and Vᵀ·x."""
        model = self._snapshot.latent
        words = self.words(LATENT_WEIGHTING)
        row = words.rows(np.array([number]))
        if model is None:
            return SparseVector(row.columns[:0], row.values[:0]), np.zeros(0)
        known = np.isin(row.columns, model.terms) & (words.col[row.columns] > 0)
        columns = row.columns[known]
        weights = row.values[known] / words.col[columns]
        basis = model.basis[np.searchsorted(model.terms, columns)].astype(np.float64)
        return SparseVector(columns, weights), weights @ basis

    def _folded(self, name: str, outside: CountArrays) -> NDArray[np.float32]:
        """Documents from outside in a view; nobody knows the embeddings of theirs."""
        matrix = CountMatrix(outside, lambda: outside, self._snapshot.terms, trusted=False)
        documents = matrix.rows.shape[0]
        if name == LATENT and self.folding is not None:
            return self.folding(matrix, np.arange(documents, dtype=np.uint32))
        return np.zeros((documents, self.view(name).shape[1]), np.float32)


def _matrix(segment: Segment, kind: str | None) -> CountMatrix | Part:
    """Checksums were verified when the arrays were mapped: they can be trusted."""
    if kind == "dense":
        return DensePart(segment.dense)
    if kind == "values":
        rows = segment.value_rows
        return ValuePart(rows["starts"], rows["columns"], rows["values"], segment.width)
    return CountMatrix(segment.rows, lambda: segment.inverted, segment.width, trusted=True)
