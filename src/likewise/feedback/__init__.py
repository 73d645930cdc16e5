"""Feedback: from judgements to a better page. Here are the methods and the ranker that uses them.

`Ranker` holds one generation of an index and what was learned so far; `FEEDBACK` is the table of
the methods it chooses from, `auto` by what has been judged. Nothing here is kept: see `reviews`.
"""

from likewise.feedback.methods import FEEDBACK, SELECTIONS
from likewise.feedback.ranker import Page, Ranker, Start

__all__ = ["FEEDBACK", "SELECTIONS", "Page", "Ranker", "Start"]
