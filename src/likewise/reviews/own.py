"""What a reviewer has set for herself: her keys, and words that are highlighted for her."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from likewise.errors import UsageError
from likewise.reviews import keys as known
from likewise.reviews import preferences
from likewise.reviews.preferences import Highlight
from likewise.reviews.remarks import NOTHING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from likewise.reviews.ledger import Label
    from likewise.reviews.live import Live

COLOURS = ("yellow", "green", "blue", "pink", "orange")
LONGEST = 100  # characters of a word, or of a phrase
MOST = 200


class Preferences:
    """`session.preferences`. Keys hold in all sessions of a database, highlights in this one."""

    def __init__(self, live: Live, reviewer: str) -> None:
        self._live, self._reviewer = live, reviewer

    @property
    def keys(self) -> dict[str, str]:
        """The key of each action of likewise.reviews.keys.ACTIONS."""
        return known.all_keys(preferences.keys_of(self._live.database, self._reviewer))

    def set_keys(self, keys: Mapping[str, str]) -> dict[str, str]:
        """Keys in place of the usual ones, by action; those left out are the usual ones."""
        own = known.checked(keys)
        preferences.put_keys(self._live.database, self._reviewer, own)
        return known.all_keys(own)

    @property
    def highlights(self) -> tuple[Highlight, ...]:
        live = self._live
        return preferences.highlights_of(live.database, live.number, self._reviewer)

    def highlight(self, words: Iterable[Highlight | str]) -> tuple[Highlight, ...]:
        """Words and phrases to highlight, in place of those before; each may have a colour."""
        given = [Highlight(one) if isinstance(one, str) else one for one in words]
        new = tuple({one.word.casefold(): one for one in map(_checked, given)}.values())
        if len(new) > MOST:
            raise UsageError(f"there are {len(new)} words to highlight: there may be {MOST}")
        live = self._live
        preferences.put_highlights(live.database, live.number, self._reviewer, new)
        return new


def _checked(one: Highlight) -> Highlight:
    word = " ".join(one.word.split()) if isinstance(one.word, str) else ""
    if not word or len(word) > LONGEST or not word.isprintable():
        raise UsageError(f"{one.word!r} cannot be highlighted: give a word of up to {LONGEST}")
    colour = one.colour or COLOURS[0]
    if colour not in COLOURS:
        raise UsageError(f"no colour {one.colour!r}: choose {', '.join(COLOURS)}")
    return Highlight(word, colour)


class Said(NamedTuple):
    """What a reviewer says of a document, and what she has written beside it."""

    label: Label | None = None
    reasons: tuple[str, ...] = ()
    note: str = ""
    tags: tuple[str, ...] = ()


def said(live: Live, reviewer: str, ids: Iterable[str]) -> dict[str, Said]:
    marks, remarks = live.marks(reviewer), live.remarks.of(reviewer)
    found = {}
    for id in ids:
        mark, beside = marks.get(id), remarks.get(id, NOTHING)
        label, reasons = (mark.label, mark.reasons) if mark else (None, ())
        found[id] = Said(label, reasons, beside.note, beside.tags)
    return found
