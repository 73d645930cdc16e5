"""Where indexes are: the folder of projects, and the indexes in a folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from likewise.errors import UsageError
from likewise.store.manifest import NAME, SEGMENTS

if TYPE_CHECKING:
    from collections.abc import Iterator


def projects_folder() -> Path:
    """Where projects are if nothing else is said: $LIKEWISE_PROJECTS, or ~/likewise."""
    named = os.environ.get("LIKEWISE_PROJECTS")
    try:
        return Path(named).expanduser() if named else Path.home() / "likewise"
    except RuntimeError as error:
        raise UsageError(f"{error}: say where projects are with LIKEWISE_PROJECTS") from error


def is_index(path: Path) -> bool:
    """Whether there is an index, perhaps a damaged one."""
    return (path / NAME).is_file() or (path / SEGMENTS).is_dir()


def indexes_in(folder: Path) -> Iterator[Path]:
    """The indexes in a folder, by name."""
    for path in sorted(folder.iterdir()):
        if not path.name.startswith(".") and is_index(path):
            yield path
