"""Checks that every request must pass first: its origin, token, rate and size.

The page is served to anybody, since it holds no data. Everything under /v1 needs a token where
there are tokens. Browsers send nobody's token by themselves, and no cookie is ever set; what is
left for other sites to try is caught by the names and origins that requests must come with.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
import traceback
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.responses import Response

from likewise.server.access import ANYONE, Rate
from likewise.server.bodies import JSON, body_of
from likewise.server.causes import Cause
from likewise.server.crossing import answered, is_preflight, preflight
from likewise.server.problems import ProblemError, response

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from likewise.server.access import Caller, Limited
    from likewise.server.bodies import Body
    from likewise.server.metrics import Counts
    from likewise.server.settings import Limits, Settings
    from likewise.server.tokens import Tokens

    Headers = Mapping[str, str]

API = "/v1/"
OPEN = ("/v1/health",)  # for whoever keeps the server running
SAFE = ("GET", "HEAD", "OPTIONS")
SEPARATORS = (b",", b"[", b"{")  # there are about as many as values
IDENTITY = "identity"  # the coding of what is not coded
GIVEN_ID = re.compile(r"[\w.-]{1,64}", re.ASCII)
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
        "font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; "
        "frame-src blob:; "  # PDFs beside records
        "base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
RAW = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
NOT_KEPT = (b"cache-control", b"no-store")
OURS = {name for name, _ in (*RAW, NOT_KEPT)} | {b"x-request-id"}
access = logging.getLogger("likewise.access")
failures = logging.getLogger("likewise.server")


class Gate:
    def __init__(
        self,
        app: ASGIApp,
        settings: Settings,
        tokens: Tokens | None,
        rate: Limited,
        metrics: Counts | None = None,
        refusals: Limited | None = None,
    ) -> None:
        self._app, self._settings, self._tokens = app, settings, tokens
        self._rate, self._metrics = rate, metrics
        self._refusals = refusals or Rate(settings.limits.refusals)
        self._body_bytes = 0  # of all requests under way

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        method = scope["method"]
        answering = _Answering(send, scope["path"], head=method == "HEAD")
        if method == "HEAD":  # all that GET has but the body
            scope = {**scope, "method": "GET"}
        headers = _headers(scope)
        scope["request_id"] = answering.id = _request_id(headers)
        began = time.perf_counter()
        try:
            await self._pass(scope, headers, receive, answering)
        except Exception as error:
            # Without its message, which may hold a document's text.
            where = "".join(traceback.format_tb(error.__traceback__))
            failures.error("%s failed: %s\n%s", answering.id, type(error).__name__, where)
            if not answering.status:
                raise
        finally:
            self._note(scope, method, answering, time.perf_counter() - began)

    async def _pass(
        self, scope: Scope, headers: Headers, receive: Receive, answering: _Answering
    ) -> None:
        try:
            self._check_origin(scope, headers, answering)
            if answering.allowed and is_preflight(scope["method"], headers):
                await Response(status_code=204, headers=preflight())(scope, receive, answering)
                return
            scope["caller"] = self._caller(scope, headers)
            self._check_rate(scope)
            if scope["method"] in SAFE and not _has_body(headers):
                await self._app(scope, _replay(b"", receive, answering), answering)
                return
            wanted = body_of(scope["path"], self._settings.limits)
            if wanted.streamed and scope["method"] == "POST":
                _check_head(headers, wanted)
                await self._app(scope, _metered(wanted, receive), answering)
                return
            body = await self._body(wanted, headers, receive)
        except ProblemError as problem:
            await response(problem, answering.id)(scope, receive, answering)
            return
        try:
            await self._app(scope, _replay(body, receive, answering), answering)
        finally:
            self._body_bytes -= len(body)

    def _check_origin(self, scope: Scope, headers: Headers, answering: _Answering) -> None:
        """Refuse requests from other sites' pages, but of those that may ask, and host names that
        are not ours.
        """
        host = headers.get("host", "")
        allowed = self._settings.hosts
        if allowed and _without_port(host) not in allowed:
            raise ProblemError(
                Cause.unknown_host,
                f"this server is not known as {host!r}: use a name that it goes by",
            )
        origin = headers.get("origin")
        foreign = origin is not None and _netloc(origin) != host
        site = headers.get("sec-fetch-site", "same-origin")
        guarded = scope["path"].startswith(API) or scope["method"] not in SAFE
        if foreign and origin in self._settings.cors and scope["path"].startswith(API):
            answering.allowed = origin
            return
        if guarded and (foreign or site not in ("same-origin", "none")):
            raise ProblemError(Cause.other_site, "requests of other sites are not answered")

    def _caller(self, scope: Scope, headers: Headers) -> Caller:
        if self._tokens is None or not scope["path"].startswith(API) or scope["path"] in OPEN:
            return ANYONE
        scheme, _, token = headers.get("authorization", "").partition(" ")
        found = self._tokens.caller(token.strip()) if scheme.lower() == "bearer" else None
        if found is None:
            wait = self._refusals.take(_address(scope))
            if wait:
                raise _too_many(wait)
            raise ProblemError(
                Cause.token_needed,
                "this needs a token, in a header Authorization: Bearer …",
                {"WWW-Authenticate": 'Bearer realm="likewise"'},
            )
        return found

    def _check_rate(self, scope: Scope) -> None:
        if not scope["path"].startswith(API):  # the page is some forty files
            return
        scope["client_key"] = scope["caller"].name or _address(scope)
        wait = self._rate.take(scope["client_key"])
        if wait:
            raise _too_many(wait)

    async def _body(self, wanted: Body, headers: Headers, receive: Receive) -> bytes:
        """The whole body, which counts among those under way from its first byte on."""
        _check_length(headers, wanted)
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(wanted.seconds):
                async for part in _parts(receive):
                    parts.append(part)
                    size += len(part)
                    self._body_bytes += len(part)
                    self._check_size(size, wanted)
            if size:
                _check_type(headers, wanted)
            body = b"".join(parts)
            if wanted.media_type == JSON:
                _check_values(body, self._settings.limits)
        except BaseException as error:
            self._body_bytes -= size
            if isinstance(error, TimeoutError):
                raise _late(wanted) from None
            raise
        return body

    def _check_size(self, size: int, wanted: Body) -> None:
        if size > wanted.most:
            raise _too_large(wanted)
        if self._body_bytes > self._settings.limits.body_bytes:
            raise ProblemError(
                Cause.busy, "too many large requests at a time", {"Retry-After": "5"}
            )

    def _note(self, scope: Scope, method: str, answering: _Answering, seconds: float) -> None:
        """Count and log a request, without its query string and body."""
        route = getattr(scope.get("route"), "path", "other")
        if scope["path"].startswith(API) and route != "other":
            route = f"{API[:-1]}{route}"  # a router knows its own part of an address
        if self._metrics is not None and "forwarded" not in scope:
            self._metrics.count(route, method, answering.status, seconds)
        if not access.isEnabledFor(logging.INFO):
            return
        access.info(
            "%s %s %s %s %d %.1fms",
            answering.id,
            scope.get("caller", ANYONE).name or (scope.get("client") or ("-",))[0],
            method,
            scope.get("raw_path", b"").split(b"?")[0].decode("ascii", "replace"),
            answering.status,
            1000 * seconds,
        )


class _Answering:
    """Sends an answer with the headers that all answers have; of a HEAD, nothing but these."""

    def __init__(self, send: Send, path: str, *, head: bool) -> None:
        self._send, self._path = send, path
        self.ended = asyncio.Event() if head else None
        self.allowed: str | None = None  # the other site that asks, and may
        self.id = ""
        self.status = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = self._headers(message.get("headers", ()))
        elif self.ended is not None:
            if self.ended.is_set():
                return
            message = {"type": "http.response.body", "body": b"", "more_body": False}
            self.ended.set()
        await self._send(message)

    def _headers(self, given: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        api = self._path.startswith(API)
        kept = [one for one in given if one[0] not in OURS or (one[0] == NOT_KEPT[0] and not api)]
        found = [*kept, (b"x-request-id", self.id.encode()), *RAW]
        if api:
            found.append(NOT_KEPT)
        if self.allowed:
            headers = MutableHeaders(raw=found)
            for name, value in answered(self.allowed).items():
                headers[name] = value
            headers.add_vary_header("Origin")
        return found


def _check_head(headers: Headers, wanted: Body) -> None:
    _check_length(headers, wanted)
    _check_type(headers, wanted)


def _check_length(headers: Headers, wanted: Body) -> None:
    length = headers.get("content-length", "")
    if length.isdigit() and int(length) > wanted.most:
        raise _too_large(wanted)


def _check_type(headers: Headers, wanted: Body) -> None:
    coding = headers.get("content-encoding", IDENTITY)
    if coding.strip().lower() != IDENTITY:
        says = f"send {wanted.what} as it is: Content-Encoding {coding!r} is not understood"
        raise ProblemError(Cause.wrong_type, says, {"Accept-Encoding": IDENTITY})
    if _media_type(headers) != wanted.media_type:
        says = f"send {wanted.what}, with a header Content-Type: {wanted.media_type}"
        raise ProblemError(Cause.wrong_type, says)


def _check_values(body: bytes, limits: Limits) -> None:
    """Refuse, before it is parsed, what would become millions of objects."""
    for name, separators, most in (
        ("values and commas", SEPARATORS, limits.values),
        ("keys and colons", (b":",), limits.keys),
    ):
        if sum(map(body.count, separators)) > most:
            raise ProblemError(
                Cause.too_large, f"a request may have {most:,} {name}: send it in parts"
            )


def _headers(scope: Scope) -> dict[str, str]:
    """The headers by name in lower case; of several of one name, the first."""
    raw = reversed(scope["headers"])
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in raw}


def _has_body(headers: Headers) -> bool:
    return "content-length" in headers or "transfer-encoding" in headers


def _address(scope: Scope) -> str:
    return str((scope.get("client") or ("",))[0])


def _netloc(origin: str) -> str:
    try:
        return urlsplit(origin).netloc
    except ValueError as error:
        raise ProblemError(
            Cause.bad_request, "the header Origin is no address of a site"
        ) from error


def _too_many(wait: float) -> ProblemError:
    return ProblemError(
        Cause.rate_limited, "too many requests in a short time", {"Retry-After": f"{wait:.0f}"}
    )


def _request_id(headers: Headers) -> str:
    given = headers.get("x-request-id", "")
    return given if GIVEN_ID.fullmatch(given) else secrets.token_hex(8)


def _without_port(host: str) -> str:
    return re.sub(r":\d+$", "", host).lower()


def _media_type(headers: Headers) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def _too_large(wanted: Body) -> ProblemError:
    return ProblemError(Cause.too_large, f"a request may have {wanted.most} bytes")


def _late(wanted: Body) -> ProblemError:
    late = f"the request was not complete after {wanted.seconds:g} s"
    return ProblemError(Cause.incomplete, late)


def _metered(wanted: Body, receive: Receive) -> Receive:
    """What a route reads as it comes: as much and as long as it may."""
    size, end = 0, asyncio.get_running_loop().time() + wanted.seconds
    whole = False

    async def read() -> Message:
        nonlocal size, whole
        if whole:
            return await receive()  # that the client has gone
        try:
            async with asyncio.timeout_at(end):
                message = await receive()
        except TimeoutError:
            raise _late(wanted) from None
        size += len(message.get("body", b""))
        whole = not message.get("more_body", False)
        if size > wanted.most:
            raise _too_large(wanted)
        return message

    return read


async def _parts(receive: Receive) -> AsyncIterator[bytes]:
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ProblemError(Cause.incomplete, "the request ended before it was complete")
        yield message.get("body", b"")
        more = message.get("more_body", False)


def _replay(body: bytes, receive: Receive, answering: _Answering) -> Receive:
    sent = False

    async def again() -> Message:
        nonlocal sent
        if (
            sent and answering.ended is not None
        ):  # whoever sends more may stop when the head is sent
            await answering.ended.wait()
            return {"type": "http.disconnect"}
        if sent:
            return await receive()  # that the client has gone
        sent = True
        message: dict[str, Any] = {"type": "http.request", "body": body, "more_body": False}
        return message

    return again
