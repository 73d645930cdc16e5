"""The view of titles on disk: rows of counts of their parts, a file beside each segment.

Rows are written with the segment of their documents, carried over when segments are merged, and
made from the documents themselves when the view is added to an index. There is no inverted file:
it would take as much space again, and is made in memory where it is of use. In how many titles each
part is, which takes longest to find of what a search needs first, is stored for large segments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from likewise import _core
from likewise.errors import UsageError
from likewise.store.container import ContainerWriter, removed_on_failure
from likewise.store.kinds import kind_of
from likewise.store.manifest import SparseEntry, ViewRows
from likewise.store.matrices import write_stacked
from likewise.store.segment import VIEW, Segment, open_segments
from likewise.store.transaction import Transaction
from likewise.text import Analyzer, AnalyzerSettings
from likewise.text.unicode import unicode_classes
from likewise.views import TITLES, titles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from likewise._core import CountArrays
    from likewise.store.manifest import KindName, Manifest, SegmentEntry
    from likewise.text import Terms

    Texts = Iterable[Sequence[str]]  # titles, some at a time

ENTRY = SparseEntry(titles.WIDTH)
MANY = 1 << 14  # documents of a segment, from which on it is stored how many have each part


class TitleAnalyzer(Analyzer):
    """Turns titles into words, which are neither stemmed nor left out."""

    def __init__(self) -> None:
        super().__init__(AnalyzerSettings(language="none", stop_words=False))

    def parts(self, title: str) -> set[str]:
        """The parts of a title as they are spelled."""
        forms = _core.forms(title, unicode_classes, self.settings.max_bytes)
        words = (word for found in self.terms(forms) for word in _each(found))
        return {part for word in words for part in titles.parts(word)}


def _each(found: Terms) -> tuple[str, ...]:
    return () if found is None else (found,) if isinstance(found, str) else found


class TitleRows:
    """Collects the rows of some titles."""

    def __init__(self, threads: int = 1) -> None:
        self._analyzer = TitleAnalyzer()
        longest = self._analyzer.settings.max_bytes
        self._counter = _core.TitleCounter(unicode_classes, longest, threads)

    def add(self, some: Sequence[str] | _core.Texts) -> int:
        """Append the rows of these; how many bytes all of them take."""
        new = self._counter.unknown(some)
        for form, words in zip(new, self._analyzer.terms(new), strict=True):
            self._counter.know(form, _each(words))
        self._counter.add(some)
        return self._counter.memory

    def drain(self) -> CountArrays:
        """All rows so far, which are then forgotten."""
        return self._counter.drain()


def rows_of(some: Sequence[str]) -> CountArrays:
    """The rows of a few titles, for documents from outside an index."""
    rows = TitleRows()
    rows.add(some)
    return rows.drain()


def has_titles(settings: AnalyzerSettings) -> bool:
    """Whether an index with these settings searches titles, so that they have parts."""
    return titles.FIELD in settings.fields


def sparse_views(
    settings: AnalyzerSettings, kind: KindName | None, wanted: bool | None
) -> dict[str, SparseEntry]:
    """The sparse views of a new index; `wanted` says whether it is to have titles."""
    if wanted and not (has_titles(settings) and kind_of(kind).has_text):
        raise UsageError(
            f"titles of {kind or 'text'} in the fields {', '.join(settings.fields)}: "
            f"only text with a field {titles.FIELD!r} has titles"
        )
    possible = has_titles(settings) and kind_of(kind).has_text
    return {TITLES: ENTRY} if possible and wanted is not False else {}


def write(directory: Path, name: str, pieces: Iterable[CountArrays], documents: int) -> ViewRows:
    """Write the rows of one segment's documents, handed over some at a time."""
    writer = ContainerWriter(directory / name, VIEW)
    with removed_on_failure(writer):
        if documents < MANY:
            write_stacked(writer, "rows", pieces, titles.WIDTH)
        else:
            counted = np.zeros(titles.WIDTH, np.int64)
            write_stacked(writer, "rows", _counting(pieces, counted), titles.WIDTH)
            dtype = np.uint16 if documents < 1 << 16 else np.uint32
            writer.array("rows.frequencies", counted.astype(dtype))
        return ViewRows(name, writer.close(documents=documents, width=titles.WIDTH))


def having(entry: SegmentEntry, rows: ViewRows) -> SegmentEntry:
    """A segment with the rows of its documents' titles."""
    return msgspec.structs.replace(entry, sparse={**entry.sparse, TITLES: rows})


def with_rows_of(
    change: Transaction, entry: SegmentEntry, group: Sequence[Segment]
) -> SegmentEntry:
    """A merged segment with the rows that its documents had."""
    if TITLES not in change.sparse or TITLES in entry.sparse:
        return entry
    rows = write(change.directory, change.new_file("view"), _live(group), entry.documents)
    return having(entry, rows)


def make(directory: Path, titles_of: Callable[[Segment, tuple[str, ...]], Texts]) -> Manifest:
    """Add the view to an index that has none, or make it anew; one new generation."""
    with Transaction(directory, shards=True) as change:
        manifest = change.manifest
        if manifest.kind is not None and not kind_of(manifest.kind).has_text:
            raise UsageError(f"{directory} holds vectors, not text: its documents have no titles")
        fields = tuple(manifest.settings["fields"])
        if titles.FIELD not in fields:
            raise UsageError(
                f"{directory} searches {', '.join(fields)}, no field {titles.FIELD!r}: "
                "likewise reindex --fields names others"
            )
        change.sparse[TITLES] = ENTRY
        entries = []
        rows = TitleRows()
        for segment in open_segments(directory, manifest.segments):
            for some in titles_of(segment, fields):
                rows.add(some)
            file, found = change.new_file("view"), [rows.drain()]
            made = write(directory, file, found, segment.entry.documents)
            entries.append(having(segment.entry, made))
        return change.commit(entries)


def drop(directory: Path) -> Manifest:
    """Forget the view; documents that are added get no rows of it."""
    with Transaction(directory, shards=True) as change:
        if change.sparse.pop(TITLES, None) is None:
            return change.manifest
        return change.commit([without(entry) for entry in change.manifest.segments])


def without(entry: SegmentEntry) -> SegmentEntry:
    return msgspec.structs.replace(entry, sparse={})


def _counting(pieces: Iterable[CountArrays], counted: NDArray[np.int64]) -> Iterator[CountArrays]:
    """The same pieces; in how many of their rows each column is is added up."""
    for piece in pieces:
        counted += _core.Counts(piece, titles.WIDTH, trusted=True).frequencies()
        yield piece


def _live(group: Sequence[Segment]) -> Iterator[CountArrays]:
    for segment in group:
        rows, live = segment.sparse_view(TITLES, titles.WIDTH), segment.live
        yield rows if live is None else _core.Counts(rows, titles.WIDTH).select(live)
