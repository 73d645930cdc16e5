"""Judgements in files: CSV, JSON lines and TREC qrels, read into a session."""

from __future__ import annotations

import io
import re
import time
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from likewise.errors import InputError, UsageError, sentence
from likewise.readers import Problems, trec
from likewise.readers.batch import place
from likewise.readers.cells import restored
from likewise.readers.delimited import read_rows
from likewise.readers.fieldnames import squeezed
from likewise.readers.labels import REASONS, label_fields, spelled
from likewise.readers.records import cut
from likewise.readers.streams import Source, open_utf8
from likewise.reviews import records
from likewise.reviews.judgement import Judgement
from likewise.reviews.ledger import LABELS
from likewise.reviews.records import Entries
from likewise.reviews.remarks import NOTHING, SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path, PurePath

    from likewise.readers.problems import Problem
    from likewise.reviews.ledger import Label, Stage
    from likewise.reviews.live import Live
    from likewise.reviews.records import Draft
    from likewise.reviews.remarks import Remark

    Report = Callable[[int, str], None]  # a line, and what is wrong with it

FormatName = Literal["csv", "jsonl", "trec"]
QRELS = (".qrels", ".qrel", ".trec")
FROM_FILE = "file"
JOINT = f"{SEPARATOR} "  # of reasons, and of tags
NUMBER = re.compile(r"[+-]?[0-9]{1,9}")
ID_COLUMNS = ("id", "record_id", "document", "document_id", "doc_id", "pmid", "doi", "key")
RELEVANCE: dict[Label, int] = {"relevant": 1, "not": 0, "unsure": -1}


class Read(NamedTuple):
    line: int
    judgement: Judgement


class Format(NamedTuple):
    suffixes: tuple[str, ...]
    read: Callable[[Iterable[str], str | None, Report], Iterator[Read]]
    """Lines, and the only topic wanted."""


def format_of(path: PurePath | None, name: str | None) -> FormatName:
    """The format that was asked for, or that the suffix tells."""
    suffix = path.suffix.lower() if path else ""
    for known, format in FORMATS.items():
        if name == known or (name is None and suffix in format.suffixes):
            return known
    if name is not None:
        raise UsageError(f"unknown format {name!r}: choose {', '.join(FORMATS)}")
    raise UsageError(f"the suffix of {path} does not tell its format: say {', '.join(FORMATS)}")


def read_csv(lines: Iterable[str], topic: str | None, report: Report) -> Iterator[Read]:
    rows = read_rows(lines, ",;\t", report)
    header = next(rows, None)
    names = _named([cell.strip().lower() for cell in header.cells] if header else [])
    if not {"id", "label"} <= set(names):
        raise InputError("the header line must name the columns id and label")
    for line, cells in rows:
        if len(cells) == len(names):
            values = dict(zip(names, map(restored, cells), strict=True))
            yield from _judgement(line, values, report)
        else:
            report(line, f"{len(cells)} cells where the header has {len(names)}")


def _named(names: list[str]) -> list[str]:
    """Columns as other programs call them, by the names that they have here."""
    found = {"label": label_fields(tuple(names)), "id": [n for n in ID_COLUMNS if n in names]}
    found["reasons"] = [name for name in names if squeezed(name) in REASONS]
    usual = {all[0]: name for name, all in found.items() if all and name not in names}
    return [usual.get(name, name) for name in names]


class _Line(msgspec.Struct):
    """What is not there is not said."""

    id: str
    label: str | int | float | bool | None
    reviewer: str | None = None
    time: str | None = None
    stage: str | None = None
    reasons: tuple[str, ...] = ()
    note: str | None = None
    tags: tuple[str, ...] = ()


def read_jsonl(lines: Iterable[str], topic: str | None, report: Report) -> Iterator[Read]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            values = msgspec.json.decode(line, type=dict[str, Any])
            named = dict(zip(_named([*values]), values.values(), strict=True))
            found = msgspec.convert(named, _Line)
        except (msgspec.MsgspecError, UnicodeEncodeError) as error:
            report(number, sentence(error))
            continue
        label = "" if found.label is None else str(found.label)
        values = {"id": found.id, "label": label, "stage": found.stage or ""}
        values |= {"reviewer": found.reviewer or "", "time": found.time or ""}
        values |= {"note": found.note or ""}
        values |= {"reasons": JOINT.join(found.reasons), "tags": JOINT.join(found.tags)}
        yield from _judgement(number, values, report)


def read_qrels(lines: Iterable[str], topic: str | None, report: Report) -> Iterator[Read]:
    topics: set[str] = set()
    for line in trec.qrels_of(lines, report):
        if topic is not None and line.topic != topic:
            continue
        topics.add(line.topic)
        if len(topics) > 1:
            raise InputError(f"there are several topics, {' and '.join(sorted(topics))}: say which")
        yield from _judgement(line.number, {"id": line.document, "label": line.grade}, report)


FORMATS: dict[FormatName, Format] = {
    "csv": Format((".csv", ".tsv"), read_csv),
    "jsonl": Format((".jsonl", ".ndjson"), read_jsonl),
    "trec": Format(QRELS, read_qrels),
}


def _judgement(line: int, values: dict[str, str], report: Report) -> Iterator[Read]:
    """The judgement that a line's values stand for, or a report of what is wrong with them."""
    document, label = values["id"], _label(values["label"])
    time = values.get("time", "").strip()
    try:
        at = _seconds(time) if time else None
    except (ValueError, OverflowError):
        report(line, f"{cut(time)} is no time: write it as 2026-01-31T12:00:00")
        return
    if not document:
        report(line, "the id is missing")
        return
    beside = {"note": values.get("note") or None, "tags": _split(values.get("tags", "")) or None}
    if label is None and (values["label"].strip() or not any(beside.values())):
        report(
            line, f"{cut(values['label'])} is no judgement: write {', '.join(LABELS)}, or 1, 0, -1"
        )
        return
    reviewer = values.get("reviewer", "")
    stage = values.get("stage", "").strip().lower() or None
    one = Judgement(
        *(document, label, reviewer if reviewer.strip() else None, at),
        stage=stage,  # type: ignore[arg-type]
        reasons=_split(values.get("reasons", "")),
        **beside,  # type: ignore[arg-type]
    )
    try:
        yield Read(line, one.checked())
    except UsageError as error:
        report(line, str(error))


def _split(cell: str) -> tuple[str, ...]:
    return tuple(part for one in cell.split(SEPARATOR) if (part := one.strip()))


def _label(text: str) -> Label | None:
    """By its name or, as elsewhere, by another or by a number; grades above 1 are 1."""
    given = text.strip().lower()
    for label, relevance in RELEVANCE.items():
        if given == label:
            return label
        if NUMBER.fullmatch(given) and max(-1, min(1, int(given))) == relevance:
            return label
    return spelled(given)


def _seconds(time: str) -> float:
    """Since 1970; a time without a zone is UTC."""
    parsed = datetime.fromisoformat(time)
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()


class Imported(NamedTuple):
    """What an import did; `problems` are lines that were left out, those of unknown ids too."""

    judged: int
    unchanged: int
    """Lines that say what was known already."""
    unknown: tuple[str, ...]
    """Ids that are not in the index."""
    problems: tuple[Problem, ...]
    problem_count: int


def load(
    live: Live, path: Path, format: str | None, reviewer: str, topic: str | None, strict: bool
) -> Imported:
    """Enter a file's judgements; those of one reviewer are one action, and undone together."""
    name = format_of(path, format)
    if topic is not None and name != "trec":
        raise UsageError("a topic goes with the format trec")
    problems = Problems(strict=strict)
    lines = _lines(path, problems)

    def report(line: int, message: str) -> None:
        problems.report(place(str(path), line), message)

    try:
        found = list(FORMATS[name].read(lines, topic, report))
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    entering = Import(live, reviewer, path, problems)
    for read in found:
        entering.add(read)
    return entering.finish()


def _lines(path: Path, problems: Problems) -> list[str]:
    with open_utf8(Source(str(path), "", path), problems) as stream:
        data = stream.read()
    try:
        return list(io.StringIO(data.decode(), newline=""))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{place(str(path), line)}: not valid UTF-8") from error


class Import:
    """Sorts a file's judgements by reviewer, and those that cannot be entered out."""

    def __init__(self, live: Live, reviewer: str, path: Path, problems: Problems) -> None:
        self._live, self._reviewer = live, reviewer
        self._path, self._problems = path, problems
        self._said: dict[tuple[str, str, Stage], Read] = {}

    def add(self, read: Read) -> None:
        one = read.judgement
        stage = one.stage or self._live.stage
        who = one.reviewer or self._reviewer
        earlier = self._said.setdefault((who, one.document, stage), read)
        if earlier.judgement.label != one.label:
            self._report(
                read,
                f"{cut(one.document)} is called {one.label}, in line {earlier.line} "
                f"{earlier.judgement.label}",
            )
        else:
            self._said[who, one.document, stage] = read

    def finish(self) -> Imported:
        live = self._live
        wanted = dict.fromkeys(document for _, document, _ in self._said)
        there = set(live.documents.present(wanted))
        for (_, document, _), read in self._said.items():
            if document not in there:
                self._report(read, f"no document {cut(document)} in the index")
        judged = unchanged = 0
        for who in dict.fromkeys(who for who, _, _ in self._said):
            known = [
                read.judgement
                for (name, document, _), read in self._said.items()
                if name == who and document in there
            ]
            drafts = [one.draft(live.stage, FROM_FILE) for one in known if one.label is not None]
            new = [draft for draft in drafts if not _is_known(live, who, draft)]
            beside = _beside(live, who, known)
            if new or beside:
                events = records.judgements(who, new)
                live.enter(partial(Entries, events, beside, self._path.name, self._reviewer))
            judged, unchanged = judged + len(new), unchanged + len(drafts) - len(new)
        unknown = tuple(id for id in wanted if id not in there)
        listed = tuple(self._problems.listed)
        return Imported(judged, unchanged, unknown, listed, self._problems.count)

    def _report(self, read: Read, message: str) -> None:
        self._problems.report(place(str(self._path), read.line), message)


def _is_known(live: Live, who: str, draft: Draft) -> bool:
    mark = live.whole.marks(who, draft.stage).get(draft.document)
    if mark is None or mark.label != draft.label:
        return False
    return not draft.reasons or draft.reasons == mark.reasons  # a file need not say why


def _beside(live: Live, who: str, judgements: Iterable[Judgement]) -> list[Remark]:
    """Notes and tags that are new; of several lines on one document, what the last says."""
    now, own = time.time(), live.whole_remarks.of(who)
    found: dict[str, Remark] = {}
    for one in judgements:
        known = own.get(one.document, NOTHING)
        new = one._replace(
            note=None if one.note == known.note else one.note,
            tags=None if one.tags == known.tags else one.tags,
        ).remark(who, now)
        if new is not None:
            found[one.document] = new
    return list(found.values())
