"""When to stop: published rules for screening, each a small value.

A rule is called with a Screening and gives an Estimate. To add one, write such a value and put it
into RULES.
"""

from likewise.reviews.stopping.hypergeometric import RankedUrn, SampledUrn
from likewise.reviews.stopping.knee import Knee
from likewise.reviews.stopping.powerlaw import PowerLaw
from likewise.reviews.stopping.screening import Estimate, Rule, Sample, Screening

RULES: tuple[Rule, ...] = (Knee(), RankedUrn(), SampledUrn(), PowerLaw())

__all__ = [
    "RULES",
    "Estimate",
    "Knee",
    "PowerLaw",
    "RankedUrn",
    "Rule",
    "Sample",
    "SampledUrn",
    "Screening",
]
