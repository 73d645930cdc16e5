"""Abstracts of arXiv by example, beside other programs."""
