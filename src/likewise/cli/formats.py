"""Hits as text: a table for people, and four formats for programs."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from likewise.cli import output
from likewise.cli.display import columns, cut, one_line, pad
from likewise.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from likewise.search import Hit

HitFormat = Literal["table", "json", "jsonl", "csv", "trec"]
TOPIC, RUN_TAG = "1", "likewise"
HEADER = ("rank", "score", "id", "title")
MIN_TITLE = 10  # columns; ids are never cut, since they are there to be copied
GAP = "  "


@dataclass(frozen=True, slots=True)
class Results:
    """Hits, and what a format may have to say about them."""

    index: str
    query: str
    hits: Sequence[Hit]
    topic: str | None = None
    run_tag: str | None = None


def write_hits(results: Results, format: HitFormat) -> None:
    """Put hits on stdout; what programs read is UTF-8 whatever the terminal wants."""
    if format != "trec" and (results.topic, results.run_tag) != (None, None):
        raise UsageError("--topic and --run-tag go with --format trec")
    output.put(FORMATS[format](results), None if format == "table" else "utf-8")


def as_table(results: Results, width: int | None = None) -> str:
    """Aligned columns, one line a hit; titles are cut to the terminal's width, if there is one."""
    if not results.hits:
        return ""
    width = width or output.width()
    rows = [HEADER, *((str(h.rank), _short(h.score), h.id, h.title) for h in results.hits)]
    ranks, scores, ids, titles = (list(map(one_line, column)) for column in zip(*rows, strict=True))
    rank_width, score_width, id_width = (max(map(columns, c)) for c in (ranks, scores, ids))
    room = (width or 0) - rank_width - score_width - id_width - 3 * len(GAP)
    lines = []
    for rank, score, id, title in zip(ranks, scores, ids, titles, strict=True):
        shown = title if width is None else cut(title, max(room, MIN_TITLE))
        cells = (rank.rjust(rank_width), score.rjust(score_width), pad(id, id_width), shown)
        lines.append(GAP.join(cells).rstrip())
    return "\n".join(lines) + "\n"


def as_json(results: Results) -> str:
    """One object: index, query, hits."""
    hits = [hit._asdict() for hit in results.hits]
    index, query = output.valid(results.index), output.valid(results.query)
    return output.as_json({"index": index, "query": query, "hits": hits})


def as_jsonl(results: Results) -> str:
    """One object a hit."""
    import msgspec

    return msgspec.json.Encoder().encode_lines(hit._asdict() for hit in results.hits).decode()


def as_csv(results: Results) -> str:
    import csv

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    writer.writerows((hit.rank, hit.score, hit.id, hit.title) for hit in results.hits)
    return text.getvalue()


def as_trec(results: Results) -> str:
    """A run for trec_eval: topic, Q0, id, rank, score, tag."""
    topic = TOPIC if results.topic is None else results.topic
    run_tag = RUN_TAG if results.run_tag is None else results.run_tag
    _refuse_white_space("--topic", topic)
    _refuse_white_space("--run-tag", run_tag)
    for hit in results.hits:
        _refuse_white_space("the id of a document,", hit.id)
    return "".join(
        f"{topic} Q0 {hit.id} {hit.rank} {hit.score!r} {run_tag}\n" for hit in results.hits
    )


FORMATS: dict[HitFormat, Callable[[Results], str]] = {
    "table": as_table,
    "json": as_json,
    "jsonl": as_jsonl,
    "csv": as_csv,
    "trec": as_trec,
}


def _short(score: float) -> str:
    """Four digits, whatever the scale."""
    return f"{score:#.4g}"


def _refuse_white_space(what: str, text: str) -> None:
    if len(text.split()) != 1 or text != text.strip():
        raise UsageError(
            f"{what} {text!r} is empty or has white space, which a TREC run cannot carry: "
            "use --format jsonl or csv"
        )
