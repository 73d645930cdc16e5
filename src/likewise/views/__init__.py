"""How documents can be seen beside their words: a latent space, models that embed. No files."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

WORDS, LATENT, EMBEDDINGS = "words", "latent", "embeddings"
"""The names of views. Words come first, always; the others stand beside them."""
ONLY_WORDS: Mapping[str, float] = {WORDS: 1.0}
