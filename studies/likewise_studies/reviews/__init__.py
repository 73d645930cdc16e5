"""Screening of 23 reviews, beside ASReview."""
