"""Where and with what a table was measured."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).resolve().parent.parent


def describe(packages: Iterable[str]) -> str:
    """One line: date, commit, machine and the versions of the peers."""
    versions = ", ".join(f"{name} {_version(name)}" for name in packages)
    parts = [f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC", f"commit {commit()}", machine()]
    return f"_{' · '.join([*parts, f'Python {platform.python_version()}', versions])}_"


def commit() -> str:
    """The commit measured, and whether the code differs from it."""
    name = _git("rev-parse", "--short", "HEAD")
    if name is None:
        return "unknown"
    changed = _git("status", "--porcelain", "--", "src", "core", "CMakeLists.txt")
    return f"{name} with changes" if changed else name


def machine() -> str:
    load = f"load {os.getloadavg()[0]:.1f}"
    return f"{_processor()}, {os.cpu_count()} cores, {_memory():.0f} GB, {load}"


def _git(*arguments: str) -> str | None:
    command = ["git", "--no-optional-locks", "-C", str(ROOT), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _memory() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
