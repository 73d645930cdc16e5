"""A folder where indexes, matrices and embeddings are kept between runs."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from likewise.views.finding import own_cache

if TYPE_CHECKING:
    from collections.abc import Callable

PACKAGE = Path(__file__).parents[1]
# These build no index: when they change, indexes in the cache stay valid.
OTHERS = ("cli/", "server/", "web/", "evaluation/")


def kept(name: str, state: str, make: Callable[[Path], None]) -> Path:
    """The folder that `make` fills for this state; folders of other states are removed.

    Two processes may make it at the same time: the first one done is kept.
    """
    place = own_cache() / name / state
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


def kept_index(name: str, checksum: str, build: Callable[[Path], None]) -> Path:
    """An index of data with this checksum; it is built again when the code changes."""
    return kept(name, f"{checksum}-{code()}", build) / "index"


@lru_cache(maxsize=1)
def code() -> str:
    """A checksum of the code that builds indexes, with the compiled core."""
    core = find_spec("likewise._core")
    compiled = b"" if core is None else Path(str(core.origin)).read_bytes()
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if not name.startswith(OTHERS):
            digest.update(name.encode() + b"\0" + path.read_bytes())
    digest.update(compiled)
    return digest.hexdigest()[:16]
