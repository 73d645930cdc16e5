"""What a publication needs of a review: counts, a flow diagram, its methods, an archive."""

from likewise.reviews.report.flow import Flow, FullText
from likewise.reviews.report.replay import Replay, ReplayedPage
from likewise.reviews.report.report import Report
from likewise.reviews.report.trail import Trace

__all__ = ["Flow", "FullText", "Replay", "ReplayedPage", "Report", "Trace"]
