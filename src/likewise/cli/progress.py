"""A progress bar for what takes over a second, on stderr if that is a terminal."""

from __future__ import annotations

import sys
from threading import Timer
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.progress import Progress

DELAY = 1.0  # seconds


class Bar:
    """`with Bar("reading") as bar: bar(done, total)`; it moves without these calls as well."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._done = 0
        self._total: int | None = None
        self._drawn: Progress | None = None
        self._timer = Timer(DELAY, self._draw)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        if sys.stderr is not None and sys.stderr.isatty():
            self._timer.start()
        return self

    def __call__(self, done: int, total: int) -> None:
        self._done, self._total = done, total or None
        if self._drawn is not None:
            self._drawn.update(self._drawn.task_ids[0], completed=done, total=self._total)

    def named(self, what: str) -> Callable[[int, int], None]:
        """The bar for one of several pieces of work, under its own name."""

        def report(done: int, total: int) -> None:
            self._what = what
            if self._drawn is not None:
                self._drawn.update(self._drawn.task_ids[0], description=what)
            self(done, total)

        return report

    def learning(self, passes: int, objective: float, gap: float) -> None:
        """Passes so far and the relative gap; how many passes are left is unknown."""
        relative = gap / objective if objective else 0.0
        self._what = f"learning: {passes:,} passes, gap {relative:.2g}"
        if self._drawn is not None:
            self._drawn.update(self._drawn.task_ids[0], description=self._what)

    def __exit__(self, *error: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Remove the bar, so that a message can be printed."""
        self._timer.cancel()
        if self._timer.is_alive():
            self._timer.join()
        if self._drawn is not None:
            self._drawn.stop()

    def _draw(self) -> None:
        """Draw the bar from a thread of its own: the work may not report for long."""
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            TaskProgressColumn,
            TextColumn,
            TimeRemainingColumn,
        )

        drawn = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        drawn.add_task(self._what, completed=self._done, total=self._total)
        drawn.start()
        self._drawn = drawn
