"""Cells of CSV files that spreadsheets open: text that is no formula to them.

A spreadsheet runs a cell that begins with = + - @, a tab or a carriage return. Such text gets an
apostrophe in front, which reading takes away again; text that has apostrophes before such a
character gets one more, so that whatever was written is what is read.
"""

from __future__ import annotations

import re

FORMULA = re.compile(r"'*[=+\-@\t\r]")
ESCAPED = re.compile(r"'+[=+\-@\t\r]")


def neutral(cell: str) -> str:
    """The text as a cell that is not run."""
    return f"'{cell}" if FORMULA.match(cell) else cell


def restored(cell: str) -> str:
    """The text that `neutral` made this cell of."""
    return cell[1:] if ESCAPED.match(cell) else cell
