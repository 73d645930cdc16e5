"""The methods of searches and reviews."""

from __future__ import annotations

from pydantic import Field

from likewise.server.models.base import Answer


class MethodInfo(Answer):
    """A method that learns from examples."""

    name: str = Field(examples=["1c"])
    about: str = Field(examples=["a one-class SVM of the examples"])
    online: bool = Field(
        description="Whether it reads the examples only; others are jobs.", examples=[True]
    )
    options: list[str] = Field(
        description="The `options` of a search that it takes.", examples=[["C", "tol"]]
    )


class FeedbackInfo(Answer):
    """A method that learns from a review's judgements."""

    name: str = Field(examples=["two-class"])
    about: str = Field(examples=["an SVM of the relevant against the non-relevant documents"])


class TargetInfo(Answer):
    """An engine or database that a query can be written for."""

    name: str = Field(examples=["pubmed"])
    about: str = Field(examples=["PubMed, in titles and abstracts"])
    boolean: bool = Field(description="Whether it finds what matches and does not rank.")


class Methods(Answer):
    search: list[MethodInfo] = Field(description="`method` of a search by example.")
    feedback: list[FeedbackInfo] = Field(description="`method` of a review.")
    selections: list[str] = Field(description="`selection` of a review.", examples=[["best"]])
    weightings: list[str] = Field(
        description="`weighting` of a search or a review.", examples=[["tfidf"]]
    )
    targets: list[TargetInfo] = Field(description="`to` of a query's export.")
