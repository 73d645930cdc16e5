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
    ClusterError,
    DuplicateError,
    InputError,
    LikewiseError,
    LockedError,
    MissingReasonError,
    NotAllowedError,
    StoreError,
    UnknownFieldError,
    UnknownIdError,
    UsageError,
)
from likewise.server.causes import Cause, general
from likewise.server.wording import in_http

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastapi import FastAPI, Request

PATH = re.compile(r"(?<![\w.~:/'\"…-])/(?:[^/\s:;,()'\"]+/)+([^/\s:;,()'\"]+)")  # absolute
MEDIA_TYPE = "application/problem+json"
MOST_ERRORS = 20  # that an answer lists
LONGEST = 1_000  # characters of a sentence: it may quote what was sent
LONGEST_POINTER = 200


class FieldProblem(BaseModel):
    """What is wrong with one part of a request."""

    pointer: str = Field(examples=["/body/limit"])
    detail: str


class ProblemDetails(BaseModel):
    """RFC 9457."""

    type: str = Field(
        description="Why, for programs: each cause has its own; docs/http.md lists them.",
        examples=[Cause.unknown_index.uri],
    )
    title: str
    status: int
    detail: str
    request_id: str = ""
    errors: list[FieldProblem] = []


class ProblemError(Exception):
    """Ends a request for this cause, or the general one of a status, with a sentence."""

    def __init__(
        self, cause: Cause | int, detail: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(detail)
        self.cause = cause if isinstance(cause, Cause) else general(cause)
        self.status = self.cause.status
        self.detail, self.headers = detail, headers

    def details(
        self, request_id: str = "", errors: list[FieldProblem] | None = None
    ) -> ProblemDetails:
        """What an answer says about it."""
        return ProblemDetails(
            type=self.cause.uri,
            title=self.cause.title,
            status=self.status,
            detail=shortened(self.detail, LONGEST),
            request_id=request_id,
            errors=errors or [],
        )


def silence(*categories: type[Warning]) -> None:
    """Do not print warnings that an answer has as a field; filters hold for all threads."""
    for category in categories:
        warnings.filterwarnings("ignore", category=category)


CAUSES: dict[type[LikewiseError], Cause] = {
    LockedError: Cause.locked,
    DuplicateError: Cause.duplicate_document,
    UnknownIdError: Cause.unknown_document,
    UnknownFieldError: Cause.unknown_field,
    MissingReasonError: Cause.reason_needed,
    NotAllowedError: Cause.not_allowed,
    StoreError: Cause.damaged,
    ClusterError: Cause.no_cluster,
    UsageError: Cause.invalid,
    InputError: Cause.unreadable,
}


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The problems that a route may answer with, for its OpenAPI description."""
    details = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemDetails"}}}
    # What is no HTTP at all, or has a line without end, does not come as far as problem details.
    plain = {"text/plain": {"schema": {"type": "string"}}}
    return {
        status: {
            "description": general(status).title,
            "content": details | plain if status == 400 else details,
        }
        for status in statuses
    }


def response(
    problem: ProblemError, request_id: str = "", errors: list[FieldProblem] | None = None
) -> JSONResponse:
    content = problem.details(request_id, errors).model_dump()
    return JSONResponse(content, problem.status, problem.headers, media_type=MEDIA_TYPE)


def shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def install(app: FastAPI) -> None:
    """Answer every failure with problem details."""
    app.add_exception_handler(ProblemError, _problem)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(LikewiseError, _likewise)
    app.add_exception_handler(Exception, _unexpected)


def of_error(
    error: LikewiseError, folders: Mapping[str, str], cause: Cause | None = None
) -> ProblemError:
    """The problem that an error of the library is, in HTTP's words.

    Sentences name an index by its folder, which is nobody's business: `folders` says its name.
    """
    known = (found for kind, found in CAUSES.items() if isinstance(error, kind))
    sentence = without_paths(str(error), folders)
    return ProblemError(cause or next(known, Cause.failed), sentence)


def without_paths(sentence: str, folders: Mapping[str, str]) -> str:
    """The sentence for whoever asks: in HTTP's words, with names of indexes for their folders, and
    of other paths the last part.

    What is in quotes was given by somebody who asks, such as an id, and stays.
    """
    for folder, name in sorted(folders.items(), key=lambda one: -len(one[0])):
        sentence = sentence.replace(folder, name)
    return in_http(PATH.sub(r"\1", sentence))


def _id(request: Request) -> str:
    return str(request.scope.get("request_id", ""))


async def _problem(request: Request, error: Any) -> JSONResponse:
    return response(error, _id(request))


async def _http(request: Request, error: Any) -> JSONResponse:
    detail = str(error.detail)
    if error.status_code == 404 and detail == "Not Found":
        detail = "there is nothing at this address: /docs lists what there is"
    headers = dict(error.headers or {})
    if error.status_code == 405:
        headers["Allow"] = ", ".join(sorted(methods_at(request) or {"GET", "HEAD"}))
        detail = f"{request.method} is not possible here: {headers['Allow']} may be"
    return response(ProblemError(error.status_code, detail, headers), _id(request))


def methods_at(request: Request) -> set[str]:
    """The methods that an address allows: each has a route of its own."""
    address = request.url.path.removeprefix("/v1")
    routes = (r for r in request.app.state.routes if r.path_regex.match(address))
    found = set().union(*(route.methods for route in routes))
    return found | {"HEAD"} if "GET" in found else found


async def _invalid(request: Request, error: Any) -> JSONResponse:
    found = error.errors()
    errors = [
        FieldProblem(pointer=_pointer(one["loc"]), detail=shortened(_said(one), LONGEST_POINTER))
        for one in found[:MOST_ERRORS]
    ]
    unread = any(one["type"] in ("json_invalid", "json_type") for one in found[:MOST_ERRORS])
    detail = "; ".join(f"{one.pointer}: {one.detail}" for one in errors[:3])
    if len(found) > MOST_ERRORS:
        detail += f"; and {len(found) - 3:,} more"
    cause = Cause.bad_request if unread else Cause.invalid
    return response(ProblemError(cause, detail), _id(request), errors)


def _said(error: Mapping[str, Any]) -> str:
    """What pydantic says of a part of a request, for people."""
    if error["type"] == "string_pattern_mismatch":  # which few can read
        return "This is not written as it must be: /docs has the pattern"
    return str(error["msg"]).removeprefix("Value error, ")


def _pointer(place: tuple[str | int, ...]) -> str:
    """Where in a request; which of several models was tried is left out."""
    parts = (str(part)[:LONGEST_POINTER] for part in place)
    pointer = "".join(f"/{part}" for part in parts if not part.startswith("by "))
    return shortened(pointer, LONGEST_POINTER)


async def _likewise(request: Request, error: Any) -> JSONResponse:
    folders = request.app.state.parts.indexes.folders
    return response(of_error(error, folders), _id(request))


async def _unexpected(request: Request, error: Exception) -> JSONResponse:
    return response(unexpected(), _id(request))


def unexpected() -> ProblemError:
    """The gate logs it; what it says may hold a document's text."""
    says = "the server failed: its log has the reason under this request id"
    return ProblemError(Cause.failed, says)
