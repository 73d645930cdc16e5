"""What all models share."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Id = Annotated[str, StringConstraints(min_length=1, max_length=2_000)]
Term = Annotated[str, StringConstraints(min_length=1, max_length=300)]


class Given(BaseModel):
    """Part of a request: a name that is not known is an error, not silence."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class Answer(BaseModel):
    """Part of an answer."""

    model_config = ConfigDict(frozen=True)


class Weight(Answer):
    term: str = Field(examples=["robot"])
    weight: float = Field(examples=[0.42])
