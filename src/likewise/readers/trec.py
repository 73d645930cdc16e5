"""TREC files: topics, judgements (qrels) and runs, read and written; and simpler forms of them.

Topics are TREC's `<top>` blocks, JSON lines (`id` or `_id`, `text`, and perhaps `doc` or `docs`,
ids of documents that are examples) or lines of id, tab and text. Judgements are `topic 0 id grade`
or `topic id grade`; a grade above 0 is relevant.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from likewise.errors import InputError
from likewise.readers.streams import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]

# What the last column is called where judgements have a header.
HEADERS = {"score", "grade", "rel", "relevance", "relevancy", "label", "rating"}
HEADERS |= {"judgment", "judgement", "qrel", "value"}

TOP = re.compile(r"<top>(.*?)</top>", re.DOTALL | re.IGNORECASE)
FIELD = re.compile(r"<(num|title)>\s*(?:Number:|Topic:)?(.*?)(?=<|\Z)", re.DOTALL | re.IGNORECASE)


class Topic(NamedTuple):
    id: str
    text: str
    examples: tuple[str, ...] = ()


class QrelsLine(NamedTuple):
    """A line of judgements; the grade is not checked yet."""

    number: int
    topic: str
    document: str
    grade: str


class _Line(msgspec.Struct):
    id: str | int | None = None
    beir_id: str | int | None = msgspec.field(default=None, name="_id")
    text: str = ""
    doc: str | int | None = None
    docs: list[str | int] = []


def read_topics(path: Path) -> list[Topic]:
    """The topics of a file, in its order."""
    text = _text(path)
    if re.search(r"<top>", text, re.IGNORECASE):
        found = [_top(path, block[1]) for block in TOP.finditer(text)]
    else:
        found = [_topic(path, number, line) for number, line in _lines(text)]
    _refuse_twice(path, [topic.id for topic in found])
    if not found:
        raise InputError(f"{path} has no topic")
    return found


def read_qrels(path: Path) -> Qrels:
    """Grades by topic and document."""
    qrels: Qrels = {}

    def refuse(number: int, message: str) -> None:
        raise InputError(f"{path}, line {number}: {message}")

    for line in qrels_of(_text(path).splitlines(), refuse):
        if not _is_number(line.grade):
            refuse(line.number, f"the grade {line.grade!r} is not a whole number")
        grades = qrels.setdefault(line.topic, {})
        if grades.setdefault(line.document, int(line.grade)) != int(line.grade):
            refuse(line.number, f"document {line.document} has two grades for topic {line.topic}")
    if not qrels:
        raise InputError(f"{path} has no judgement")
    return qrels


def qrels_of(lines: Iterable[str], report: Callable[[int, str], None]) -> Iterator[QrelsLine]:
    """The judgements of lines, a header left out; `report` is told what is no judgement."""
    columns = 0
    begun = False
    for number, line in enumerate(lines, 1):
        cells = line.split()
        if not cells:
            continue
        if len(cells) not in (3, 4):
            report(number, "not `topic 0 id grade` or `topic id grade`")
            continue
        columns = columns or len(cells)
        if not begun and cells[-1].lower() in HEADERS:
            continue
        begun = True
        if len(cells) != columns:
            report(number, f"{len(cells)} columns, where the lines before have {columns}")
            continue
        yield QrelsLine(number, cells[0], cells[-2], cells[-1])


def read_run(path: Path) -> Run:
    """Scores by topic and document: `topic Q0 id rank score tag` a line."""
    run: Run = {}
    for number, line in _lines(_text(path)):
        cells = line.split()
        try:
            topic, _, id, _, score, _ = cells
            value = float(score)
        except ValueError:
            raise InputError(f"{path}, line {number}: not `topic Q0 id rank score tag`") from None
        if not math.isfinite(value):
            raise InputError(f"{path}, line {number}: the score {score} is not a finite number")
        if id in run.setdefault(topic, {}):
            raise InputError(f"{path}, line {number}: topic {topic} lists document {id} twice")
        run[topic][id] = value
    return run


def run_line(topic: str, id: str, rank: int, score: str, tag: str) -> str:
    return f"{topic} Q0 {id} {rank} {score} {tag}\n"


def run_lines(topic: str, ranking: Iterable[tuple[str, float]], tag: str) -> str:
    """A topic's part of a run, best first.

    Equal scores are written slightly apart: most tools keep them in single precision, sort by
    them alone, and would each order ties in their own way.
    """
    lines = []
    below = np.float32(np.inf)
    for rank, (id, score) in enumerate(ranking, 1):
        below = min(np.float32(score), np.nextafter(below, np.float32(-np.inf)))
        lines.append(run_line(topic, id, rank, str(below), tag))
    return "".join(lines)


def qrels_lines(topic: str, grades: Iterable[tuple[str, int]]) -> str:
    """A topic's judgements, a document and its grade each."""
    return "".join(f"{topic} 0 {id} {grade}\n" for id, grade in grades)


def is_word(text: str) -> bool:
    """Whether it can be a column in a file whose columns are separated by spaces."""
    return text.split() == [text]


def refuse_spaces(kind: str, ids: Iterable[str]) -> None:
    """Refuse ids with white space, which runs and judgements cannot contain."""
    for id in ids:
        if not is_word(id):
            raise InputError(f"{kind} {id!r}: an id in a TREC file cannot contain white space")


def topic_line(topic: Topic) -> str:
    """A topic as a JSON line, which read_topics reads."""
    return (
        msgspec.json.encode({"id": topic.id, "text": topic.text, "docs": topic.examples}).decode()
        + "\n"
    )


def _top(path: Path, block: str) -> Topic:
    fields = {name.lower(): " ".join(value.split()) for name, value in FIELD.findall(block)}
    if not (fields.get("num") and fields.get("title")):
        raise InputError(f"{path}: a <top> without a number or a title: {block.strip()[:60]!r}")
    return Topic(fields["num"], fields["title"])


def _topic(path: Path, number: int, line: str) -> Topic:
    if not line.startswith("{"):
        id, tab, text = line.partition("\t")
        if not tab:
            raise InputError(f"{path}, line {number}: not an id, a tab and words")
        return Topic(id.strip(), text.strip())
    try:
        found = msgspec.json.decode(line, type=_Line)
    except msgspec.DecodeError as error:
        raise InputError(f"{path}, line {number}: not a topic ({error})") from error
    given = found.beir_id if found.id is None else found.id
    if given is None:
        raise InputError(f"{path}, line {number}: a topic needs an `id`")
    examples = (*(() if found.doc in (None, "") else (found.doc,)), *found.docs)
    return Topic(str(given), found.text, tuple(map(str, examples)))


def _text(path: Path) -> str:
    with Source(str(path), "", path).open() as stream:
        data = stream.read()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}, line {line}: not valid UTF-8") from error


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            yield number, line


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?\d{1,9}", text) is not None


def _refuse_twice(path: Path, ids: list[str]) -> None:
    if twice := [id for id in ids if ids.count(id) > 1]:
        raise InputError(f"{path}: topic {twice[0]} appears twice")
