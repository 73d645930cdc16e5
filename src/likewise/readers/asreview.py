"""Projects of ASReview: the records that were imported there, with what was decided of them.

A project file is a ZIP with project.json, the file of records in data/, and a database of SQLite
with the decisions: results.db (version 3), in a folder of reviews/ (version 2), or results.sql
there (version 1). Versions 2 and 3 keep records in a table, so that a row of the file can be told
by its title.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from itertools import count
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from likewise.document import values_of
from likewise.errors import InputError, sentence
from likewise.readers.archives import unpacked
from likewise.readers.batch import Batch
from likewise.readers.formats import SUFFIXES
from likewise.readers.labels import LabelCounts
from likewise.readers.mapping import compared
from likewise.readers.ordered import read_source
from likewise.readers.records import Entry, batches, cut
from likewise.readers.streams import Source, plain_suffix

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems

CONFIG = "project.json"
DATABASES = (".db", ".sql")
STEPS = 50_000_000  # of SQLite, after which a query is given up


class _Decision(NamedTuple):
    label: int
    note: str
    tags: str
    title: str | None  # of the record, where the project says it


class _Project(msgspec.Struct):
    """What is read of project.json."""

    datasets: list[dict[str, Any]] = []
    dataset_path: str = ""  # of version 1

    @property
    def dataset(self) -> str:
        named = self.datasets[0].get("name") if self.datasets else self.dataset_path
        return named if isinstance(named, str) else ""


def read_asreview(source: Source, options: ReadOptions, problems: Problems) -> Iterator[Batch]:
    files = unpacked(source, lambda name: name == CONFIG or _is_part(name))
    dataset = _dataset(source, files)
    decided = _decisions(source, files)
    left = dict(decided)
    by_title = {compared(one.title): row for row, one in decided.items() if one.title}
    numbers = count()
    for batch in _batches(dataset, options, problems):
        entries = []
        for i in range(len(batch)):
            values, row = values_of(batch.record(i)), next(numbers)
            found = _row_of(values, row, decided, by_title)
            said = left.pop(found, None) if found is not None else None
            whole = values if said is None else {**values, **_fields(said)}
            entries.append(Entry(batch.sources[i], int(batch.lines[i]), whole))
        for whole_batch in batches(entries, options, problems):
            whole_batch.unit = batch.unit
            yield whole_batch
    for row, one in left.items():
        title = f" ({cut(one.title)})" if one.title else ""
        problems.report(source.name, f"the decision on record {row + 1}{title} fits no record")


def _is_part(name: str) -> bool:
    path = PurePosixPath(name)
    return path.parts[:1] == ("data",) or path.suffix in DATABASES


def _dataset(source: Source, files: Mapping[str, bytes]) -> Source:
    """The file of records that is in the project."""
    try:
        name = msgspec.json.decode(files[CONFIG], type=_Project).dataset
    except (KeyError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        why = "" if isinstance(error, KeyError) else f" ({sentence(error)})"
        raise InputError(f"{source.name} is no project of ASReview: no {CONFIG}{why}") from error
    content = files.get(f"data/{name}")
    if not name or content is None:
        raise InputError(f"{source.name} has no records: add them in ASReview, and export it again")
    place = f"{source.name}!data/{name}"
    format = SUFFIXES.get(plain_suffix(PurePosixPath(name)), "")
    return Source(place, name, None, format, content=content, encoding=source.encoding)


def _batches(dataset: Source, options: ReadOptions, problems: Problems) -> Iterator[Batch]:
    """Labels that the records had before are not counted beside the project's own."""
    reading = read_source(dataset, options, problems)
    while True:
        kept, problems.labels = problems.labels, LabelCounts()
        try:
            batch = next(reading, None)
        finally:
            problems.labels = kept
        if batch is None:
            return
        if not isinstance(batch, Batch):
            raise InputError(f"{dataset.name} holds vectors, not records")
        yield batch


def _row_of(
    values: Mapping[str, Any],
    row: int,
    decided: Mapping[int, _Decision],
    by_title: Mapping[str, int],
) -> int | None:
    """The row of the project that a record is; rows that could not be read shift all others."""
    title = compared(values.get("title"))
    known = decided.get(row)
    if known is not None and (known.title is None or compared(known.title) == title):
        return row
    return by_title.get(title)


def _fields(said: _Decision) -> dict[str, Any]:
    found: dict[str, Any] = {"asreview_label": said.label}
    if said.note:
        found["asreview_note"] = said.note
    if said.tags:
        found["asreview_tags"] = said.tags
    return found


def _decisions(source: Source, files: Mapping[str, bytes]) -> dict[int, _Decision]:
    """By row of the file of records."""
    stored = {name: data for name, data in files.items() if name.endswith(DATABASES)}
    rows: dict[int, tuple[int, str]] = {}
    found: dict[int, _Decision] = {}
    try:
        for data in stored.values():
            with _database(data) as connection:
                if _columns(connection, "record") >= {"record_id", "dataset_row", "title"}:
                    query = "SELECT record_id, dataset_row, title FROM record"
                    rows |= {id: (row, title) for id, row, title in connection.execute(query)}
        for data in stored.values():
            with _database(data) as connection:
                for id, label, note, tags in _results(connection):
                    row, title = rows.get(id, (id, None))
                    found[int(row)] = _Decision(int(label), _text(note), _text(tags), title)
    except (sqlite3.Error, TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{source.name}: its decisions are damaged: {sentence(error)}") from error
    return found


def _results(connection: sqlite3.Connection) -> Iterator[tuple[Any, Any, Any, Any]]:
    names = _columns(connection, "results")
    if not names >= {"record_id", "label"}:
        return
    note = next((name for name in ("note", "notes") if name in names), "NULL")
    tags = "tags" if "tags" in names else "NULL"
    query = f"SELECT record_id, label, {note}, {tags} FROM results WHERE label IN (0, 1)"
    yield from connection.execute(query)


def _columns(connection: sqlite3.Connection, table: str) -> set[str]:
    return {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}


@contextmanager
def _database(data: bytes) -> Iterator[sqlite3.Connection]:
    """A database in memory; a query that takes very long, as one made to do harm, is ended."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(data)
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.set_progress_handler(lambda: 1, STEPS)
        yield connection


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) and value.strip() != "null" else ""
