"""Numbers in sentences."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """A number and what it is of, as in 1 topic and 2 topics."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
