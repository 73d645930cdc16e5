"""Feedback from non-relevant documents (Onoda, Murata & Yamada 2005)."""
