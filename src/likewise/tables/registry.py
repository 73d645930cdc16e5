"""The studies by name; each is imported when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

from likewise.errors import UsageError

if TYPE_CHECKING:
    from likewise.tables.values import Study

STUDIES: dict[str, str] = {
    "sample": "likewise.tables.sample",
    "qbme": "likewise.tables.qbme",
    "ranking": "likewise.tables.ranking",
    "arxiv": "likewise.tables.arxiv",
    "arxiv15k": "likewise.tables.arxiv15k",
    "parts": "likewise.tables.parts",
    "nonrelevance": "likewise.tables.nonrelevance",
    "reviews": "likewise.tables.reviews",
}


def study(name: str) -> Study:
    if name not in STUDIES:
        raise UsageError(f"no table {name!r}: choose {', '.join(STUDIES)}")
    return load(STUDIES[name])


def load(module: str) -> Study:
    return cast("Study", import_module(module))


def about(name: str) -> str:
    """A study's first line."""
    return (study(name).__doc__ or "").partition("\n")[0]
