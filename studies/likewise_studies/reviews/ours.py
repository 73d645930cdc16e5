"""Our own settings for screening: how text becomes terms, and which views are learned from."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, NamedTuple, cast

import msgspec
import numpy as np

from likewise.evaluation import cache, provenance
from likewise.evaluation.by_example.minilm import minilm_exact

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

AUTO, EMBEDDED, WORDS_ALONE = "auto", "auto with embeddings", "words alone"


class Ours(NamedTuple):
    """`titles` and `embeddings` are the factors of these views; 0 leaves one out."""

    stop_words: bool = False
    bigrams: bool = False
    weighting: str | None = None
    titles: float = 0.5
    embeddings: float = 0.0

    @property
    def views(self) -> dict[str, float]:
        given = {"titles": self.titles, "embeddings": self.embeddings}
        return {name: factor for name, factor in given.items() if factor}


VARIANTS = {  # of words alone, in one setting each
    "words alone without stop words": Ours(titles=0, stop_words=True),
    "words alone with pairs of words": Ours(titles=0, bigrams=True),
    "words alone with tfidf": Ours(titles=0, weighting="tfidf"),
}
FEW = 3  # seeds of a variant
SHOWN = {AUTO: Ours(), EMBEDDED: Ours(embeddings=0.5), WORDS_ALONE: Ours(titles=0)}
# Factors that each half chooses from, to be measured on the other.
TITLES = {f"titles {factor}": Ours(titles=factor) for factor in (0.4, 0.6)}
BOTH = {f"titles 0.5 and embeddings {factor}": Ours(embeddings=factor) for factor in (0.35, 0.7)}
OURS = SHOWN | VARIANTS | TITLES | BOTH
CHOICES = {
    "words and titles": (WORDS_ALONE, AUTO, *TITLES),
    "with embeddings": (AUTO, EMBEDDED, *BOTH),
}


def vectors(path: Path) -> NDArray[np.float32]:
    """The records' embeddings by all-MiniLM-L6-v2, made once."""
    name, checksum = f"review-{path.parent.name}-minilm", provenance.checksum(path.parent)

    def make(folder: Path) -> None:
        np.save(folder / "vectors.npy", minilm_exact(_texts(path)))

    place = cache.kept(name, checksum, make)
    return cast("NDArray[np.float32]", np.load(place / "vectors.npy"))


def _texts(path: Path) -> list[str]:
    with gzip.open(path, "rb") as lines:
        found = [msgspec.json.decode(line) for line in lines]
    return [f"{each.get('title') or ''}. {each.get('abstract') or ''}" for each in found]
