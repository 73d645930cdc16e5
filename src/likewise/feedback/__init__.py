"""Feedback: from judgements to a better page. Methods, and the ranker that uses them.

`Ranker` has one generation of an index and what was learned so far; `FEEDBACK` is the table of
methods it chooses from, and `ABOUT` describes each in a phrase. Nothing here is stored on disk:
`reviews` does that.
"""

from likewise.feedback.methods import ABOUT, FEEDBACK, SELECTIONS
from likewise.feedback.ranker import Page, Ranker, Start

__all__ = ["ABOUT", "FEEDBACK", "SELECTIONS", "Page", "Ranker", "Start"]
