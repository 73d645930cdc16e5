"""Judged records, and the history of one."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from likewise.cli.printing.text import one_line, table
from likewise.cli.printing.units import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.reviews.judged import JudgedList, JudgedRecord, Step

DID = {"judge": "says", "undo": "undid:", "redo": "redid:", "note": "wrote", "decide": "decided:"}


def as_text(found: JudgedList, width: int | None) -> str:
    """One line a record: what holds, who says so, how doubtful it is, and its title."""
    head = ("id", "label", "by", "doubt", "title")
    rows = [_row(one) for one in found.records]
    more = found.total - len(rows)
    said = [table([head, *rows], width, right=0)] if rows else []
    if not rows:
        said.append("no judged record is like that\n")
    elif more > 0:
        said.append(f"and {count(more, 'more record')}: -n shows more\n")
    return "".join(said)


def as_fields(found: JudgedList) -> dict[str, Any]:
    """The same for programs."""
    records = [
        one._asdict()
        | {
            "votes": [vote._asdict() for vote in one.votes],
            "decision": one.decision and one.decision._asdict(),
        }
        for one in found.records
    ]
    return {"records": records, "total": found.total}


def history_as_text(record: JudgedRecord, steps: Sequence[Step]) -> str:
    lines = [f"{record.document}  {one_line(record.title)}", f"{record.label} ({record.how})", ""]
    for step in steps:
        at = datetime.fromtimestamp(step.at).astimezone().isoformat(" ", "minutes")[:16]
        parts = [f"{at}  {step.by} {DID[step.what]}"]
        if step.what != "note":
            parts.append(step.label or "nothing any more")
        if step.reasons:
            parts.append(f"({'; '.join(step.reasons)})")
        if step.note:
            parts.append(f"“{step.note}”")
        if step.tags:
            parts.append(f"[{'; '.join(step.tags)}]")
        lines.append(one_line(" ".join(parts)))
    return "\n".join(lines) + "\n"


def _row(one: JudgedRecord) -> tuple[str, ...]:
    who = (
        f"decided by {one.decision.by}"
        if one.decision
        else ", ".join(
            f"{vote.reviewer}: {vote.label}" if one.how == "conflict" else vote.reviewer
            for vote in one.votes
        )
    )
    doubt = "" if one.doubt is None else f"{one.doubt:.0%}"
    return one.document, one.label, one_line(who), doubt, one_line(one.title)
