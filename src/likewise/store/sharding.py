"""Adding to an index in shards: documents in runs of about the same size, one run an index.

All is in place before the manifest of the whole says so. If anything goes wrong, the shards made so
far are removed, and the index is as it was.
"""

from __future__ import annotations

import shutil
from collections import Counter, deque
from collections.abc import Sized
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from likewise import arguments
from likewise.errors import UsageError
from likewise.store import adding, transaction
from likewise.store.adding import Added, Others
from likewise.store.joining import inside, join
from likewise.store.kinds import kind_of
from likewise.store.known import EditedSegment, select
from likewise.store.manifest import read_manifest
from likewise.store.reshaping import grown, has_room, shards_of, small_regrouped
from likewise.store.segment import Segment, open_segments
from likewise.store.shards import MOST_SHARDS, Sharding, folder_of
from likewise.store.transaction import Transaction, remove_shards

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from likewise.readers.batch import AnyBatch
    from likewise.readers.reading import Progress
    from likewise.store.manifest import Manifest, SegmentEntry, ViewRows
    from likewise.text import Analyzer

AHEAD = 32 << 20  # bytes of records read before the first shard: a smaller input is counted


def divided(shards: int) -> Sharding:
    """How an index is to be divided."""
    count = arguments.whole("shards", shards, 1)
    if count > MOST_SHARDS:
        raise UsageError(f"shards is {count}: it may be {MOST_SHARDS} at most")
    return Sharding(count)


def add(
    directory: Path,
    batches: Iterable[AnyBatch],
    analyzer: Analyzer,
    share: Share | None,
    **options: Any,
) -> Added:
    """`adding.add` or, where `share` follows the reading, the same for an index in shards: the
    first documents fill those that were asked for, later ones the last shard, and then new ones.
    """
    if share is None:
        return adding.add(directory, batches, analyzer, **options)
    with Transaction(directory, shards=True) as change:
        there = change.manifest.sharding
        if there is None:
            raise UsageError(f"{change.directory} was made anew meanwhile: open it again")
        try:
            counted = share.counted(batches)
            if there.shards:
                return _extend(change, counted, analyzer, options)
            return _fill(change, Runs(counted, there.count, share), analyzer, options)
        finally:  # what was replaced, or what an addition that failed has left
            remove_shards(directory)


def _fill(
    change: Transaction,
    runs: Runs,
    analyzer: Analyzer,
    options: dict[str, Any],
) -> Added:
    """The first documents, in as many shards as there are runs."""
    remove_shards(change.directory)
    others, total = Others(change.directory, []), Added(0)
    folders: list[str] = []
    problems, count = options.pop("problems"), runs.count
    for run in runs:
        folder = change.new_shard()
        place = change.directory / folder
        create_empty(place, change.manifest)
        lost = problems if len(folders) == count - 1 else None  # counted once
        added = adding.add(place, run, analyzer, others=others, problems=lost, **options)
        for entry in read_manifest(place).segments:
            segment = Segment(change.directory, inside(folder, entry))
            others.segments.append(EditedSegment(segment))
        total = summed(total, added)
        folders.append(folder)
    if total.documents:
        edited = _edited(change, others)
        entries = join(change, folders, edited=edited, no_id_twice=True, **_how(options))
        change.commit(entries)
    return total


def _extend(
    change: Transaction, batches: Iterable[AnyBatch], analyzer: Analyzer, options: dict[str, Any]
) -> Added:
    """Later documents, which come behind all others: in the last shard or, where that has no room,
    in a new one.
    """
    views: Mapping[str, dict[str, ViewRows]] = {}
    kept, into_last = len(shards_of(change)), has_room(change)
    if into_last:
        kept -= 1
        folder, views = grown(change, shards_of(change)[-1])
    else:
        if kept == MOST_SHARDS:
            raise UsageError(
                f"{change.directory} has {MOST_SHARDS} shards: index its documents anew"
            )
        folder = change.new_shard()
        shutil.rmtree(change.directory / folder, ignore_errors=True)
        create_empty(change.directory / folder, change.manifest)
    stay = {shard.folder for shard in shards_of(change)[:kept]}
    there = [entry for entry in change.manifest.segments if folder_of(entry.file) in stay]
    others = Others(
        change.directory, list(map(EditedSegment, open_segments(change.directory, there)))
    )
    merge = options.pop("merge")
    place = change.directory / folder
    before = read_manifest(place).generation
    added = adding.add(place, batches, analyzer, others=others, merge=False, **options)
    if read_manifest(place).generation == before:
        return added
    edited = _edited(change, others)
    for entry in read_manifest(place).segments:  # some documents of these may be replaced as well
        if entry.file in views:
            one = replace(inside(folder, entry), views=views[entry.file])
            edited[one.file] = one
    sources = read_manifest(place).sources if into_last else None
    entries = join(
        change,
        [folder],
        kept=kept,
        edited=edited,
        sources=sources,
        no_id_twice=True,
        **_how(options),
    )
    if merge:
        entries = small_regrouped(change, entries, kind_of(change.manifest.kind))
    change.commit(entries)
    return added


def _edited(change: Transaction, others: Others) -> dict[str, SegmentEntry]:
    """The segments of other shards, of which documents may have been replaced, by their files."""
    entries = [edited.write_deletions(change) for edited in others.segments]
    return {entry.file: entry for entry in entries}


def _how(options: dict[str, Any]) -> dict[str, Any]:
    return {name: options[name] for name in ("threads", "engine")}


def create_empty(place: Path, whole: Manifest, made: str = "") -> None:
    """An empty shard; its latent space is that of the whole, and so are the roots of its files."""
    transaction.create(
        place, whole.settings, whole.kind, 0, whole.probe, whole.sparse, None, whole.roots, made
    )


def summed(one: Added, other: Added) -> Added:
    """What two additions did."""
    return one._replace(
        documents=one.documents + other.documents,
        replaced=one.replaced + other.replaced,
        skipped=one.skipped + other.skipped,
        segments=one.segments + other.segments,
        notes=(*one.notes, *other.notes),
        remarks=tuple(dict.fromkeys((*one.remarks, *other.remarks))),
        duplicates=dict(Counter(one.duplicates) + Counter(other.duplicates)),
    )


class Share:
    """How much of an input was read: by the bytes of files, or by documents where these are known.

    It stands in for `progress`, which it tells.
    """

    def __init__(self, progress: Progress | None, documents: Any) -> None:
        self._progress = progress
        self._documents = _length(documents)
        self._read: float | None = None
        self._seen = 0

    def watch(self, done: int, total: int) -> None:
        self._read = done / total if total else None
        if self._progress:
            self._progress(done, total)

    def counted(self, batches: Iterable[AnyBatch]) -> Iterator[AnyBatch]:
        for batch in batches:
            self._seen += len(batch)
            yield batch

    def __call__(self) -> float | None:
        if self._read is not None or not self._documents:
            return self._read
        return self._seen / self._documents


def _length(documents: Any) -> int:
    """How many documents a program gives; 0 if that is not known."""
    if shape := getattr(documents, "shape", ()):  # of an array, a sparse matrix, a frame
        return int(shape[0])
    return len(documents) if isinstance(documents, Sized) else 0


class Runs:
    """Batches in `count` runs, in their order, each to be used up before the next.

    Of an input that is read ahead as a whole all runs have the same number of documents, give or
    take one. Of a larger one they end where a batch does, by how much of it was read.
    """

    def __init__(
        self, batches: Iterable[AnyBatch], count: int, share: Callable[[], float | None]
    ) -> None:
        self._batches, self.count, self._share = iter(batches), count, share
        self._waiting: deque[tuple[AnyBatch, float | None]] = deque()

    def __iter__(self) -> Iterator[Iterator[AnyBatch]]:
        size = 0
        for batch in self._batches:
            self._waiting.append((batch, self._share()))
            size += len(batch.records)
            if size > AHEAD:
                return (self._until((i + 1) / self.count) for i in range(self.count))
        return self._counted()

    def _counted(self) -> Iterator[Iterator[AnyBatch]]:
        documents = sum(len(batch) for batch, _ in self._waiting)
        cuts = [documents * i // self.count for i in range(self.count + 1)]
        return (self._next(end - start) for start, end in pairwise(cuts))

    def _next(self, documents: int) -> Iterator[AnyBatch]:
        while documents:
            batch, share = self._waiting.popleft()
            if len(batch) > documents:
                rest = select(batch, range(documents, len(batch)))
                self._waiting.appendleft((rest, share))
                batch = select(batch, range(documents))
            documents -= len(batch)
            yield batch

    def _until(self, part: float) -> Iterator[AnyBatch]:
        while True:
            if not self._waiting:
                self._waiting += ((batch, self._share()) for batch in islice(self._batches, 1))
                if not self._waiting:
                    return
            if (share := self._waiting[0][1]) is None:
                raise UsageError(
                    "how large the input is cannot be told, so it cannot be divided into shards: "
                    "give files or a list of documents"
                )
            if share > part and part < 1:
                return
            yield self._waiting.popleft()[0]
