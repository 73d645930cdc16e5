"""The views of an index: what each costs, and new ones."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from likewise.server.models.base import Answer, Given

ViewName = Literal["titles", "latent", "embeddings"]
ModelName = Annotated[str, StringConstraints(max_length=200, pattern=r"^[\w.-]+(/[\w.-]+)?$")]


class View(Answer):
    """A view, and what it costs; the words have the documents themselves."""

    name: str = Field(examples=["embeddings"])
    documents: int = Field(description="That have a part in it.", examples=[2000])
    later: int = Field(
        description="That came after it was made: folded into the latent space, without embedding.",
        examples=[0],
    )
    dimensions: int = Field(examples=[384])
    bytes: int = Field(examples=[3072000])
    share: float = Field(
        description="Of the size of the documents as they were given.", examples=[0.9]
    )
    seconds: float = Field(
        description="Of comparing one document with all others.", examples=[0.002]
    )
    source: str | None = Field(
        description="The model or file that embeddings are from.", examples=["all-MiniLM-L6-v2"]
    )


class ViewList(Answer):
    views: list[View] = Field(description="Words first.")
    job: str | None = Field(
        description="The job that is making a view now, if any is.", examples=["j-7Qd1…"]
    )
    generation: int = Field(description="That is served now.", examples=[5])


class NewView(Given):
    view: ViewName
    model: ModelName | None = Field(
        default=None,
        description="The name of a model on the server's machine, for embeddings. By default it "
        "is that of the others, or all-MiniLM-L6-v2.",
        examples=["all-MiniLM-L6-v2"],
    )
