"""From files, folders, standard input and Python objects to batches of documents.

`formats.py` lists the formats. Nothing here knows an index or how text is analysed. RIS and TREC
files are also written here.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from likewise.readers.batch import AnyBatch, Batch, DenseBatch, SparseBatch, VectorBatch
    from likewise.readers.formats import FORMATS, Format, Reader
    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problem, Problems
    from likewise.readers.reading import read
    from likewise.readers.streams import Source

__all__ = [
    "FORMATS",
    "AnyBatch",
    "Batch",
    "DenseBatch",
    "Format",
    "Problem",
    "Problems",
    "ReadOptions",
    "Reader",
    "Source",
    "SparseBatch",
    "VectorBatch",
    "read",
]

# Imported when first asked for: a search reads no files.
_HOMES = {
    "batch": ("AnyBatch", "Batch", "DenseBatch", "SparseBatch", "VectorBatch"),
    "formats": ("FORMATS", "Format", "Reader"),
    "options": ("ReadOptions",),
    "problems": ("Problem", "Problems"),
    "reading": ("read",),
    "streams": ("Source",),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"likewise.readers.{home}"), name)
    raise AttributeError(f"module 'likewise.readers' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
