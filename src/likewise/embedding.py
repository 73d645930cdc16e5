"""Vectors that users bring: a file of them with ids, or a model that makes them of the texts."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from likewise.errors import InputError, UsageError
from likewise.readers.ids import read_ids
from likewise.readers.problems import Problems

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray


def load(vectors: NDArray[np.floating] | str | PathLike[str]) -> NDArray[np.floating]:
    """An array of one vector a row; a file is mapped, not read."""
    if isinstance(vectors, np.ndarray):
        found, name = vectors, "the array"
    else:
        name = str(vectors)
        try:
            found = np.load(vectors, mmap_mode="r", allow_pickle=False)
        except OSError as error:
            raise InputError(f"cannot read {name}: {error.strerror or error}") from error
        except (ValueError, EOFError) as error:
            raise InputError(
                f"{name} is no .npy file of vectors, or is cut short: write one with numpy.save"
            ) from error
    if found.ndim != 2 or found.dtype.kind != "f" or not found.shape[1]:
        raise InputError(
            f"{name} holds an array of shape {found.shape} and type {found.dtype}: "
            "embeddings are real numbers, one vector a row"
        )
    return found


def names(ids: Iterable[str] | str | PathLike[str] | None) -> list[str] | None:
    """Ids as given, or from a file, one a line."""
    if ids is None:
        return None
    if isinstance(ids, (str, PathLike)):
        return read_ids(Path(ids), Problems(strict=True))
    return list(ids)


def centred(vectors: NDArray[np.floating], name: str) -> NDArray[np.float32]:
    """Unit vectors, minus their mean; one of only zeros says nothing and stays so."""
    rows = np.array(vectors, np.float32)
    wrong = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(wrong):
        raise InputError(f"{name}, row {wrong[0] + 1}: a number is missing or infinite")
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
    filled = lengths > 0
    rows[filled] /= lengths[filled, None]
    if filled.any():
        rows[filled] -= rows[filled].mean(axis=0, dtype=np.float64).astype(np.float32)
    return rows


def encode(model: str, texts: Sequence[str]) -> NDArray[np.float32]:
    """By a model of sentence-transformers that is on this machine; nothing is fetched."""
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise UsageError(
            "making embeddings needs sentence-transformers: pip install 'likewise[embed]'"
        ) from error
    try:
        loaded: Any = SentenceTransformer(model, local_files_only=True)
    except Exception as error:  # whatever a model's own code raises
        raise UsageError(
            f"{model} is no model on this machine that can be loaded: {error}"
        ) from error
    found = loaded.encode(list(texts), convert_to_numpy=True, show_progress_bar=False)
    return np.asarray(found, np.float32)
