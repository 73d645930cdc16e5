"""Views beside words: parts of titles, the latent space and embedding models. No files here."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

WORDS, TITLES, LATENT, EMBEDDINGS = "words", "titles", "latent", "embeddings"
"""The names of views; words always come first."""
ONLY_WORDS: Mapping[str, float] = {WORDS: 1.0}
