"""Colours where somebody looks: on a terminal, unless NO_COLOR asks for none."""

from __future__ import annotations

import os
import re
from typing import TextIO

BOLD, RED, GREEN = "1", "31", "32"
_RAISED, _LOWERED = (re.compile(rf"^( *{sign}[\d.]+)", re.MULTILINE) for sign in (r"\+", "-"))


def wanted(stream: TextIO | None) -> bool:
    """As https://no-color.org has it; a dumb terminal would show the codes themselves."""
    if stream is None or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def coloured(text: str, *codes: str) -> str:
    return f"\x1b[{';'.join(codes)}m{text}\x1b[0m"


def headed(text: str) -> str:
    """A table with its first line in bold."""
    first, newline, rest = text.partition("\n")
    return coloured(first, BOLD) + newline + rest if first else text


def signed(text: str) -> str:
    """Numbers at the beginning of lines: + in green, - in red."""
    raised = _RAISED.sub(lambda found: coloured(found[1], GREEN), text)
    return _LOWERED.sub(lambda found: coloured(found[1], RED), raised)
