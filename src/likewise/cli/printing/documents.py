"""Documents: for people to read, as JSON, or as any file that writers make."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from likewise.cli.printing import stdout
from likewise.cli.printing.text import one_line
from likewise.document import TEXT_NAMES, as_text
from likewise.writers.jsonl import as_line
from likewise.writers.record import row

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from likewise.writers import Record

WIDTH = 100  # of lines of text, where there is no terminal


def print_documents(records: Iterable[Record], format: str) -> None:
    if format == "json":
        stdout.put(stdout.as_json({"documents": [row(one) for one in records]}), "utf-8")
    elif format == "text":
        for text in _separated(map(as_page, records)):
            stdout.put(text)
    else:
        stdout.put_file(format, records)


def as_page(record: Record, width: int | None = None) -> str:
    """Names and values, one a line, then the text in paragraphs."""
    values = {name: value for name, value in row(record).items() if value not in (None, "", [])}
    texts = [as_text(values.pop(name)) for name in TEXT_NAMES if isinstance(values.get(name), str)]
    longest = max(map(len, values))
    lines = [f"{one_line(name):{longest}}  {_value(value)}\n" for name, value in values.items()]
    wide = min(width or stdout.width() or WIDTH, WIDTH)
    return "".join(lines) + "".join(f"\n{_paragraphs(text, wide)}" for text in texts)


def _value(value: object) -> str:
    """On one line; lists with semicolons, structures as JSON."""
    try:
        items = value if isinstance(value, (list, tuple)) else [value]
        return "; ".join(one_line(as_text(item)) for item in items)
    except TypeError:
        return one_line(as_line(value).decode())


def _paragraphs(text: str, width: int) -> str:
    wrapped = (textwrap.wrap(one_line(line), width) or [""] for line in text.splitlines())
    return "".join(f"{line}\n" for lines in wrapped for line in lines)


def _separated(pages: Iterable[str]) -> Iterator[str]:
    for number, page in enumerate(pages):
        yield f"\n{page}" if number else page
