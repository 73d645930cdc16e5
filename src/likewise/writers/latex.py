"""Text as LaTeX reads it: characters with a meaning of their own are escaped.

Braces are named, not escaped, since BibTeX counts escaped ones, too. What LaTeX would join to a
dash or a quotation mark is kept apart.
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
JOINED = re.compile(r"-(?=-)|`(?=`)|'(?=')")


def escaped(text: str) -> str:
    plain = SPECIAL.sub(lambda found: ESCAPES[found[0]], text)
    return JOINED.sub(lambda found: found[0] + "{}", plain)
