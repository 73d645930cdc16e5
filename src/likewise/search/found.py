"""What a search returns: hits, best first, and explanations of their scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, NamedTuple, SupportsIndex, overload

from likewise import arguments
from likewise.document import brief
from likewise.errors import UsageError
from likewise.search.records import records
from likewise.store.disk import replace_file
from likewise.writers import FOUND, format_of, written

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import Literal

    from typing_extensions import TypeVar

    from likewise.search.bound import LearnedQuery
    from likewise.search.generation import Generation
    from likewise.search.grouping import Grouping
    from likewise.search.query import Query, Weight
    from likewise.writers import Record

    Q = TypeVar(
        "Q",
        bound=Query | LearnedQuery | None,
        default=Query | LearnedQuery | None,
        covariant=True,
    )
else:  # a default is for type checkers, which know it before Python 3.13 does
    from typing import TypeVar

    Q = TypeVar("Q", covariant=True)

SHOWN = 3  # hits in a repr


class Hit(NamedTuple):
    """A document found, its score and its rank, counted from 1."""

    id: str
    score: float
    title: str
    rank: int


class Hits(list[Hit], Generic[Q]):
    """Hits, best first. `known` is the share of the query's weight on terms of this index.

    `query` is the query that found them, or None for words, which `words` are. `notes` are remarks
    to show beside them. `duplicates` are the ids of others that a hit stands for, by its id, where
    duplicates were to be grouped. A slice is Hits again. They can be pickled: the documents are
    then found by the path of the index, and a learned query becomes a saved one.
    """

    query: Q

    def __init__(
        self,
        hits: Iterable[Hit],
        query: Q = None,  # type: ignore[assignment]  # then Q is None
        known: float = 1.0,
        notes: Sequence[str] = (),
        generation: Generation | None = None,
        grouping: Grouping | None = None,
        words: str = "",
    ) -> None:
        super().__init__(hits)
        self.duplicates = grouping.others(hit.id for hit in self) if grouping else {}
        self.query = query
        self.words = words
        self.known = known
        self.notes = tuple(notes)
        self._seen = generation
        self._path = generation.snapshot.directory if generation else None

    @property
    def ids(self) -> list[str]:
        return [hit.id for hit in self]

    @overload
    def __getitem__(self, which: SupportsIndex) -> Hit: ...

    @overload
    def __getitem__(self, which: slice) -> Hits[Q]: ...

    def __getitem__(self, which: SupportsIndex | slice) -> Hit | Hits[Q]:
        found = super().__getitem__(which)
        return self._like_these(found) if isinstance(found, list) else found

    def copy(self) -> Hits[Q]:
        return self[:]

    def records(self) -> Iterator[Record]:
        """The documents that were found, with rank and score, to be written as a file."""
        beside = ({"rank": hit.rank, "score": hit.score} for hit in self)
        return records(self._generation().snapshot, self.ids, beside)

    def save(self, path: str | os.PathLike[str], *, format: str | None = None) -> None:
        """Write the documents as a file: one of likewise.writers.FORMATS, or what its suffix tells.

        Rank and score stand beside each of them.
        """
        target = arguments.path("path", path)
        replace_file(target, written(format_of(target, format), self.records(), FOUND))

    def to_frame(
        self,
        library: Literal["pandas", "polars"] | None = None,
        *,
        fields: bool | Iterable[str] = False,
    ) -> Any:
        """A DataFrame of rank, id, score and title: of pandas, or of polars if that is missing.

        `fields` names more columns, the documents' other fields, or is True for all of them.
        """
        from likewise.search.frames import frame

        named = fields if isinstance(fields, bool) else list(arguments.names(fields))
        more = [record.values for record in self.records()] if named else []
        return frame(self, library, named, more)

    def __repr__(self) -> str:
        best = ", ".join(f"{brief(hit.id, 40)} ({hit.score:.3g})" for hit in self[:SHOWN])
        more = ", …" if len(self) > SHOWN else ""
        count = "no hits" if not self else "1 hit" if len(self) == 1 else f"{len(self):,} hits"
        return f"<{count}{': ' if self else ''}{best}{more}>"

    def _repr_html_(self) -> str:
        from likewise.search.html import hits

        return hits(self, self._generation() if self._path else None)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (list(self), {**self.__dict__, "_seen": None})

    def _like_these(self, hits: Iterable[Hit]) -> Hits[Q]:
        """Some of these hits."""
        some: Hits[Q] = Hits(hits, self.query)
        some.__dict__.update(self.__dict__)
        there = set(some.ids)
        some.duplicates = {id: ids for id, ids in self.duplicates.items() if id in there}
        return some

    def _generation(self) -> Generation:
        """The generation that was searched; the newest one of its index, if these were pickled."""
        if self._seen is None:
            if self._path is None:
                raise UsageError("these hits do not know their documents: give those of a search")
            self._seen = _opened(self._path)
        return self._seen


def _unpickled(hits: list[Hit], state: Mapping[str, Any]) -> Hits:
    found: Hits = Hits(hits)
    found.__dict__.update(state)
    return found


def _opened(path: Path) -> Generation:
    from likewise.search.open_index import OpenIndex

    return OpenIndex(path).searcher


class Explanation(NamedTuple):
    """What each term adds to a document's score, largest effect first; the sum is `score`.

    What is no term has a name in parentheses: parts of the title taken together, embeddings, and
    the centre of the latent space, which is the same for all documents.
    """

    id: str
    score: float
    terms: list[Weight]

    def __repr__(self) -> str:
        most = ", ".join(f"{brief(term, 30)} {weight:+.3g}" for term, weight in self.terms[:5])
        more = ", …" if len(self.terms) > 5 else ""
        return f"<{brief(self.id, 40)} scores {self.score:.3g}: {most}{more}>"

    def _repr_html_(self) -> str:
        from likewise.search.html import explanation

        return explanation(self)
