"""Engines: implementations of corpus.py. Code above this folder does not depend on which one runs.

An engine uses the contract, the native core and weightings. It must not use files, text or
learning. `ENGINES` has them by name; each is imported on first use.
"""

from __future__ import annotations

from contextlib import nullcontext
from importlib import import_module
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Any

from likewise.errors import UsageError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from likewise.corpus import Engine

ENGINES = {
    "local": "likewise.engines.local",
    "memory": "likewise.engines.memory",
    "gpu": "likewise.engines.gpu",
    "cluster": "likewise.engines.cluster.collection",
}
DEFAULT = "local"
CLUSTER = "cluster"
AT = "@"  # before the address of a cluster
AT_ONCE = {"gpu": 4}  # queries that are learned at a time; more only wait for each other
_TURNS = {name: BoundedSemaphore(count) for name, count in AT_ONCE.items()}


def named(engine: str, address: str | None = None) -> str:
    """The name of an engine, with the address of its cluster."""
    if address is None:
        return engine
    if engine not in (DEFAULT, CLUSTER):
        raise UsageError(f"engine {engine!r} has no address: leave it out, or use {CLUSTER!r}")
    return f"{CLUSTER}{AT}{address}"


def writing(engine: str) -> str:
    """The engine that computes what an index is written with: a cluster only reads."""
    return DEFAULT if engine.partition(AT)[0] == CLUSTER else engine


def turn(name: str) -> AbstractContextManager[Any]:
    """What to hold while a query is learned by an engine: the others wait, where that is faster."""
    return _TURNS.get(name) or nullcontext()


def engine_of(name: str) -> Engine:
    """The engine of this name; that of a cluster is named with its address."""
    name, _, address = name.partition(AT)
    if name not in ENGINES:
        raise UsageError(f"unknown engine {name!r}: choose {', '.join(ENGINES)}")
    module = import_module(ENGINES[name])
    engine: Engine = module.at(address) if name == CLUSTER else module.ENGINE
    return engine
