"""Queries saved by name."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from likewise.search.elsewhere import TARGETS
from likewise.server.models.base import Answer, Given, Id, Items, Name, Term, Weight, Whole, one_of
from likewise.server.models.search import TermChoices


class SaveQuery(Given):
    name: Name = Field(examples=["soft robots"])
    query: str = Field(
        max_length=300, description="The id of a learned query.", examples=["q-4Xh2…"]
    )
    terms: TermChoices = TermChoices()
    replace: bool = Field(
        default=False, description="Whether a query of that name may be replaced."
    )


class SavedQuery(Answer):
    name: str = Field(examples=["soft robots"])
    created: str = Field(examples=["2026-01-31T12:00:00Z"])
    method: str = Field(examples=["steady"])
    examples: int = Field(examples=[2])
    terms: int = Field(examples=[8301])
    up: list[Weight]
    down: list[Weight]


class ExportQuery(Given):
    """`relevant` and `others` are ids, for a Boolean query; without them it is to find what the
    query ranks first, and nothing else.
    """

    to: Annotated[str, AfterValidator(one_of(TARGETS))] = Field(
        description="One of " + ", ".join(TARGETS) + ".", examples=["pubmed"]
    )
    most: Whole | None = Field(
        default=None, ge=1, le=1_000, description="Terms at most: 50, or 20 of a Boolean query."
    )
    fields: Annotated[list[Term], Field(max_length=20)] = Field(
        default=[], description="Fields of the documents there.", examples=[["title", "abstract"]]
    )
    terms: TermChoices = TermChoices()
    relevant: Items[Id] | None = None
    others: Items[Id] | None = None
    beta: float | None = Field(
        default=None,
        gt=0,
        lt=100,
        description="How many times recall counts beside precision, in a Boolean query: 2.",
    )


class ExportedBoost(Answer):
    term: str = Field(examples=["robot"])
    word: str = Field(examples=["robots"])
    weight: float = Field(examples=[2.11])
    boost: float = Field(
        description="For BM25; a negative one is what documents without the term get, times -1.",
        examples=[3.25],
    )


class Kept(Answer):
    first: int = Field(description="Of so many documents, the best …", examples=[10])
    share: float = Field(description="… the share that is kept.", examples=[0.8])


class FoundBoolean(Answer):
    """What a Boolean query finds: of the relevant documents, judged or ranked first."""

    relevant: int = Field(examples=[105])
    documents: int = Field(description="All that it finds in the index.", examples=[116])
    recall: float = Field(examples=[0.84])
    precision: float = Field(examples=[0.76])
    estimated_recall: float | None = Field(
        description="By cross-validation, for documents not seen; null if there are too few.",
        examples=[0.75],
    )
    estimated_precision: float | None = Field(examples=[0.65])
    judged: bool


class ExportedQuery(Answer):
    to: str = Field(examples=["pubmed"])
    text: str = Field(
        description="What to give to the engine or database.", examples=["robot*[tiab]"]
    )
    about: str = Field(description="How good it is, in words.")
    terms: list[str] = Field(examples=[["robot*"]])
    boosts: list[ExportedBoost]
    kept: list[Kept]
    found: FoundBoolean | None
    notes: list[str]


class SavedQueries(Answer):
    queries: list[SavedQuery]
