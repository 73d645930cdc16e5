"""What retrievers share: from a text to documents, by its words or as one more example."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from likewise.arguments import page
from likewise.document import Text
from likewise.errors import LikewiseError, UsageError
from likewise.filters import as_filter
from likewise.index import Index
from likewise.search.found import Hit
from likewise.search.learning import check_known
from likewise.search.searching_index import refuse_unknown
from likewise.search.typed import LearnOptions

if TYPE_CHECKING:
    from likewise.document import Document
    from likewise.search.examples import Example
    from likewise.search.hits import Hits

By = Literal["words", "example"]


class Retrieved(NamedTuple):
    hit: Hit
    document: Document

    @property
    def text(self) -> str:
        """Title and text, as a language model is to read them."""
        return "\n\n".join(part for part in (self.document.title, self.document.text) if part)

    @property
    def metadata(self) -> dict[str, Any]:
        """Its other fields, its title, and where it stands in the ranking."""
        own = {"title": self.document.title, "rank": self.hit.rank, "score": self.hit.score}
        return {**self.document.fields, **own}


@dataclass(frozen=True)
class Retrieving:
    """`by` says what the text of a query is: words to search for, or one more liked example."""

    index: Index
    k: int = 10
    by: By = "words"
    examples: tuple[Example, ...] = ()
    unlike: tuple[Example, ...] = ()
    filter: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what cannot be now, not when somebody asks."""
        page(self.k)
        as_filter(self.filter)
        if self.by not in ("words", "example"):
            raise UsageError(f"by is {self.by!r}: choose words or example")
        if self.by == "words" and (self.examples or self.unlike or self.options):
            raise UsageError('examples and their options go with by="example": give that as well')
        check_options(self.options)

    def hits(self, text: str) -> Hits[Any]:
        if self.by == "words":
            return self.index.search(text, self.k, filter=self.filter)
        liked = [*self.examples, *([Text(text)] if text.strip() else [])]
        return self.index.like(liked, self.unlike, k=self.k, filter=self.filter, **self.options)

    def __call__(self, text: str) -> list[Retrieved]:
        index = self.index.frozen()
        hits = replace(self, index=index).hits(text)
        return list(map(Retrieved, hits, index.documents(hits.ids)))

    def refined(self, like: Any, unlike: Any) -> Retrieving:
        """With more examples; what has an id stands for the document of that id."""
        return replace(
            self,
            by="example",
            examples=(*self.examples, *map(_example, each(like))),
            unlike=(*self.unlike, *map(_example, each(unlike))),
        )


def as_index(index: Any) -> Index:
    """An index, or the one at a path."""
    if isinstance(index, (str, os.PathLike)):
        try:
            return Index.open(index)
        except UsageError:
            raise
        except LikewiseError as error:  # which is no ValueError, as other libraries expect
            raise UsageError(str(error)) from error
    if not isinstance(index, Index):
        raise UsageError(f"index is a {type(index).__name__}: give an Index, or the path of one")
    return index


def each(examples: Any) -> tuple[Any, ...]:
    """Several examples, or one, which may be another library's: a list has no text of its own."""
    one = (str, os.PathLike, Mapping, Text, Hit)
    if isinstance(examples, one) or hasattr(examples, "metadata"):
        return (examples,)
    return tuple(examples) if isinstance(examples, Iterable) else (examples,)


def check_options(options: Mapping[str, Any]) -> None:
    """Refuse options that Index.like does not have, and methods that are none."""
    refuse_unknown(options, ("method", "weighting", *LearnOptions.__annotations__))
    if (method := options.get("method", "auto")) != "auto":
        check_known(method)


def _example(one: Any) -> Any:
    """The id of another library's document or node."""
    found = getattr(one, "node_id", None) or getattr(one, "id", None)
    return found if isinstance(found, str) else one
