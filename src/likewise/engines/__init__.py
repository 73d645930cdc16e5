"""Engines keep the contract of corpus.py. Nothing above this folder knows which one it has.

An engine knows the contract, the native core and weightings; it knows nothing of files, text or
learning. `ENGINES` names them; each is imported when it is first asked for.
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
}
DEFAULT = "local"


def engine_of(name: str) -> Engine:
    """The engine of this name."""
    if name not in ENGINES:
        raise UsageError(f"unknown engine {name!r}: choose {', '.join(ENGINES)}")
    engine: Engine = import_module(ENGINES[name]).ENGINE
    return engine
