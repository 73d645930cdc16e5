"""A model of the tests' own, for embeddings."""

from __future__ import annotations

import numpy as np


class Initials:
    """A model that knows the first letters of words: small, exact, and no other's."""

    def __init__(self, width: int = 26, most: int | None = None) -> None:
        self.width, self.most = width, most
        self.seen: list[str] = []

    def encode(self, texts: list[str]) -> np.ndarray:
        if self.most is not None and len(self.seen) + len(texts) > self.most:
            raise KeyboardInterrupt
        self.seen += texts
        rows = np.full((len(texts), self.width), 0.01)
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().split():
                row[ord(word[0]) % self.width] += 1
        return rows
