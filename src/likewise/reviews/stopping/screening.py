"""What a stopping rule is given, and what it answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence


class Sample(NamedTuple):
    """Documents drawn at random from the `urn`, which is all that nobody had judged then."""

    urn: int
    judged: int
    relevant: int
    before: int
    """Relevant documents found before it was drawn."""


class Screening(NamedTuple):
    documents: int
    """All there are, judged or not."""
    gains: Sequence[bool]
    """Of each document judged, in their order: whether it was relevant."""
    sample: Sample | None = None

    @property
    def found(self) -> int:
        return sum(self.gains)


class Estimate(NamedTuple):
    """What a rule says; `recall` and its bounds, which hold with `confidence`, if it has any."""

    rule: str
    stop: bool
    because: str
    recall: float | None = None
    low: float | None = None
    high: float | None = None
    confidence: float | None = None


class Rule(Protocol):
    @property
    def source(self) -> str:
        """Where it was published."""

    def __call__(self, screening: Screening) -> Estimate: ...
