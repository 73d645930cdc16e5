"""What a user asks: words, examples or a saved query; each of them ends in a query to run."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from likewise.cli.examples import STANDARD_INPUT, example, weights
from likewise.cli.failures import note, say
from likewise.cli.output import valid
from likewise.cli.progress import Bar
from likewise.cli.reports import tell_known, tell_learned
from likewise.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from likewise.cli.asking import Asked
    from likewise.index import Index
    from likewise.search.bound import LearnedQuery
    from likewise.search.hits import Hits
    from likewise.search.query import Query

OPTIONS = (
    "C", "C_per_example", "at", "scaling", "tol", "max_passes", "sample_unlabeled", "seed",
    "views", "budget",
)  # fmt: skip
ONLY_WITH_EXAMPLES = ("unlike", "weight", "method", *OPTIONS)


class Question(Protocol):
    """`nothing` completes the sentence that no document is found."""

    nothing: ClassVar[str]

    def find(self, index: Index, k: int, filter: str | None = None) -> Hits:
        """The best documents; what there is to tell beside them is told."""

    def asked(self) -> dict[str, Any]:
        """The question as fields of JSON results."""


@dataclass(frozen=True)
class ByWords:
    nothing: ClassVar[str] = "has any of these words"

    words: str
    weighting: str | None

    def find(self, index: Index, k: int, filter: str | None = None) -> Hits:
        return index.search(self.words, k, weighting=self.weighting, filter=filter)

    def asked(self) -> dict[str, Any]:
        weighting = {"weighting": self.weighting} if self.weighting else {}
        return {"query": valid(self.words), **weighting}


@dataclass(frozen=True)
class BySavedQuery:
    nothing: ClassVar[str] = "has a term of this query, but for its examples"

    path: Path

    def find(self, index: Index, k: int, filter: str | None = None) -> Hits:
        from likewise.search.query import Query

        hits = index.run(Query.load(self.path), k, filter=filter)
        tell_known(self.path, hits.known, index.path)
        return _noted(hits)

    def asked(self) -> dict[str, Any]:
        return {"saved_query": valid(str(self.path))}


@dataclass(frozen=True)
class ByExample:
    nothing: ClassVar[str] = "is left when the examples are left out"

    liked: list[str]
    disliked: list[str]
    weights: list[float] | None
    method: str
    weighting: str | None
    options: dict[str, Any]

    def find(self, index: Index, k: int, filter: str | None = None) -> Hits:
        query = self._learn(index)
        tell_learned(query.learned)
        return _noted(index.run(query, k, filter=filter))

    def _learn(self, index: Index) -> LearnedQuery:
        liked = [example(index, value) for value in self.liked]
        disliked = [example(index, value) for value in self.disliked]
        with Bar("learning") as bar, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", UserWarning)
            query = index.learn(
                liked,
                disliked,
                method=self.method,
                weighting=self.weighting,
                progress=bar.learning,
                weights=self.weights,
                **self.options,
            )
        for warning in caught:
            say(str(warning.message))
        return query

    def asked(self) -> dict[str, Any]:
        weights = {"weights": self.weights} if self.weights else {}
        sides = {"like": self.liked, "unlike": self.disliked}
        return {name: list(map(valid, values)) for name, values in sides.items()} | weights


def question(words: Sequence[str] | None, asked: Asked) -> Question:
    """The one thing that was asked, or a sentence on why it makes no sense."""
    ways = {"WORDS": words, "--like": asked.like, "--query": asked.query}
    used = [way for way, value in ways.items() if value]
    if not used and asked.unlike:
        raise UsageError("--unlike needs --like: there must be something to find more of")
    if not used:
        raise UsageError("nothing is asked: give words, examples (--like) or a query (--query)")
    if len(used) > 1:
        raise UsageError(f"{' and '.join(used)} exclude each other: ask in one of these ways")
    if asked.like:
        return _by_example(asked.like, asked)
    _refuse_given(asked, ONLY_WITH_EXAMPLES, "goes with --like")
    if asked.query is None:
        return ByWords(" ".join(words or ()), asked.weighting)
    _refuse_given(asked, ("weighting",), "cannot be changed: a saved query has its own")
    return BySavedQuery(asked.query)


def _noted(hits: Hits) -> Hits:
    for said in hits.notes:
        note(said)
    return hits


def portable(hits: Hits) -> Query:
    """The query behind hits, for elsewhere."""
    from likewise.search.query import Query

    if hits.query is None:
        raise UsageError("words are a query by themselves: nothing was learned from examples")
    return hits.query if isinstance(hits.query, Query) else hits.query.portable


def about(hits: Hits) -> dict[str, Any]:
    """What there is to tell of a query that was learned, as fields of JSON results."""
    if hits.query is None:
        return {}
    import msgspec

    learned = msgspec.to_builtins(hits.query.learned)
    told = {"weighting": hits.query.weighting, "known": hits.known, "learned": learned}
    return told | {"notes": list(hits.notes)}


def _by_example(like: list[str], asked: Asked) -> ByExample:
    unlike = asked.unlike or []
    if [*like, *unlike].count(STANDARD_INPUT) > 1:
        raise UsageError("standard input holds one example: give - only once")
    liked = list(dict.fromkeys(like))
    given = {name: getattr(asked, name) for name in OPTIONS}
    return ByExample(
        liked,
        unlike,
        weights(liked, asked.weight or []),
        asked.method or "auto",
        asked.weighting,
        {name: value for name, value in given.items() if value is not None},
    )


def _refuse_given(asked: Asked, names: Sequence[str], why: str) -> None:
    for name in names:
        if getattr(asked, name) not in (None, []):
            raise UsageError(f"--{name.replace('_', '-')} {why}")
