"""What a stopping rule is given, and what it answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence


class Sample(NamedTuple):
    """Documents drawn at random from the `urn`, which is all that nobody had judged then."""

    urn: int
    judged: int
    relevant: int
    before: int
    """Relevant documents found before it was drawn."""


class Control(NamedTuple):
    """Relevant documents that a random sample of all documents has shown, before anything else.

    The ranking knows nothing of them: it does not learn from them, and has to find them.
    """

    relevant: int
    reached: int
    """Those that the ranking has found by now."""


class Chances(NamedTuple):
    """What a model holds likely: sums of p, and of p·(1 − p), over documents."""

    judged: float
    every: float
    judged_variance: float
    every_variance: float


class Screening(NamedTuple):
    documents: int
    """All there are, judged or not."""
    gains: Sequence[bool]
    """Of each document judged and decided on, in their order: whether it was relevant."""
    samples: Sequence[Sample] = ()
    """Random draws, in their order."""
    unranked: Collection[int] = ()
    """Places in `gains` of what no ranking chose: drawn at random, or known from elsewhere."""
    control: Control | None = None
    captures: Sequence[int] | None = None
    """Of each relevant document found: by how many of several rankings."""
    chances: Chances | None = None

    @property
    def found(self) -> int:
        return int(sum(self.gains))

    @property
    def left(self) -> int:
        """Documents that are not judged."""
        return self.documents - len(self.gains)


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
