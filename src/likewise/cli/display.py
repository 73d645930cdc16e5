"""Text for the eye: one line without control characters, as wide as there is room."""

from __future__ import annotations

import re
from unicodedata import combining, east_asian_width

# Line breaks and tabs would spoil a table; escape sequences out of a document, the terminal.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def one_line(text: str) -> str:
    return _CONTROL.sub(" ", text).strip()


def columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def cut(text: str, width: int) -> str:
    """The text, or as much of it as fits into the width with an ellipsis."""
    if columns(text) <= width:
        return text
    taken = 0
    for place, character in enumerate(text):
        taken += _columns(character)
        if taken > width - 1:
            return f"{text[:place].rstrip()}…"
    return text


def pad(text: str, width: int) -> str:
    return text + " " * (width - columns(text))


def _columns(character: str) -> int:
    if combining(character):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1
