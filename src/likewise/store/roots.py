"""Roots of an index that is there: moved, renamed, forgotten. How ids come of them: readers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from likewise.errors import UsageError
from likewise.store.transaction import Transaction

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likewise.readers.roots import Root


def move(directory: Path, name: str, folder: str | os.PathLike[str]) -> None:
    """Say where a root's folder is now; its files keep their ids."""
    if not Path(folder).is_dir():
        raise UsageError(f"there is no folder {folder}: give the one that root {name!r} is in now")
    path = os.path.realpath(folder)
    with Transaction(directory, shards=True) as change:
        root = _root(change, name)
        other = next((n for n, r in change.roots.items() if r.path == path and n != name), None)
        if other is not None:
            raise UsageError(f"{folder} is root {other!r} already: forget one of them first")
        change.roots[name] = msgspec.structs.replace(root, path=path)
        change.commit(change.manifest.segments)


def rename(directory: Path, name: str, new: str) -> None:
    """Give a root another name; what its ids begin with stays."""
    if not new.strip() or "/" in new or not new.isprintable():
        raise UsageError(f"{new!r} is no name for a root: use letters, digits, spaces")
    with Transaction(directory, shards=True) as change:
        root = _root(change, name)
        if new in change.roots:
            raise UsageError(f"{directory} has a root {new!r} already: choose another name")
        change.roots = {new if n == name else n: r for n, r in change.roots.items()}
        change.roots[new] = root
        change.commit(change.manifest.segments)


def forget(directory: Path, name: str) -> None:
    """Keep a root no longer; its documents stay."""
    with Transaction(directory, shards=True) as change:
        _root(change, name)
        del change.roots[name]
        change.commit(change.manifest.segments)


def _root(change: Transaction, name: str) -> Root:
    roots: Mapping[str, Root] = change.roots
    if name not in roots:
        known = ", ".join(roots) or "none"
        raise UsageError(f"no root {name!r} in {change.directory}: it has {known}")
    return roots[name]
