"""Where numbers come from: the commit of the code, and checksums of the data."""

from __future__ import annotations

import hashlib
import subprocess
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

from likewise.evaluation.studies import MissingError

PACKAGE = Path(__file__).parents[1]
SHORT = 16


def released(number: int) -> str:
    """A version that changes with each release, since methods may rank differently then."""
    return f"{number}, likewise {version('likewise')}"


@lru_cache(maxsize=1)
def commit() -> str:
    """The commit of the source, with "+" if the code was changed since; or the release."""
    try:
        # Fails where the package is installed inside somebody else's repository.
        _git("ls-files", "--error-unmatch", "__init__.py")
        head = _git("rev-parse", "HEAD").strip()
        code = (str(PACKAGE), ":(top)studies")
        changed = _git("status", "--porcelain", "--untracked-files=no", "--", *code)
    except (OSError, subprocess.CalledProcessError):
        return f"version {version('likewise')}"
    return head[:12] + ("+" if changed.strip() else "")


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
