"""What all models share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Any, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from likewise.server.settings import MOST_ITEMS

T = TypeVar("T")
MOST_KEYS = 1_000  # of any object

Id = Annotated[str, StringConstraints(min_length=1, max_length=2_000)]
Term = Annotated[str, StringConstraints(min_length=1, max_length=300)]

# A list whose first wrong item ends its check: a list of wrong items is one error, not millions.
Items = Annotated[list[T], Field(max_length=MOST_ITEMS, fail_fast=True)]

# What stands in addresses: no slashes, no control characters, and not just dots.
Name = Annotated[
    str,
    StringConstraints(
        min_length=1,
        max_length=200,
        pattern=r"^[^/\\\x00-\x1f\x7f]*[^\s./\\\x00-\x1f\x7f][^/\\\x00-\x1f\x7f]*$",
    ),
]


def _whole(value: Any) -> Any:
    """JSON does not tell 3.0 from 3."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Whole = Annotated[int, BeforeValidator(_whole)]


def one_of(names: Iterable[str]) -> Callable[[str], str]:
    """A check that a str is one of these names, taken from one of the library's tables."""
    known = tuple(names)

    def check(value: str) -> str:
        if value not in known:
            raise ValueError(f"choose {', '.join(known)}")
        return value

    return check


class Given(BaseModel):
    """Part of a request: unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _has_few_keys(cls, given: Any) -> Any:
        """Each unknown key would be an error of its own."""
        if isinstance(given, dict) and len(given) > MOST_KEYS:
            raise ValueError(f"there are {len(given):,} keys: there may be {MOST_KEYS:,}")
        return given


class Answer(BaseModel):
    """Part of an answer."""

    model_config = ConfigDict(frozen=True)


class Weight(Answer):
    term: str = Field(description="As the index has it: a stem.", examples=["grasp"])
    weight: float = Field(examples=[0.42])
    word: str = Field(description="The most frequent word for it.", examples=["grasping"])
