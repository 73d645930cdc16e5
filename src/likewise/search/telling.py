"""Which words say why a document was found.

Numbers and pieces of one or two letters ("0", "95", "ci") weigh something but tell a reader
nothing: they are not shown among the reasons, unless there is nothing else. In scripts where two
signs are a word they are words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.search.query import Weight

SHORT = 2  # letters


def is_telling(term: str) -> bool:
    return any(_is_word(part) for part in term.split())


def _is_word(part: str) -> bool:
    letters = [c for c in part if c.isalpha()]
    return len(letters) > SHORT or any(c >= "\u0250" for c in letters)


def shown(terms: Sequence[Weight], k: int) -> list[Weight]:
    """The k terms to show, the first first: those that tell something, or else any."""
    telling = [one for one in terms if is_telling(one.term)]
    return (telling or list(terms))[:k]
