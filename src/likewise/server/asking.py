"""What a search request asks, checked against the limits and put in the library's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.document import Document, Text
from likewise.filters import as_filter
from likewise.search.methods import METHODS
from likewise.server.models.search import GivenId, SearchByExamples, SearchByWords
from likewise.server.problems import ProblemError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.filters import Filter
    from likewise.search.examples import Example as LibraryExample
    from likewise.server.models.search import Asked, Example
    from likewise.server.settings import Limits


def refuse(request: Asked, limits: Limits) -> None:
    """Raise where a request asks for too much."""
    sizes = {
        "limit": (request.limit, limits.results),
        "offset": (request.offset, limits.results),
        "filter": (len(request.filter or ""), limits.words),
    }
    if isinstance(request, SearchByWords):
        sizes["words"] = (len(request.words), limits.words)
    if isinstance(request, SearchByExamples):
        sizes["positive"] = (len(request.positive), limits.examples)
        sizes["negative"] = (len(request.negative), limits.examples)
    refuse_beyond(**sizes)


def refuse_beyond(**sizes: tuple[int, int]) -> None:
    """Raise for the first of the things named that is larger than it may be."""
    for name, (size, most) in sizes.items():
        if size > most:
            raise ProblemError(422, f"{name} may be {most} at most, not {size}")


def examples(given: Sequence[Example]) -> list[LibraryExample]:
    return [_example(one) for one in given]


def _example(given: Example) -> LibraryExample:
    if isinstance(given, str):
        return given
    if isinstance(given, GivenId):
        return given.id
    return Document(None, given.text, given.title) if given.title else Text(given.text)


def filter_of(text: str | None) -> Filter | None:
    return as_filter(text) if text and text.strip() else None


def is_offline(request: Asked) -> bool:
    """Whether learning reads the whole index, perhaps often: such a search becomes a job."""
    if not isinstance(request, SearchByExamples):
        return False
    method = METHODS.get(request.method)
    return request.method == "auto" or (method is not None and not method.online)
