"""Hits as a table for people, as JSON, as a TREC run, or as any file that writers make."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from likewise.cli.printing import colours, stdout
from likewise.cli.printing.text import four_digits, table
from likewise.errors import UsageError
from likewise.writers.formats import FORMATS as WRITERS
from likewise.writers.record import FOUND

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from likewise.search.hits import Hit, Hits

TOPIC, RUN_TAG = "1", "likewise"
HEADER = ("rank", "score", "id", "title")


@dataclass(frozen=True, slots=True)
class Results:
    """Hits, and what formats print beside them; `query` has the query as fields of JSON."""

    index: str
    query: dict[str, Any]
    hits: Sequence[Hit]
    topic: str | None = None
    run_tag: str | None = None
    duplicates: Mapping[str, Sequence[str]] = field(default_factory=dict)


def check_run_options(format: str, topic: str | None, run_tag: str | None) -> None:
    """Refuse options of a TREC run for other formats, and values that a run cannot contain."""
    given = {"--topic": topic, "--run-tag": run_tag}
    for option, value in given.items():
        if value is not None and format != "trec":
            raise UsageError(f"{option} goes with --format trec")
        if value is not None:
            _refuse_white_space(option, value)


def print_hits(results: Results, hits: Hits, format: str) -> None:
    """On stdout; what programs read is UTF-8, whatever the terminal's encoding."""
    if format == "table":
        stdout.put_coloured(as_table(results), colours.headed)
    elif format in OWN:
        stdout.put(OWN[format](results), "utf-8")
    else:
        stdout.put_file(format, hits.records(), FOUND)


def as_table(results: Results, width: int | None = None) -> str:
    """Aligned columns, one line a hit; titles are cut to the terminal's width, if there is one."""
    if not results.hits:
        return ""
    rows = [HEADER, *map(partial(_row, results), results.hits)]
    return table(rows, width or stdout.width(), right=2)


def _row(results: Results, hit: Hit) -> tuple[str, str, str, str]:
    others = results.duplicates.get(hit.id, ())
    also = f"  (also {', '.join(others)})" if others else ""
    return str(hit.rank), four_digits(hit.score), hit.id, f"{hit.title}{also}"


def as_json(results: Results) -> str:
    """One object: the index, the query, hits."""
    others = results.duplicates
    hits = [
        hit._asdict() | ({"duplicates": others[hit.id]} if hit.id in others else {})
        for hit in results.hits
    ]
    return stdout.as_json({"index": stdout.valid(results.index), **results.query, "hits": hits})


def as_trec(results: Results) -> str:
    """A run for trec_eval: topic, Q0, id, rank, score, tag."""
    from likewise.readers import trec

    topic = TOPIC if results.topic is None else results.topic
    run_tag = RUN_TAG if results.run_tag is None else results.run_tag
    for hit in results.hits:
        _refuse_white_space("the id of a document,", hit.id)
    return "".join(
        trec.run_line(topic, hit.id, hit.rank, repr(hit.score), run_tag) for hit in results.hits
    )


OWN: dict[str, Callable[[Results], str]] = {"table": as_table, "json": as_json, "trec": as_trec}
FORMATS = (*OWN, *WRITERS)


def _refuse_white_space(what: str, text: str) -> None:
    from likewise.readers import trec

    if not trec.is_word(text):
        raise UsageError(
            f"{what} {text!r} is empty or has white space, which a TREC run cannot contain: "
            "use --format jsonl or csv"
        )
