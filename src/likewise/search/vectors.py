"""Embeddings from users: an array or file of vectors, and the ids of their documents."""

from __future__ import annotations

from collections import Counter
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from likewise.errors import InputError, UsageError
from likewise.readers.problems import Problems
from likewise.readers.vectors import read_ids
from likewise.views.models import unit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

THE_ARRAY = "the array"
ZIP = b"PK\x03\x04"  # the first bytes of an .npz file
BLOCK = 8192  # vectors checked together


def load(vectors: NDArray[np.number] | str | PathLike[str]) -> NDArray[np.number]:
    """An array with one vector per row; a file is mapped, not read."""
    if isinstance(vectors, (str, PathLike)):
        found, name = _mapped(Path(vectors)), str(vectors)
    else:
        found, name = np.asarray(vectors), THE_ARRAY
    if found.ndim != 2 or found.dtype.kind not in "fiu" or not found.shape[1]:
        raise InputError(
            f"{name} has shape {found.shape} and type {found.dtype}: "
            "embeddings must be real numbers, one vector per row"
        )
    return found


def _mapped(path: Path) -> NDArray[np.number]:
    try:
        with path.open("rb") as file:
            archive = file.read(len(ZIP)) == ZIP
        if archive:
            raise InputError(f"{path} is an archive: write one array with numpy.save")
        found: NDArray[np.number] = np.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError:
        raise InputError(f"{path} does not exist") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, EOFError) as error:
        raise InputError(
            f"{path} is not a .npy file of vectors, or is incomplete: write one with numpy.save"
        ) from error
    return found


def check(
    vectors: NDArray[np.number], ids: list[str] | None, name: str, *, values: bool = True
) -> None:
    """Raise for errors that need no index to find; checking `values` reads all vectors."""
    if ids is not None and len(ids) != len(vectors):
        raise UsageError(
            f"{name} holds {len(vectors):,} vectors and there are {len(ids):,} ids: "
            "give one id for each vector"
        )
    if ids is not None and len(set(ids)) < len(ids):
        twice = next(id for id, times in Counter(ids).items() if times > 1)
        raise UsageError(f"the id {twice!r} is given twice among those of {name}")
    for first in range(0, len(vectors) if values else 0, BLOCK):
        unit(vectors[first : first + BLOCK], name, first)


def names(ids: Iterable[str] | str | PathLike[str] | None) -> list[str] | None:
    """Ids as given, or from a file with one id per line."""
    if ids is None:
        return None
    if isinstance(ids, (str, PathLike)):
        return read_ids(Path(ids), Problems(strict=True))
    return list(ids)
