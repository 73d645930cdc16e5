"""Who asks, and who may ask: tokens without their secrets."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from likewise.server.models.base import Answer, Given

RoleName = Literal["read", "review", "write", "owner"]
TokenName = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=r"^[^\s/#]+$")]


class Me(Answer):
    name: str = Field(description="Of the token; empty where there are none.", examples=["ada"])
    roles: list[str] = Field(description="All that it may do.", examples=[["read", "review"]])
    tokens: bool = Field(description="Whether this server asks for tokens.")


class TokenInfo(Answer):
    id: str = Field(description="The beginning of its hash.", examples=["3f2a9c01"])
    name: str = Field(examples=["ada"])
    roles: list[str] = Field(examples=[["review"]])
    created: str | None = Field(examples=["2026-01-31T12:00:00Z"])
    last_used: str | None = Field(description="Since the server was started.")


class TokenList(Answer):
    tokens: list[TokenInfo]


class NewToken(Given):
    name: TokenName = Field(examples=["ada"])
    roles: list[RoleName] = Field(min_length=1, max_length=4, examples=[["review"]])


class Secret(Answer):
    """A new token: the only time that it is shown."""

    name: str = Field(examples=["ada"])
    token: str
