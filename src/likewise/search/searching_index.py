"""An open index that searches: by words, by examples, by queries, also by those of others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, overload

from likewise import arguments
from likewise.errors import UsageError
from likewise.filters import Filter, as_filter
from likewise.search.viewed_index import ViewedIndex

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Literal, Unpack

    from scipy.sparse import csr_array

    from likewise.corpus import Corpus
    from likewise.duplicates import Duplicates
    from likewise.readers.reading import Progress
    from likewise.search.bound import LearnedQuery
    from likewise.search.elsewhere import Exported
    from likewise.search.examples import Examples
    from likewise.search.hits import AnyQuery, Explanation, Hit, Hits
    from likewise.search.query import Query
    from likewise.search.typed import LearnOptions, MethodName, TargetName, WeightingName
    from likewise.solvers.stopping import Report

    Asked = TypeVar("Asked", bound=Query | LearnedQuery)
    Views = str | Sequence[str] | Mapping[str, float]

NUMBERS = ("C", "C_per_example", "at", "tol", "max_passes", "sample_unlabeled", "seed")


class SearchingIndex(ViewedIndex):
    def search(
        self,
        words: str,
        k: int = 10,
        *,
        weighting: WeightingName | None = None,
        filter: Filter | str | None = None,
        skip: int = 0,
        group_duplicates: bool = False,
    ) -> Hits[None]:
        """The k documents most similar to some words, by default by cosine.

        `filter` restricts the results, as in "year>=2019"; the `skip` best are left out. With
        `group_duplicates` only the best of each group of `duplicates` is there; the result's
        `.duplicates` names the others.
        """
        from likewise.search.hits import search

        arguments.text("words", words, "give the words to search for as text")
        k, skip = arguments.page(k, skip)
        return search(
            self.searcher,
            words,
            k,
            weighting=weighting,
            filter=as_filter(filter),
            skip=skip,
            group_duplicates=group_duplicates,
        )

    def like(
        self,
        examples: Examples,
        unlike: Examples = (),
        *,
        method: MethodName = "auto",
        k: int = 10,
        weighting: WeightingName | None = None,
        filter: Filter | str | None = None,
        group_duplicates: bool = False,
        progress: Report | None = None,
        **options: Unpack[LearnOptions],
    ) -> Hits[LearnedQuery]:
        """The documents most similar to some examples; the result's `.query` is the learned query.

        A str is an id; files are Paths and raw text is Text; hits are examples, too. Judged
        documents are left out. Without a liked example, what is least like the disliked ones comes
        first.
        `options` are those of likewise.search.methods.Options: C, C_per_example, at, tol, …
        """
        k, _ = arguments.page(k)  # check before the work
        chosen = as_filter(filter)
        self.searcher.kept(chosen)
        query = self.learn(
            examples, unlike, method=method, weighting=weighting, progress=progress, **options
        )
        return self.run(query, k, filter=chosen, group_duplicates=group_duplicates)

    def learn(
        self,
        examples: Examples,
        unlike: Examples = (),
        *,
        method: MethodName = "auto",
        weighting: WeightingName | None = None,
        progress: Report | None = None,
        **options: Unpack[LearnOptions],
    ) -> LearnedQuery:
        """The query that `like` runs."""
        from likewise.search.learning import learn
        from likewise.search.methods import Options

        refuse_unknown(options, Options.__dataclass_fields__)
        arguments.numbers(options, NUMBERS)
        return learn(
            self.searcher,
            examples,
            unlike,
            method=method,
            weighting=weighting,
            options=Options(**options),
            report=progress,
        )

    @overload
    def run(
        self,
        query: Asked,
        k: int = 10,
        *,
        filter: Filter | str | None = None,
        skip: int = 0,
        among: Iterable[str | Hit] | None = None,
        group_duplicates: bool = False,
    ) -> Hits[Asked]: ...

    @overload
    def run(
        self,
        query: Any,
        k: int = 10,
        *,
        filter: Filter | str | None = None,
        skip: int = 0,
        among: Iterable[str | Hit] | None = None,
        group_duplicates: bool = False,
    ) -> Hits[LearnedQuery]: ...

    def run(
        self,
        query: Any,
        k: int = 10,
        *,
        filter: Filter | str | None = None,
        skip: int = 0,
        among: Iterable[str | Hit] | None = None,
        group_duplicates: bool = False,
    ) -> Hits[Any]:
        """The best documents by a query learned on this or another index; the rest as in search.

        `query` may also be what `as_query` takes: a vector, or a fitted linear model. `among` are
        ids of the only documents to look at.
        """
        from likewise.search.bound import LearnedQuery
        from likewise.search.hits import run
        from likewise.search.query import Query

        asked = query if isinstance(query, (Query, LearnedQuery)) else self.as_query(query)
        k, skip = arguments.page(k, skip)
        these = None if among is None else arguments.ids(among)
        return run(
            self.searcher,
            asked,
            k,
            filter=as_filter(filter),
            skip=skip,
            among=these,
            group_duplicates=group_duplicates,
        )

    def duplicates(self, threshold: float = 0.8, *, progress: Progress | None = None) -> Duplicates:
        """Groups of records of the same paper: by DOI, PMID, title, authors, year and abstract.

        They are computed once for a generation and kept in the index' folder.
        """
        from likewise.duplicates import find_duplicates

        arguments.numbers({"threshold": threshold}, ("threshold",))
        return find_duplicates(self._snapshot, threshold, progress)

    def explain(
        self, document: Hit | str, query: AnyQuery, *, weighting: str | None = None
    ) -> Explanation:
        """What each term adds to a document's score for a query or for words."""
        from likewise.search.bound import refuse_no_query
        from likewise.search.hits import explain

        if not isinstance(query, str):
            refuse_no_query(query)
        id = arguments.one_id(document)
        return explain(self.searcher, id, query, weighting)

    def corpus(self, weighting: str | None = None) -> Corpus:
        """The documents' vectors as a Corpus, for your own learner."""
        return self.searcher.words(weighting)

    def matrix(
        self,
        ids: Iterable[str] | None = None,
        *,
        weighting: str | None = None,
        views: Views | None = None,
    ) -> csr_array:
        """Documents' vectors as a sparse matrix, to fit a model of one's own for `run`.

        One row for each id, by default of all documents, in the order of `ids()`; one column for
        each term of `terms()`, or for each column of the views named.
        """
        from likewise.search.given import matrix

        wanted = None if ids is None else arguments.ids(ids)
        return matrix(self.searcher, wanted, weighting=weighting, views=views)

    def as_query(
        self,
        vector: Any,
        *,
        weighting: str | None = None,
        views: Views | None = None,
        exclude: Iterable[str | Hit] = (),
    ) -> LearnedQuery:
        """A query from one's own learner: a vector, weights by term, or a fitted linear model.

        The vector is over the terms, or over the columns of the `views` named, as `matrix` has
        them. A model is one of scikit-learn's kind, with one row of `coef_`; its intercept, which
        does not change the order, is left out. `exclude` are documents that are not to be found,
        such as those it was learned from.
        """
        from likewise.search.given import given_query

        return given_query(self.searcher, vector, weighting=weighting, views=views, exclude=exclude)

    def export_query(
        self,
        query: Any,
        to: TargetName,
        *,
        terms: int | None = None,
        fields: Sequence[str] = (),
        scoring: Literal["bm25", "index"] = "bm25",
        relevant: Iterable[str | Hit] | None = None,
        others: Iterable[str | Hit] | None = None,
        beta: float | None = None,
    ) -> Exported:
        """Write a query for another engine or database, see likewise.search.elsewhere.

        Engines that rank get boosted terms: the `terms` that say most (50), over the `fields` that
        documents have there. Others get a Boolean query of at most `terms` (20), which is to find
        the `relevant` documents and not the `others`: by default those that the query ranks first,
        and all others. `beta` is how many times as much recall counts as precision (2).
        """
        from likewise.search.bound import LearnedQuery
        from likewise.search.elsewhere import export_query
        from likewise.search.query import Query

        asked = query if isinstance(query, (Query, LearnedQuery)) else self.as_query(query)
        return export_query(
            asked,
            to,
            self.searcher,
            terms=terms,
            fields=fields,
            scoring=scoring,
            relevant=None if relevant is None else arguments.ids(relevant),
            others=None if others is None else arguments.ids(others),
            beta=beta,
        )


def refuse_unknown(options: Iterable[str], known: Iterable[str]) -> None:
    unknown = set(options).difference(known)
    if unknown:
        raise UsageError(f"unknown option {min(unknown)!r}: choose from {', '.join(known)}")
