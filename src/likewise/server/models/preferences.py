"""What a review is about, and what is a reviewer's own in it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from likewise.reviews.own import COLOURS, LONGEST, MOST
from likewise.server.models.base import Answer, Given
from likewise.server.models.sessions import Reviewer

Phrase = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST)]
Colour = Literal[COLOURS]  # type: ignore[valid-type]


class Protocol(Answer):
    """The question of a review, what is to be included, and reasons and tags to choose from."""

    question: str = Field(examples=["Do robots help surgeons?"])
    criteria: str = Field(examples=["Include trials in humans."])
    reasons: list[str] = Field(examples=[["wrong population", "no trial"]])
    tags: list[str] = Field(examples=[["ask ben"]])
    require_reason: bool = Field(
        description="Whether a full text is left out for a reason, where there are reasons."
    )


class Highlight(Given):
    word: Phrase = Field(examples=["randomised"])
    colour: Colour = COLOURS[0]


class NewPreferences(Given):
    """What is left out stays as it is."""

    reviewer: Reviewer | None = None
    keys: dict[str, str] | None = Field(
        default=None,
        max_length=100,
        description="Keys by action, in place of the usual ones; actions left out have those.",
        examples=[{"relevant": "i", "not": "e"}],
    )
    highlights: list[Highlight] | None = Field(default=None, max_length=MOST)


class Key(Answer):
    action: str = Field(examples=["relevant"])
    key: str = Field(examples=["y"])
    usual: str = Field(examples=["y"])
    says: str = Field(examples=["relevant"])


class Preferences(Answer):
    """A reviewer's keys, which hold in all reviews, and words that are highlighted in this one."""

    reviewer: str
    keys: list[Key]
    highlights: list[Highlight]
    colours: list[str] = Field(description="That a highlight may have.", examples=[[*COLOURS]])
