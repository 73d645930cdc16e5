"""`export_query`: a learned query for the engine or database where the documents are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likewise import arguments
from likewise.errors import UsageError
from likewise.search.elsewhere import weighted
from likewise.search.elsewhere.boolean import Learned, Measured, covered, learn
from likewise.search.elsewhere.boosts import (
    Boost,
    Chosen,
    choose,
    left_out,
    portable,
    ranking,
    unbound,
)
from likewise.search.elsewhere.literals import Literals
from likewise.search.elsewhere.syntax import written
from likewise.store.disk import replace_file

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from likewise.search.bound import LearnedQuery
    from likewise.search.generation import Generation
    from likewise.search.query import Query

WEIGHTED = {
    "lucene": "Lucene, Solr and query_string: boosted terms as text",
    "elasticsearch": "Elasticsearch: boosted terms as the body of a search",
    "opensearch": "OpenSearch: boosted terms as the body of a search",
    "qdrant": "Qdrant: a sparse vector, as of its model for BM25",
    "vespa": "Vespa: words to find documents by, and a tensor to rank them",
}
BOOLEAN = {
    "boolean": "AND, OR and * for a plain database",
    "pubmed": "PubMed, in titles and abstracts",
    "ovid": "Ovid, in titles and abstracts",
    "scopus": "Scopus, in titles, abstracts and keywords",
    "wos": "Web of Science, in topics",
    "fts5": "SQLite's full-text search",
}
TARGETS = WEIGHTED | BOOLEAN
SAMPLE = 10_000  # other documents that a Boolean query is learned from
BETA = 2.0  # by default, recall counts twice as much as precision
DEPTH = 100  # best documents that it is to find, where none were judged
FIELDS = ("title", "text")


class Found(NamedTuple):
    """What a Boolean query finds: of how many `relevant` documents, judged or ranked first.

    `documents` are all that it finds in the index. `held_out` is what queries learned without a
    fifth of the documents find in that fifth: an estimate for documents not seen.
    """

    relevant: int
    documents: int
    recall: float
    precision: float
    held_out: Measured | None
    judged: bool

    def __str__(self) -> str:
        of = "judged relevant" if self.judged else "that the query ranks first"
        said = (
            f"finds {self.documents:,} document{'s' * (self.documents != 1)} of this index; "
            f"of the {self.relevant:,} {of}, "
            f"recall {self.recall:.2f}, precision {self.precision:.2f}"
        )
        if self.held_out is None:
            return f"{said}; too few for cross-validation"
        told = self.held_out
        return f"{said}; by cross-validation {told.recall:.2f} and {told.precision:.2f}"


class Exported(NamedTuple):
    """A query for another engine: `text` is what to give it, `body` the same as JSON's values.

    `kept` is the share of the first 10 and 100 documents that the engine would rank there as well,
    by BM25 on this index; `found` is what a Boolean query finds.
    """

    to: str
    text: str
    body: dict[str, Any] | None = None
    terms: tuple[str, ...] = ()
    boosts: tuple[Boost, ...] = ()
    kept: Mapping[int, float] = {}
    found: Found | None = None
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<query for {self.to}: {len(self.terms)} terms, {self.about}>"

    @property
    def about(self) -> str:
        """How good it is, in words."""
        if self.found is not None:
            return str(self.found)
        if not self.kept:
            return "what it keeps of the ranking is not known"
        kept = " and ".join(f"{share:.0%} of the first {at}" for at, share in self.kept.items())
        return f"keeps {kept}"

    def save(self, path: str | os.PathLike[str]) -> None:
        replace_file(arguments.path("path", path), f"{self.text}\n".encode())


def export_query(
    query: Query | LearnedQuery,
    to: str,
    generation: Generation | None = None,
    *,
    terms: int | None = None,
    fields: Sequence[str] = (),
    scoring: str = "bm25",
    relevant: Sequence[str] | None = None,
    others: Sequence[str] | None = None,
    beta: float | None = None,
) -> Exported:
    """Write a query for another engine: one of TARGETS.

    Of boosted terms, the `terms` that say most (50), over the `fields` of the documents there.
    `scoring` is how documents are weighted there: "bm25", or "index" for vectors as of
    Index.matrix. A Boolean query has at most `terms` (20); it is to find the `relevant` documents
    but not the `others`, by default those that the query ranks first and all others; `beta` is how
    many times as much recall counts as precision (2).
    """
    if to not in TARGETS:
        raise UsageError(f"unknown engine {to!r}: choose {', '.join(TARGETS)}")
    if generation is not None and not generation.holds_text:
        raise UsageError(f"{generation.place} holds vectors: only queries of words can be exported")
    if terms is not None:
        terms = arguments.whole("terms", terms, 1)
    fields = arguments.names(fields)
    if to in WEIGHTED:
        if relevant is not None or others is not None:
            raise UsageError(f"{to} ranks: relevant and others are for a Boolean query")
        if beta is not None:
            raise UsageError(f"{to} ranks: beta is for a Boolean query")
        return _weighted(query, to, generation, terms or 50, fields, scoring)
    if fields or scoring != "bm25":
        raise UsageError(f"{to} has fields of its own and does not score: leave these out")
    if generation is None:
        raise UsageError(f"a query for {to} is learned from documents: give an index")
    beta = BETA if beta is None else beta
    arguments.numbers({"beta": beta}, ("beta",))
    if not 0 < beta < 100:
        raise UsageError(f"beta is {beta}: it must be above 0 and below 100")
    return _boolean(query, to, generation, terms or 20, relevant, others, beta)


def _weighted(
    query: Query | LearnedQuery,
    to: str,
    generation: Generation | None,
    terms: int,
    fields: Sequence[str],
    scoring: str,
) -> Exported:
    if scoring not in ("bm25", "index"):
        raise UsageError(f"unknown scoring {scoring!r}: choose bm25 or index")
    if scoring == "index" and to not in ("qdrant", "vespa"):
        raise UsageError(f"{to} ranks by BM25: scoring by the index is for vectors")
    chosen = unbound(query, terms) if generation is None else choose(generation, query, terms)
    if not any(one.boost > 0 for one in chosen.boosts):
        raise UsageError("the query has no term that counts for a document: nothing can be found")
    body = _body(to, chosen, fields, scoring)
    text = (
        weighted.lucene(chosen.boosts, fields)
        if body is None
        else json.dumps(body, ensure_ascii=False, indent=2)
    )
    names = tuple(one.word for one in chosen.boosts)
    kept = chosen.kept if scoring == "bm25" else {}
    return Exported(to, text, body, names, chosen.boosts, kept, None, chosen.notes)


def _body(to: str, chosen: Chosen, fields: Sequence[str], scoring: str) -> dict[str, Any] | None:
    boosts = chosen.boosts
    values = [one.boost if scoring == "bm25" else one.weight for one in boosts]
    if to == "elasticsearch":
        return weighted.elasticsearch(boosts, fields or FIELDS)
    if to == "opensearch":
        return weighted.opensearch(boosts, fields or FIELDS)
    if to == "qdrant":
        return weighted.qdrant(boosts, values)
    if to == "vespa":
        return weighted.vespa(boosts, values, fields)
    return None


def _boolean(
    query: Query | LearnedQuery,
    to: str,
    generation: Generation,
    most: int,
    relevant: Sequence[str] | None,
    others: Sequence[str] | None,
    beta: float,
) -> Exported:
    wanted, against = _documents(query, generation, relevant, others)
    everything = against is None
    if against is None:
        rest = np.setdiff1d(np.arange(len(generation)), wanted)
        size = min(SAMPLE, len(rest))
        against = np.random.default_rng(0).choice(rest, size, replace=False)
        worth = len(rest) / max(size, 1)
    else:
        worth = 1.0
    numbers = np.concatenate([wanted, against])
    terms, having = _having(generation, numbers, len(wanted))
    is_relevant = np.arange(len(numbers)) < len(wanted)
    learned = learn(having, is_relevant, worth=worth, beta=beta, most=most)
    if not learned.clauses:
        raise UsageError(
            "no term tells the relevant documents from the others: give more relevant documents"
        )
    literals = Literals(generation)
    used = {term: literals(terms[term]) for clause in learned.clauses for term in clause}
    sets = {term: literals.documents(literal) for term, literal in used.items()}
    found = covered(np.array([sets[term] for term in used]), _renumbered(learned, list(used)))
    told = _told(found, wanted, None if everything else against, learned, relevant is not None)
    return Exported(
        to,
        written(learned.clauses, used, to),
        terms=tuple(map(str, used.values())),
        found=told,
        notes=tuple(left_out(portable(query))) if relevant is None else (),
    )


def _renumbered(learned: Learned, terms: list[int]) -> list[tuple[int, ...]]:
    return [tuple(terms.index(term) for term in clause) for clause in learned.clauses]


def _told(
    found: NDArray[np.bool_],
    wanted: NDArray[np.int64],
    against: NDArray[np.int64] | None,
    learned: Learned,
    judged: bool,
) -> Found:
    """Recall and precision of the query as it is written, truncation included."""
    true = int(found[wanted].sum())
    false = int(found.sum()) - true if against is None else int(found[against].sum())
    here = Measured(true, false, len(wanted) - true)
    documents = int(found.sum())
    numbers = (here.recall, here.precision, learned.held_out, judged)
    return Found(len(wanted), documents, *numbers)


def _documents(
    query: Query | LearnedQuery,
    generation: Generation,
    relevant: Sequence[str] | None,
    others: Sequence[str] | None,
) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
    """The numbers of the documents to find, and of those not to; None for all others."""
    if relevant is None:
        if others is not None:
            raise UsageError("others go with relevant: give both, or none")
        depth = min(DEPTH, max(len(generation) // 10, 1))
        best = ranking(generation, query, depth)
        liked = [one.id for one in portable(query).support if one.weight > 0]
        numbers = generation.snapshot.numbers([id for id in liked if id in query.exclude])
        return np.unique(np.array([*best, *numbers[numbers >= 0]], np.int64)), None
    sides = []
    for ids in (relevant, others):
        if ids is not None:
            wanted = arguments.ids(ids)
            sides.append(np.unique([generation.number(id) for id in wanted]).astype(np.int64))
    if not len(sides[0]):
        raise UsageError("no document is relevant: give at least one")
    if others is None:
        return sides[0], None
    if len(both := np.intersect1d(sides[0], sides[1])):
        (id,) = generation.snapshot.ids([int(both[0])])
        raise UsageError(f"{id!r} is both relevant and among the others: remove one")
    return sides[0], sides[1]


def _having(
    generation: Generation, numbers: NDArray[np.int64], relevant: int
) -> tuple[list[str], NDArray[np.bool_]]:
    """Terms that several relevant documents have, and which of all documents have each."""
    rows = generation.words("raw").rows(numbers)
    owners = np.repeat(np.arange(len(numbers)), np.diff(rows.starts))
    first = rows.columns[owners < relevant]
    columns, counts = np.unique(first, return_counts=True)
    columns = columns[counts >= min(2, relevant)]
    names = generation.snapshot.term_names(columns.tolist())
    usable = [i for i, name in enumerate(names) if len(name) > 2 and any(map(str.isalpha, name))]
    columns = columns[usable]
    places = np.searchsorted(columns, rows.columns)
    known = places < len(columns)
    known[known] = columns[places[known]] == rows.columns[known]
    having = np.zeros((len(columns), len(numbers)), np.bool_)
    having[places[known], owners[known]] = True
    return [names[i] for i in usable], having
