"""`session.team`: who judges and who decides, how far each has come, and where they differ."""

from __future__ import annotations

from itertools import combinations, cycle, islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec
import numpy as np

from likewise.errors import NotAllowedError, UsageError
from likewise.reviews import adjudications, agreement, assignments, queue
from likewise.reviews.adjudications import in_force
from likewise.reviews.ledger import LABELS
from likewise.reviews.protocol import Team

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from likewise.reviews.adjudications import Decision
    from likewise.reviews.agreement import Agreement, Conflict
    from likewise.reviews.ledger import Label
    from likewise.reviews.live import Live
    from likewise.reviews.records import May, SessionRow
    from likewise.search.hits import Hit

    Look = Callable[[], AbstractContextManager[Live]]


Work = Literal["all", "assigned", "shared"]


class Share(NamedTuple):
    """One reviewer's part at this stage.

    `documents` is how many are hers to judge: all, those assigned to her or, in a shared queue,
    None. Counts of labels are None where who asks must not know them.
    """

    reviewer: str
    judged: int
    documents: int | None
    relevant: int | None
    others: int | None
    undecided: int | None


class Teamwork:
    """Of one reviewer's hands: what others say is there as far as she may see it."""

    def __init__(self, look: Look, reviewer: str, *, oversees: bool) -> None:
        self._look, self._reviewer, self._oversees = look, reviewer, oversees

    @property
    def settings(self) -> Team:
        with self._look() as live:
            live.follow()
            return live.team

    @property
    def blinded(self) -> bool:
        """Whether others' votes are hidden from this reviewer."""
        with self._look() as live:
            live.follow()
            return live.blind is not None

    @property
    def work(self) -> Work:
        """Whether all judge all, what is assigned to each, or a queue that they share."""
        with self._look() as live:
            live.follow()
            if live.crew.assigned[live.stage]:
                return "assigned"
            return "all" if live.settings.overlap else "shared"

    @property
    def decides(self) -> bool:
        """Whether this reviewer decides where votes differ."""
        with self._look() as live:
            live.follow()
            return self._decides(live.row)

    def names(self) -> list[str]:
        """Who works on the session: its team, its owner, and whoever has judged."""
        with self._look() as live:
            live.follow()
            team = live.team
            known = (*team.reviewers, *team.sees_all, team.adjudicator, live.row.owner)
            return [name for name in dict.fromkeys((*known, *live.whole.reviewers)) if name]

    @property
    def closed(self) -> bool:
        """Whether only those named can judge: reviewers are."""
        return bool(self.settings.reviewers)

    def change(self, *, may: May | None = None, **given: Any) -> Team:
        """Set `reviewers`, `agree`, `blinded`, `sees_all`, `adjudicator` or `lease`.

        `may` raises if this reviewer must not; so for the methods below.
        """
        known = set(Team.__struct_fields__) - {"changes"}
        unknown = set(given) - known
        if unknown:
            names = ", ".join(sorted(known))
            raise UsageError(f"unknown part {min(unknown)!r} of a team: there are {names}")
        for name in ("reviewers", "sees_all"):
            if name in given:
                if isinstance(given[name], str):
                    raise UsageError(f"{name} are a list of names, as in [{given[name]!r}]")
                given[name] = tuple(given[name])
        with self._look() as live:
            live.follow()
            new = msgspec.structs.replace(live.team, **given)
            made = adjudications.change_team(live.database, live.number, new, self._reviewer, may)
            live.row = live.row._replace(team=msgspec.json.encode(made).decode())
            return made

    def progress(self) -> list[Share]:
        """How far each reviewer has come, of those named and whoever else has judged."""
        with self._look() as live:
            live.follow()
            others = live.whole.judges() if live.team.reviewers else live.whole.reviewers
            named = dict.fromkeys([*live.team.reviewers, *others])
            return [_share(live, name) for name in named]

    def agreement(self) -> list[Agreement]:
        """Cohen's κ of every two reviewers, over the documents that both have judged."""
        with self._look() as live:
            live.follow()
            return agreement.agreement(live.votes(), live.whole.reviewers)

    @property
    def alpha(self) -> float | None:
        """Krippendorff's α of all reviewers together; None where it is undefined."""
        with self._look() as live:
            live.follow()
            said = live.votes().values()
            return agreement.alpha([mark.label for mark in one.values()] for one in said)

    def conflicts(self) -> list[Conflict]:
        """Documents that some call relevant and others not, and nobody has decided on."""
        with self._look() as live:
            live.follow()
            decided = {id: one.label for id, one in self._held(live).items() if one.label}
            found = agreement.conflicts(live.votes(), live.team.agree, decided)
            papers = {live.once([one.document])[0]: one for one in reversed(found)}
            return list(reversed(papers.values()))

    def decisions(self) -> dict[str, Decision]:
        """Decisions that hold at this stage, by document; one of each paper."""
        with self._look() as live:
            live.follow()
            found = self._held(live)
            papers = {live.once([id])[0]: id for id in reversed(found)}
            return {id: found[id] for id in reversed(papers.values())}

    def decide(
        self,
        document: Hit | str,
        label: Label | str | None,
        *,
        reasons: Iterable[str] = (),
        note: str = "",
    ) -> None:
        """Say what holds of a document, whatever the votes; None takes a decision back."""
        id = document if isinstance(document, str) else document.id
        said = next((one for one in LABELS if one == label), None)
        if label is not None and said is None:
            raise UsageError(f"{label!r} is no judgement: say {', '.join(LABELS)}")
        why = tuple(reasons)
        if why and said == "relevant":
            raise UsageError(f"reasons say why {id!r} is not relevant: leave them out")
        with self._look() as live:
            live.follow()
            copies = live.with_copies([id])
            ids = [id, *sorted(copies - {id})]
            if not live.documents.present([id]) and id not in live.votes():
                raise UsageError(f"no document {id!r} in {live.generation.place} to decide on")
            adjudications.adjudicate(
                *(live.database, live.number, ids, said, live.stage, self._reviewer),
                reasons=why,
                note=note,
                may=self._check,
            )
            live.read_again()

    def assign(
        self,
        per_record: int = 1,
        *,
        reviewers: Sequence[str] | None = None,
        documents: Iterable[str] | None = None,
        may: May | None = None,
    ) -> dict[str, int]:
        """Give each document to so many of the reviewers, to all of them alike many.

        By default all documents that are not assigned yet, to the reviewers of the team. Returns
        how many each has now. From then on reviewers are shown what is theirs.
        """
        with self._look() as live:
            live.follow()
            names = list(dict.fromkeys(live.team.reviewers if reviewers is None else reviewers))
            if not names:
                raise UsageError("there is nobody to assign records to: name the reviewers")
            if not 1 <= per_record <= len(names):
                raise UsageError(
                    f"each record to {per_record} reviewers: there are {len(names)}, "
                    "so give a number from 1 to that"
                )
            known = live.crew.assigned[live.stage] if documents is None else {}
            ids = [id for id in _wanted(live, documents) if id not in known]
            given = _dealt(ids, names, per_record, live.settings.seed)
            assignments.assign(live.database, live.number, given, live.stage, self._reviewer, may)
            live.read_again()
            now = live.crew.assigned[live.stage].values()
            return {name: sum(name in who for who in now) for name in names}

    def unassign(self, *, may: May | None = None) -> int:
        """Take back all that was assigned at this stage; returns how many times it had been."""
        with self._look() as live:
            live.follow()
            who = self._reviewer
            gone = assignments.unassign(live.database, live.number, live.stage, who, may)
            live.read_again()
            return gone

    def held(self) -> dict[str, str]:
        """Who has which document on screen, where a queue is shared."""
        with self._look() as live:
            live.follow()
            voters = live.voters()
            found = assignments.held(live.database, live.number, live.stage)
            return {id: who for id, who in found.items() if who not in voters.get(id, ())}

    def _held(self, live: Live) -> dict[str, Decision]:
        return in_force(live.decisions, live.stage)

    def _decides(self, row: SessionRow) -> bool:
        who = {adjudications.team_of(row).adjudicator, row.owner} - {""}
        return self._oversees or not who or self._reviewer in who

    def _check(self, row: SessionRow) -> None:
        if not self._decides(row):
            who = adjudications.team_of(row).adjudicator or row.owner
            raise NotAllowedError(f"{who} decides where reviewers of session {row.name!r} differ")


def _share(live: Live, name: str) -> Share:
    judged = live.whole.marks(name, live.stage)
    there = live.once(live.documents.present(judged))
    given = queue.among(live, name)
    if given is not None:
        documents: int | None = len(live.once(live.documents.present(given)))
    else:
        documents = _all(live) if live.settings.overlap else None
    if live.blind not in (None, name):
        return Share(name, len(there), documents, None, None, None)
    labels = [judged[id].label for id in there if id in judged]
    counts = (labels.count("relevant"), labels.count("not"), labels.count("unsure"))
    return Share(name, len(there), documents, *counts)


def _all(live: Live) -> int:
    """How many documents there are to judge."""
    candidates = live.candidates()
    if candidates is not None:
        return len(live.once(candidates))
    extra = 0 if live.grouping is None else sum(1 for _ in live.grouping.extra)
    examples = set(live.once(live.documents.present(live.start.ids))) - live.voters().keys()
    return len(live.generation) - extra - len(examples)


def _wanted(live: Live, documents: Iterable[str] | None) -> list[str]:
    """Documents to be assigned; of duplicates that are judged as one, the one that is shown."""
    if documents is None:
        candidates = live.candidates()
        snapshot = live.generation.snapshot
        ids = snapshot.ids(range(len(snapshot))) if candidates is None else candidates
        known = live.with_copies(live.start.ids)
        return [id for id in live.once(ids) if id not in known]
    wanted = list(dict.fromkeys(documents))
    there = set(live.documents.present(wanted))
    for id in wanted:
        if id not in there:
            raise UsageError(f"no document {id!r} in {live.generation.place} to assign")
    return live.once(wanted)


def _dealt(
    ids: Sequence[str], names: Sequence[str], per_record: int, seed: int
) -> dict[str, list[str]]:
    """Deal documents like cards, in random order, to all groups of so many reviewers in turn."""
    order = np.random.default_rng([seed, len(ids)]).permutation(len(ids)).tolist()
    given: dict[str, list[str]] = {name: [] for name in names}
    for place, group in zip(order, islice(_groups(names, per_record), len(ids)), strict=True):
        for name in group:
            given[name].append(ids[place])
    return given


def _groups(names: Sequence[str], size: int) -> Iterator[tuple[str, ...]]:
    """All groups of a size again and again; or neighbours, where there are too many groups."""
    few = list(islice(combinations(names, size), 1001))
    if len(few) <= 1000:
        yield from cycle(few)
    for start in cycle(range(len(names))):
        yield tuple(names[(start + i) % len(names)] for i in range(size))
