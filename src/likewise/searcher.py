"""One generation of an index, ready to be searched: its corpora, and what they answer."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from likewise import weighting as weightings
from likewise.errors import UnknownIdError, UsageError
from likewise.examples import Gathering, count_rows
from likewise.learned import LearnedQuery
from likewise.local import CountMatrix, DensePart, LocalCorpus, Part, Stored, ValuePart, assemble
from likewise.query import Query
from likewise.search import Explanation, Hit, Hits, explain, find, words_vector
from likewise.store.filtered import matching, summarise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.corpus import Mask, SparseVector
    from likewise.examples import Examples, Gathered
    from likewise.filtering import Filter
    from likewise.named import Options
    from likewise.solvers.stopping import Report
    from likewise.store.filtered import FieldSummary
    from likewise.store.segment import Segment
    from likewise.store.snapshot import Snapshot
    from likewise.text import Analyzer
    from likewise.weighting import Weighting

MASKS = 8  # filters whose documents are remembered, a byte a document
SAME = 1e-9  # of a cosine: documents of the same terms are the same document
AnyQuery = str | Query | LearnedQuery


class Searcher:
    def __init__(self, snapshot: Snapshot, analyzer: Analyzer, threads: int) -> None:
        self.snapshot = snapshot
        self._analyzer = analyzer
        self._threads = threads
        self._corpora: dict[str, LocalCorpus] = {}
        self._masks: dict[Filter, Mask] = {}
        self._fields: dict[int, list[FieldSummary]] = {}

    def corpus(self, weighting: str | None = None) -> LocalCorpus:
        """The documents as a learner sees them; lengths are found once per weighting."""
        chosen = self.weighting(weighting)
        if chosen.name not in self._corpora:
            width = self.snapshot.terms
            self._corpora[chosen.name] = assemble(self._stored, width, chosen, self._threads)
        return self._corpora[chosen.name]

    def search(
        self,
        words: str,
        k: int,
        weighting: str | None = None,
        filter: Filter | None = None,
        skip: int = 0,
    ) -> Hits:
        w, keep = self.words(words, weighting), self.kept(filter)
        return Hits(self._find(w, k, weighting, keep=keep, positive=True, skip=skip))

    def kept(self, filter: Filter | None) -> Mask | None:
        """Which documents a filter leaves; that of a few filters is remembered."""
        if filter is None:
            return None
        mask = self._masks.get(filter)
        if mask is None:
            mask = matching(self.snapshot, filter)
            while len(self._masks) >= MASKS:  # a thread may have been quicker: pop what is there
                self._masks.pop(next(iter(self._masks)), None)
            self._masks[filter] = mask
        return mask

    def fields(self, most: int) -> list[FieldSummary]:
        """What there is to filter by, found once."""
        if most not in self._fields:
            self._fields[most] = summarise(self.snapshot, most)
        return self._fields[most]

    def learn(
        self,
        liked: Examples,
        disliked: Examples,
        method: str,
        weighting: str | None,
        options: Options,
        report: Report | None,
    ) -> LearnedQuery:
        if not len(self.snapshot):
            raise UsageError(f"{self.snapshot.directory} is empty: add documents to learn from")
        from likewise.learning import learn  # words need no solver

        gathered, corpus = self.gather(liked, disliked, weighting)
        name = self.weighting(weighting).name
        return learn(self.snapshot, corpus, gathered, method, name, options, report)

    def gather(
        self, liked: Examples, disliked: Examples, weighting: str | None = None
    ) -> tuple[Gathered, LocalCorpus]:
        """Examples as numbers, and the corpus with those from outside the index behind its own."""
        gathered = Gathering(self.snapshot, self._analyzer, self._twin)(liked, disliked)
        corpus = self.corpus(weighting)
        if gathered.outside:
            corpus = corpus.extended(count_rows(gathered.outside, self.snapshot))
        return gathered, corpus

    def run(
        self, query: Query | LearnedQuery, k: int, filter: Filter | None = None, skip: int = 0
    ) -> Hits:
        """The best documents by a learned query, the judged ones left out.

        Where no term of the query is known there is nothing to rank by, and no hit.
        """
        w, known = self._bind(query)
        hits = self._find(
            w,
            k,
            query.weighting,
            keep=self.kept(filter),
            exclude=list(query.exclude),
            positive=not known,
            skip=skip,
        )
        return Hits(hits, query, known)

    def explain(self, id: str, query: AnyQuery, weighting: str | None = None) -> Explanation:
        number = int(self.snapshot.numbers([id])[0])
        if number < 0:
            raise UnknownIdError(f"no document {id!r} in {self.snapshot.directory}")
        if isinstance(query, str):
            w = self.words(query, weighting)
        elif weighting in (None, query.weighting):
            w, weighting = self._bind(query)[0], query.weighting
        else:
            raise UsageError(f"the query was learned with weighting {query.weighting}: keep to it")
        return explain(self.snapshot, self.corpus(weighting), w, number, id)

    def _twin(self, terms: list[str]) -> int | None:
        """The document with just these terms, if there is one."""
        chosen = self.weighting(None)
        w = words_vector(terms, self.snapshot, self.corpus(), chosen)
        found = self.corpus().top(w, 1, positive=True) if len(w.columns) else []
        return found[0][0] if found and found[0][1] > 1 - SAME else None

    def words(self, words: str, weighting: str | None = None) -> SparseVector:
        """Words as a query of unit length, whose scores are cosines."""
        if self.snapshot.manifest.kind not in ("text", None):
            raise UsageError(
                f"{self.snapshot.directory} holds vectors, not text: "
                "search it by example, by ids of documents in it"
            )
        chosen = self.weighting(weighting)
        return words_vector(self._analyzer(words), self.snapshot, self.corpus(weighting), chosen)

    def _bind(self, query: Query | LearnedQuery) -> tuple[SparseVector, float]:
        """The query in this generation's numbers, and how much of its weight is known here."""
        if isinstance(query, LearnedQuery):
            if query.snapshot is self.snapshot:
                return query.vector, 1.0
            query = query.portable
        return query.bind(self.snapshot), query.known(self.snapshot)

    def _find(
        self,
        w: SparseVector,
        k: int,
        weighting: str | None,
        *,
        keep: Mask | None = None,
        exclude: Sequence[str] = (),
        positive: bool = False,
        skip: int = 0,
    ) -> list[Hit]:
        corpus = self.corpus(weighting)
        return find(
            self.snapshot, corpus, w, k, keep=keep, exclude=exclude, positive=positive, skip=skip
        )

    def weighting(self, name: str | None) -> Weighting:
        """The weighting meant: by default the one for what the index holds."""
        return weightings.choose(name, self.snapshot.manifest.kind or "text")

    @cached_property
    def _stored(self) -> list[Stored]:
        kind = self.snapshot.manifest.kind
        return [Stored(_matrix(s, kind), s.live) for s in self.snapshot.segments]


def _matrix(segment: Segment, kind: str | None) -> CountMatrix | Part:
    """Checksums were verified when the arrays were mapped: they can be trusted."""
    if kind == "dense":
        return DensePart(segment.dense)
    if kind == "values":
        rows = segment.value_rows
        return ValuePart(rows["starts"], rows["columns"], rows["values"], segment.width)
    return CountMatrix(segment.rows, lambda: segment.inverted, segment.width, trusted=True)
