"""Tasks on a Dask cluster: sent together as one graph, named, and waited for within limits.

Tasks are pure: what a lost worker had, Dask computes again on another. What cannot be had any more
ends in a ClusterError of one sentence, and never in waiting for ever.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as NotYet
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4
from weakref import WeakSet

from likewise.engines.cluster.connecting import connect, own_build
from likewise.engines.cluster.watch import SECONDS, Watch, no_workers
from likewise.errors import ClusterError, LikewiseError, UsageError, sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence, Set
    from contextlib import AbstractContextManager

    from distributed import Client, Future

LOOK = 1.0  # seconds between looks at whether anybody is there
COMING = 5.0  # seconds in which a worker may come before there is none
FAN_IN = 8  # results that one task adds up
AT_ONCE = 64  # calls that are sent to all workers that may have their arguments
MISSING = object()
KNOWN = "dask 2026.8.0"  # whose graphs these are
ANCHOR = "likewise-anchor-"


class Key(NamedTuple):
    """The result of a task, where it is."""

    key: str


async def answered(calls: list[tuple[int, tuple[Any, ...]]], dask_worker: Any) -> dict[int, Any]:
    """On a worker: the results of calls whose arguments are all here."""
    data, ready = dask_worker.data, []
    for i, call in calls:
        if all(arg.key in data for arg in call if isinstance(arg, Key)):
            given = [data[arg.key] if isinstance(arg, Key) else arg for arg in call]
            ready.append((i, given))
    return await asyncio.to_thread(lambda: {i: given[0](*given[1:]) for i, given in ready})


def is_future(value: Any) -> bool:
    return hasattr(value, "key") and hasattr(value, "status")


def _by_keys(call: tuple[Any, ...]) -> tuple[Any, ...]:
    """With keys for futures; an anchor is where the others are, and need not be looked for."""
    others = sum(is_future(arg) for arg in call) > 1
    return tuple(
        (None if others and arg.key.startswith(ANCHOR) else Key(arg.key)) if is_future(arg) else arg
        for arg in call
    )


def _remote(call: tuple[Any, ...]) -> bool:
    return any(is_future(arg) for arg in call[1:])


class _WorkerLostError(LikewiseError):
    """A worker that was asked is gone: never seen outside this module."""


class _Graphs(NamedTuple):
    """What a graph is made of."""

    task: Any
    reference: Any
    whole: Any


@cache
def dask_graphs() -> _Graphs:
    """From modules of Dask that are not public, for want of another way to send several tasks at
    once: a call of `submit` for each took 1.3 times the client's time and 1.1 to 1.7 times as
    long, and tuples in place of tasks would have all that they contain looked through for others.
    """
    from importlib.metadata import version

    try:
        from dask._expr import LLGExpr
        from dask._task_spec import Task, TaskRef
    except ImportError as error:
        raise ClusterError(
            f"dask {version('dask')} has no graphs of the kind that is sent ({sentence(error)}): "
            f"install {KNOWN}, or a newer likewise"
        ) from error
    return _Graphs(Task, TaskRef, LLGExpr)


class Batch:
    """Tasks that are sent together. A task's result is named by what `add` returns."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._graph: dict[Any, Any] = {}
        self._keys: dict[Any, None] = {}

    def add(self, name: str, function: Callable[..., Any], *args: Any, wanted: bool = True) -> Any:
        """`wanted` results are kept; those of others only until what needs them is there."""
        graphs = dask_graphs()
        key = self._cluster.new_key(name)
        self._graph[key] = graphs.task(key, function, *args)
        if wanted:
            self._keys[key] = None
        return graphs.reference(key)

    def sum(self, name: str, terms: Sequence[Any]) -> Any:
        """The sum of results, in a tree whose shape depends on their number alone."""
        if len(terms) == 1:
            return self.add(name, total, *terms)
        while len(terms) > 1:
            last = len(terms) <= FAN_IN
            groups = [terms[i : i + FAN_IN] for i in range(0, len(terms), FAN_IN)]
            terms = [self.add(name, total, *group, wanted=last) for group in groups]
        return terms[0]

    def send(self) -> dict[Any, Future[Any]]:
        """The wanted results, by their keys, as futures."""
        if not self._graph:
            return {}
        return self._cluster.send(self._graph, list(self._keys))


def total(*terms: Any) -> Any:
    summed = terms[0].copy()
    for term in terms[1:]:
        summed += term
    return summed


class Cluster:
    """A connection that many threads share."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.build = own_build()
        # What goes wrong is said once, by what is raised here.
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        self._context: AbstractContextManager[Client] = connect(address)
        self.client = self._context.__enter__()
        self._prefix, self._count = uuid4().hex[:12], count()
        self._pending = threading.local()
        self._watch = Watch(address)
        self._where: dict[str, str] = {}  # the worker that has what goes with a future
        self.failed = False
        """Whether the scheduler was lost: what was there is gone, and is to be opened again."""
        self.spoiled = 0
        """How many tasks have failed: what they were to open, say, is not there for anybody."""

    def close(self) -> None:
        self.failed = True
        self._context.__exit__(None, None, None)

    def new_key(self, name: str) -> str:
        return f"likewise-{name}-{self._prefix}{next(self._count)}"

    @property
    def workers(self) -> list[str]:
        """Where there are none, one may be about to come back: Dask's client asks now and then."""
        until = time.monotonic() + COMING
        while not (found := sorted(self.client.scheduler_info(n_workers=-1)["workers"])):
            if time.monotonic() > until:
                raise no_workers(self.address)
            time.sleep(0.05)
        return found

    @property
    def pending(self) -> WeakSet[Any]:
        """What this thread will ask for, and has not yet: it is fetched together."""
        if not hasattr(self._pending, "those"):
            self._pending.those = WeakSet()
        those: WeakSet[Any] = self._pending.those
        return those

    def send(
        self, graph: dict[Any, Any], keys: list[Any], **options: Any
    ) -> dict[Any, Future[Any]]:
        self._refuse_failed()
        # The token saves hashing what is sent: no two graphs are the same.
        whole = dask_graphs().whole(graph, _determ_token=uuid4().hex)
        try:
            found = self.client.get(whole, keys, sync=False, **options)
        except Exception as error:
            raise self._lost(error) from error
        return dict(zip(keys, found, strict=True))

    def submit(self, function: Callable[..., Any], *args: Any, **options: Any) -> Future[Any]:
        self._refuse_failed()
        return self.client.submit(function, *args, **options)

    def placed(self, made: Callable[[str], Any], names: dict[str, str]) -> list[Future[Any]]:
        """What is made of names, by keys, on workers in turn.

        Lost, it comes from any worker, also from one that was not there yet: for a task that
        prefers a worker which is gone Dask would not take any that comes.
        """
        workers = self.workers
        found = [
            self.submit(made, name, key=key, workers=[workers[i % len(workers)]],
                        allow_other_workers=True)
            for i, (key, name) in enumerate(names.items())
        ]  # fmt: skip
        if found:
            self._settled(found)
            free = dict.fromkeys(names, None)
            self._awaited(lambda: self._scheduler.set_restrictions(worker=free))
        return found

    def gathered(self, futures: Sequence[Future[Any]]) -> list[Any]:
        """Their results, in order; raises what a task raised."""
        if not futures:
            return []
        found: list[Any] = self._awaited(lambda: self.client.gather(futures, asynchronous=True))
        return found

    def _awaited(self, call: Callable[[], Any], asked: Set[str] = frozenset()) -> Any:
        """What a call to the client returns, within limits; `asked` are workers that it needs."""
        self._refuse_failed()
        waiting, since = self._on_loop(call), dict[str, float]()
        while True:
            try:
                return waiting.result(LOOK)
            except NotYet:
                self._look(waiting, asked, since)
            except LikewiseError as error:
                self.spoiled += not isinstance(error, UsageError)
                raise
            except (CancelledError, asyncio.CancelledError, OSError) as error:
                raise self._lost(error) from error
            except Exception as error:
                self.spoiled += 1
                raise self._explained(error) from error

    def asked(
        self, name: str, calls: Sequence[tuple[Any, ...]], also: Sequence[Future[Any]] = ()
    ) -> list[Any]:
        """What functions return where their arguments are, futures among them; then `also`.

        They are called by the workers that have all arguments: that takes a fraction of what a
        task does. Where nobody has them, as when a worker was lost, tasks do it.
        """
        found = [MISSING if _remote(call) else call[0](*call[1:]) for call in calls]
        there = [i for i, value in enumerate(found) if value is MISSING]
        brought = self.gathered(also)
        if there and len(there) <= AT_ONCE:
            self._settled([arg for i in there for arg in calls[i][1:] if is_future(arg)])
            for i, value in self._called([(i, calls[i]) for i in there]).items():
                found[i] = value
        left = [i for i in there if found[i] is MISSING]
        if left:
            batch = Batch(self)
            refs = [batch.add(name, *calls[i]) for i in left]
            for i, value in zip(left, self.gathered(futures_of(batch.send(), refs)), strict=True):
                found[i] = value
        return [*found, *brought]

    def _settled(self, futures: list[Future[Any]]) -> None:
        """Wait until futures are there; raises what one of them raised."""
        waiting = [future for future in {f.key: f for f in futures}.values() if not future.done()]
        if waiting:
            from distributed import wait

            self._awaited(lambda: self._waited(wait, waiting))
        for future in futures:
            if future.status != "finished":
                self.gathered([future])

    async def _waited(self, wait: Any, futures: list[Future[Any]]) -> None:
        with self.client.as_current():
            await wait(futures)

    def _called(self, calls: list[tuple[int, tuple[Any, ...]]]) -> dict[int, Any]:
        """What workers say that have the arguments of calls."""
        named = [(i, _by_keys(call)) for i, call in calls]
        anchors = {i: next(a.key for a in call[1:] if is_future(a)) for i, call in calls}
        known = {self._where.get(anchor) for anchor in anchors.values()}
        workers = self.workers if None in known else [each for each in known if each]
        ask: dict[str, Any] = {"workers": workers, "on_error": "return", "asynchronous": True}
        try:
            answers = self._awaited(lambda: self.client.run(answered, named, **ask), {*workers})
        except _WorkerLostError:
            answers = {}
        found: dict[int, Any] = {}
        for worker, told in answers.items():
            if isinstance(told, dict):
                found |= told
                self._where |= {anchors[i]: worker for i in told}
        for i in anchors.keys() - found.keys():
            self._where.pop(anchors[i], None)
        return found

    def _look(self, waiting: Any, asked: Set[str], since: dict[str, float]) -> None:
        """Raise, and wait no longer, if what is awaited cannot come."""
        try:
            told = self._on_loop(lambda: self._scheduler.identity(n_workers=-1)).result(SECONDS)
            if not asked <= told["workers"].keys():
                raise _WorkerLostError
            self._watch.look(told["workers"], since)
        except LikewiseError as error:
            waiting.cancel()
            self.spoiled += isinstance(error, ClusterError)
            raise
        except (NotYet, CancelledError, asyncio.CancelledError, OSError, AttributeError) as error:
            waiting.cancel()
            raise self._lost(error) from error

    def _on_loop(self, call: Callable[[], Any]) -> Any:
        async def run() -> Any:
            return await call()

        loop: Any = self.client.loop
        return asyncio.run_coroutine_threadsafe(run(), loop.asyncio_loop)

    @property
    def _scheduler(self) -> Any:
        return self.client.scheduler

    def _refuse_failed(self) -> None:
        if self.failed or self.client.status not in ("running",):
            raise self._lost(None)

    def _lost(self, error: BaseException | None) -> ClusterError:
        self.failed = True
        why = f" ({sentence(error)})" if error is not None and str(error) else ""
        return ClusterError(
            f"the connection to the cluster at {self.address} was lost{why}: see whether its "
            "scheduler runs, then ask again"
        )

    def _explained(self, error: Exception) -> Exception:
        """What Dask raises of itself, as a sentence; what a task raised, as it is."""
        from distributed.scheduler import KilledWorker

        if isinstance(error, KilledWorker):
            return ClusterError(
                f"a task of likewise ended {error.allowed_failures + 1} workers of the cluster at "
                f"{self.address}: give them more memory, or make more shards"
            )
        if isinstance(error, MemoryError):
            return ClusterError(
                f"a worker of the cluster at {self.address} had too little memory: give workers "
                "more, or make more shards"
            )
        return error


def futures_of(found: dict[Any, Future[Any]], refs: Iterable[Any]) -> list[Future[Any]]:
    return [found[ref.key] for ref in refs]
