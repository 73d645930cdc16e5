"""Where numbers come from: the commit and the data; and the code that indexes are built by."""

from __future__ import annotations

import hashlib
import subprocess
from functools import lru_cache
from pathlib import Path

from likewise.tables.values import MissingError

PACKAGE = Path(__file__).parents[1]
# These build no index: a change there leaves indexes in the cache as good as they were.
OTHERS = ("cli/", "server/", "web/", "tables/")
SHORT = 16


@lru_cache(maxsize=1)
def commit() -> str:
    """The commit of the source, "+" behind it if files were changed since, or the version."""
    try:
        _git(
            "ls-files", "--error-unmatch", "__init__.py"
        )  # it may be in somebody else's repository
        head = _git("rev-parse", "HEAD").strip()
        changed = _git("status", "--porcelain", "--untracked-files=no", "--", str(PACKAGE))
    except (OSError, subprocess.CalledProcessError):
        from importlib.metadata import version

        return f"version {version('likewise')}"
    return head[:12] + ("+" if changed.strip() else "")


@lru_cache(maxsize=1)
def code() -> str:
    """A checksum of what an index is built by, the compiled core included.

    It is for indexes in the cache only: a run is known by the version that its study declares.
    """
    from likewise import _core

    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if not name.startswith(OTHERS):
            digest.update(name.encode() + b"\0" + path.read_bytes())
    digest.update(Path(_core.__file__).read_bytes())
    return digest.hexdigest()[:SHORT]


@lru_cache
def files(folder: Path) -> dict[str, str]:
    """The SHA-256 of each file in a folder, by its path from there."""
    if not folder.is_dir():
        raise MissingError(f"there is no folder {folder.name} in {folder.parent}")
    paths = sorted(p for p in folder.rglob("*") if p.is_file() and p.suffix != ".md")
    return {p.relative_to(folder).as_posix(): _sha256(p) for p in paths}


def checksum(folder: Path) -> str:
    """One checksum of all files in a folder."""
    lines = [f"{digest}  {name}\n" for name, digest in files(folder).items()]
    return hashlib.sha256("".join(lines).encode()).hexdigest()[:SHORT]


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(PACKAGE), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
