"""Deleting documents: marks in a file beside their segment, which itself is never changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.errors import UnknownIdError, UsageError
from likewise.store.known import EditedSegment, find_live
from likewise.store.segment import open_segments
from likewise.store.transaction import Transaction

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def delete(directory: Path, ids: Iterable[str], *, ignore_missing: bool = False) -> int:
    """Mark documents as deleted and return how many; an id that is not there is an error."""
    wanted = list(dict.fromkeys(ids))
    if strange := [id_ for id_ in wanted if not isinstance(id_, str)]:
        raise UsageError(f"{strange[0]!r} is no id: ids are text")
    with Transaction(directory, shards=True) as change:
        segments = list(map(EditedSegment, open_segments(directory, change.manifest.segments)))
        hits = find_live(segments, wanted)
        if len(hits) < len(wanted) and not ignore_missing:
            raise _missing(directory, [id_ for i, id_ in enumerate(wanted) if i not in hits])
        for segment, number in hits.values():
            segment.delete(number)
        if hits:
            entries = [segment.write_deletions(change) for segment in segments]
            change.commit(entries)
    return len(hits)


def _missing(directory: Path, ids: list[str]) -> UnknownIdError:
    others = f" and {len(ids) - 1:,} other ids" if len(ids) > 1 else ""
    return UnknownIdError(f"no document {ids[0]!r}{others} in {directory}: nothing was deleted")
