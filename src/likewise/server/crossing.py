"""Pages of other sites that may ask: those of an allow-list (CORS); by default there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from likewise.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE"
HEADERS = "Authorization, Content-Type, X-Request-ID"
EXPOSED = "Content-Disposition, Location, Retry-After, X-Request-ID"
KEPT = "600"  # seconds for which a browser may remember what it was told


def checked(origins: Iterable[str]) -> tuple[str, ...]:
    """The origins as browsers write them; what is none is refused, and so is `*`."""
    return tuple(map(_checked, origins))


def _checked(origin: str) -> str:
    try:
        parts = urlsplit(origin)
        named = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        named = False
    if not named or "*" in origin or origin != f"{parts.scheme}://{parts.netloc}":
        raise UsageError(
            f"{origin!r} is no origin of pages: write it as https://app.example.org, with a port "
            "where it has one, and without a path"
        )
    if "@" in origin or any(map(str.isspace, origin)):
        raise UsageError(f"{origin!r} is no origin of pages: leave out spaces and user names")
    return origin.lower()


def is_preflight(method: str, headers: Mapping[str, str]) -> bool:
    """Whether a browser asks what a page may ask."""
    return method == "OPTIONS" and "access-control-request-method" in headers


def preflight() -> dict[str, str]:
    """What such a page may do: all that its token may. No cookies: there are none."""
    return {
        "Access-Control-Allow-Methods": METHODS,
        "Access-Control-Allow-Headers": HEADERS,
        "Access-Control-Max-Age": KEPT,
    }


def answered(origin: str) -> dict[str, str]:
    """The headers of every answer to a page of this origin."""
    return {
        "Access-Control-Allow-Origin": origin,
        "Access-Control-Expose-Headers": EXPOSED,
        "Cross-Origin-Resource-Policy": "cross-origin",
    }
