"""Parquet, with types: numbers as numbers, lists of texts as lists, other structures as JSON."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from likewise.writers.jsonl import as_line
from likewise.writers.spool import spooled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from likewise.writers.record import Record

GROUP = 4 << 20  # bytes, about, of rows that are written together


def write_parquet(records: Iterable[Record], always: Sequence[str]) -> Iterator[bytes]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    types = {"bool": pa.bool_(), "int": pa.int64(), "float": pa.float64()}
    types |= {"str": pa.string(), "texts": pa.list_(pa.string())}
    with spooled(records, always) as spool:
        kinds = {name: _one_kind(found) for name, found in spool.columns.items()}
        schema = pa.schema([(name, types[kind]) for name, kind in kinds.items()])
        file = _Pieces()
        with pq.ParquetWriter(file, schema, compression="zstd") as writer:
            for group in spool.groups(GROUP):
                columns = [
                    pa.array([_value(row.get(name), kind) for row in group], types[kind])
                    for name, kind in kinds.items()
                ]
                writer.write_table(pa.Table.from_arrays(columns, schema=schema))
                yield file.taken()
        yield file.taken()


class _Pieces(io.RawIOBase):
    """A file whose bytes are handed on as they come."""

    def __init__(self) -> None:
        self._bytes, self._written = bytearray(), 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._bytes += data
        self._written += len(data)
        return len(data)

    def tell(self) -> int:
        return self._written

    def taken(self) -> bytes:
        piece, self._bytes = bytes(self._bytes), bytearray()
        return piece


def _one_kind(kinds: set[str]) -> str:
    """The kind of column that holds values of these kinds; text holds all."""
    found = kinds - {"null"}
    if len(found) == 1 and (one := next(iter(found))) in ("bool", "int", "float", "texts"):
        return one
    if found == {"int", "float"}:
        return "float"
    return "texts" if found == {"texts", "str"} else "str"


def _value(value: Any, kind: str) -> Any:
    if value is None or kind in ("bool", "int"):
        return value
    if kind == "texts":
        return [_valid(item) for item in ([value] if isinstance(value, str) else value)]
    if kind == "float":
        return float(value)
    return _valid(value if isinstance(value, str) else as_line(value).decode().rstrip("\n"))


def _valid(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
