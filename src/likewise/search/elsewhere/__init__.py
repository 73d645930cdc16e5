"""Learned queries written for other engines: boosted terms, sparse vectors, Boolean queries."""

from likewise.search.elsewhere.exporting import TARGETS, Exported, export_query

__all__ = ["TARGETS", "Exported", "export_query"]
