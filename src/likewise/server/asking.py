"""What a search request asks, checked against the limits and put in the library's words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from likewise.document import Document, Text
from likewise.filtering import as_filter
from likewise.named import METHODS, choose
from likewise.server.models.search import GivenId
from likewise.server.problems import ProblemError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.examples import Example as LibraryExample
    from likewise.filtering import Filter
    from likewise.server.models.search import Example, SearchRequest
    from likewise.server.settings import Limits

WAYS = ("words", "positive", "query")


def refuse(request: SearchRequest, limits: Limits) -> None:
    """Raise where a request asks for too much, or for what does not go together."""
    used = [way for way in WAYS if getattr(request, way)]
    if len(used) > 1:
        raise ProblemError(
            422, f"{' and '.join(used)} exclude each other: ask in one of these ways"
        )
    if not used:
        raise ProblemError(422, "nothing is asked: give words, positive examples or a query")
    if request.words is not None and len(request.words) > limits.words:
        raise ProblemError(422, f"words has more than {limits.words} characters")
    if len(request.positive) + len(request.negative) > limits.examples:
        raise ProblemError(422, f"there are more than {limits.examples} examples")
    if request.limit + request.offset > limits.results:
        raise ProblemError(422, f"limit and offset together are more than {limits.results}")
    if not request.positive:
        _refuse_without_examples(request)


def _refuse_without_examples(request: SearchRequest) -> None:
    """What means something to learning only must not be silently ignored elsewhere."""
    given = {
        "negative": request.negative,
        "method": request.method,
        "options": request.options.model_fields_set,
        "weighting": request.query and request.weighting,
        "terms": request.words and (request.terms.off or request.terms.pinned),
    }
    for name, value in given.items():
        if value:
            raise ProblemError(422, f"{name} goes with positive examples only")


def examples(given: Sequence[Example]) -> list[LibraryExample]:
    return [_example(one) for one in given]


def _example(given: Example) -> LibraryExample:
    if isinstance(given, str):
        return given
    if isinstance(given, GivenId):
        return given.id
    return Document(None, given.text, given.title) if given.title else Text(given.text)


def filter_of(text: str | None, limits: Limits) -> Filter | None:
    if text is None or not text.strip():
        return None
    if len(text) > limits.words:
        raise ProblemError(422, f"the filter has more than {limits.words} characters")
    return as_filter(text)


def is_offline(request: SearchRequest) -> bool:
    """Whether learning reads the whole index, perhaps often: such a search becomes a job."""
    if not request.positive:
        return False
    return not METHODS[choose(request.method or "auto", len(request.positive))[0]].online


def options_of(request: SearchRequest) -> dict[str, Any]:
    return request.options.model_dump(exclude_none=True)
