"""Feedback: a search is a conversation, and every judgement makes the next page better.

`Ranker` holds one generation of an index and what was learned so far; `FEEDBACK` is the table of
the methods it chooses from, `auto` by what has been judged.
"""

from likewise.feedback.page import Page, Start
from likewise.feedback.ranker import Ranker
from likewise.feedback.table import FEEDBACK, SELECTIONS

__all__ = ["FEEDBACK", "SELECTIONS", "Page", "Ranker", "Start"]
