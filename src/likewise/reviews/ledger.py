"""What a session's events add up to: who holds which judgement now, and how it came about.

Events are only ever appended. To change a judgement is a new one; to undo is an event, too, which
takes back the last thing its reviewer did that is still in force. So whoever reads the same events
in the same order, in any process and after any restart, comes to the same judgements.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, get_args

import msgspec

from likewise.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

Label = Literal["relevant", "not", "unsure"]
Action = Literal["judge", "undo", "redo"]
Stage = Literal["title/abstract", "full text"]
EARLIEST, LATEST = -62_135_596_800, 253_402_300_800  # of dates: the years 1 to 9999
LABELS: tuple[Label, ...] = get_args(Label)
STAGES: tuple[Stage, ...] = get_args(Stage)  # in their order
FIRST: Stage = STAGES[0]
PRIOR = "prior knowledge"  # the source of judgements that a review begins with


class Event(NamedTuple):
    """One row of the history; `label` None withdraws. Events of one `batch` are one action.

    `source` says where a judgement comes from if nobody judged it here: "file", or PRIOR.
    """

    number: int
    reviewer: str
    action: Action
    document: str | None
    label: Label | None
    batch: str | None
    at: Annotated[float, msgspec.Meta(ge=EARLIEST, lt=LATEST)]
    stage: Stage = FIRST
    reasons: tuple[str, ...] = ()
    source: str = ""


class Change(NamedTuple):
    """What an action did to one document's judgement; None is none.

    `reasons` are those of the judgement that holds afterwards.
    """

    document: str
    before: Label | None
    after: Label | None
    stage: Stage = FIRST
    reasons: tuple[str, ...] = ()


class Entry(NamedTuple):
    """An action as the history shows it; `at` is in seconds since 1970, UTC."""

    number: int
    at: float
    reviewer: str
    action: Action
    changes: tuple[Change, ...]


class Mark(NamedTuple):
    """A judgement in force; `first` is the event since which the reviewer has held one."""

    label: Label
    first: int
    at: float
    reasons: tuple[str, ...] = ()
    source: str = ""


class Step(NamedTuple):
    stage: Stage
    document: str
    before: Mark | None
    after: Mark | None


@dataclass
class _Reviewer:
    marks: dict[Stage, dict[str, Mark]] = field(
        default_factory=lambda: {stage: {} for stage in STAGES}
    )
    done: list[list[Step]] = field(default_factory=list)
    undone: list[list[Step]] = field(default_factory=list)
    batch: str | None = None  # of the last thing done, which may not be complete yet


class Ledger:
    """Fed with events in their order; knows the judgements in force and the whole history."""

    def __init__(self) -> None:
        self.last = 0
        self.history: list[Entry] = []
        self._reviewers: dict[str, _Reviewer] = {}
        self._votes: dict[Stage, dict[str, dict[str, Mark]]] = {}

    def feed(self, events: Iterable[Event]) -> None:
        for event in events:
            reviewer = self._reviewers.setdefault(event.reviewer, _Reviewer())
            TAKE[event.action](self, reviewer, event)
            self.last = event.number
            if not self._follow(reviewer, event):
                self._votes.clear()

    @property
    def reviewers(self) -> list[str]:
        """Who has judged anything, in the order of their first judgements."""
        return list(self._reviewers)

    def judges(self) -> list[str]:
        """Who has judged anything here, and has not only said what was known before."""
        return [
            name
            for name, known in self._reviewers.items()
            if any(mark.source != PRIOR for said in known.marks.values() for mark in said.values())
        ]

    def marks(self, reviewer: str, stage: Stage = FIRST) -> Mapping[str, Mark]:
        """A reviewer's judgements in force at a stage, by document."""
        known = self._reviewers.get(reviewer)
        return known.marks[stage] if known else {}

    def by_document(self, stage: Stage = FIRST) -> dict[str, dict[str, Mark]]:
        """Who has said what of each document, in the order in which they were first judged.

        What was known before is no vote any more once somebody has judged it.
        """
        if stage not in self._votes:
            found: dict[str, dict[str, Mark]] = {}
            for name, reviewer in self._reviewers.items():
                for document, mark in reviewer.marks[stage].items():
                    found.setdefault(document, {})[name] = mark
            for document, votes in found.items():
                if len(votes) > 1:
                    found[document] = _without_prior(votes)
            self._votes[stage] = dict(sorted(found.items(), key=_first_judged))
        return self._votes[stage]

    def prior(self, stage: Stage = FIRST) -> dict[str, dict[str, Mark]]:
        """Of these the judgements that the review began with: everybody may know them."""
        marks = (
            (id, who, mark)
            for who, known in self._reviewers.items()
            for id, mark in known.marks[stage].items()
            if mark.source == PRIOR
        )
        return {id: {who: mark} for id, who, mark in marks}

    def seen_by(self, reviewer: str, is_open: Callable[[Stage, str], bool]) -> Ledger:
        """As one may see it who is shown her own judgements and, of others, those that are open."""
        view = Ledger()
        view.last = self.last
        for name, known in self._reviewers.items():
            view._reviewers[name] = known if name == reviewer else _opened(known, is_open)
        view.history = [
            entry if entry.reviewer == reviewer else entry._replace(changes=open_)
            for entry in self.history
            if (open_ := _open_changes(entry, is_open)) or entry.reviewer == reviewer
        ]
        return view

    def refuse(self, reviewer: str, action: Action) -> None:
        """Raise if there is nothing to undo, or to redo."""
        known = self._reviewers.get(reviewer, _Reviewer())
        if action == "undo" and not known.done:
            raise UsageError(f"reviewer {reviewer!r} has judged nothing that could be undone")
        if action == "redo" and not known.undone:
            raise UsageError(f"reviewer {reviewer!r} has undone nothing since the last judgement")

    def _follow(self, reviewer: _Reviewer, event: Event) -> bool:
        """Bring votes that were put together up to date; False where they must be anew.

        A reviewer judges one document after another, and each time all of them are asked for.
        """
        votes, document = self._votes.get(event.stage), event.document
        if votes is None or event.action != "judge" or document is None or event.label is None:
            return False
        others = (one for one in self._reviewers.values() if one is not reviewer)
        if any(document in one.marks[event.stage] for one in others):  # there is more to it
            return False
        votes[document] = {event.reviewer: reviewer.marks[event.stage][document]}
        return True

    def _judge(self, reviewer: _Reviewer, event: Event) -> None:
        document = event.document or ""
        before = reviewer.marks[event.stage].get(document)
        after = None
        if event.label is not None:
            first = before.first if before else event.number
            after = Mark(event.label, first, event.at, event.reasons, event.source)
        step = Step(event.stage, document, before, after)
        reviewer.undone.clear()
        _put(reviewer, step)
        undoable = event.source != PRIOR  # what a review begins with is no step that anybody took
        if event.batch is not None and event.batch == reviewer.batch:
            if undoable:
                reviewer.done[-1].append(step)
            last = self.history.pop()
            self.history.append(last._replace(changes=(*last.changes, _change(step))))
        else:
            if undoable:
                reviewer.done.append([step])
            reviewer.batch = event.batch
            self._enter(event, [step])

    def _undo(self, reviewer: _Reviewer, event: Event) -> None:
        reviewer.batch = None
        if reviewer.done:
            steps = reviewer.done.pop()
            reviewer.undone.append(steps)
            back = [step._replace(before=step.after, after=step.before) for step in steps[::-1]]
            self._apply(reviewer, event, back)

    def _redo(self, reviewer: _Reviewer, event: Event) -> None:
        reviewer.batch = None
        if reviewer.undone:
            steps = reviewer.undone.pop()
            reviewer.done.append(steps)
            self._apply(reviewer, event, steps)

    def _apply(self, reviewer: _Reviewer, event: Event, steps: list[Step]) -> None:
        for step in steps:
            _put(reviewer, step)
        self._enter(event, steps)

    def _enter(self, event: Event, steps: list[Step]) -> None:
        changes = tuple(map(_change, steps))
        self.history.append(Entry(event.number, event.at, event.reviewer, event.action, changes))


TAKE = {"judge": Ledger._judge, "undo": Ledger._undo, "redo": Ledger._redo}


def _put(reviewer: _Reviewer, step: Step) -> None:
    marks = reviewer.marks[step.stage]
    if step.after is None:
        marks.pop(step.document, None)
    else:
        marks[step.document] = step.after


def _opened(known: _Reviewer, is_open: Callable[[Stage, str], bool]) -> _Reviewer:
    return _Reviewer(
        {
            stage: {id: mark for id, mark in marks.items() if is_open(stage, id)}
            for stage, marks in known.marks.items()
        }
    )


def _open_changes(entry: Entry, is_open: Callable[[Stage, str], bool]) -> tuple[Change, ...]:
    return tuple(one for one in entry.changes if is_open(one.stage, one.document))


def _without_prior(votes: dict[str, Mark]) -> dict[str, Mark]:
    """Votes alone, if there are any; the first of them is as old as what was known."""
    own = {who: mark for who, mark in votes.items() if mark.source != PRIOR}
    if not own or len(own) == len(votes):
        return votes
    oldest = min(mark.first for mark in votes.values())
    who = min(own, key=lambda one: own[one].first)
    return own | {who: own[who]._replace(first=oldest)}


def _first_judged(votes: tuple[str, dict[str, Mark]]) -> int:
    marks = votes[1].values()
    if len(marks) == 1:  # as most have
        (mark,) = marks
        return mark.first
    return min(mark.first for mark in marks)


def _change(step: Step) -> Change:
    before, after = step.before, step.after
    reasons = after.reasons if after else ()
    return Change(
        step.document, before and before.label, after and after.label, step.stage, reasons
    )
