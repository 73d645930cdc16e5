"""Hits as a DataFrame of pandas or polars, whichever is asked for or there."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from likewise.document import ID_NAMES
from likewise.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from likewise.search.found import Hit

LIBRARIES = ("pandas", "polars")
OWN = ("rank", "id", "score", "title")
TEXTS = {"id": "str", "title": "str"}


def frame(
    hits: Sequence[Hit],
    library: str | None,
    fields: bool | Sequence[str],
    documents: Sequence[Mapping[str, Any]],
) -> Any:
    """A row for each hit; `fields` are further columns, of `documents` in the same order."""
    columns: dict[str, list[Any]] = {name: [getattr(hit, name) for hit in hits] for name in OWN}
    if fields:
        known = dict.fromkeys(name for document in documents for name in document)
        named = [name for name in known if name not in (*OWN, *ID_NAMES)]
        for name in named if fields is True else list(fields):
            if name not in known and documents:
                raise UsageError(
                    f"none of the hits has a field {name!r}: choose from {', '.join(named)}"
                )
            columns.setdefault(name, [document.get(name) for document in documents])
    used = _library(library)
    made = import_module(used)
    if used == "polars":
        types = {"rank": made.Int64, "id": made.String, "score": made.Float64, "title": made.String}
        return made.DataFrame(columns, schema_overrides=types, strict=False)
    table = made.DataFrame(columns)
    return table if hits else table.astype({"rank": "int64", "score": "float64", **TEXTS})


def _library(name: str | None) -> str:
    if name is not None and name not in LIBRARIES:
        raise UsageError(f"unknown library {name!r}: choose {' or '.join(LIBRARIES)}")
    for library in LIBRARIES if name is None else (name,):
        if find_spec(library):
            return library
    needed = name or " or ".join(LIBRARIES)
    raise UsageError(f"to_frame needs {needed}: pip install {name or LIBRARIES[0]}")
