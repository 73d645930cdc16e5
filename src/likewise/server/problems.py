"""What went wrong, as problem details (RFC 9457): never with the text of a document in it."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Any

from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from likewise.errors import (
    DuplicateError,
    InputError,
    LikewiseError,
    LockedError,
    NotAllowedError,
    StoreError,
    UnknownIdError,
    UsageError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastapi import FastAPI, Request

PATH = re.compile(r"(?<![\w.~:/'\"…-])/(?:[^/\s:;,()'\"]+/)+([^/\s:;,()'\"]+)")  # absolute
MEDIA_TYPE = "application/problem+json"
MOST_ERRORS = 20  # that an answer lists
LONGEST = 1_000  # characters of a sentence: it may quote what was sent
LONGEST_POINTER = 200
TITLES = {
    400: "The request is not understood",
    401: "A token is needed",
    403: "Not allowed",
    404: "Not found",
    405: "The method is not allowed here",
    406: "Not acceptable",
    409: "In conflict with what is there",
    413: "The request is too large",
    415: "The request is of another type",
    421: "Not known under this name",
    422: "The request is not valid",
    429: "Too many requests",
    500: "The server failed",
    503: "Busy",
    507: "The disk is full",
}


class FieldProblem(BaseModel):
    """What is wrong with one part of a request."""

    pointer: str = Field(examples=["/body/limit"])
    detail: str


class ProblemDetails(BaseModel):
    """RFC 9457."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    request_id: str = ""
    errors: list[FieldProblem] = []


class ProblemError(Exception):
    """Ends a request with this status and sentence."""

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers = status, detail, headers


def silence(*categories: type[Warning]) -> None:
    """Do not print warnings that an answer has as a field; filters hold for all threads."""
    for category in categories:
        warnings.filterwarnings("ignore", category=category)


STATUS: dict[type[LikewiseError], int] = {
    LockedError: 409,
    DuplicateError: 409,
    UnknownIdError: 404,
    NotAllowedError: 403,
    StoreError: 500,
    UsageError: 422,
    InputError: 422,
}


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The problems that a route may answer with, for its OpenAPI description."""
    details = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemDetails"}}}
    # What is no HTTP at all, or has a line without end, does not come as far as problem details.
    plain = {"text/plain": {"schema": {"type": "string"}}}
    return {
        status: {
            "description": TITLES[status],
            "content": details | plain if status == 400 else details,
        }
        for status in statuses
    }


def response(
    status: int,
    detail: str,
    request_id: str = "",
    headers: Mapping[str, str] | None = None,
    errors: list[FieldProblem] | None = None,
) -> JSONResponse:
    problem = ProblemDetails(
        title=TITLES.get(status, "The request failed"),
        status=status,
        detail=shortened(detail, LONGEST),
        request_id=request_id,
        errors=errors or [],
    )
    return JSONResponse(problem.model_dump(), status, headers, media_type=MEDIA_TYPE)


def shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def install(app: FastAPI) -> None:
    """Answer every failure with problem details."""
    app.add_exception_handler(ProblemError, _problem)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(LikewiseError, _likewise)
    app.add_exception_handler(Exception, _unexpected)


def of_error(error: LikewiseError, folders: Mapping[str, str]) -> tuple[int, str]:
    """The status and sentence for an error of the library.

    Sentences name an index by its folder, which is nobody's business: `folders` says its name.
    """
    status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 500)
    return status, without_paths(str(error), folders)


def without_paths(sentence: str, folders: Mapping[str, str]) -> str:
    """The sentence with names of indexes for their folders, and of other paths the last part.

    What is in quotes was given by somebody who asks, such as an id, and stays.
    """
    for folder, name in sorted(folders.items(), key=lambda one: -len(one[0])):
        sentence = sentence.replace(folder, name)
    return PATH.sub(r"\1", sentence)


def _id(request: Request) -> str:
    return str(request.scope.get("request_id", ""))


async def _problem(request: Request, error: Any) -> JSONResponse:
    return response(error.status, error.detail, _id(request), error.headers)


async def _http(request: Request, error: Any) -> JSONResponse:
    detail = str(error.detail)
    if error.status_code == 404 and detail == "Not Found":
        detail = "there is nothing at this address: /docs lists what there is"
    headers = dict(error.headers or {})
    if error.status_code == 405:
        headers["Allow"] = ", ".join(sorted(methods_at(request) or {"GET"}))
    return response(error.status_code, detail, _id(request), headers)


def methods_at(request: Request) -> set[str]:
    """The methods that an address allows: each has a route of its own."""
    address = request.url.path.removeprefix("/v1")
    routes = (r for r in request.app.state.routes if r.path_regex.match(address))
    return set().union(*(route.methods for route in routes))


async def _invalid(request: Request, error: Any) -> JSONResponse:
    found = error.errors()
    errors = [
        FieldProblem(pointer=_pointer(one["loc"]), detail=shortened(one["msg"], LONGEST_POINTER))
        for one in found[:MOST_ERRORS]
    ]
    unread = any(one["type"] in ("json_invalid", "json_type") for one in found[:MOST_ERRORS])
    detail = "; ".join(f"{one.pointer}: {one.detail}" for one in errors[:3])
    if len(found) > MOST_ERRORS:
        detail += f"; and {len(found) - 3:,} more"
    return response(400 if unread else 422, detail, _id(request), errors=errors)


def _pointer(place: tuple[str | int, ...]) -> str:
    """Where in a request; which of several models was tried is left out."""
    parts = (str(part)[:LONGEST_POINTER] for part in place)
    pointer = "".join(f"/{part}" for part in parts if not part.startswith("by "))
    return shortened(pointer, LONGEST_POINTER)


async def _likewise(request: Request, error: Any) -> JSONResponse:
    status, detail = of_error(error, request.app.state.parts.indexes.folders)
    return response(status, detail, _id(request))


async def _unexpected(request: Request, error: Exception) -> JSONResponse:
    """The gate logs it; what it says may hold a document's text."""
    return response(
        500, "the server failed: its log has the reason under this request id", _id(request)
    )
