"""One generation of an index, ready to be searched: its corpora, and what they answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.binding import Bound, bind
from likewise.corpora import ONLY_WORDS, Corpora
from likewise.errors import UnknownIdError, UsageError
from likewise.examples import Gathering, count_rows
from likewise.learned import LearnedQuery
from likewise.query import Query
from likewise.search import Explanation, Hits, explain, find, words_vector
from likewise.state import notes
from likewise.store.filtered import matching, summarise

if TYPE_CHECKING:
    from likewise.corpus import Mask, SparseVector
    from likewise.examples import Examples, Gathered
    from likewise.filtering import Filter
    from likewise.local import LocalCorpus
    from likewise.named import Options
    from likewise.solvers.stopping import Report
    from likewise.store.filtered import FieldSummary
    from likewise.store.snapshot import Snapshot
    from likewise.text import Analyzer
    from likewise.weighting import Weighting

MASKS = 8  # filters whose documents are remembered, a byte a document
SAME = 1e-9  # of a cosine: documents of the same terms are the same document
AnyQuery = str | Query | LearnedQuery


class Searcher:
    def __init__(self, snapshot: Snapshot, analyzer: Analyzer, threads: int) -> None:
        self.snapshot = snapshot
        self.corpora = Corpora(snapshot, threads)
        self._analyzer = analyzer
        self._masks: dict[Filter, Mask] = {}
        self._fields: dict[int, list[FieldSummary]] = {}

    def corpus(self, weighting: str | None = None) -> LocalCorpus:
        """The documents as a learner sees them; lengths are found once per weighting."""
        return self.corpora.words(weighting)

    def search(
        self,
        words: str,
        k: int,
        weighting: str | None = None,
        filter: Filter | None = None,
        skip: int = 0,
    ) -> Hits:
        w, keep = self.words(words, weighting), self.kept(filter)
        corpus = self.corpus(weighting)
        return Hits(find(self.snapshot, corpus, w, k, keep=keep, positive=True, skip=skip))

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

        gathered = self.gather(liked, disliked)
        name = self.weighting(weighting).name
        return learn(self.snapshot, self.corpora, gathered, method, name, options, report)

    def gather(self, liked: Examples, disliked: Examples) -> Gathered:
        """Examples as numbers of documents."""
        return Gathering(self.snapshot, self._analyzer, self._twin)(liked, disliked)

    def with_outside(self, gathered: Gathered, weighting: str | None = None) -> LocalCorpus:
        """The corpus with examples from outside the index behind its own documents."""
        corpus = self.corpus(weighting)
        if not gathered.outside:
            return corpus
        return corpus.extended(count_rows(gathered.outside, self.snapshot))

    def run(
        self, query: Query | LearnedQuery, k: int, filter: Filter | None = None, skip: int = 0
    ) -> Hits:
        """The best documents by a learned query, the judged ones left out.

        Where no term of the query is known there is nothing to rank by, and no hit.
        """
        bound = bind(query, self.snapshot, self.corpora)
        corpus = self.corpora.stacked(query.weighting, bound.factors)
        hits = find(
            self.snapshot,
            corpus,
            bound.vector,
            k,
            keep=self.kept(filter),
            exclude=list(query.exclude),
            positive=not bound.known,
            skip=skip,
        )
        now = notes(self.snapshot.manifest, bound.factors)
        return Hits(hits, query, bound.known, (*query.learned.notes, *now, *bound.notes))

    def explain(self, id: str, query: AnyQuery, weighting: str | None = None) -> Explanation:
        number = int(self.snapshot.numbers([id])[0])
        if number < 0:
            raise UnknownIdError(f"no document {id!r} in {self.snapshot.directory}")
        if isinstance(query, str):
            bound = Bound(self.words(query, weighting), ONLY_WORDS)
        elif weighting in (None, query.weighting):
            weighting = query.weighting
            bound = bind(query, self.snapshot, self.corpora)
        else:
            raise UsageError(f"the query was learned with weighting {query.weighting}: keep to it")
        return explain(self.snapshot, self.corpora, weighting, bound, number, id)

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

    def weighting(self, name: str | None, preferred: str | None = None) -> Weighting:
        """The weighting meant: by default the preferred one, or that for what the index holds."""
        return self.corpora.weighting(name, preferred)
