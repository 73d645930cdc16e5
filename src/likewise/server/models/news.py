"""What came: into a review, and for searches that are kept."""

from __future__ import annotations

from pydantic import Field

from likewise.server.models.base import Answer, Given, Name
from likewise.server.models.search import Hit, TermChoices


class News(Answer):
    """Records that came into a review since it began, or since they were called seen."""

    since: str | None = Field(examples=["2026-01-31T12:00:00Z"])
    new: int = Field(description="How many came, or were replaced.", examples=[37])
    unjudged: int = Field(description="How many of them nobody has judged.", examples=[35])
    ids: list[str] = Field(description="Their ids, at most 10,000.", examples=[["2401.00001"]])


class SaveSearch(Given):
    """By words, or by a learned query; what is there now counts as seen."""

    name: Name = Field(examples=["soft robots"])
    words: str = Field(default="", max_length=100_000)
    query: str | None = Field(
        default=None, max_length=300, description="The id of a learned query, or a saved one."
    )
    terms: TermChoices = TermChoices()
    filter: str = Field(default="", max_length=100_000)
    page: str = Field(default="", max_length=100_000, description="Its address, for the page.")


class SavedSearch(Answer):
    name: str = Field(examples=["soft robots"])
    owner: str = Field(examples=["ada"])
    yours: bool = Field(description="Whether you may replace and delete it.")
    created: str = Field(examples=["2026-01-31T12:00:00Z"])
    words: str = Field(examples=["robot arm"])
    learned: bool = Field(description="Whether it is by a learned query.")
    filter: str = Field(examples=["year>=2019"])
    page: str = ""
    since: str | None = Field(description="When you looked last.")
    new: int = Field(description="Documents that came since and match.", examples=[3])


class SavedSearches(Answer):
    searches: list[SavedSearch]


class NewHits(Answer):
    since: str | None
    documents: int = Field(description="That came, whether they match or not.", examples=[12])
    hits: list[Hit]
