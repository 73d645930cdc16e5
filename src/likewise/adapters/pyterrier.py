"""Transformers for PyTerrier: words or examples to results, and feedback as results to queries.

pipeline = Retrieve(index) % 10 >> Feedback(index) >> Retrieve(index)
"""

from __future__ import annotations

import math
from heapq import nlargest
from typing import TYPE_CHECKING, Any

import msgspec
import pandas as pd
import pyterrier as pt

from likewise.adapters.retrieving import as_index, check_options
from likewise.arguments import ids, names, page, whole
from likewise.filters import as_filter
from likewise.search.query import Query
from likewise.store.fieldnames import refuse_unknown

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping

    from likewise.index import Index
    from likewise.search.hits import Hits

    AnIndex = Index | str | os.PathLike[str]

__all__ = ["ByExample", "Feedback", "Retrieve"]

LEARNED = "likewise"  # the column of learned queries
FOUND = ("docno", "rank", "score")


class Retrieve(pt.Transformer):
    """Q → R: the k best documents for each query's words, or for the query that Feedback learned.

    `columns` are fields of the documents that results are to have, such as title and text.
    """

    def __init__(
        self,
        index: AnIndex,
        k: int = 1000,
        *,
        filter: str | None = None,
        columns: Iterable[str] = (),
    ) -> None:
        self._index, (self._k, _) = as_index(index), page(k)
        self._filter, self._columns = filter, _columns(self._index, columns)
        as_filter(filter)

    def __repr__(self) -> str:
        return f"Retrieve({self._index.path.stem}, {self._k})"

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(inp, extra_columns=["query"], context=self)
        kept = pt.model.query_columns(inp, qid=True)
        return _results(inp, kept, self._columns, self._index, self._hits)

    def _hits(self, row: Mapping[str, Any]) -> Hits[Any]:
        learned = row.get(LEARNED)
        if isinstance(learned, Query):
            return self._index.run(learned, self._k, filter=self._filter)
        return self._index.search(row["query"], self._k, filter=self._filter)


class ByExample(pt.Transformer):
    """Q → R: the k best documents for the examples of each query, which are left out.

    The column `like` has a list of docnos for each query; `unlike`, if there is one, those of
    others. `options` are those of `Index.like`, such as method="ba".
    """

    def __init__(
        self,
        index: AnIndex,
        k: int = 1000,
        *,
        filter: str | None = None,
        columns: Iterable[str] = (),
        **options: Any,
    ) -> None:
        self._index, (self._k, _) = as_index(index), page(k)
        self._filter, self._columns = filter, _columns(self._index, columns)
        self._options = options
        as_filter(filter)
        check_options(options)

    def __repr__(self) -> str:
        return f"ByExample({self._index.path.stem}, {self._k}{_said(self._options)})"

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["qid", "like"], context=self)
        kept = [name for name in inp.columns if name not in FOUND]
        return _results(inp, kept, self._columns, self._index, self._hits)

    def _hits(self, row: Mapping[str, Any]) -> Hits[Any]:
        liked, unlike = (_docnos(row.get(name)) for name in ("like", "unlike"))
        return self._index.like(liked, unlike, k=self._k, filter=self._filter, **self._options)


class Feedback(pt.Transformer):
    """R → Q: a query learned from the results of each query, for Retrieve and for Terrier.

    With a column `label`, as of qrels, results with one above 0 are liked and others disliked;
    those without a label are passed over. Otherwise the `documents` best are taken to be good, as
    of pseudo-relevance feedback. The learned query is in the column `likewise`; `query` has its
    `terms` heaviest words in Terrier's query language, and `query_0` the words before. Documents
    that it was learned from are found again unless `exclude` is set.
    """

    def __init__(
        self,
        index: AnIndex,
        documents: int = 10,
        terms: int = 20,
        *,
        exclude: bool = False,
        **options: Any,
    ) -> None:
        self._index, self._options, self._exclude = as_index(index), options, exclude
        self._documents = whole("documents", documents, 1)
        self._terms = whole("terms", terms, 1)
        check_options(options)

    def __repr__(self) -> str:
        name = self._index.path.stem
        return f"Feedback({name}, {self._documents}, {self._terms}{_said(self._options)})"

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        labelled = "label" in inp.columns
        needed = ["query", *([] if labelled else ["rank"])]
        pt.validate.result_frame(inp, extra_columns=needed, context=self)
        kept = [name for name in pt.model.query_columns(inp, qid=True) if name != LEARNED]
        first = inp.drop_duplicates("qid")[kept]
        pushed = pt.model.push_queries(first)
        groups = dict(iter(inp.groupby("qid", sort=False)))
        learned = [self._learned(groups[qid]) for qid in pushed["qid"]]
        written = map(self._written, learned, first["query"])
        return pushed.assign(query=list(written), **{LEARNED: pd.Series(learned, pushed.index)})

    def _learned(self, results: pd.DataFrame) -> Query | None:
        """None where there is nothing to learn from: then the words stay."""
        if "label" in results.columns:
            known = results[results["label"].notna()]
            liked = known[known["label"] > 0]["docno"]
            others = known[known["label"] <= 0]["docno"]
        else:
            liked = results.sort_values("rank")["docno"][: self._documents]
            others = liked[:0]
        if not len(liked) and not len(others):
            return None
        query = self._index.learn(list(liked), list(others), **self._options).portable
        return query if self._exclude else msgspec.structs.replace(query, exclude=())

    def _written(self, query: Query | None, words: str) -> str:
        """Whole words, as another engine has stems of its own; without pairs of words."""
        if query is None:
            return words
        pairs = zip(query.weights, query.terms, strict=True)
        best = nlargest(self._terms, (pair for pair in pairs if pair[0] > 0 and " " not in pair[1]))
        whole = self._index.words_of(term for _, term in best)
        return " ".join(f"{whole.get(term, term)}^{weight:.4g}" for weight, term in best)


def _docnos(given: Any) -> list[str]:
    """A list of docnos; where there is none, as where tables were joined, it is empty."""
    missing = given is None or (isinstance(given, float) and math.isnan(given))
    return [] if missing else ids(given)


def _columns(index: Index, columns: Iterable[str]) -> tuple[str, ...]:
    """Fields that documents of the index have."""
    wanted = names(columns)
    refuse_unknown(index.searcher.snapshot, wanted)
    return wanted


def _said(options: Mapping[str, Any]) -> str:
    """Options as they are written in a call."""
    return "".join(f", {name}={value!r}" for name, value in options.items())


def _results(
    inp: pd.DataFrame, kept: Iterable[str], columns: tuple[str, ...], index: Index, find: Any
) -> pd.DataFrame:
    """The hits of each query, beside the query's own columns."""
    names = list(kept)

    def rows() -> Iterator[dict[str, Any]]:
        for row in inp.to_dict("records"):
            hits = find(row)
            texts = index.documents(hits.ids) if columns else [None] * len(hits)
            own = {name: row[name] for name in names}
            for hit, document in zip(hits, texts, strict=True):
                more = document.values() if document is not None else {}
                beside = {name: more.get(name) for name in columns}
                yield {**own, "docno": hit.id, **beside, "rank": hit.rank - 1, "score": hit.score}

    return pd.DataFrame(list(rows()), columns=[*names, "docno", *columns, "rank", "score"])
