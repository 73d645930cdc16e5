"""Answers that are sent past the routes' layers: what they are made of, and how they are sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

if TYPE_CHECKING:
    from starlette.types import Send

encode = msgspec.json.Encoder().encode


class Weight(msgspec.Struct, gc=False):
    """As `models.base.Weight`."""

    term: str
    weight: float
    word: str


class Hit(msgspec.Struct, gc=False):
    """As `models.search.Hit`."""

    id: str
    score: float
    rank: int
    title: str
    snippet: str
    fields: dict[str, Any]
    terms: list[Weight] | None = None
    others: float | None = None
    duplicates: None = None


class Route(NamedTuple):
    """What metrics call it."""

    path: str


async def send_json(body: bytes, send: Send) -> None:
    headers = [(b"content-length", b"%d" % len(body)), (b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})
