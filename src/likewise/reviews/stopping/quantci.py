"""QuantCI: recall by what a model holds likely of documents judged and not judged."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from likewise.reviews.stopping.screening import Estimate, Screening


@dataclass(frozen=True)
class QuantCI:
    """Recall is Σ p over the documents judged, by Σ p over all; each p is a model's probability.

    Relevance is taken as independent given p, so each sum has the variance Σ p·(1 − p), and that of
    the ratio follows by a Taylor expansion in which both sums are independent. It is as good as
    the model's probabilities are.
    """

    target: float = 0.95
    confidence: float = 0.95

    @property
    def source(self) -> str:
        return (
            "E. Yang, D. D. Lewis & O. Frieder, Heuristic stopping rules for technology-assisted "
            "review, DocEng 2021"
        )

    def __str__(self) -> str:
        return "QuantCI"

    def __call__(self, screening: Screening) -> Estimate:
        from scipy.special import ndtri

        chances = screening.chances
        if chances is None or chances.every <= 0:
            return Estimate(str(self), False, "it needs a model's probabilities")
        recall = chances.judged / chances.every
        variance = (chances.judged_variance + recall**2 * chances.every_variance) / chances.every**2
        half = float(ndtri((1 + self.confidence) / 2)) * sqrt(variance)
        low, high = max(0.0, recall - half), min(1.0, recall + half)
        left = chances.every - chances.judged
        because = f"by the model {left:,.1f} relevant ones are left"
        return Estimate(str(self), low >= self.target, because, recall, low, high, self.confidence)
