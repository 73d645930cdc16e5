"""Judgements out of a session and into it."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, NamedTuple

from likewise.errors import InputError, UsageError
from likewise.judgements import records
from likewise.judgements.agreement import COMBINE
from likewise.judgements.formats import FORMATS, Judgement, format_of
from likewise.judgements.records import Draft
from likewise.readers import Problems
from likewise.readers.batch import place
from likewise.readers.streams import Source, open_utf8

if TYPE_CHECKING:
    from pathlib import Path

    from likewise.judgements.formats import Read
    from likewise.readers.problems import Problem
    from likewise.sessions.shared import Shared


class Imported(NamedTuple):
    """What an import did; `problems` are lines that were left out, those of unknown ids too."""

    judged: int
    unchanged: int
    """Lines that say what was known already."""
    unknown: tuple[str, ...]
    """Ids that are not in the index."""
    problems: tuple[Problem, ...]
    problem_count: int


def export(shared: Shared, format: str | None, reviewer: str | None, path: Path | None) -> str:
    """The judgements in force as text; qrels hold one line a document, what all say together."""
    name = format_of(path, format)
    votes = shared.ledger.by_document()
    if reviewer is not None and reviewer not in shared.ledger.reviewers:
        raise UsageError(f"reviewer {reviewer!r} has judged nothing in session {shared.name!r}")
    if name == "trec" and reviewer is None:
        rows = _together(shared)
    else:
        rows = [
            Judgement(document, mark.label, who, mark.at)
            for document, said in votes.items()
            for who, mark in said.items()
            if reviewer in (None, who)
        ]
    return FORMATS[name].write(rows, "_".join(shared.name.split()))


def _together(shared: Shared) -> list[Judgement]:
    decide = COMBINE[shared.settings.combine]
    return [
        Judgement(document, {True: "relevant", False: "not", None: "unsure"}[decide(said)])  # type: ignore[arg-type]
        for document, said in shared.ledger.by_document().items()
    ]


def load(
    shared: Shared, path: Path, format: str | None, reviewer: str, topic: str | None, strict: bool
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
    loading = Loading(shared, reviewer, path, problems)
    for read in found:
        loading.add(read)
    return loading.finish()


def _lines(path: Path, problems: Problems) -> list[str]:
    with open_utf8(Source(str(path), "", path), problems) as stream:
        data = stream.read()
    try:
        return list(io.StringIO(data.decode(), newline=""))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{place(str(path), line)}: not valid UTF-8") from error


class Loading:
    """Sorts a file's judgements by reviewer, and those that cannot be entered out."""

    def __init__(self, shared: Shared, reviewer: str, path: Path, problems: Problems) -> None:
        self._shared, self._reviewer = shared, reviewer
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
                f"{one.document!r} is called {one.label}, in line {earlier.line} "
                f"{earlier.judgement.label}",
            )
        else:
            self._new.setdefault(who, {})[one.document] = Draft(one.document, one.label, one.at)

    def finish(self) -> Imported:
        shared = self._shared
        wanted = dict.fromkeys(document for _, document in self._said)
        there = set(shared.present(wanted))
        for (_, document), read in self._said.items():
            if document not in there:
                self._report(read, f"no document {document!r} in the index")
        judged = unchanged = 0
        for who, drafts in self._new.items():
            now = {document: mark.label for document, mark in shared.ledger.marks(who).items()}
            known = [d for d in drafts.values() if d.document in there]
            new = [d for d in known if now.get(d.document) != d.label]
            if new:
                records.judge(shared.database, shared.number, shared.ledger, who, new)
            judged, unchanged = judged + len(new), unchanged + len(known) - len(new)
        unknown = tuple(id for id in wanted if id not in there)
        listed = tuple(self._problems.listed)
        return Imported(judged, unchanged, unknown, listed, self._problems.count)

    def _report(self, read: Read, message: str) -> None:
        self._problems.report(place(str(self._path), read.line), message)
