"""`preview`: reads all of the input as `Index.add` would, and keeps none of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from likewise.document import title_of
from likewise.duplicates.alike import Alike
from likewise.previewing.fields import FieldCounts, FieldPreview
from likewise.readers import Batch, Problems, ReadOptions, read
from likewise.readers.formats import SUFFIXES
from likewise.readers.streams import plain_suffix
from likewise.store.known import EditedSegment, KnownIds
from likewise.store.segment import open_segments

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likewise.readers import AnyBatch
    from likewise.readers.problems import Problem
    from likewise.readers.reading import Input, Progress
    from likewise.search.open_index import OpenIndex

MOST_TITLES = 5


class Preview(NamedTuple):
    """What adding would find; `problems`, `unknown`, `labels`, `remarks` are as in `Added`.

    `formats` counts documents by the format of their file, `types` by the kind of record that
    they say they are. `duplicates` counts documents whose id, DOI or PMID an earlier one has, by
    that key: `on_duplicate="skip"` leaves them out. `alike` counts those of the others that have
    nearly the title of an earlier one: they are kept. `titles` are the first few.
    """

    documents: int
    formats: Mapping[str, int]
    types: Mapping[str, int]
    fields: tuple[FieldPreview, ...]
    titles: tuple[str, ...]
    duplicates: Mapping[str, int]
    alike: int
    labels: Mapping[str, int]
    problems: tuple[Problem, ...]
    problem_count: int
    characters_replaced: int
    unknown: Mapping[str, int]
    remarks: tuple[str, ...]


def preview(
    documents: Input,
    *,
    index: OpenIndex | None = None,
    progress: Progress | None = None,
    **reading: Any,
) -> Preview:
    """Read files, folders or documents without keeping them; `reading` is as in `Index.add`.

    With an `index`, documents that it has count as duplicates, too.
    """
    problems = Problems()
    seen = _Seen(index)
    for batch in read(documents, ReadOptions(**reading), problems, progress):
        seen.add(batch)
    return Preview(
        documents=seen.documents,
        formats=dict(seen.formats.most_common()),
        types=dict(seen.fields.types.most_common()),
        fields=seen.fields.listed(),
        titles=tuple(seen.titles),
        duplicates=dict(seen.known.by_key),
        alike=seen.alike.count(),
        labels=problems.labels.total(),
        problems=tuple(problems.listed),
        problem_count=problems.count,
        characters_replaced=sum(problems.replaced.values()),
        unknown=dict(problems.unknown),
        remarks=tuple(problems.remarks()),
    )


class _Seen:
    """What the batches so far have told."""

    def __init__(self, index: OpenIndex | None) -> None:
        self.documents = 0
        self.formats: Counter[str] = Counter()
        self.fields = FieldCounts()
        self.titles: list[str] = []
        self.alike = Alike()
        directory = Path() if index is None else index.path
        entries = () if index is None else index.manifest.segments
        segments = [EditedSegment(segment) for segment in open_segments(directory, entries)]
        self.known = KnownIds(directory, segments, "skip")

    def add(self, batch: AnyBatch) -> None:
        self.documents += len(batch)
        self.formats.update(map(_format, batch.sources))
        self.fields.add(batch)
        self._keep_titles(batch)
        fresh = self.known.admit(batch)
        if isinstance(fresh, Batch) and len(fresh):
            self.alike.add(fresh.records)

    def _keep_titles(self, batch: AnyBatch) -> None:
        for i in range(len(batch)):
            if len(self.titles) >= MOST_TITLES:
                return
            title = title_of(batch.record(i))
            if title:
                self.titles.append(title)


def _format(source: str) -> str:
    """The format of a file by its name; of what is no file, none."""
    return SUFFIXES.get(plain_suffix(PurePath(source)), "")
