"""/v1/indexes/{index}/terms: what words stand for, to find a query's terms again in a text."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field, StringConstraints

from likewise.server.models.base import Answer, Given
from likewise.server.routes.common import ALWAYS, INDEX, TheIndex, TheStop
from likewise.server.search import check_sizes

router = APIRouter(prefix="/indexes/{index}/terms", tags=["search"], responses=ALWAYS | INDEX)
MOST_CHARACTERS = 500_000  # of all words together
Word = Annotated[str, StringConstraints(max_length=1_000)]


class Words(Given):
    words: list[Word] = Field(
        max_length=5_000, fail_fast=True, examples=[["Robots", "the", "walking"]]
    )


class WordTerms(Answer):
    terms: list[list[str]] = Field(
        description="Those of each word in order; none for a stop word.",
        examples=[[["robot"], [], ["walk"]]],
    )


@router.post("")
def terms_of_words(served: TheIndex, given: Words, stop: TheStop) -> WordTerms:
    """The terms by which an index knows some words."""
    check_sizes({"the length of all words": (sum(map(len, given.words)), MOST_CHARACTERS)})
    analyzer, terms = served.current.analyzer, []
    for word in given.words:
        stop.check()
        terms.append(analyzer(word))
    return WordTerms(terms=terms)
