"""Labels that stand in the documents themselves, as judgements of a session."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from likewise.document import values_of
from likewise.errors import UsageError
from likewise.readers import Problems
from likewise.readers.labels import Label, LabelCounts, label_of, note_of, spelled
from likewise.reviews.files import Import, Read
from likewise.reviews.judgement import Judgement

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from likewise.reviews.files import Imported
    from likewise.reviews.live import Live
    from likewise.search.generation import Generation
    from likewise.store.snapshot import Snapshot

_counted: WeakKeyDictionary[Generation, dict[str, int]] = WeakKeyDictionary()
SOURCE = Path("labels in the documents")


def load(live: Live, reviewer: str, field: str | None) -> Imported:
    """Enter the labels of all documents that have one; they are one action, undone together."""
    found = labels_in(live.generation.snapshot, field)
    entering = Import(live, reviewer, SOURCE, Problems())
    for number, (id, label, note) in enumerate(found, 1):
        reasons = (label.reason,) if label.reason else ()
        one = Judgement(id, label.name, reasons=reasons, note=note or None)
        entering.add(Read(number, one.checked()))
    return entering.finish()


def counts(generation: Generation) -> dict[str, int]:
    """How many documents have which label; read once for a generation."""
    if generation not in _counted:
        found = LabelCounts()
        for number in range(len(generation)):
            found.add(generation.snapshot.read(number, values_of))
        _counted[generation] = found.total()
    return _counted[generation]


def labels_in(snapshot: Snapshot, field: str | None = None) -> list[tuple[str, Label, str]]:
    """The documents that have a label, each with its note; it is an error if there are none."""
    found = list(_labels(snapshot, field))
    if not found:
        named = "label" if field is None else f"label in a field {field!r}"
        raise UsageError(f"no document has a {named}, such as 1 and 0 or included and excluded")
    return found


def _labels(snapshot: Snapshot, field: str | None) -> Iterator[tuple[str, Label, str]]:
    """Twice over the documents: what is no label is known at the end."""
    counts = LabelCounts()
    for number in range(len(snapshot)) if field is None else ():
        counts.add(snapshot.read(number, values_of))
    if field is None and not counts.total():
        return
    for number, id in enumerate(snapshot.ids(range(len(snapshot)))):
        values = snapshot.read(number, values_of)
        label = label_of(values, counts.others) if field is None else _in_field(values, field)
        if label is not None:
            yield id, label, note_of(values)


def _in_field(values: dict[str, Any], field: str) -> Label | None:
    name = spelled(values.get(field))
    return None if name is None else Label(name, field)
