"""The index on disk: immutable segments, and a manifest that is replaced in one step.

Snapshot reads; create, add, delete and merge write, each as one new generation.
"""

from likewise.store.adding import Added, add
from likewise.store.deleting import delete
from likewise.store.duplicates import OnDuplicate
from likewise.store.merging import merge
from likewise.store.snapshot import Snapshot
from likewise.store.transaction import create

__all__ = ["Added", "OnDuplicate", "Snapshot", "add", "create", "delete", "merge"]
