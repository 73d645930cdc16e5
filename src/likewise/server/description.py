"""What /openapi.json has beyond the models: names for operations, and the limits as bounds.

It is the same for every server of these limits, whatever indexes it has: a client is generated
once. Bounds are those of JSON Schema, as integers where the values are.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from likewise.server.problems import ProblemDetails

if TYPE_CHECKING:
    from fastapi import FastAPI
    from fastapi.routing import APIRoute

    from likewise.server.routes.common import Parts
    from likewise.server.settings import Limits

WORDS = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
}
REFERENCE = "#/components/schemas/{model}"


def describe(app: FastAPI, parts: Parts, *, secured: bool) -> None:
    """Complete the application's OpenAPI description when it is first asked for."""
    plain = app.openapi
    app.openapi = cache(lambda: _completed(plain(), parts, secured))  # type: ignore[method-assign]


def _completed(schema: dict[str, Any], parts: Parts, secured: bool) -> dict[str, Any]:
    models = schema["components"]["schemas"]
    details = ProblemDetails.model_json_schema(ref_template=REFERENCE)
    models.update({**details.pop("$defs", {}), "ProblemDetails": details})
    limits = _limits(parts.limits)
    for model in models.values():
        _limit(model.get("properties", {}), limits)
    for path in schema["paths"].values():
        for operation in path.values():
            for parameter in operation.get("parameters", ()):
                _limit({parameter["name"]: parameter["schema"]}, limits)
    _bound(schema)
    if secured:
        schema["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        schema["security"] = [{"token": []}]
    return schema


def operation_id(route: APIRoute) -> str:
    """The name of what it does, which stays when its address changes."""
    return route.name


def _bound(part: Any) -> None:
    """Bounds in JSON Schema's words: pydantic has `ge` behind its own checks, and 1.0 for 1."""
    if isinstance(part, list):
        for one in part:
            _bound(one)
    if not isinstance(part, dict):
        return
    for one in part.values():
        _bound(one)
    if part.get("type") in ("integer", "number"):
        for own, word in WORDS.items():
            if own in part:
                part[word] = part.pop(own)
            if part["type"] == "integer" and isinstance(part.get(word), float):
                part[word] = int(part[word])


def _limits(limits: Limits) -> dict[str, tuple[str, int]]:
    """The fields that have a limit, by name, in the words of JSON Schema."""
    return {
        "limit": ("maximum", limits.results),
        "offset": ("maximum", limits.results),
        "words": ("maxLength", limits.words),
        "q": ("maxLength", limits.words),
        "filter": ("maxLength", limits.words),
        "positive": ("maxItems", limits.examples),
        "negative": ("maxItems", limits.examples),
        "documents": ("maxItems", limits.documents),
    }


def _limit(properties: dict[str, Any], limits: dict[str, tuple[str, int]]) -> None:
    kinds = {"maximum": "integer", "maxLength": "string", "maxItems": "array"}
    for name, (word, most) in limits.items():
        found = properties.get(name, {})
        for schema in (found, *found.get("anyOf", ())):
            if schema.get("type") == kinds[word]:
                schema[word] = most
