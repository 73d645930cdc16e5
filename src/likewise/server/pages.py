"""The web page: files of the package, listed at the start. A request never names a path on disk."""

from __future__ import annotations

from importlib.resources import files
from mimetypes import guess_type
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from likewise.server.causes import Cause
from likewise.server.problems import ProblemError, methods_at

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

HOME = "index.html"
DOCS = "docs.html"
TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".woff2": "font/woff2"}


def router() -> APIRouter:
    found = dict(_listed(files("likewise") / "web"))
    pages = APIRouter(include_in_schema=False)

    @pages.get("/static/{name:path}")
    def static(name: str, request: Request) -> Response:
        if name not in found:
            raise ProblemError(Cause.not_found, "there is no such file")
        return _file(name, found[name], request)

    @pages.get("/docs")
    def docs(request: Request) -> Response:
        return _file(DOCS, found[DOCS], request)

    @pages.get("/{address:path}")
    def page(address: str, request: Request) -> Response:
        """The same page at every address: it decides itself what to show."""
        if address == "v1" or address.startswith("v1/"):
            raise HTTPException(405 if methods_at(request) else 404)
        return _file(HOME, found[HOME], request)

    return pages


def _listed(folder: Traversable, prefix: str = "") -> list[tuple[str, Traversable]]:
    """All files by their names within the folder."""
    listed = []
    for entry in folder.iterdir():
        if entry.is_dir():
            listed += _listed(entry, f"{prefix}{entry.name}/")
        else:
            listed.append((f"{prefix}{entry.name}", entry))
    return listed


def _file(name: str, file: Traversable, request: Request) -> Response:
    """With an ETag: browsers keep a copy and ask whether it is still the newest."""
    from xxhash import xxh3_64_hexdigest

    content = file.read_bytes()
    tag = f'"{xxh3_64_hexdigest(content)}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
    if request.headers.get("if-none-match", "").removeprefix("W/") == tag:
        return Response(status_code=304, headers=headers)
    suffix = f".{name.rpartition('.')[2]}"
    media_type = TYPES.get(suffix) or guess_type(name)[0] or "application/octet-stream"
    return Response(content, headers=headers, media_type=media_type)
