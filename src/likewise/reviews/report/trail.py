"""The audit trail: everything that was done in a review, by whom and when, in one list."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from likewise.errors import UsageError
from likewise.readers.cells import neutral
from likewise.reviews import audit
from likewise.reviews.files import JOINT
from likewise.reviews.pages import ids_of
from likewise.writers.delimited import line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from likewise.reviews.live import Live

FORMATS = ("csv", "jsonl")


class Trace(NamedTuple):
    """Something that somebody did; what does not apply is empty."""

    time: str
    by: str
    action: str
    document: str = ""
    stage: str = ""
    before: str = ""
    after: str = ""
    reasons: tuple[str, ...] = ()
    note: str = ""
    tags: tuple[str, ...] = ()
    detail: str = ""


def trail(live: Live) -> list[Trace]:
    """Judgements and their undoing, notes, pages shown, and what was done to the session."""
    found = [*_judgements(live), *_remarks(live), *_pages(live), *_acts(live)]
    found.sort(key=lambda one: one[0])  # what is of the same time stays in its order
    return [trace._replace(time=_time(at)) for at, trace in found]


def as_file(traces: Iterable[Trace], format: str) -> Iterator[bytes]:
    """The trail as CSV, or as JSON lines."""
    if format == "jsonl":
        return (msgspec.json.encode(trace._asdict()) + b"\n" for trace in traces)
    if format == "csv":
        return _csv(traces)
    raise UsageError(f"the trail cannot be written as {format!r}: choose csv or jsonl")


def _csv(traces: Iterable[Trace]) -> Iterator[bytes]:
    yield line(Trace._fields)
    for trace in traces:
        joined = trace._replace(reasons=JOINT.join(trace.reasons), tags=JOINT.join(trace.tags))  # type: ignore[arg-type]
        yield line(map(neutral, joined))  # type: ignore[arg-type]


def _judgements(live: Live) -> Iterator[tuple[float, Trace]]:
    for entry in live.ledger.history:
        for one in entry.changes:
            yield (
                entry.at,
                Trace(
                    *("", entry.reviewer, entry.action, one.document, one.stage),
                    before=one.before or "",
                    after=one.after or "",
                    reasons=one.reasons,
                ),
            )


def _remarks(live: Live) -> Iterator[tuple[float, Trace]]:
    for row in live.remarks.history:
        said = Trace("", row.reviewer, "write", row.document)
        yield row.at, said._replace(note=row.note or "", tags=row.tags or ())


def _pages(live: Live) -> Iterator[tuple[float, Trace]]:
    for page in live.pages:
        shown = ", ".join(ids_of(page))
        detail = f"{page.method}, generation {page.generation}, version {page.version}: {shown}"
        yield page.at, Trace("", page.reviewer, "show", stage=page.stage, detail=detail)


def _acts(live: Live) -> Iterator[tuple[float, Trace]]:
    seen = {one.document for one in live.decisions}
    for act in audit.read(live.database, live.number):
        if act.action == "adjudicate" and act.detail.get("document") not in seen:
            continue  # who is blinded must not know it
        known: dict[str, Any] = dict(act.detail)
        yield (
            act.at,
            Trace(
                *("", act.by, act.action),
                document=str(known.pop("document", "") or ""),
                stage=str(known.pop("stage", "") or ""),
                after=str(known.pop("label", "") or ""),
                detail=", ".join(f"{name} {value}" for name, value in known.items()),
            ),
        )


def _time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")
