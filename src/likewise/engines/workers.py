"""Threads that work beside the caller's, as many as can be had."""

from __future__ import annotations

from concurrent.futures import Executor, Future
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
T = TypeVar("T")

Task = tuple["Future[Any]", "Callable[[], Any]"]


class Workers(Executor):
    """As a ThreadPoolExecutor; where no thread can be started, `submit` does the work itself.

    The threads of a process are limited, by its memory if by nothing else. Work that was divided
    only to save time must not fail for that.
    """

    def __init__(self, threads: int) -> None:
        self._tasks: SimpleQueue[Task | None] = SimpleQueue()
        self._threads: list[Thread] = []
        for _ in range(threads):
            thread = Thread(target=self._run, daemon=True)
            try:
                thread.start()
            except RuntimeError:  # there is no other sign of it
                break
            self._threads.append(thread)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        task = future, lambda: fn(*args, **kwargs)
        if self._threads:
            self._tasks.put(task)
        else:
            _do(task)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        while cancel_futures:
            try:
                task = self._tasks.get_nowait()
            except Empty:
                break
            if task is not None:
                task[0].cancel()
        for _ in self._threads:
            self._tasks.put(None)
        if wait:
            for thread in self._threads:
                thread.join()

    def _run(self) -> None:
        while (task := self._tasks.get()) is not None:
            _do(task)
            del task  # or its arguments would live until the next one comes


def _do(task: Task) -> None:
    future, work = task
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(work())
    except BaseException as error:  # whoever asks for the result gets it
        future.set_exception(error)
