"""The progress of a session: counts, agreement of reviewers, and what stopping rules say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from likewise.cli.failures import FAILED, note
from likewise.cli.printing import stdout
from likewise.cli.printing.index import print_problems
from likewise.cli.printing.text import table
from likewise.cli.printing.units import count, facts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.reviews import Session
    from likewise.reviews.agreement import Agreement, Conflict
    from likewise.reviews.catalogue import ListedSession
    from likewise.reviews.files import Imported
    from likewise.reviews.progress import Stats
    from likewise.reviews.stopping import Estimate

BARS = " ▁▂▃▄▅▆▇█"
CURVE = 40  # columns of the gain curve
SAMPLE = 200


def as_text(session: Session, width: int | None) -> str:
    stats = session.stats()
    rules = [("details", "found, 95 % sure", "seen"), *map(_rule, stats.estimates)]
    parts = [f"{stats.stopping.sentence}\n", stats.note and f"{stats.note}\n"]
    parts += [facts(_counts(session, stats)), table(rules, width, right=0), _check(session, stats)]
    if len(stats.reviewers) > 1:
        parts.append(facts(_agreement(session.agreement(), session.conflicts())))
    return "\n".join(filter(None, parts))


def as_fields(session: Session) -> dict[str, Any]:
    """The same for programs."""
    stats = session.stats()
    estimates = [one._asdict() for one in stats.estimates]
    return {
        "session": session.name,
        **stats._asdict(),
        "estimates": estimates,
        "stopping": stats.stopping._asdict(),
        "agreement": [one._asdict() for one in session.agreement()],
        "conflicts": [one._asdict() for one in session.conflicts()],
    }


def curve(gain: Sequence[int]) -> str:
    """The gain curve as a line of bars."""
    if not gain or not gain[-1]:
        return ""
    places = [(i + 1) * len(gain) // CURVE or 1 for i in range(min(CURVE, len(gain)))]
    if len(gain) < CURVE:
        places = list(range(1, len(gain) + 1))
    return "".join(BARS[round(gain[place - 1] / gain[-1] * (len(BARS) - 1))] for place in places)


def _counts(session: Session, stats: Stats) -> dict[str, str]:
    rows = {
        "session": session.name,
        "judged": f"{stats.judged:,} of {count(stats.documents, 'record')}",
        "relevant": f"{stats.relevant:,}",
        "not relevant": f"{stats.others:,}",
    }
    rows |= {"undecided": f"{stats.undecided:,}"} if stats.undecided else {}
    rows |= {"skipped": f"{stats.passed_over:,}"} if stats.passed_over else {}
    rows |= {"reviewers": ", ".join(stats.reviewers)} if stats.reviewers else {}
    return rows | ({"gain": curve(stats.gain)} if stats.relevant else {})


def _rule(estimate: Estimate) -> tuple[str, str, str]:
    low, high = estimate.low, estimate.high
    said = ""
    if low is not None and high is not None:
        least = f"{100 * low:.0f}"
        said = f"{least} to {100 * high:.0f} %" if high < 1 else f"at least {least} %"
    return estimate.rule, said, estimate.because


def _check(session: Session, stats: Stats) -> str:
    """What a random sample would tell."""
    if stats.stopping.stop or not stats.relevant:
        return ""
    told = session.prospect(SAMPLE)
    if told.size < SAMPLE:  # which are all that are left
        return ""
    least = f"{100 * (told.low or 0):.0f} %"
    return (
        f"a random sample of {told.size:,}, if nothing in it is relevant, would show that at least "
        f"{least} are found\n"
    )


def _agreement(agreement: Sequence[Agreement], conflicts: Sequence[Conflict]) -> dict[str, str]:
    rows = {}
    for first, second, documents, agreed, kappa in agreement:
        value = "undefined" if kappa is None else f"{kappa:.2f}"
        rows[f"{first}, {second}"] = f"agree on {agreed:,} of {documents:,}, κ = {value}"
    shown = [f"{one.document} ({_said(one)})" for one in conflicts[:5]]
    more = [f"and {len(conflicts) - 5:,} more"] if len(conflicts) > 5 else []
    return rows | {"conflicts": "; ".join([*shown, *more]) or "none"}


def _said(conflict: Conflict) -> str:
    return ", ".join(f"{who}: {label}" for who, label in conflict.labels.items())


def print_sessions(found: list[ListedSession], *, json: bool) -> None:
    if json:
        stdout.put(stdout.as_json({"sessions": [one._asdict() for one in found]}), "utf-8")
    elif found:
        rows = [
            (f"{one.events:,}", f"{one.reviewers:,}", _day(one.last or one.created), _name(one))
            for one in found
        ]
        header = ("events", "reviewers", "last used", "session")
        stdout.put_table([header, *rows], right=2)
    else:
        note("no sessions yet: likewise review begins one")


def print_imported(imported: Imported, session: Session) -> None:
    """If part of the input was left out, exit status 1."""
    print_problems(imported.problems, imported.problem_count)
    known = f", {imported.unchanged:,} were there already" if imported.unchanged else ""
    note(f"{count(imported.judged, 'judgement')} added to session {session.name}{known}")
    if imported.problem_count:
        raise typer.Exit(FAILED)


def _name(one: ListedSession) -> str:
    said = [] if one.here else ["of another index"]
    said += ["archived"] if one.archived else []
    return f"{one.name} ({', '.join(said)})" if said else one.name


def _day(at: float) -> str:
    from datetime import datetime

    return datetime.fromtimestamp(at).astimezone().strftime("%Y-%m-%d %H:%M")
