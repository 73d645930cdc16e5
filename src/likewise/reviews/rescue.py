"""What can be saved of a damaged index, with the judgements beside it."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING, NamedTuple

from likewise import arguments
from likewise.engines.cores import cores
from likewise.errors import UsageError, sentence
from likewise.reviews.catalogue import SUFFIX
from likewise.reviews.tables import sessions
from likewise.store.saving import save

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from likewise.store.saving import Saved
    from likewise.text import AnalyzerSettings


class Rescued(NamedTuple):
    """What is in the new index, and what became of the judgements: "" if there were none."""

    saved: Saved
    judgements: str


def rescue(
    path: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    threads: int | None = None,
    settings: AnalyzerSettings | None = None,
) -> Rescued:
    """Make a new index of all that can be read of a damaged one, which stays as it is.

    `settings` say how text was analysed, where the manifest is lost and nothing else tells that.
    """
    source, new = arguments.path("path", path), arguments.path("target", target)
    beside = new.with_name(new.name + SUFFIX)
    if beside.exists():
        raise UsageError(f"{beside} is there already: choose another name for the new index")
    judged = source.with_name(source.name + SUFFIX)
    saved = save(
        source, new, threads=threads or cores(), settings=settings, identity=_identity(judged)
    )
    return Rescued(saved, _copy_judgements(judged, beside))


def _identity(judged: Path) -> str:
    """The collection that the judgements are of, if they are all of one."""
    if judged.exists():
        with suppress(sqlite3.Error), closing(_opened(judged)) as there:
            known = f"SELECT DISTINCT identity FROM {sessions.name} LIMIT 2"
            found = there.execute(known).fetchall()
            if len(found) == 1:
                return str(found[0][0])
    return ""


def _copy_judgements(source: Path, target: Path) -> str:
    """Copy a database that SQLite finds whole."""
    if not source.exists():
        return ""
    try:
        with closing(_opened(source)) as there:
            problem = there.execute("PRAGMA integrity_check(1)").fetchone()[0]
            if problem != "ok":
                return f"{source} is damaged and was not copied ({sentence(problem)})"
            with closing(sqlite3.connect(target)) as copy:
                there.backup(copy)
    except sqlite3.Error as error:
        target.unlink(missing_ok=True)
        return f"{source} is damaged and was not copied ({sentence(error)})"
    return f"judgements were copied to {target}"


def _opened(path: Path) -> sqlite3.Connection:
    """Opened for reading only."""
    from urllib.parse import quote

    return sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)
