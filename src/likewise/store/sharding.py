"""Making an index in shards: documents in runs of about the same size, one run an index.

All is in place before the manifest of the whole says so. If anything goes wrong, the shards made so
far are removed, and the index is empty as before.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sized
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

from likewise import arguments
from likewise.errors import DuplicateError, UsageError
from likewise.store import adding, transaction
from likewise.store.adding import Added
from likewise.store.joining import join
from likewise.store.known import select
from likewise.store.shards import MOST_SHARDS, Sharding, shard_folder
from likewise.store.transaction import Transaction, remove_shards

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from likewise.readers.batch import AnyBatch
    from likewise.readers.problems import Problems
    from likewise.readers.reading import Progress
    from likewise.store.known import OnDuplicate
    from likewise.store.manifest import Manifest
    from likewise.text import Analyzer

AHEAD = 32 << 20  # bytes of records read before the first shard: a smaller input is counted
ANOTHER_ID = "give it another id, or leave it out"


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
    *,
    on_duplicate: OnDuplicate = "error",
    problems: Problems | None = None,
    **options: Any,
) -> Added:
    """`adding.add` or, where `share` follows the reading, add shards to an index of them."""
    if share is None:
        given: dict[str, Any] = {"on_duplicate": on_duplicate, "problems": problems, **options}
        return adding.add(directory, batches, analyzer, **given)
    if on_duplicate != "error":
        raise UsageError(
            f"on_duplicate is {on_duplicate!r}, but shards are made one by one: remove duplicates "
            "before, or index without shards"
        )
    with Transaction(directory, shards=True) as change:
        first, count, runs = _divided(change, share.counted(batches), share)
        remove_shards(directory, first)
        try:
            total = Added(0)
            for number, run in enumerate(runs, first):
                place = directory / shard_folder(number)
                create_empty(place, change.manifest)
                lost = problems if number == count - 1 else None  # counted once
                added = adding.add(place, run, analyzer, problems=lost, **options)
                total = summed(total, added)
            if total.documents:
                threads, engine = options["threads"], options["engine"]
                join(change, count, threads=threads, engine=engine)
        except BaseException as error:
            remove_shards(directory, first)
            if isinstance(error, DuplicateError):  # without its way out, which is none for shards
                said = str(error).partition(": choose --on-duplicate")[0]
                raise DuplicateError(f"{said}: {ANOTHER_ID}") from None
            raise
        if not total.documents:
            remove_shards(directory, first)
        return total


def _divided(
    change: Transaction, batches: Iterable[AnyBatch], share: Share
) -> tuple[int, int, Iterable[Iterator[AnyBatch]]]:
    """The number of the first new shard, how many there will be, and the documents of each new one:
    the first addition fills all shards that were asked for, each later one adds a shard.
    """
    there = change.manifest.sharding
    if there is None:
        raise UsageError(f"{change.directory} was made anew meanwhile: open it again")
    if not there.shards:
        return 0, there.count, Runs(batches, there.count, share)
    if there.count == MOST_SHARDS:
        raise UsageError(f"{change.directory} has {MOST_SHARDS} shards: index its documents anew")
    return there.count, there.count + 1, [iter(batches)]


def create_empty(place: Path, whole: Manifest, made: str = "") -> None:
    """An empty shard; its latent space is that of the whole, and so are the roots of its files."""
    transaction.create(
        place, whole.settings, whole.kind, 0, whole.probe, whole.sparse, None, whole.roots, made
    )


def summed(one: Added, other: Added) -> Added:
    """What two additions did."""
    return one._replace(
        documents=one.documents + other.documents,
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
        self._batches, self._count, self._share = iter(batches), count, share
        self._waiting: deque[tuple[AnyBatch, float | None]] = deque()

    def __iter__(self) -> Iterator[Iterator[AnyBatch]]:
        size = 0
        for batch in self._batches:
            self._waiting.append((batch, self._share()))
            size += len(batch.records)
            if size > AHEAD:
                return (self._until((i + 1) / self._count) for i in range(self._count))
        return self._counted()

    def _counted(self) -> Iterator[Iterator[AnyBatch]]:
        documents = sum(len(batch) for batch, _ in self._waiting)
        cuts = [documents * i // self._count for i in range(self._count + 1)]
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
