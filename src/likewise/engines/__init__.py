"""Engines: implementations of corpus.py. Code above this folder does not depend on which one runs.

An engine uses the contract, the native core and weightings. It must not use files, text or
learning. `ENGINES` has them by name; each is imported on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from likewise.errors import UsageError

if TYPE_CHECKING:
    from likewise.corpus import Engine

ENGINES = {
    "local": "likewise.engines.local",
    "memory": "likewise.engines.memory",
    "gpu": "likewise.engines.gpu",
}
DEFAULT = "local"


def engine_of(name: str) -> Engine:
    """The engine of this name."""
    if name not in ENGINES:
        raise UsageError(f"unknown engine {name!r}: choose {', '.join(ENGINES)}")
    engine: Engine = import_module(ENGINES[name]).ENGINE
    return engine
