"""The knee method: stop when relevant documents have become much rarer than they were."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from likewise.reviews.stopping.screening import Estimate, Screening


@dataclass(frozen=True)
class Knee:
    """The knee i of the gain curve is where it is farthest above the line to its end s.

    Stop when the slope before it is at least 156 − min(found, 150) times the slope behind it, with
    one document added there so that none is no division by zero, and at least `least` documents
    have been judged. It says nothing of recall.
    """

    least: int = 1000

    @property
    def source(self) -> str:
        return (
            "G. V. Cormack & M. R. Grossman, Engineering quality and reliability in "
            "technology-assisted review, SIGIR 2016"
        )

    def __str__(self) -> str:
        return "knee"

    def __call__(self, screening: Screening) -> Estimate:
        judged, found = len(screening.gains), screening.found
        if judged < self.least:
            return Estimate(str(self), False, f"it waits until {self.least:,} have been judged")
        if not found:
            return Estimate(str(self), False, "nothing relevant has been found")
        knee, ratio = slope_ratio(np.cumsum(screening.gains))
        bound = 156 - min(found, 150)
        because = (
            f"up to number {knee:,} relevant ones came {ratio:,.1f} times as often as since; "
            f"it asks for {bound}"
        )
        return Estimate(str(self), bool(ratio >= bound), because)


def slope_ratio(curve: np.ndarray) -> tuple[int, float]:
    """The knee of a gain curve, and by how much it flattens there."""
    last, found = len(curve), int(curve[-1])
    places = np.arange(1, last + 1)
    above = curve * last - places * found  # proportional to the distance from the line
    if last == 1:
        return 1, 0.0
    knee = last - 1 - int(np.argmax(above[-2::-1]))  # the last one, if there are several
    before = curve[knee - 1] / knee
    since = (found - curve[knee - 1] + 1) / (last - knee)
    return knee, float(before / since)
