"""What people call an index, and whether it is put away: kept in its manifest, not in its path."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from likewise.errors import UsageError
from likewise.store.transaction import Transaction

if TYPE_CHECKING:
    from pathlib import Path

LONGEST = 200  # characters of a name


def rename(directory: Path, title: str) -> None:
    """Call an index otherwise; its folder stays."""
    name = title.strip()
    if not name or not name.isprintable() or len(name) > LONGEST:
        raise UsageError(
            f"{title[:80]!r} is no name for a project: "
            f"use letters, digits, spaces, at most {LONGEST}"
        )
    _change(directory, title=name)


def put_away(directory: Path, *, archived: bool) -> None:
    """Archive an index, or take it out again."""
    _change(directory, archived=archived)


def _change(directory: Path, **fields: str | bool) -> None:
    with Transaction(directory, shards=True) as change:
        changed = msgspec.structs.replace(change.manifest, **fields)
        if changed != change.manifest:
            change.manifest = changed
            change.commit(changed.segments)
