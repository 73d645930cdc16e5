"""JSON lines: a record's values as they are, and what stands beside them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec

from likewise.writers.record import row

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from likewise.writers.record import Record

_encode = msgspec.json.Encoder().encode


def write_jsonl(records: Iterable[Record], always: Sequence[str]) -> Iterator[bytes]:
    for record in records:
        yield as_line(row(record))


def as_line(value: Any) -> bytes:
    """A value as one line of JSON; whole numbers of any size, which JSON does allow."""
    try:
        return _encode(value) + b"\n"
    except (msgspec.MsgspecError, OverflowError, UnicodeEncodeError):
        return json.dumps(value).encode() + b"\n"
