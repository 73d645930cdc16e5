"""Notes and tags: what reviewers write beside documents. The last word of each counts.

They are apart from judgements: a document may have a note before it is judged, and to undo a
judgement takes back nothing that somebody has typed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from likewise.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

LONGEST_NOTE = 100_000  # characters
LONGEST_WORD = 200  # of a tag or a reason
MOST_WORDS = 100
SEPARATOR = ";"  # between tags, and between reasons, in CSV


class Remark(NamedTuple):
    """A row of the history; None leaves a note or the tags as they were."""

    number: int
    reviewer: str
    document: str
    note: str | None
    tags: tuple[str, ...] | None
    at: float


class Beside(NamedTuple):
    """What a reviewer's remarks on one document add up to."""

    note: str = ""
    tags: tuple[str, ...] = ()


NOTHING = Beside()


class Remarks:
    """Fed with rows in their order; knows what holds, and the whole history."""

    def __init__(self) -> None:
        self.last = 0
        self.history: list[Remark] = []
        self._beside: dict[str, dict[str, Beside]] = {}  # reviewer -> document

    def feed(self, rows: Iterable[Remark]) -> None:
        for row in rows:
            own = self._beside.setdefault(row.reviewer, {})
            known = own.pop(row.document, NOTHING)
            now = Beside(
                known.note if row.note is None else row.note,
                known.tags if row.tags is None else row.tags,
            )
            if now != NOTHING:
                own[row.document] = now
            self.history.append(row)
            self.last = row.number

    def seen_by(self, reviewer: str, is_open: Callable[[str], bool]) -> Remarks:
        """Without what others have written beside documents that are not open."""
        view = Remarks()
        view.feed(row for row in self.history if row.reviewer == reviewer or is_open(row.document))
        view.last = self.last
        return view

    def of(self, reviewer: str) -> dict[str, Beside]:
        """A reviewer's notes and tags by document, the one last written last."""
        return self._beside.get(reviewer, {})

    @property
    def reviewers(self) -> list[str]:
        """Who has something written beside documents now."""
        return [name for name, own in self._beside.items() if own]


def check_note(note: str) -> str:
    if not isinstance(note, str):
        raise UsageError(f"a note is text, not {type(note).__name__}")
    if len(note) > LONGEST_NOTE:
        raise UsageError(f"a note of {len(note):,} characters: it may have {LONGEST_NOTE:,}")
    return note


def check_words(what: str, words: Iterable[str]) -> tuple[str, ...]:
    """Tags or reasons: short, each once, without what separates them in files."""
    if isinstance(words, str):
        raise UsageError(f"{what} are a list of texts, as in [{words!r}]")
    found = tuple(dict.fromkeys(words))
    if len(found) > MOST_WORDS:
        raise UsageError(f"there are {len(found):,} {what}: there may be {MOST_WORDS}")
    for word in found:
        if not isinstance(word, str):
            raise UsageError(f"{what} are texts, not {type(word).__name__}")
        if not word.isprintable() or word.strip() != word or not word or SEPARATOR in word:
            raise UsageError(
                f"{word!r} cannot be one of the {what}: write it in one line, without ;"
            )
        if len(word) > LONGEST_WORD:
            raise UsageError(f"one of the {what} is longer than {LONGEST_WORD} characters")
    return found
