"""A session's team in memory: its settings, decisions, assignments, and who may see what.

Decisions and assignments are read again when the team's row says that there are new ones.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from likewise.reviews import adjudications, assignments, blinding
from likewise.reviews.adjudications import in_force, team_of
from likewise.reviews.ledger import STAGES
from likewise.reviews.protocol import Team

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likewise.reviews.adjudications import Decision
    from likewise.reviews.blinding import Shown
    from likewise.reviews.database import Database
    from likewise.reviews.ledger import Label, Ledger, Stage
    from likewise.reviews.records import SessionRow
    from likewise.reviews.remarks import Remarks

    Assigned = dict[Stage, dict[str, frozenset[str]]]


class Crew:
    def __init__(self, database: Database, row: SessionRow) -> None:
        self._database, self._number = database, row.number
        self._text = ""
        self.moment = inf  # later decisions are not known; a review that is replayed has one
        self.team = Team()
        self._decisions: tuple[int, list[Decision]] = (0, [])
        self._assigned: tuple[int, Assigned] = (0, {stage: {} for stage in STAGES})
        self._shown: dict[str, tuple[object, Shown]] = {}
        self.take(row)

    def take(self, row: SessionRow) -> None:
        """Take in what the session's row says."""
        if row.team != self._text:
            self._text, self.team = row.team, team_of(row)

    @property
    def decisions(self) -> list[Decision]:
        """All decisions ever."""
        if self._decisions[0] != self.team.changes:
            found = adjudications.decisions(self._database, self._number)
            self._decisions = (self.team.changes, found)
        if self.moment == inf:
            return self._decisions[1]
        return [one for one in self._decisions[1] if one.at <= self.moment]

    def decided(self, stage: Stage, shown: Shown | None = None) -> dict[str, Label]:
        """What was decided at a stage and holds, as far as it may be seen."""
        held = in_force(self.decisions, stage)
        return {
            id: one.label
            for id, one in held.items()
            if one.label and (shown is None or shown.is_open(stage, id))
        }

    @property
    def assigned(self) -> Mapping[Stage, Mapping[str, frozenset[str]]]:
        """By stage and document: who is to judge it. Nothing where that was not said."""
        if self._assigned[0] != self.team.changes:
            found: Assigned = {stage: {} for stage in STAGES}
            for stage in STAGES:
                for one in assignments.assigned(self._database, self._number, stage):
                    known = found[stage].get(one.document, frozenset())
                    found[stage][one.document] = known | {one.reviewer}
            self._assigned = (self.team.changes, found)
        return self._assigned[1]

    def shown(self, blind: str, ledger: Ledger, remarks: Remarks, *, overlap: bool) -> Shown:
        """What a blinded reviewer may see, made again when something was said or decided."""
        state = (ledger.last, remarks.last, self._text, overlap)
        known = self._shown.get(blind)
        if known is None or known[0] != state:
            made = blinding.shown(blind, ledger, remarks, self.team, self.assigned, overlap=overlap)
            known = self._shown[blind] = (state, made)
        return known[1]
