"""Search by example: show it documents, it finds the rest."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from likewise.document import Document, Text
    from likewise.errors import (
        Drifted,
        InputError,
        LeftOut,
        LikewiseError,
        LockedError,
        NotConverged,
        StoreError,
        Unfinished,
        UsageError,
    )
    from likewise.index import Index
    from likewise.search.hits import Hit, Hits
    from likewise.search.query import Query

__version__ = "0.1.0.dev0"
__all__ = [
    "Document",
    "Drifted",
    "Hit",
    "Hits",
    "Index",
    "InputError",
    "LeftOut",
    "LikewiseError",
    "LockedError",
    "NotConverged",
    "Query",
    "StoreError",
    "Text",
    "Unfinished",
    "UsageError",
]

# Imported when first asked for: `likewise --help` should not wait for NumPy.
_HOMES = {
    "document": ("Document", "Text"),
    "errors": (
        "Drifted",
        "InputError",
        "LeftOut",
        "LikewiseError",
        "LockedError",
        "NotConverged",
        "StoreError",
        "Unfinished",
        "UsageError",
    ),
    "index": ("Index",),
    "search.hits": ("Hit", "Hits"),
    "search.query": ("Query",),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"likewise.{home}"), name)
    raise AttributeError(f"module 'likewise' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})  # so that a shell completes names not yet imported
