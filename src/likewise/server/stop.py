"""When work for a request must end: its time is up, or its client has left."""

from __future__ import annotations

import time
from dataclasses import dataclass
from dataclasses import field as attribute
from threading import Event
from typing import TYPE_CHECKING, Any

from likewise.filters import Condition, Filter
from likewise.server.causes import Cause
from likewise.server.problems import ProblemError

if TYPE_CHECKING:
    from likewise.solvers.stopping import Report


class Stop:
    """Work calls `check`, or `report` where it learns, every few milliseconds."""

    def __init__(self, seconds: float, report: Report | None = None) -> None:
        self._seconds, self._report = seconds, report
        self._end = time.monotonic() + seconds
        self._left = Event()

    def leave(self) -> None:
        """The client has left: nobody waits for the answer."""
        self._left.set()

    @property
    def client_left(self) -> bool:
        return self._left.is_set()

    def check(self) -> None:
        """Raise if the work must end."""
        if self._left.is_set():
            raise ProblemError(Cause.incomplete, "the client left before the answer was ready")
        if time.monotonic() > self._end:
            raise ProblemError(
                Cause.took_too_long,
                f"this took longer than {self._seconds:g} seconds: ask for fewer hits or a "
                "simpler filter or, for learning, choose a larger tol, sample_unlabeled, a budget "
                "or another method",
            )

    def report(self, passes: int, objective: float, gap: float) -> None:
        """Progress of a solver."""
        self.check()
        if self._report:
            self._report(passes, objective, gap)

    def filter(self, filter: Filter | None) -> Filter | None:
        """The same filter; finding its documents ends when the work must."""
        if filter is None:
            return None
        conditions = (
            _Stoppable(one.field, one.operator, one.values, self) for one in filter.conditions
        )
        return Filter(tuple(conditions))


@dataclass(frozen=True, slots=True)
class _Stoppable(Condition):
    """Equal to others of the same condition, whatever request they are of."""

    stop: Stop = attribute(compare=False)

    def matches(self, value: Any) -> bool:
        self.stop.check()
        return Condition.matches(self, value)
