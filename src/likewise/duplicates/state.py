"""What is known of the duplicates of one generation, to go on from to the next one.

Documents are counted through all segments, deleted ones included.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from likewise.duplicates import sketch as sketches
from likewise.duplicates.compare import Match
from likewise.duplicates.groups import Group, Member, joined
from likewise.duplicates.sketch import BANDS, FEWEST, Sketch
from likewise.store import cache

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from likewise.store.snapshot import Snapshot

NAME, VERSION = "duplicates", 2  # of what is kept
LONG_TEXT = 2  # bytes of an empty text in JSON


class Part(NamedTuple):
    """A segment: its name, which documents of it are live, and its sketch."""

    name: str
    live: NDArray[np.bool_]
    sketch: Sketch


class Card(NamedTuple):
    """What is told of a document that is in a group, and by what it is ranked there."""

    id: str
    title: str
    text: int
    filled: int


class State(NamedTuple):
    """`matches` are pairs that are one paper, i · 2³² + j, at any threshold, with their documents'
    `cards`. `compared` pairs were looked at to come here from the state before, and `unsaved`
    documents were added or deleted since what is on disk.
    """

    parts: tuple[Part, ...] = ()
    matches: Mapping[int, Match] = {}
    cards: Mapping[int, Card] = {}
    compared: int = 0
    unsaved: int = 0

    def groups(self, threshold: float) -> tuple[Group, ...]:
        """Documents joined by pairs at least so similar, the largest group first."""
        found = {_pair(code): m for code, m in self.matches.items() if m.similarity >= threshold}
        best: dict[int, Match] = {}
        for pair, match in found.items():
            for number in pair:
                if number not in best or match > best[number]:
                    best[number] = match

        def rank(number: int) -> tuple[bool, int, int, str]:
            """The most complete record: an abstract, then other fields, then its length."""
            card = self.cards[number]
            return card.text > LONG_TEXT, card.filled, card.text, card.id

        made = [
            Group(tuple(Member(*self.cards[number][:2], *best[number]) for number in group))
            for group in joined(found, rank)
        ]
        return tuple(sorted(made, key=lambda group: -len(group.members)))


def _pair(code: int) -> tuple[int, int]:
    return code >> 32, code & 0xFFFFFFFF


class _Part(msgspec.Struct, frozen=True):
    name: str
    documents: int
    deleted: bytes
    sketch: tuple[bytes, bytes, bytes] | None  # of a small segment


class _Kept(msgspec.Struct, frozen=True):
    parts: list[_Part]
    matches: list[tuple[int, float, str]]
    cards: dict[int, Card]
    compared: int


def read(snapshot: Snapshot) -> State | None:
    """The state of some generation that was kept; None if there is none that can be used."""
    kept = cache.read(snapshot.directory, NAME, _key(snapshot))
    if kept is None:
        return None
    try:
        found = msgspec.json.decode(kept, type=_Kept)
        parts = [_read_part(snapshot.directory, part) for part in found.parts]
    except (msgspec.MsgspecError, ValueError, IndexError):
        return None
    if not all(parts):
        return None
    matches = {code: Match(alike, why) for code, alike, why in found.matches}
    named = {number for code in matches for number in _pair(code)}
    whole = State(tuple(filter(None, parts)), matches, found.cards, found.compared)
    in_range = not named or (
        min(named) >= 0 and max(named) < sum(part.documents for part in found.parts)
    )
    return whole if in_range and named == found.cards.keys() else None


def write(snapshot: Snapshot, state: State) -> State:
    """Keep a state in place of the one before, and return it."""
    matches = [(code, *match) for code, match in state.matches.items()]
    kept = _Kept(list(map(_kept_part, state.parts)), matches, dict(state.cards), state.compared)
    cache.write(snapshot.directory, NAME, _key(snapshot), msgspec.json.encode(kept))
    sketches.clean(snapshot.directory, [part.name for part in state.parts])
    return state._replace(unsaved=0)


def _key(snapshot: Snapshot) -> str:
    return cache.key_of(snapshot.manifest, VERSION, sketches.VERSION)


def _kept_part(part: Part) -> _Part:
    deleted = np.flatnonzero(~part.live).astype("<u4").tobytes()
    small = part.sketch.documents < FEWEST
    arrays: Sequence[NDArray[np.unsignedinteger]] = part.sketch
    keys, places, order = (array.tobytes() for array in arrays)
    return _Part(
        part.name, part.sketch.documents, deleted, (keys, places, order) if small else None
    )


def _read_part(directory: Path, part: _Part) -> Part | None:
    if part.sketch is None:
        found = sketches.read(directory, part.name)
    else:
        keys, places, order = part.sketch
        shape = (BANDS, part.documents)
        found = Sketch(
            np.frombuffer(keys, "<u4").reshape(shape),
            np.frombuffer(places, "<u4").reshape(shape),
            np.frombuffer(order, "<u8"),
        )
    if found is None or not found.makes_sense or found.documents != part.documents:
        return None
    live = np.ones(part.documents, np.bool_)
    live[np.frombuffer(part.deleted, "<u4")] = False
    return Part(part.name, live, found)
