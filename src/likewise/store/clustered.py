"""Adding files to an index in shards by a cluster: each shard is built by one worker.

This process divides the input, waits, and then joins the shards: it holds the lock of the index all
the while, and its manifest is written once, at the end. Shards that were finished before something
went wrong stay; the same addition recognises them and goes on from there.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import msgspec

from likewise.engines.cluster.connecting import connect, own_build
from likewise.errors import ClusterError, DuplicateError, LikewiseError, UsageError, sentence
from likewise.readers.attaching import has_pairs
from likewise.readers.dividing import divided
from likewise.readers.formats import FORMATS
from likewise.readers.reading import find_sources
from likewise.store.adding import Added
from likewise.store.joining import InTwoShardsError, join
from likewise.store.manifest import read_manifest
from likewise.store.mirror import fetch, remote_of
from likewise.store.objects import ObjectStore
from likewise.store.shard_tasks import Built, ShardTask, build_shard, lines_before, place_of
from likewise.store.sharding import create_empty, summed
from likewise.store.shards import DRAFT, MOST_SHARDS, SHARDS
from likewise.store.transaction import Transaction, made_from, remove_shards

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from distributed import Client

    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems
    from likewise.readers.roots import Roots
    from likewise.readers.streams import Source
    from likewise.store.manifest import Manifest

    Progress = Callable[[int, int], None]

ANOTHER_ID = "give it another id, or leave it out"
AGAIN = "shards that are finished stay: run the same again to go on"
SEEN = 20.0  # seconds until what a worker wrote must be seen here: network file systems take some


def add(
    directory: Path,
    documents: Any,
    options: ReadOptions,
    cluster: str,
    *,
    problems: Problems,
    roots: Roots,
    memory: int,
    merge: bool,
    threads: int,
    engine: str,
    progress: Progress | None = None,
) -> Added:
    """Add files as new shards, which workers build; one new generation, at the end."""
    sources = _sources(documents, options, problems, roots)
    with Transaction(directory, shards=True) as change, connect(cluster) as client:
        folders = [change.new_shard() for _ in range(_new_shards(change, client))]
        whole = _shape(change.manifest)
        remote = remote_of(directory)
        rest: tuple[Any, ...] = (_by_one(options), problems.strict, whole, memory, merge)
        rest = (*rest, own_build(), f"likewise-{uuid4().hex}", remote.url if remote else "")
        tasks = [
            ShardTask(directory.absolute(), folder, run, *rest)
            for folder, run in zip(folders, divided(sources, len(folders)), strict=True)
        ]
        building = _Building(client, tasks, progress)
        try:
            total = building.run(problems)
        finally:
            _remove_drafts(directory)
        if not total.documents:
            remove_shards(directory)
            return total
        if not building.files:
            roots.new = {name: root for name, root in roots.new.items() if not root.alone}
        change.roots |= roots.new
        try:
            entries = join(change, folders, threads=threads, engine=engine)
        except InTwoShardsError as error:
            raise building.told(error) from error
        change.commit(entries)
        remove_shards(directory)
        return total._replace(remarks=(*total.remarks, *roots.notes, *_undivided(tasks)))


def _shape(manifest: Manifest) -> Manifest:
    """What new shards have of the whole."""
    return msgspec.structs.replace(
        manifest, segments=(), sources=(), views={}, sharding=None, title="", identity=""
    )


def _by_one(options: ReadOptions) -> ReadOptions:
    """Options for a task, which is to use one core."""
    ids = options.ids_file and options.ids_file.absolute()
    return replace(options, processes=1, ids_file=ids)


def _sources(
    documents: Any, options: ReadOptions, problems: Problems, roots: Roots
) -> list[Source]:
    """The files, by paths that workers see as well."""
    given = [documents] if isinstance(documents, (str, os.PathLike)) else list(documents)
    for path in given:
        if not isinstance(path, (str, os.PathLike)):
            raise UsageError(
                f"a cluster reads files, and a {type(path).__name__} is none: give paths"
            )
        if path == "-":
            raise UsageError("standard input cannot be read by a cluster: give files")
    sources = find_sources(given, options, problems, roots)
    if has_pairs(sources):
        raise UsageError(
            "PDFs and records of papers are given together, and only one process finds out which "
            "belong together: index them without a cluster, or one after another"
        )
    for source in sources:
        source.path = source.path and source.path.absolute()
    return sources


def _new_shards(change: Transaction, client: Client) -> int:
    """How many shards are built: as many as were asked for or, later, one a core."""
    there = change.manifest.sharding
    if there is None:
        raise UsageError(
            f"{change.directory} is not in shards, which a cluster builds: make it with shards "
            "(--shards N)"
        )
    if not there.shards:
        return there.count
    free = MOST_SHARDS - there.count
    if not free:
        raise UsageError(f"{change.directory} has {MOST_SHARDS} shards: index its documents anew")
    return min(free, sum(client.nthreads().values()) or 1)


def _remove_drafts(directory: Path) -> None:
    for draft in (directory / SHARDS).glob(f"{DRAFT}*"):
        shutil.rmtree(draft, ignore_errors=True)


def _undivided(tasks: Sequence[ShardTask]) -> list[str]:
    empty = [task for task in tasks if not task.sources]
    if not empty:
        return []
    return [
        f"{len(empty)} of {len(tasks)} shards are empty: files that are compressed, or no lines of "
        "JSON, are not divided; give more files, or fewer shards"
    ]


class _Building:
    """Tasks on their way, and what is to be said of them."""

    def __init__(
        self, client: Client, tasks: Sequence[ShardTask], progress: Progress | None
    ) -> None:
        self._client, self._tasks = client, {task.folder: task for task in tasks}
        self._progress = progress or (lambda done, total: None)
        self._done: dict[str, int] = dict.fromkeys(self._tasks, 0)
        self._total = sum(task.size for task in tasks)
        self.files = False

    def run(self, problems: Problems) -> Added:
        """Wait until every shard is there; the first that fails ends it."""
        total, wanted, again = Added(0), [], 0
        for task in self._tasks.values():
            if not task.sources:
                _emptied(task)
            elif made_from(task.place) == task.made():
                total = summed(total, _found_again(task))
                again, self.files = again + 1, self.files or _may_be_files(task)
                self._tell(task.folder, task.size)
            else:
                wanted.append(task)
        for built in self._built(wanted):
            task = self._tasks[built.folder]
            self._see(task, built)
            self._numbered(task, built.read).report_to(problems)
            total, self.files = summed(total, built.added), self.files or built.files
            self._tell(task.folder, task.size)
        if again:
            total = total._replace(remarks=(f"{again} shards were finished before", *total.remarks))
        return total

    def _built(self, tasks: Sequence[ShardTask]) -> Iterable[Built]:
        from distributed import CancelledError, as_completed

        if not tasks:
            return
        topic = tasks[0].topic
        self._client.subscribe_topic(topic, lambda event: self._hear(event[1]))
        futures = {
            self._client.submit(build_shard, task, key=(f"build-shard-{topic}", task.folder)): task
            for task in tasks
        }
        try:
            for future in as_completed(list(futures), loop=self._client.loop):
                try:
                    yield future.result()
                except CancelledError as error:
                    raise self._gone(error) from error
                except Exception as error:
                    raise self._failed(futures[future], error) from error
        finally:
            if self._client.status == "running":
                self._client.cancel(list(futures), force=True)
                self._client.unsubscribe_topic(topic)

    def _hear(self, message: dict[str, Any]) -> None:
        self._tell(message["shard"], message["done"])

    def _tell(self, shard: str, done: int) -> None:
        self._done[shard] = max(self._done[shard], done)
        self._progress(min(sum(self._done.values()), self._total), self._total)

    def _see(self, task: ShardTask, built: Built) -> None:
        """Raise unless this process sees what a worker wrote."""
        until = time.monotonic() + SEEN
        if built.objects and built.added.documents:
            shutil.rmtree(task.place, ignore_errors=True)
            fetch(task.directory, ObjectStore(task.url), built.objects)
        while built.added.documents and made_from(task.place) != task.made():
            if time.monotonic() > until:
                raise ClusterError(
                    f"worker {built.worker} has built {task.place}, which this machine does not "
                    "see: put the index where all workers and this machine see it under the same "
                    "path"
                )
            time.sleep(0.2)
        if not built.added.documents:
            _emptied(task)

    def _gone(self, error: BaseException) -> ClusterError:
        where = self._client.scheduler.address if self._client.scheduler else "the cluster"
        return ClusterError(
            f"the scheduler at {where} is gone or lost its work ({sentence(error)}); {AGAIN}"
        )

    def _failed(self, task: ShardTask, error: Exception) -> Exception:
        """An error of a task, with lines as they are numbered in the whole file."""
        from distributed import KilledWorker

        names = ", ".join(source.name for source in task.sources[:3])
        what = f"{task.folder} ({names}{', …' if len(task.sources) > 3 else ''})"
        if isinstance(error, KilledWorker):
            return ClusterError(
                f"{error.allowed_failures + 1} workers ended while they built {what}, the "
                f"last of them {error.last_worker.address}: they may have had too little memory; "
                f"give workers more, or make more shards; {AGAIN}"
            )
        if isinstance(error, MemoryError):
            return ClusterError(
                f"a worker had too little memory to build {what}: give workers more, or make "
                f"more shards; {AGAIN}"
            )
        if isinstance(error, DuplicateError):
            said = str(error).partition(": choose --on-duplicate")[0]
            return DuplicateError(f"{self._line(task, said)}: {ANOTHER_ID}; {AGAIN}")
        if isinstance(error, LikewiseError):
            return type(error)(self._line(task, str(error)))
        said = sentence(error) or type(error).__name__
        return ClusterError(f"{what} could not be built: {said}; {AGAIN}")

    def told(self, error: InTwoShardsError) -> DuplicateError:
        """The files and lines of an id that two shards have, as far as these are new."""
        tasks = {task.place: task for task in self._tasks.values()}
        said = []
        for folder, number in error.places:
            if task := tasks.get(folder.absolute()):
                place = self._client.submit(place_of, task, number, pure=False).result()
                said.append(self._line(task, place) or str(folder))
            else:
                said.append(f"the index {folder}")
        return DuplicateError(
            f"{said[1]}: id {error.id!r} was already given at {said[0]}: {ANOTHER_ID}; {AGAIN}"
        )

    def _numbered(self, task: ShardTask, read: Any) -> Any:
        read.listed = [(self._line(task, place), message) for place, message in read.listed]
        return read

    def _line(self, task: ShardTask, text: str) -> str:
        """A text that names lines of a part of a file, with their numbers in the file."""
        part = task.sources[0]
        if not part.begin or f"{part.name}, line " not in text:
            return text
        before = self._client.submit(lines_before, part, pure=False).result()
        return re.sub(
            rf"(?<={re.escape(part.name)}, line )\d+", lambda line: str(int(line[0]) + before), text
        )


def _emptied(task: ShardTask) -> None:
    """A shard without documents, whatever is in its place."""
    shutil.rmtree(task.place, ignore_errors=True)
    create_empty(task.place, task.whole)


def _may_be_files(task: ShardTask) -> bool:
    """Whether files of a shard that was built before may be documents, by whose path they go."""
    return any(not (s.format and FORMATS[s.format].columns) for s in task.sources)


def _found_again(task: ShardTask) -> Added:
    there = read_manifest(task.place)
    return Added(there.documents, segments=len(there.segments))
