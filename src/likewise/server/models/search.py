"""A search and what it finds."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    ConfigDict,
    Discriminator,
    Field,
    StringConstraints,
    Tag,
    model_validator,
)

from likewise.search.methods import ABOUT
from likewise.server.models.base import Answer, Given, Id, Items, Term, Weight, Whole, one_of
from likewise.server.problems import ProblemDetails
from likewise.weighting import WEIGHTINGS

METHOD_NAMES = tuple(ABOUT)
MOST_VIEWS = 20
MOST_SEARCHES = 100  # in a batch


Method = Annotated[
    str, AfterValidator(one_of(METHOD_NAMES)), Field(json_schema_extra={"enum": [*METHOD_NAMES]})
]
Weighting = Annotated[
    str, AfterValidator(one_of(WEIGHTINGS)), Field(json_schema_extra={"enum": [*WEIGHTINGS]})
]


class GivenId(Given):
    """A document of the index."""

    id: Id


class GivenText(Given):
    """Text that need not be in the index."""

    text: str = Field(min_length=1)
    title: str = ""


Example = Id | GivenId | GivenText
Seconds = Annotated[float, Field(gt=0, le=1e6)]


ViewName = Annotated[str, StringConstraints(max_length=300)]
Views = Annotated[list[ViewName], Field(max_length=MOST_VIEWS, fail_fast=True)]
ViewFactors = Annotated[dict[ViewName, float], Field(max_length=MOST_VIEWS)]


class LearnOptions(Given):
    """What a method may be told; an option that it does not take is an error (`/v1/methods`)."""

    C: float | None = Field(default=None, gt=0, le=1e9, description="What errors cost.")
    C_per_example: float | None = Field(default=None, gt=0, le=1e9)
    at: Whole | None = Field(default=None, ge=1, le=1_000_000, description="The k of p@k and r@k.")
    scaling: Literal["balanced", "printed"] | None = None
    tol: float | None = Field(default=None, gt=0, le=1)
    max_passes: Whole | None = Field(default=None, ge=1, le=100_000)
    sample_unlabeled: Whole | None = Field(default=None, ge=1, le=1_000_000_000)
    seed: Whole | None = Field(default=None, ge=0, le=2**32)
    weights: Items[float] | None = Field(default=None, description="One for each of `positive`.")
    views: Views | ViewFactors | None = Field(
        default=None,
        description="The views to learn over, words among them, perhaps each with a factor.",
        examples=[["words", "latent"]],
    )
    budget: Literal["online", "offline"] | Seconds | None = Field(
        default=None, description="What auto may take: a word, or seconds.", examples=["online"]
    )


class TermChoices(Given):
    """Changes to a learned query's terms, as shown in `up` and `down`."""

    off: list[Term] = Field(
        default=[], max_length=1_000, fail_fast=True, description="Terms that count nothing."
    )
    pinned: list[Term] = Field(
        default=[], max_length=1_000, fail_fast=True, description="Terms that count as the most."
    )


class Asked(Given):
    """Fields of every search."""

    limit: Whole = Field(default=10, ge=1)
    offset: Whole = Field(default=0, ge=0)
    filter: str | None = Field(default=None, description="As in `year>=2019 category=cs.CL,cs.LG`.")
    explain: Whole = Field(default=0, ge=0, le=100, description="Terms to tell for each hit.")
    snippet: Whole = Field(
        default=300, ge=0, le=100_000, description="Characters of each hit's text."
    )
    group_duplicates: bool = Field(
        default=False, description="Whether to show one of each group of duplicates only."
    )


class SearchByWords(Asked):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"words": "robot arm", "filter": "created>=2015", "explain": 5}]
        }
    )

    words: str = Field(min_length=1)
    weighting: Weighting | None = None


class AskedOfQuery(Asked):
    """Fields of searches by examples or by query."""

    terms: TermChoices = TermChoices()
    heaviest: Whole = Field(
        default=20, ge=0, le=1_000, description="Terms to tell of the query, each way."
    )


class SearchByExamples(AskedOfQuery):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"positive": ["1806.07419", {"text": "Robots learn to walk"}], "method": "1c"}
            ]
        }
    )

    positive: Items[Example] = Field(
        default=[],
        description="What is wanted. Without any, `negative` must have some, and what is least "
        "like those comes first.",
    )
    negative: Items[Example] = Field(default=[])
    method: Method = "auto"
    weighting: Weighting | None = None
    options: LearnOptions = LearnOptions()
    wait: float = Field(
        default=0,
        ge=0,
        le=60,
        description="Seconds to wait for an offline search before answering 202.",
    )

    @model_validator(mode="after")
    def _has_an_example(self) -> Self:
        if not self.positive and not self.negative:
            raise ValueError("give words, examples in positive or negative, or a query")
        return self


class SearchByQuery(AskedOfQuery):
    model_config = ConfigDict(json_schema_extra={"examples": [{"query": "soft robots"}]})

    query: str = Field(
        min_length=1,
        max_length=300,
        description="The id of a learned query, or a saved one's name.",
    )


def _way(given: Any) -> str:
    """Which kind of search a request is, so that errors are about that kind alone."""
    keys = given if isinstance(given, dict) else getattr(given, "model_fields_set", ())
    way = "words" if "words" in keys else "query" if "query" in keys else "examples"
    return f"by {way}"


SearchRequest = Annotated[
    Annotated[SearchByWords, Tag("by words")]
    | Annotated[SearchByExamples, Tag("by examples")]
    | Annotated[SearchByQuery, Tag("by query")],
    Discriminator(_way),
]


class BatchRequest(Given):
    """Several searches, answered from one generation of the index."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"searches": [{"words": "robot arm"}, {"words": "soft gripper"}]}]
        }
    )

    searches: list[SearchRequest] = Field(min_length=1, max_length=MOST_SEARCHES, fail_fast=True)
    wait: float = Field(
        default=0,
        ge=0,
        le=60,
        description="Seconds to wait for offline searches before answering 202.",
    )

    @model_validator(mode="after")
    def _waits_as_a_whole(self) -> Self:
        if any(getattr(one, "wait", 0) for one in self.searches):
            raise ValueError("wait goes beside searches: a batch is waited for as a whole")
        return self


class Hit(Answer):
    id: str = Field(examples=["1806.07419"])
    score: float = Field(examples=[0.31])
    rank: int = Field(examples=[1])
    title: str = Field(examples=["Grasping with a soft hand"])
    snippet: str = Field(examples=["We show a soft gripper that …"])
    fields: dict[str, Any] = Field(examples=[{"primary": "cs.RO"}])
    terms: list[Weight] | None = Field(
        default=None,
        description="With `explain`: what the terms of most effect added to the score.",
    )
    others: float | None = Field(default=None, description="What all other terms added together.")
    duplicates: list[str] | None = Field(
        default=None, description="With `group_duplicates`: ids that this hit stands for."
    )


class QueryInfo(Answer):
    """The query that was learned or run."""

    id: str = Field(description="To run it again: `query` of a search.", examples=["q-4Xh2…"])
    method: str = Field(examples=["steady"])
    reason: str = Field(examples=["it was asked for"])
    examples: int = Field(examples=[2])
    unlike: int = Field(examples=[0])
    unlabeled: int = Field(examples=[1998])
    gap: float | None = Field(default=None, examples=[0.0008])
    tol: float | None = Field(
        default=None, description="The gap that learning aimed at.", examples=[0.01]
    )
    converged: bool = Field(
        default=True, description="False where learning stopped early, above that gap."
    )
    passes: int = Field(examples=[12])
    seconds: float = Field(description="Spent on learning.", examples=[0.03])
    weighting: str = Field(examples=["tfidf"])
    views: dict[str, float] = Field(
        description="The views learned over, and how much each counts.",
        examples=[{"words": 1.0, "latent": 0.5}],
    )
    known: float = Field(description="The part of its weight that the index knows.", examples=[1.0])
    up: list[Weight] = Field(description="The heaviest terms for a document.")
    down: list[Weight] = Field(description="The heaviest terms against one.")
    off: list[str] = Field(examples=[["walk"]])
    pinned: list[str] = Field(examples=[["gripper"]])
    warnings: list[str] = Field(examples=[[]])


class SearchAnswer(Answer):
    index: str = Field(examples=["papers"])
    generation: int = Field(examples=[1])
    documents: int = Field(description="Documents in the index.", examples=[2000])
    matching: int = Field(
        description="Documents that the filter, a minus and quotes leave.", examples=[310]
    )
    hits: list[Hit]
    next_offset: int | None = Field(description="Where to go on, if there may be more.")
    query: QueryInfo | None = Field(default=None, description="None for a search by words.")
    seconds: float = Field(description="Spent in all.", examples=[0.004])


class OneAnswer(Answer):
    """What one search of a batch found, or why it failed: the others are answered all the same."""

    answer: SearchAnswer | None = None
    problem: ProblemDetails | None = None


class BatchAnswer(Answer):
    generation: int = Field(description="That all of them were answered from.", examples=[1])
    answers: list[OneAnswer] = Field(description="One for each search, in order.")
    seconds: float = Field(description="Spent in all.", examples=[0.012])
