"""Judgements out of a session: the documents that were judged, or all, with what was said of them.

Tables have a row for each judgement, so that they can be read into another session; references
are one a document, with what all reviewers say together at the session's stage. Where records of
one paper are judged as one, each has the judgement of its paper, whether it was added before or
after, and all but the first name the one that stands for it.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, get_args

from likewise.errors import UsageError
from likewise.readers import trec
from likewise.reviews.adjudications import in_force
from likewise.reviews.agreement import COMBINE, final
from likewise.reviews.files import QRELS, RELEVANCE
from likewise.reviews.judgement import Judgement
from likewise.reviews.ledger import STAGES
from likewise.reviews.remarks import NOTHING
from likewise.search.records import records
from likewise.writers import FORMATS, SAID, written
from likewise.writers import format_of as writer_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import PurePath

    from likewise.reviews.ledger import Label, Mark
    from likewise.reviews.live import Live
    from likewise.search.grouping import Grouping

    Votes = Mapping[str, Mapping[str, Mark]]  # by document and reviewer

Which = Literal["judged", "relevant", "all"]
TREC = "trec"
NAMES = (*FORMATS, TREC)
DECIDED: dict[bool | None, Label] = {True: "relevant", False: "not", None: "unsure"}
INCLUDED: dict[str | None, int] = {"relevant": 1, "not": 0}  # as ASReview reads tables
UNSAID = {**dict.fromkeys(SAID), "reasons": (), "tags": ()}


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
    if reviewer not in (None, *live.ledger.reviewers, *live.remarks.reviewers):
        raise UsageError(f"reviewer {reviewer!r} has judged nothing in session {live.name!r}")
    copies = live.grouping
    votes = _votes(live, reviewer, copies)
    decided = _decided(live, votes, reviewer)
    if which == "relevant":
        decided = {id: label for id, label in decided.items() if label == "relevant"}
    if format == TREC:
        if which == "all":
            raise UsageError("qrels have judged documents only: choose judged or relevant")
        return iter([qrels("_".join(live.name.split()), decided).encode()])
    if FORMATS[format].rows:
        said = list(_said(live, reviewer, copies))
        rows = [
            (one.document, row_of(one, decided.get(one.document)) | _copy(one.document, copies))
            for one in [*said, *_unjudged(live, reviewer, said)]
            if which != "relevant" or one.document in decided
        ]
        always: tuple[str, ...] = SAID
    else:
        present = live.documents.present(decided)  # a reference without a title is none
        who = live.remarks.reviewers if reviewer is None else [reviewer]
        rows = [
            (id, _together(live, id, decided[id], votes[id], who) | _copy(id, copies))
            for id in present
        ]
        always = ()
    if which == "all":
        known = {id for id, _ in rows}
        left = (id for id in _ids(live) if id not in known)
        rows += [(id, UNSAID | _copy(id, copies)) for id in left]
    ids = [id for id, _ in rows]
    beside = (one for _, one in rows)
    return written(format, records(live.generation.snapshot, ids, beside), always)


def _decided(live: Live, votes: Votes, reviewer: str | None) -> dict[str, Label]:
    """What holds of each document; of one reviewer, what she says."""
    if reviewer is None:
        settled = live.settled({id: dict(said) for id, said in votes.items()})
        return {id: DECIDED[settled.get(id)] for id in votes}
    decide = COMBINE[live.settings.combine]
    return {id: DECIDED[decide(said)] for id, said in votes.items()}


def row_of(one: Judgement, decision: Label | None = None) -> dict[str, Any]:
    """A judgement as what stands beside a document in a table; `decision` is what all say."""
    return {
        "label": one.label,
        "reviewer": one.reviewer,
        "time": None if one.at is None else _time(one.at),
        "stage": one.stage,
        "reasons": one.reasons,
        "note": one.note,
        "tags": one.tags or (),
        "decision": decision,
        "included": INCLUDED.get(one.label),
    }


def qrels(topic: str, labels: Mapping[str, Label]) -> str:
    """Topic, 0, id and relevance: 1, 0, or −1, which trec_eval takes for not judged."""
    for id in labels:
        if not trec.is_word(id):
            raise UsageError(
                f"the id {id!r} is empty or has white space, which qrels cannot carry: "
                "choose csv or jsonl"
            )
    return trec.qrels_lines(topic, [(id, RELEVANCE[label]) for id, label in labels.items()])


def _ids(live: Live) -> list[str]:
    snapshot = live.generation.snapshot
    return snapshot.ids(range(len(snapshot)))


def _copy(id: str, copies: Grouping | None) -> dict[str, str | None]:
    """The record that stands for a document's paper, if it is another one."""
    first = copies.members(id)[0] if copies else id
    return {"copy_of": first if first != id else None}


def _for_copies(votes: Votes, copies: Grouping | None) -> Votes:
    """Judgements of papers: whoever judged one record of a paper has judged the others, too."""
    if copies is None:
        return votes
    found = {id: dict(said) for id, said in votes.items()}
    for group in dict.fromkeys(map(copies.members, votes)):
        judged = [votes[id] for id in group if id in votes]
        for id in group:
            for said in judged:
                for who, mark in said.items():
                    found.setdefault(id, {}).setdefault(who, mark)
    return found


def _votes(live: Live, reviewer: str | None, copies: Grouping | None) -> Votes:
    """Judgements at the session's stage, by document."""
    found = {
        id: {who: mark for who, mark in said.items() if reviewer in (None, who)}
        for id, said in _for_copies(live.votes(), copies).items()
    }
    return {id: said for id, said in found.items() if said}


def _said(live: Live, reviewer: str | None, copies: Grouping | None) -> Iterable[Judgement]:
    """Judgements with what stands beside them, in the order of documents first judged."""
    for stage in STAGES:
        for document, said in _for_copies(live.ledger.by_document(stage), copies).items():
            for who, mark in said.items():
                if reviewer in (None, who):
                    beside = live.remarks.of(who).get(document, NOTHING)
                    yield Judgement(
                        *(document, mark.label, who, mark.at, stage, mark.reasons),
                        note=beside.note or None,
                        tags=beside.tags or None,
                    )


def _unjudged(live: Live, reviewer: str | None, said: Iterable[Judgement]) -> list[Judgement]:
    """Notes and tags beside documents that their writer has not judged."""
    judged = {(one.reviewer, one.document) for one in said}
    last = {(row.reviewer, row.document): row.at for row in live.remarks.history}
    return [
        Judgement(document, None, who, last[who, document], None, (), note or None, tags or None)
        for who in live.remarks.reviewers
        for document, (note, tags) in live.remarks.of(who).items()
        if reviewer in (None, who) and (who, document) not in judged
    ]


def _together(
    live: Live, id: str, label: Label, said: Mapping[str, Mark], who: Iterable[str]
) -> dict[str, Any]:
    """What reviewers say of a document, for a reference."""
    beside = {one: live.remarks.of(one).get(id, NOTHING) for one in who}
    return {
        "label": label,
        "votes": _votes_in_words(live, id, said),
        "reasons": [] if label == "relevant" else _reasons(said),
        "note": [f"{one.note} ({name})" for name, one in beside.items() if one.note],
        "tags": list(dict.fromkeys(tag for one in beside.values() for tag in one.tags)),
    }


def _votes_in_words(live: Live, id: str, said: Mapping[str, Mark]) -> str:
    """Who says what, and how it was settled if they differ."""
    decision = in_force(live.decisions, live.stage).get(id)
    votes = ", ".join(f"{mark.label} ({who})" for who, mark in said.items())
    if decision is not None:
        return f"{votes}; decided by {decision.by}"
    how = final(said, None, live.team.agree, live.settings.combine).how
    return f"{votes}; conflict" if how == "conflict" else votes


def _reasons(said: Mapping[str, Mark]) -> list[str]:
    """Why reviewers have left a document out, each reason once."""
    return list(dict.fromkeys(one for mark in said.values() for one in mark.reasons))


def _time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="microseconds").removesuffix("+00:00")
