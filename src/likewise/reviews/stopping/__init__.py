"""When to stop: published rules for screening, each a small value.

A rule is called with a Screening and gives an Estimate. RULES are those whose bounds were measured
to hold on open reviews, and that a session can always ask; docs/stopping.md has the table.
"""

from likewise.reviews.stopping.chao import Chao
from likewise.reviews.stopping.exponential import Exponential
from likewise.reviews.stopping.hypergeometric import RankedUrn, SampledUrn
from likewise.reviews.stopping.knee import Knee
from likewise.reviews.stopping.powerlaw import PowerLaw
from likewise.reviews.stopping.quantci import QuantCI
from likewise.reviews.stopping.quantile import Quantile, Target
from likewise.reviews.stopping.screening import (
    Chances,
    Control,
    Estimate,
    Rule,
    Sample,
    Screening,
)
from likewise.reviews.stopping.sequence import RandomSample

RULES: tuple[Rule, ...] = (RankedUrn(), RandomSample())

__all__ = [
    "RULES",
    "Chances",
    "Chao",
    "Control",
    "Estimate",
    "Exponential",
    "Knee",
    "PowerLaw",
    "QuantCI",
    "Quantile",
    "RandomSample",
    "RankedUrn",
    "Rule",
    "Sample",
    "SampledUrn",
    "Screening",
    "Target",
]
