"""Files that are read and not kept, and filters as conditions."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from likewise.filters import OPERATORS
from likewise.readers.preview import TEXT_FORMATS
from likewise.server.models.base import Answer, Given, one_of

Format = Annotated[
    str, AfterValidator(one_of(TEXT_FORMATS)), Field(json_schema_extra={"enum": [*TEXT_FORMATS]})
]


class GivenFile(Given):
    """A file's name and its bytes."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"name": "some.csv", "content": "dGl0bGUsdGV4dApBLFJvYm90cwo="}]
        }
    )

    name: str = Field(
        min_length=1, max_length=300, description="Its suffix says what format it has."
    )
    content: str = Field(
        pattern=r"^[A-Za-z0-9+/]*={0,2}$",
        description="Its bytes in base64.",
        json_schema_extra={"contentEncoding": "base64"},
    )
    format: Format | None = Field(default=None, description="Where the suffix does not say it.")


class ReadDocument(Answer):
    id: str = Field(examples=["mine-1"])
    title: str = Field(examples=["Robots"])
    text: str = Field(examples=["They walk."])
    fields: dict[str, Any] = Field(examples=[{"year": 2020}])


class ReadFile(Answer):
    documents: list[ReadDocument]
    problems: list[str] = Field(
        description="What was left out, where it stands and why.", examples=[[]]
    )


class FileFormats(Answer):
    suffixes: list[str] = Field(examples=[[".txt", ".csv", ".csv.gz"]])
    bytes: int = Field(description="Of a file at most, unpacked.", examples=[8388608])
    documents: int = Field(description="Of a file at most.", examples=[200])


class FilterCondition(Given):
    """One condition; `=` and `!=` may have several values."""

    field: str = Field(min_length=1, examples=["year"])
    operator: Literal[OPERATORS] = Field(examples=[">="])  # type: ignore[valid-type]
    values: list[str] = Field(min_length=1, max_length=1_000, fail_fast=True, examples=[["2019"]])


class GivenFilter(Given):
    """A filter as text or as conditions: the answer has both."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"filter": "year>=2019 category=cs.CL,cs.LG"}]}
    )

    filter: str | None = None
    conditions: list[FilterCondition] | None = Field(default=None, max_length=1_000, fail_fast=True)

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if (self.filter is None) == (self.conditions is None):
            raise ValueError("give either filter or conditions")
        return self


class FilterInfo(Answer):
    filter: str = Field(description="As text.", examples=["year>=2019"])
    conditions: list[FilterCondition]
