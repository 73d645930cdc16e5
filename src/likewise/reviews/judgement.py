"""One judgement with all that goes with it: as it is given, and as files carry it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from likewise.errors import UsageError
from likewise.reviews.ledger import LABELS, STAGES
from likewise.reviews.records import Draft
from likewise.reviews.remarks import Remark, check_note, check_words

if TYPE_CHECKING:
    from likewise.reviews.ledger import Label, Stage


REASONED = ("not", "unsure")


class Judgement(NamedTuple):
    """What is not said is None: the reviewer's and the session's own holds then, and reasons None
    are those that were given before.

    `at` is in seconds since 1970. `label` None withdraws a judgement or, in a file, is none:
    the line has a note or tags alone.
    """

    document: str
    label: Label | None
    reviewer: str | None = None
    at: float | None = None
    stage: Stage | None = None
    reasons: tuple[str, ...] | None = ()
    note: str | None = None
    tags: tuple[str, ...] | None = None

    def checked(self) -> Judgement:
        if self.label not in (*LABELS, None):
            raise UsageError(f"{self.label!r} is no judgement: say {', '.join(LABELS)}")
        if self.stage not in (*STAGES, None):
            raise UsageError(f"{self.stage!r} is no stage: say {' or '.join(STAGES)}")
        reasons = None if self.reasons is None else check_words("reasons", self.reasons)
        if reasons and self.label not in REASONED:
            raise UsageError(f"reasons say why {self.document!r} is not relevant: leave them out")
        return self._replace(
            reasons=reasons,
            note=None if self.note is None else check_note(self.note),
            tags=None if self.tags is None else check_words("tags", self.tags),
        )

    def draft(self, stage: Stage, source: str = "") -> Draft:
        """To be entered; `stage` is that of the session."""
        why = self.reasons or ()
        return Draft(self.document, self.label, self.at, self.stage or stage, why, source)

    def with_earlier(self, reasons: tuple[str, ...]) -> Judgement:
        """With the reasons that were given before, unless this one says others or needs none."""
        if self.reasons is not None:
            return self
        return self._replace(reasons=reasons if self.label in REASONED else ())

    def remark(self, reviewer: str, now: float) -> Remark | None:
        """What is to be written beside the document, if anything is."""
        if self.note is None and self.tags is None:
            return None
        at = now if self.at is None else self.at
        return Remark(0, reviewer, self.document, self.note, self.tags, at)
