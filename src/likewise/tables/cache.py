"""Where indexes, matrices and embeddings that take long to make are kept between runs."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

VARIABLE = "LIKEWISE_CACHE"


def folder() -> Path:
    """$LIKEWISE_CACHE, or likewise/ where this user's caches are."""
    given = os.environ.get(VARIABLE)
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "likewise"


def kept(name: str, state: str, make: Callable[[Path], None]) -> Path:
    """The folder that `make` filled for this state; those of other states are removed.

    Two processes may make it at the same time: the first one done is kept.
    """
    place = folder() / name / state
    if place.is_dir():
        return place
    place.parent.mkdir(parents=True, exist_ok=True)
    for other in place.parent.iterdir():
        if not other.name.startswith("making-"):
            shutil.rmtree(other, ignore_errors=True)
    making = Path(tempfile.mkdtemp(prefix="making-", dir=place.parent))
    try:
        make(making)
        making.rename(place)
    except OSError:
        if not place.is_dir():
            raise
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return place
