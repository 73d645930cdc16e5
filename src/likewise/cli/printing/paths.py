"""Paths as they are written in the folder where a command runs."""

from __future__ import annotations

import os
import re
from pathlib import Path


def from_here(text: str) -> str:
    """A line whose paths below the current folder are relative to it, as users mostly give them."""
    try:
        here = str(Path.cwd())
    except OSError:  # the folder was deleted
        return text
    if here == os.sep:
        return text
    # Only where a path begins: the same characters may stand in the middle of another one.
    return re.sub(rf"(?<![^\s'\"`(=:]){re.escape(here)}/", "", text)
