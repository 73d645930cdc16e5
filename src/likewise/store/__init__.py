"""The index on disk: immutable segments, and a manifest that is replaced in one step.

Snapshot reads; create, add, delete, merge and reindex write, each as one new generation. Nothing
here searches or learns from examples, and nothing outside writes an index' files.
"""

from likewise.store.adding import Added, add
from likewise.store.deleting import delete
from likewise.store.known import OnDuplicate
from likewise.store.merging import merge
from likewise.store.reindexing import reindex
from likewise.store.snapshot import Snapshot
from likewise.store.transaction import create

__all__ = ["Added", "OnDuplicate", "Snapshot", "add", "create", "delete", "merge", "reindex"]
