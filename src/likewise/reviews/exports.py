"""Judgements out of a session: the records that were judged, or all, with what was said of them.

Tables have a row for each judgement, so that they can be read into another session; references
are one a document, with what all reviewers say together.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, get_args

from likewise.errors import UsageError
from likewise.readers import trec
from likewise.reviews.agreement import COMBINE
from likewise.reviews.files import QRELS, RELEVANCE
from likewise.search.records import records
from likewise.writers import FORMATS, written
from likewise.writers import format_of as writer_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import PurePath

    from likewise.reviews.ledger import Label, Mark
    from likewise.reviews.live import Live

    Votes = Mapping[str, Mapping[str, Mark]]  # by document and reviewer

Which = Literal["judged", "relevant", "all"]
TREC = "trec"
NAMES = (*FORMATS, TREC)
NOTHING = {"label": None, "reviewer": None, "time": None}  # said of a document
DECIDED: dict[bool | None, Label] = {True: "relevant", False: "not", None: "unsure"}


def format_of(path: PurePath | None, name: str | None) -> str:
    """The format that was asked for, or that the suffix tells."""
    if name == TREC or (name is None and path and path.suffix.lower() in QRELS):
        return TREC
    if name is not None and name not in FORMATS:
        raise UsageError(f"unknown format {name!r}: choose {', '.join(NAMES)}")
    return writer_of(path, name)


def export(live: Live, format: str, reviewer: str | None, which: Which) -> Iterator[bytes]:
    """The judgements in force as a file, piece by piece; of one reviewer or of all.

    What was said is taken now; documents are read from this generation when they are written.
    """
    if which not in get_args(Which):
        raise UsageError(f"records {which!r} are none: choose {', '.join(get_args(Which))}")
    if reviewer is not None and reviewer not in live.ledger.reviewers:
        raise UsageError(f"reviewer {reviewer!r} has judged nothing in session {live.name!r}")
    votes = {
        document: {who: mark for who, mark in said.items() if reviewer in (None, who)}
        for document, said in live.ledger.by_document().items()
    }
    votes = {document: said for document, said in votes.items() if said}
    decide = COMBINE[live.settings.combine]
    decided = {document: DECIDED[decide(said)] for document, said in votes.items()}
    wanted = [id for id in votes if which != "relevant" or decided[id] == "relevant"]
    if format == TREC:
        if which == "all":
            raise UsageError("qrels have judged documents only: choose judged or relevant")
        grades = {id: decided[id] for id in wanted}
        return iter([_qrels("_".join(live.name.split()), grades).encode()])
    snapshot = live.generation.snapshot
    if which == "all":
        wanted = snapshot.ids(range(len(snapshot)))
    if not FORMATS[format].rows:
        wanted = live.documents.present(wanted)  # a reference without a title is none
        said = [_together(decided[id], votes[id]) if id in votes else {} for id in wanted]
        return written(format, records(snapshot, wanted, said))
    rows = [(id, one) for id in wanted for one in _rows(votes.get(id, {}))]
    ids = [id for id, _ in rows]
    return written(format, records(snapshot, ids, (one for _, one in rows)), tuple(NOTHING))


def _rows(said: Mapping[str, Mark]) -> list[dict[str, Any]]:
    found = [
        {"label": mark.label, "reviewer": who, "time": _time(mark.at)} for who, mark in said.items()
    ]
    return found or [NOTHING]


def _together(label: Label, said: Mapping[str, Mark]) -> dict[str, Any]:
    votes = ", ".join(f"{mark.label} ({who})" for who, mark in said.items())
    return {"label": label, "votes": votes}


def _time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="microseconds").removesuffix("+00:00")


def _qrels(topic: str, labels: Mapping[str, Label]) -> str:
    """Topic, 0, id and relevance: 1, 0, or −1, which trec_eval takes for not judged."""
    for id in labels:
        if not trec.is_word(id):
            raise UsageError(
                f"the id {id!r} is empty or has white space, which qrels cannot carry: "
                "choose csv or jsonl"
            )
    return trec.qrels_lines(topic, [(id, RELEVANCE[label]) for id, label in labels.items()])
