"""What a search begins with, and what is shown of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from likewise.search.examples import Examples
    from likewise.search.hits import AnyQuery, Hits


class Start(NamedTuple):
    """What a search began with: words, examples of what to find, and of what not to find."""

    words: str | None = None
    examples: Examples = ()
    unlike: Examples = ()


class Page(NamedTuple):
    """Documents to judge, best first, which method chose them and why it was the one."""

    hits: Hits
    method: str
    reason: str
    query: AnyQuery | None
    """What `explain` takes; None where documents are in random order."""
    seconds: float
