"""Where numbers come from: the commit, the code that computes, and the data."""

from __future__ import annotations

import hashlib
import subprocess
from functools import lru_cache
from pathlib import Path

from likewise.tables.values import MissingError

PACKAGE = Path(__file__).parents[1]
# What shows numbers and measures none: a change there leaves the runs as good as they were.
FACES = (
    "cli/",
    "server/",
    "web/",
    "tables/reporting/",
    "tables/by_example_sections.py",
    "tables/nonrelevance_sections.py",
    "tables/parts_sections.py",
    "tables/reviews_sections.py",
    "tables/qbme_paper.py",
    "tables/qbme_sections.py",
    "tables/ranking_figures.py",
    "tables/ranking_found.py",
    "tables/ranking_gamma.py",
    "tables/ranking_paper.py",
    "tables/ranking_sections.py",
)
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
    """A checksum of all that computes, the compiled core included."""
    from likewise import _core

    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if not name.startswith(FACES):
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
