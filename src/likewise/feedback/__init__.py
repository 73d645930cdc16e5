"""Feedback: from judgements to a better page. Here are the methods and the ranker that uses them.

`Ranker` holds one generation of an index and what was learned so far; `FEEDBACK` is the table of
the methods it chooses from, and `ABOUT` says in a phrase what each does. Nothing here is kept on
disk: that is for `reviews`.
"""

from likewise.feedback.methods import ABOUT, FEEDBACK, SELECTIONS
from likewise.feedback.ranker import Page, Ranker, Start

__all__ = ["ABOUT", "FEEDBACK", "SELECTIONS", "Page", "Ranker", "Start"]
