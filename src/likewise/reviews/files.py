"""Judgements in files: CSV, JSON lines and TREC qrels, read into a session."""

from __future__ import annotations

import io
import re
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from likewise.errors import InputError, UsageError, sentence
from likewise.readers import Problems, trec
from likewise.readers.batch import place
from likewise.readers.cells import restored
from likewise.readers.delimited import read_rows
from likewise.readers.records import cut
from likewise.readers.streams import Source, open_utf8
from likewise.reviews import records
from likewise.reviews.ledger import LABELS
from likewise.reviews.records import Draft

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path, PurePath

    from likewise.readers.problems import Problem
    from likewise.reviews.ledger import Label
    from likewise.reviews.live import Live

    Report = Callable[[int, str], None]  # a line, and what is wrong with it

FormatName = Literal["csv", "jsonl", "trec"]
QRELS = (".qrels", ".qrel", ".trec")
NUMBER = re.compile(r"[+-]?[0-9]{1,9}")
RELEVANCE: dict[Label, int] = {"relevant": 1, "not": 0, "unsure": -1}


class Judgement(NamedTuple):
    """A line of a file; what a format does not say is None, and `at` is seconds since 1970."""

    document: str
    label: Label
    reviewer: str | None = None
    at: float | None = None


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
    names = [cell.strip().lower() for cell in header.cells] if header else []
    if not {"id", "label"} <= set(names):
        raise InputError("the header line must name the columns id and label")
    for line, cells in rows:
        if len(cells) == len(names):
            values = dict(zip(names, map(restored, cells), strict=True))
            yield from _judgement(line, values, report)
        else:
            report(line, f"{len(cells)} cells where the header has {len(names)}")


class _Line(msgspec.Struct):
    id: str
    label: str | int
    reviewer: str | None = None
    time: str | None = None


def read_jsonl(lines: Iterable[str], topic: str | None, report: Report) -> Iterator[Read]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            found = msgspec.json.decode(line, type=_Line)
        except (msgspec.MsgspecError, UnicodeEncodeError) as error:
            report(number, sentence(error))
            continue
        values = {"id": found.id, "label": str(found.label)}
        values |= {"reviewer": found.reviewer or "", "time": found.time or ""}
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
    elif label is None:
        report(
            line, f"{cut(values['label'])} is no judgement: write {', '.join(LABELS)}, or 1, 0, -1"
        )
    else:
        reviewer = values.get("reviewer", "")
        yield Read(line, Judgement(document, label, reviewer if reviewer.strip() else None, at))


def _label(text: str) -> Label | None:
    """By its name or, as relevance is written elsewhere, by a number; grades above 1 are 1."""
    given = text.strip().lower()
    for label, relevance in RELEVANCE.items():
        if given == label:
            return label
        if NUMBER.fullmatch(given) and max(-1, min(1, int(given))) == relevance:
            return label
    return None


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
        self._new: dict[str, dict[str, Draft]] = {}
        self._said: dict[tuple[str, str], Read] = {}

    def add(self, read: Read) -> None:
        one = read.judgement
        who = one.reviewer or self._reviewer
        earlier = self._said.setdefault((who, one.document), read)
        if earlier.judgement.label != one.label:
            self._report(
                read,
                f"{cut(one.document)} is called {one.label}, in line {earlier.line} "
                f"{earlier.judgement.label}",
            )
        else:
            self._new.setdefault(who, {})[one.document] = Draft(one.document, one.label, one.at)

    def finish(self) -> Imported:
        live = self._live
        wanted = dict.fromkeys(document for _, document in self._said)
        there = set(live.documents.present(wanted))
        for (_, document), read in self._said.items():
            if document not in there:
                self._report(read, f"no document {cut(document)} in the index")
        judged = unchanged = 0
        for who, drafts in self._new.items():
            now = {document: mark.label for document, mark in live.ledger.marks(who).items()}
            known = [d for d in drafts.values() if d.document in there]
            new = [d for d in known if now.get(d.document) != d.label]
            if new:
                live.enter(partial(records.judgements, who, new))
            judged, unchanged = judged + len(new), unchanged + len(known) - len(new)
        unknown = tuple(id for id in wanted if id not in there)
        listed = tuple(self._problems.listed)
        return Imported(judged, unchanged, unknown, listed, self._problems.count)

    def _report(self, read: Read, message: str) -> None:
        self._problems.report(place(str(self._path), read.line), message)
