"""The near-duplicates of an index, found by what has changed since they were last asked for."""

from __future__ import annotations

from collections import defaultdict
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from likewise.duplicates import sketch as sketches
from likewise.duplicates import state as states
from likewise.duplicates.facts import read_facts
from likewise.duplicates.growing import grown
from likewise.duplicates.state import Part, State
from likewise.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from likewise.duplicates.facts import Facts
    from likewise.duplicates.groups import Group
    from likewise.duplicates.sketch import Sketch
    from likewise.store.container import Container
    from likewise.store.segment import Segment
    from likewise.store.snapshot import Snapshot

    Progress = Callable[[int, int], None]

THRESHOLD = 0.8  # the least similarity of two records of one paper
LARGE = 1_000  # documents of an index beside which something is kept
UNSAVED = 1_000  # documents that come or go before what is kept is written again
PATIENCE = 1.0  # seconds between looks whether to go on waiting

# The last state that a process has seen lasts as long as one of the files it is of is mapped.
_known: WeakKeyDictionary[Container, State] = WeakKeyDictionary()
_turns: defaultdict[Path, Lock] = defaultdict(Lock)  # one thread computes, the others wait


class Duplicates(NamedTuple):
    """Groups of records of one paper, the largest first.

    `candidates` pairs were compared for that: few, where an earlier generation's were known.
    """

    groups: tuple[Group, ...]
    documents: int
    candidates: int
    threshold: float

    @property
    def extra(self) -> int:
        """Documents besides the first of each group."""
        return sum(len(group.members) - 1 for group in self.groups)


def find_duplicates(
    snapshot: Snapshot, threshold: float = THRESHOLD, progress: Progress | None = None
) -> Duplicates:
    """Groups of documents that are records of the same paper; the same for any order of them.

    What is known of an earlier generation is gone on from: records are read of segments that are
    new, and of documents that these are compared with. Of a large index it is kept in its folder.
    """
    _check(snapshot, threshold)
    with _turn(snapshot, progress):
        state = _current(snapshot, progress)
    return Duplicates(state.groups(threshold), len(snapshot), state.compared, threshold)


def compute(
    snapshot: Snapshot, threshold: float = THRESHOLD, progress: Progress | None = None
) -> Duplicates:
    """The same without looking at what is known, or keeping anything."""
    parts, facts = _described(snapshot, {}, progress)
    state = grown(State(), parts, snapshot, facts, _asking(snapshot, progress))
    return Duplicates(state.groups(threshold), len(snapshot), state.compared, threshold)


def _check(snapshot: Snapshot, threshold: float) -> None:
    if not 0 < threshold <= 1:
        raise UsageError(f"threshold is {threshold}: it must be above 0 and at most 1")
    if snapshot.segments and snapshot.manifest.kind != "text":
        raise UsageError(
            f"{snapshot.directory} holds vectors, not text: only texts have duplicates"
        )


@contextmanager
def _turn(snapshot: Snapshot, progress: Progress | None) -> Iterator[None]:
    """Wait until no other thread is at it, or until who asks has had enough."""
    turn = _turns[snapshot.directory]
    while not turn.acquire(timeout=PATIENCE):
        if progress:
            progress(0, len(snapshot))
    try:
        yield
    finally:
        turn.release()


def _current(snapshot: Snapshot, progress: Progress | None) -> State:
    files = [_file(segment) for segment in snapshot.segments]
    large = len(snapshot) >= LARGE
    old = next((_known[file] for file in files if file in _known), None)
    if old is None:
        old = (states.read(snapshot) if large else None) or State()
    parts, facts = _described(snapshot, _by_name(old.parts), progress, keep=large)
    if _is_of(old, parts):
        state = old
    else:
        state = grown(old, parts, snapshot, facts, _asking(snapshot, progress))
    if large and (not old.parts or state.unsaved >= UNSAVED):
        state = states.write(snapshot, state)
    for file in files:
        _known[file] = state
    return state


def _described(
    snapshot: Snapshot,
    known: dict[str, Sketch],
    progress: Progress | None,
    *,
    keep: bool = False,
) -> tuple[list[Part], dict[int, Facts]]:
    """Its segments, and the facts of those whose records were read for that."""
    parts, facts = [], {}
    read = 0
    for place, segment in enumerate(snapshot.segments):
        name = sketches.name_of(segment)
        large = keep and segment.documents >= sketches.FEWEST
        sketch = known.get(name) or (sketches.read(snapshot.directory, name) if large else None)
        if sketch is None or sketch.documents != segment.documents:
            facts[place] = read_facts(segment, _told(progress, read, len(snapshot)))
            sketch = sketches.make(snapshot, place, facts[place])
            if large:
                sketch = sketches.write(snapshot.directory, name, sketch)
        read += segment.documents
        parts.append(Part(name, ~segment.deleted_mask(), sketch))
    return parts, facts


def _by_name(parts: Iterable[Part]) -> dict[str, Sketch]:
    return {part.name: part.sketch for part in parts}


def _is_of(state: State, parts: list[Part]) -> bool:
    """Whether a state has these documents."""
    return len(state.parts) == len(parts) and all(
        a.name == b.name and bool((a.live == b.live).all())
        for a, b in zip(state.parts, parts, strict=True)
    )


def _told(progress: Progress | None, before: int, total: int) -> Callable[[int], None] | None:
    return (lambda done: progress(min(before + done, total), total)) if progress else None


def _asking(snapshot: Snapshot, progress: Progress | None) -> Callable[[], None]:
    """Asks whether to go on."""
    total = len(snapshot)
    return (lambda: progress(total, total)) if progress else lambda: None


def _file(segment: Segment) -> Container:
    return segment.files()[segment.entry.file]
