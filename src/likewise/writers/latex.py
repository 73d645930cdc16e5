"""Text as LaTeX reads it: characters with a meaning of their own are escaped.

Braces are named, not escaped, since BibTeX counts escaped ones, too.
"""

from __future__ import annotations

import re

NAMED = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
ESCAPES = NAMED | {character: f"\\{character}" for character in "$&%#_"}
SPECIAL = re.compile(r"[\\{}~^$&%#_]")


def escaped(text: str) -> str:
    return SPECIAL.sub(lambda found: ESCAPES[found[0]], text)
