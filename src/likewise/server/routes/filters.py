"""/v1/filters: a filter's text as conditions, and conditions as text."""

from __future__ import annotations

from fastapi import APIRouter

from likewise.filters import Condition, Filter
from likewise.server.models.files import FilterCondition, FilterInfo, GivenFilter
from likewise.server.routes.common import ALWAYS, TheParts
from likewise.server.search import filter_of

router = APIRouter(tags=["search"], responses=ALWAYS)


@router.post("/filters")
def check_filter(given: GivenFilter, parts: TheParts) -> FilterInfo:
    """A filter taken apart or put together; one that is not understood is 422, and why."""
    text = given.filter if given.conditions is None else _text(given.conditions)
    found = filter_of(text, parts.limits)
    if found is None:
        return FilterInfo(filter="", conditions=[])
    conditions = [
        FilterCondition(field=one.field, operator=one.operator, values=list(one.values))
        for one in found.conditions
    ]
    return FilterInfo(filter=str(found), conditions=conditions)


def _text(conditions: list[FilterCondition]) -> str:
    """It is parsed again, which checks the conditions."""
    given = (Condition(one.field, one.operator, tuple(one.values)) for one in conditions)
    return str(Filter(tuple(given)))
