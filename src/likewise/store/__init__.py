"""The index on disk: immutable segments, and a manifest that is replaced in one step.

Snapshot reads; create, add, delete, merge and reindex write, each as one new generation. Nothing
here searches or learns from examples, and nothing outside writes an index' files.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from likewise.store.adding import Added, add
    from likewise.store.deleting import delete
    from likewise.store.known import OnDuplicate
    from likewise.store.merging import merge
    from likewise.store.reindexing import reindex
    from likewise.store.snapshot import Snapshot
    from likewise.store.transaction import create

__all__ = ["Added", "OnDuplicate", "Snapshot", "add", "create", "delete", "merge", "reindex"]
MEMORY = 256 << 20  # bytes for an addition

# Imported when first asked for: a search should not wait for what writes.
_HOMES = {
    "Added": "adding",
    "OnDuplicate": "known",
    "Snapshot": "snapshot",
    "add": "adding",
    "create": "transaction",
    "delete": "deleting",
    "merge": "merging",
    "reindex": "reindexing",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"likewise.store.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'likewise.store' has no attribute {name!r}")
