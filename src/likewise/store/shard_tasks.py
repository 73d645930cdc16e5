"""What a worker of a cluster does for an index: build one shard, which it alone writes.

A shard is built in a folder of its own that gets its place by one rename. So a task may be begun
again anywhere, at any time: whoever comes first has built it, and all would have the same bytes.
"""

from __future__ import annotations

import shutil
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

import msgspec
from xxhash import xxh3_128_hexdigest

from likewise.engines.cluster.connecting import Build, refuse_other
from likewise.errors import ClusterError, InputError, StoreError
from likewise.readers.dividing import lines_between
from likewise.readers.ordered import read_in_order
from likewise.readers.problems import Problems
from likewise.readers.reading import merge_small
from likewise.readers.urls import state_of
from likewise.readers.wire import Done
from likewise.store import adding
from likewise.store.manifest import NAME, Manifest, encode_manifest, read_manifest
from likewise.store.objects import ObjectStore
from likewise.store.sharding import create_empty
from likewise.store.shards import DRAFT, SHARDS
from likewise.store.transaction import made_from
from likewise.text import Analyzer, AnalyzerSettings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from likewise.readers.batch import AnyBatch
    from likewise.readers.options import ReadOptions
    from likewise.readers.streams import Source
    from likewise.store.adding import Added
    from likewise.store.objects import Object

TICK = 0.5  # seconds between two reports of progress


@dataclass(frozen=True)
class ShardTask:
    """A run of the input, and the shard that it becomes. `whole` is the manifest of the index."""

    directory: Path
    folder: str
    sources: list[Source] = field(repr=False)
    options: ReadOptions = field(repr=False)
    strict: bool | None
    whole: Manifest = field(repr=False)
    memory: int
    merge: bool
    build: Build
    topic: str = field(repr=False)
    url: str = ""  # where the index is, if workers put what they build there

    @property
    def place(self) -> Path:
        return self.directory / self.folder

    @property
    def size(self) -> int:
        return sum(source.size for source in self.sources)

    def made(self) -> str:
        """A digest of all that its bytes depend on; files are known by size and time."""
        told: list[Any] = [self.build.likewise, self.build.core, self.strict]
        told += [self.memory, self.merge]
        told += [repr(sorted(asdict(self.options).items()))]
        told += [repr(_known_by(source)) for source in self.sources]
        whole = msgspec.structs.replace(self.whole, generation=0, next_file=1)
        return xxh3_128_hexdigest(encode_manifest(whole) + repr(told).encode())


class Built(NamedTuple):
    """What became of a task; `files` says whether files are documents, by whose path they go.

    `objects` are the files of the shard, if they were put elsewhere.
    """

    folder: str
    added: Added
    read: Done
    files: bool
    worker: str
    objects: Mapping[str, Object] = {}


def _known_by(source: Source) -> tuple[Any, ...]:
    told = (source.name, source.id, source.origin, source.format, source.encoding)
    status = source.path.stat() if source.path else None
    times: tuple[Any, ...] = (status.st_size, status.st_mtime_ns) if status else ()
    if source.url:
        times = state_of(source.url)
    return (*told, str(source.path or source.url), source.begin, source.end, *times)


def build_shard(task: ShardTask) -> Built:
    """Build a shard where nobody has; runs on a worker."""
    refuse_other(task.build)
    worker = _worker_name()
    _refuse_blind(task, worker)
    if task.url:
        with TemporaryDirectory(prefix="likewise-") as folder:
            draft = Path(folder) / "shard"
            built = _build(task, draft, worker)
            files = sorted({*read_manifest(draft).files, NAME})
            sent = ObjectStore(task.url).send(((name, draft / name) for name in files), {})
            named = {f"{task.folder}/{name}": stored for name, stored in sent.objects.items()}
            return built._replace(objects=named)
    draft = task.directory / SHARDS / f"{DRAFT}{uuid4().hex}"
    try:
        built = _build(task, draft, worker)
        _put(draft, task)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return built


def _build(task: ShardTask, draft: Path, worker: str) -> Built:
    problems = Problems(strict=task.strict)
    create_empty(draft, task.whole, task.made())
    documents = _Documents(task, problems)
    added = adding.add(
        draft,
        documents.batches(_reporter(task)),
        Analyzer(msgspec.convert(task.whole.settings, AnalyzerSettings)),
        memory=task.memory,
        merge=task.merge,
        problems=problems,
    )
    return Built(task.folder, added, Done.of(problems), documents.files, worker)


def place_of(task: ShardTask, number: int) -> str:
    """Where in the input a document of a shard is; runs on a worker."""
    for batch in _Documents(task, Problems()).batches(lambda done, total: None):
        if number < len(batch):
            return batch.place(number)
        number -= len(batch)
    return ""


def lines_before(source: Source) -> int:
    """How many lines of a file stand before a part of it; runs on a worker."""
    return lines_between(source, 0, source.begin)


class _Documents:
    """The documents of a task."""

    def __init__(self, task: ShardTask, problems: Problems) -> None:
        self._task, self._problems = task, problems
        self.files = False

    def batches(self, progress: Any) -> Iterator[AnyBatch]:
        options, sources = self._task.options, self._task.sources
        found = read_in_order(sources, options, self._problems, progress)
        for batch in merge_small(found, options.batch_bytes):
            self.files = self.files or not batch.lines.all() or not hasattr(batch, "texts")
            yield batch


def _put(draft: Path, task: ShardTask) -> None:
    """Give a shard its place, unless another worker was faster or it has no documents."""
    made = task.made()
    if made_from(draft) != made or made_from(task.place) == made:
        return
    shutil.rmtree(task.place, ignore_errors=True)
    try:
        draft.rename(task.place)
    except OSError:
        if made_from(task.place) != made:
            raise


def _refuse_blind(task: ShardTask, worker: str) -> None:
    """Raise unless this worker sees the index and the files; it would make folders of its own."""
    try:
        if not task.url:
            read_manifest(task.directory)
    except StoreError as error:
        raise ClusterError(
            f"worker {worker} does not see the index at {task.directory}: put it where all workers "
            "and this machine see it under the same path, or at a URL"
        ) from error
    for source in task.sources:
        if source.path is not None and not source.path.exists():
            raise InputError(
                f"worker {worker} does not see {source.path}: put the files where all workers see "
                "them under the same path"
            )


def _worker_name() -> str:
    from distributed import get_worker

    return str(get_worker().address)


def _reporter(task: ShardTask) -> Any:
    """Tells the client, now and then, how much was read."""
    from distributed import get_worker

    worker, last = get_worker(), time.monotonic()

    def report(done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last > TICK:
            last = time.monotonic()
            worker.log_event(task.topic, {"shard": task.folder, "done": done})

    return report
