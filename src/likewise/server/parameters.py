"""Parameters that a route does not have: refused, as unknown fields of a body are."""

from __future__ import annotations

from fastapi import Request  # FastAPI reads it when it reads the signature
from fastapi.dependencies.utils import get_flat_params
from fastapi.exceptions import RequestValidationError
from fastapi.params import Query
from fastapi.routing import APIRoute


async def known_only(request: Request) -> None:
    """A dependency of all routes."""
    given = request.query_params.keys()
    if not given:
        return
    known = parameters_of(request.scope["route"])
    unknown = [name for name in dict.fromkeys(given) if name not in known]
    if unknown:
        says = f"there is no such parameter: choose from {', '.join(known)}"
        why = says if known else "this address has no parameters: leave it out"
        raise RequestValidationError(
            [{"type": "extra_forbidden", "loc": ("query", name), "msg": why} for name in unknown]
        )


def parameters_of(route: APIRoute) -> tuple[str, ...]:
    """The names that may stand behind the question mark."""
    fields = get_flat_params(route.dependant)
    return tuple(field.alias for field in fields if isinstance(field.field_info, Query))
