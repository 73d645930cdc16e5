"""One generation of an index: its views as corpora, and what searches need of it."""

from __future__ import annotations

import math
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from likewise import weighting as weightings
from likewise.corpus import SparseVector, Spreading, Stored
from likewise.engines import DEFAULT, engine_of, writing
from likewise.engines.stack import Columns, Stack, View
from likewise.errors import UnknownIdError, UsageError
from likewise.search.keywords import parse
from likewise.store.container import read_together
from likewise.store.fieldnames import refuse_unknown
from likewise.store.fields import matching, summarise
from likewise.store.kinds import kind_of
from likewise.store.partitions import partitions
from likewise.store.segment import Segment
from likewise.store.structure import check_counts_together
from likewise.store.titles import rows_of
from likewise.views import EMBEDDINGS, LATENT, ONLY_WORDS, TITLES, WORDS, titles
from likewise.views.latent import WEIGHTING, Folding
from likewise.views.precision import rounded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from likewise._core import CountArrays
    from likewise.corpus import Collection, Corpus, Mask
    from likewise.filters import Filter
    from likewise.search.examples import Examples, Gathered
    from likewise.search.grouping import Grouping
    from likewise.search.surface import Surface
    from likewise.store.fields import FieldSummary
    from likewise.store.partitions import Partition
    from likewise.store.snapshot import Snapshot
    from likewise.text import Analyzer
    from likewise.weighting import Weighting

MASKS = 8  # filters whose masks are cached, one byte per document
SAME = 1e-9  # tolerance of a cosine: documents with the same terms are the same document
SOME = 100  # documents used to estimate the length of latent vectors


class Generation:
    """A snapshot, the analyzer of queries to it, and its views as corpora of one engine.

    Corpora are made on first use; lengths are computed once per weighting.
    """

    def __init__(self, snapshot: Snapshot, analyzer: Analyzer, engine: str, threads: int) -> None:
        self.snapshot = snapshot
        self._kind = kind_of(snapshot.manifest.kind)
        self._engine, self._threads = engine_of(engine), threads
        self._spreading = self._engine if isinstance(self._engine, Spreading) else None
        self._settings = analyzer, engine, threads
        self._corpora: dict[str, Corpus] = {}
        self._masks: dict[Filter, Mask] = {}
        self._fields: dict[int, list[FieldSummary]] = {}
        self.analyzer = analyzer
        if (drift := snapshot.drift) and drift.stems:
            from likewise.search.kept_stems import analyzer_of

            self.analyzer = analyzer_of(self, drift.stems)

    def __len__(self) -> int:
        return len(self.snapshot)

    def over(self, snapshot: Snapshot) -> Generation:
        """The same over another snapshot."""
        return Generation(snapshot, *self._settings)

    @cached_property
    def on_host(self) -> Generation:
        """The same by the default engine, for when another finds no memory."""
        analyzer, _, threads = self._settings
        return Generation(self.snapshot, analyzer, DEFAULT, threads)

    @property
    def engine(self) -> str:
        return self._settings[1]

    @property
    def lost(self) -> bool:
        """Whether its engine has lost what it had opened, and is to be asked for it again."""
        return self._spreading is not None and self._spreading.lost

    @property
    def place(self) -> str:
        """Where the index is, for messages."""
        return str(self.snapshot.directory)

    @property
    def holds_text(self) -> bool:
        return self._kind.has_text

    def number(self, id: str) -> int:
        number = int(self.snapshot.numbers([id])[0])
        if number < 0:
            raise UnknownIdError(f"no document {id!r} in {self.place}")
        return number

    def weighting(self, name: str | None, preferred: str | None = None) -> Weighting:
        """The named weighting; by default the preferred one, or that for the kind of index."""
        return self._kind.weighting(name, preferred)

    def words(self, weighting: str | None = None) -> Corpus:
        """The documents' own vectors as a corpus."""
        chosen = self.weighting(weighting)
        if chosen.name not in self._corpora:
            self._corpora[chosen.name] = self._collection.corpus(chosen)
        return self._corpora[chosen.name]

    def view(self, name: str) -> Corpus:
        """The parts of titles, the latent space or the embeddings: a mapped row per document."""
        if name not in self.views:
            known = ", ".join([WORDS, *self.views])
            raise UsageError(f"no view {name!r} in {self.place}: choose from {known}")
        if f"view {name}" not in self._corpora:
            is_sparse = name in self.snapshot.manifest.sparse
            weighting = titles.WEIGHTING if is_sparse else weightings.WEIGHTINGS["raw"]
            self._corpora[f"view {name}"] = self._rows_of(name).corpus(weighting)
        return self._corpora[f"view {name}"]

    @property
    def views(self) -> list[str]:
        """The views that the index has beside the words."""
        manifest = self.snapshot.manifest
        return [*manifest.sparse, *manifest.views]

    def columns(self, views: Mapping[str, float] = ONLY_WORDS) -> Columns:
        """The position of each view's columns in a vector over several views."""
        return Columns({name: self._width(name) for name in views})

    def stacked(
        self,
        weighting: str | None,
        factors: Mapping[str, float] = ONLY_WORDS,
        outside: CountArrays | None = None,
        embedded: NDArray[np.float32] | None = None,
        titled: Sequence[str] = (),
    ) -> Corpus:
        """Views side by side, words first; outside documents follow those of the index.

        `embedded` are the embeddings of the outside documents, if there are any, and `titled` are
        their titles.
        """
        found = []
        for name, factor in factors.items():
            corpus = self.words(weighting) if name == WORDS else self.view(name)
            if outside is not None:
                rows: CountArrays | NDArray[np.float32] = outside
                if name == TITLES:
                    rows = rows_of(titled)
                elif name != WORDS:
                    known = embedded if name == EMBEDDINGS else None
                    rows = self._folded(name, outside, known)
                corpus = corpus.extended(rows)
            found.append(View(name, corpus, factor))
        if len(found) == 1 and found[0].factor == 1.0:
            return found[0].corpus
        return Stack(found)

    @property
    def entries(self) -> int:
        """How many numbers the documents' own vectors hold."""
        return sum(segment.entries for segment in self.snapshot.segments)

    def gather(self, liked: Examples, disliked: Examples) -> Gathered:
        """Examples as numbers of documents."""
        from likewise.search.examples import Gathering

        self.snapshot.prepare(self._threads)
        return Gathering(self.snapshot, self.analyzer, self._twin)(liked, disliked)

    def query_of(self, words: str, weighting: str | None = None) -> SparseVector:
        """Words as a query of unit length, so that scores are cosines."""
        if not self.holds_text:
            raise UsageError(
                f"{self.place} holds vectors, not text: "
                "search it by example, with ids of its documents"
            )
        return self._unit_vector(self.analyzer(parse(words).words), weighting)

    def kept(self, filter: Filter | None) -> Mask | None:
        """A mask of the documents that match a filter; the masks of a few filters are cached."""
        if filter is None:
            return None
        mask = self._masks.get(filter)
        if mask is None:
            refuse_unknown(self.snapshot, filter.fields)
            mask = matching(self.snapshot, filter)
            while len(self._masks) >= MASKS:  # another thread may have removed one
                self._masks.pop(next(iter(self._masks)), None)
            self._masks[filter] = mask
        return mask

    @cached_property
    def grouping(self) -> Grouping:
        """Which documents are duplicates, computed once or read from what was kept."""
        from likewise.search.grouping import Grouping

        return Grouping(self.snapshot)

    @cached_property
    def surface(self) -> Surface:
        """Whole words for terms."""
        from likewise.search.surface import Surface

        return Surface(self)

    def fields(self, most: int) -> list[FieldSummary]:
        """The fields to filter by, computed once."""
        if most not in self._fields:
            self._fields[most] = summarise(self.snapshot, most)
        return self._fields[most]

    @cached_property
    def stretch(self) -> float:
        """The mean ratio of a document's length to its latent vector's, over some documents."""
        some = range(min(SOME, len(self)))
        lengths = [np.linalg.norm(place) for _, place in map(self._in_latent_words, some)]
        known = [length for length in lengths if length > 0]
        return float(np.mean([1 / length for length in known])) if known else 1.0

    def latent_words(self, number: int, vector: NDArray[np.float64]) -> SparseVector:
        """What each word of a document adds to its score by a vector of the latent space.

        The rest of the score comes from the centre and is the same for all documents.
        """
        row, place = self._in_latent_words(number)
        length = float(np.linalg.norm(place))
        model = self.snapshot.latent
        if not length or model is None:
            return SparseVector(row.columns[:0], row.weights[:0])
        along = model.rows(row.columns) @ vector
        return SparseVector(row.columns, row.weights * along / length)

    @cached_property
    def _collection(self) -> Collection:
        if self._spreading is not None:
            return self._spreading.spread(self._partitions, self.snapshot.terms, self._threads)
        stored = self.snapshot.stored(self._threads)
        return self._engine.collection(stored, self.snapshot.terms, self._threads)

    def _rows_of(self, name: str) -> Collection:
        """The stored rows of a view."""
        width, segments = self._width(name), self.snapshot.segments
        if self._spreading is not None:
            viewed = [part.of(name, width) for part in self._partitions]
            return self._spreading.spread(viewed, width, self._threads)
        is_sparse = name in self.snapshot.manifest.sparse
        read = Segment.stored_sparse_view if is_sparse else Segment.stored_view
        read_together([segment.to_score_view(name) for segment in segments], self._threads)
        if is_sparse:
            counted = [segment.counted_view(name, width) for segment in segments]
            check_counts_together(counted, self._threads)
        stored = [read(segment, name, width) for segment in segments]
        return self._engine.collection(stored, width, self._threads)

    @cached_property
    def _partitions(self) -> list[Partition]:
        """What an engine of several machines opens there."""
        return partitions(self.snapshot)

    def _width(self, name: str) -> int:
        if name == WORDS:
            return self.snapshot.terms
        manifest = self.snapshot.manifest
        if name in manifest.sparse:
            return manifest.sparse[name].width
        return manifest.views[name].dimensions

    def _unit_vector(self, terms: list[str], weighting: str | None) -> SparseVector:
        """Terms, weighted like documents."""
        counts = Counter(terms)
        found = zip(self.snapshot.find_terms(list(counts)), counts.values(), strict=True)
        known = sorted((number, count) for number, count in found if number >= 0)
        columns = np.array([number for number, _ in known], np.int32)
        weights = self.words(weighting).term_factors[columns]
        if len(terms) > len(counts):  # f(1) is 1
            weights *= self.weighting(weighting).f(np.array([count for _, count in known]))
        length = math.sqrt(weights @ weights)
        return SparseVector(columns, weights / length if length else weights)

    def _twin(self, terms: list[str]) -> int | None:
        """The document with exactly these terms, if there is one."""
        w = self._unit_vector(terms, None)
        found = self.words().top(w, 1, positive=True) if len(w.columns) else []
        return found[0][0] if found and found[0][1] > 1 - SAME else None

    def _in_latent_words(self, number: int) -> tuple[SparseVector, NDArray[np.float64]]:
        """A document's terms that are in the latent space, without column factors, and Vᵀ·x."""
        model = self.snapshot.latent
        words = self.words(WEIGHTING.name)
        row = words.rows(np.array([number]))
        if model is None:
            return SparseVector(row.columns[:0], row.values[:0]), np.zeros(0)
        factors = words.term_factors[row.columns]
        known = np.isin(row.columns, model.terms) & (factors > 0)
        weights = row.values[known] / factors[known]
        columns = row.columns[known]
        return SparseVector(columns, weights), weights @ model.rows(columns)

    def _folded(
        self, name: str, outside: CountArrays, known: NDArray[np.float32] | None
    ) -> NDArray[np.float32]:
        """Outside documents in a view, as they would be stored; 0 for those without a vector."""
        precision = self.snapshot.manifest.views[name].precision
        if known is not None:
            return rounded(known, precision)
        documents = len(outside["starts"]) - 1
        model = self.snapshot.latent
        if name == LATENT and model is not None:
            stored = Stored(outside, self.snapshot.terms)
            engine = engine_of(writing(self.engine))
            rows = engine.collection([stored], self.snapshot.terms, self._threads)
            return rounded(Folding(model)(rows, np.arange(documents)), precision)
        return np.zeros((documents, self._width(name)), np.float32)
