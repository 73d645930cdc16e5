"""Searches by words as most are: answered without the layers that other requests need.

Of `GET /v1/indexes/{index}/search` this takes what is simple and certain: plain words, and no more
than a page of hits. Whatever else there is to a request goes on to the route, and so does what
fails here: the route says why. Both give the same answer.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qsl

import msgspec
from anyio import to_thread

from likewise.search.hits import search_documents
from likewise.search.keywords import parse
from likewise.server.direct import Hit, Route, encode, send_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Receive, Scope, Send

    from likewise.server.indexes import ServedIndex, ServedIndexes
    from likewise.server.settings import Limits

ADDRESS = re.compile(r"/v1/indexes/([^/]+)/search")
MOST_WORDS, MOST_HITS, MOST_SKIPPED, MOST_TEXT = 200, 50, 1_000, 1_000
NUMBER = re.compile(r"\d{1,4}", re.ASCII)
# Seconds. A thread to wait in costs more than a search that takes less; a search that takes longer
# must not keep others waiting, as in a large index or one that is not in memory yet.
SHORT, UNKNOWN = 0.01, 0.02
STEP = 1.25  # a search moves what is usual by so much, up or down: that is about the median
ROUTE = Route("/indexes/{index}/search")


class Asked(NamedTuple):
    words: str
    limit: int = 10
    offset: int = 0
    snippet: int = 300


NUMBERS = Asked._fields[1:]


class Answer(msgspec.Struct, gc=False):
    """As `models.search.SearchAnswer`."""

    index: str
    generation: int
    documents: int
    matching: int
    hits: list[Hit]
    next_offset: int | None
    query: None
    seconds: float


class Quick:
    def __init__(self, app: ASGIApp, indexes: ServedIndexes, limits: Limits) -> None:
        self._app, self._indexes, self._limits = app, indexes, limits
        self._usual: dict[str, float] = {}  # seconds of a search, by index

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await self._answer(scope) if scope["type"] == "http" else None
        if body is None:
            await self._app(scope, receive, send)
            return
        scope["route"] = ROUTE
        await send_json(body, send)

    async def _answer(self, scope: Scope) -> bytes | None:
        """None where the route must do it."""
        place = ADDRESS.fullmatch(scope["path"]) if scope["method"] == "GET" else None
        asked = _asked(scope["query_string"]) if place else None
        if place is None or asked is None:
            return None
        try:
            if not _is_small(asked, self._limits):
                return None
            served = self._indexes[place[1]]
            if self._usual.get(served.name, UNKNOWN) <= SHORT:
                return self._search(served, asked)
            return await to_thread.run_sync(self._search, served, asked, time.thread_time)
        except Exception:  # the route does it again, and says what it is
            return None

    def _search(
        self, served: ServedIndex, asked: Asked, clock: Callable[[], float] = time.perf_counter
    ) -> bytes | None:
        """`clock` says what it takes: among threads, that they wait for each other is no part."""
        began, first = time.perf_counter(), clock()
        index = served.current
        if served.changed is None:  # it may have been deleted
            return None
        hits = search_documents(index.searcher, asked.words, asked.limit, skip=asked.offset)
        found = [
            Hit(hit.id, hit.score, hit.rank, hit.title, one.text[: asked.snippet], one.fields)
            for hit, one in hits
        ]
        count = len(index)
        more = asked.offset + asked.limit if len(found) == asked.limit else None
        took = time.perf_counter() - began
        if took > self._limits.seconds:
            return None
        usual = self._usual.get(served.name, UNKNOWN)
        self._usual[served.name] = usual * (STEP if clock() - first > usual else 1 / STEP)
        return encode(Answer(served.name, index.generation, count, count, found, more, None, took))


def _asked(query: bytes) -> Asked | None:
    """What an address asks for, if nothing but words and numbers."""
    given = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
    values = dict(given)
    words = values.pop("q", "")
    if not words or len(values) + 1 < len(given):
        return None
    if any(name not in NUMBERS or not NUMBER.fullmatch(v) for name, v in values.items()):
        return None
    return Asked(words, **{name: int(value) for name, value in values.items()})


def _is_small(asked: Asked, limits: Limits) -> bool:
    words, limit, offset, snippet = asked
    return (
        len(words) <= min(MOST_WORDS, limits.words)
        and 0 < limit <= min(MOST_HITS, limits.results)
        and offset <= min(MOST_SKIPPED, limits.results)
        and snippet <= MOST_TEXT
        and limit * snippet <= limits.shown
        and not parse(words).asks
    )
