"""What can be saved of a damaged index, with the judgements beside it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from likewise import arguments
from likewise.errors import UsageError, sentence
from likewise.reviews.catalogue import SUFFIX
from likewise.search.open_index import cores
from likewise.store.saving import save

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from likewise.store.saving import Saved


class Rescued(NamedTuple):
    """What is in the new index, and what became of the judgements: "" if there were none."""

    saved: Saved
    judgements: str


def rescue(
    path: str | os.PathLike[str], target: str | os.PathLike[str], *, threads: int | None = None
) -> Rescued:
    """Make a new index of all that can be read of a damaged one, which stays as it is."""
    source, new = arguments.path("path", path), arguments.path("target", target)
    beside = new.with_name(new.name + SUFFIX)
    if beside.exists():
        raise UsageError(f"{beside} is there already: choose another name for the new index")
    saved = save(source, new, threads=threads or cores())
    return Rescued(saved, _copy_judgements(source.with_name(source.name + SUFFIX), beside))


def _copy_judgements(source: Path, target: Path) -> str:
    """Copy a database that SQLite finds whole."""
    if not source.exists():
        return ""
    try:
        with closing(sqlite3.connect(f"file:{_quoted(source)}?mode=ro", uri=True)) as there:
            problem = there.execute("PRAGMA integrity_check(1)").fetchone()[0]
            if problem != "ok":
                return f"{source} is damaged and was not copied ({sentence(problem)})"
            with closing(sqlite3.connect(target)) as copy:
                there.backup(copy)
    except sqlite3.Error as error:
        target.unlink(missing_ok=True)
        return f"{source} is damaged and was not copied ({sentence(error)})"
    return f"judgements were copied to {target}"


def _quoted(path: Path) -> str:
    """A path within an address."""
    from urllib.parse import quote

    return quote(str(path))
