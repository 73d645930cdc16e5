"""What can be computed again: a file in an index' folder that may be missing or out of date."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec
from xxhash import xxh3_64_hexdigest

from likewise.store.disk import replace_file

if TYPE_CHECKING:
    from pathlib import Path

    from likewise.store.manifest import Manifest

SUFFIX = ".cache"


class _Cached(msgspec.Struct, frozen=True):
    key: str
    checksum: str
    value: msgspec.Raw


def key_of(manifest: Manifest, *of: object) -> str:
    """What a value depends on: the collection, its settings, and whatever else is named."""
    told = msgspec.json.encode([manifest.identity, manifest.settings, *map(str, of)])
    return xxh3_64_hexdigest(told)


def read(directory: Path, name: str, key: str) -> bytes | None:
    """The value that was kept under this key; None if there is none, or it cannot be read."""
    try:
        cached = msgspec.json.decode((directory / f"{name}{SUFFIX}").read_bytes(), type=_Cached)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    value = bytes(cached.value)
    return value if cached.key == key and cached.checksum == xxh3_64_hexdigest(value) else None


def write(directory: Path, name: str, key: str, value: bytes) -> None:
    """Keep a value, JSON, in place of an earlier one; where that is not allowed, do nothing."""
    cached = _Cached(key, xxh3_64_hexdigest(value), msgspec.Raw(value))
    with suppress(OSError):
        replace_file(directory / f"{name}{SUFFIX}", msgspec.json.encode(cached))
