"""What goes between this process and those that read files for it: plain data, never objects.

A file may take over the process that reads it, so nothing that comes back is trusted to be code.
"""

from __future__ import annotations

import os
import struct
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from likewise.readers.batch import Batch
from likewise.readers.options import ReadOptions
from likewise.readers.streams import Source

if TYPE_CHECKING:
    from collections.abc import Callable

    from likewise.readers.problems import Problems

ELSEWHERE = ("ids_file", "ids", "only")  # options for other things than one file of text
LENGTH = struct.Struct("<Q")
LARGEST = 1 << 30  # bytes of a message


class Task(msgspec.Struct):
    """A source to read, and how."""

    name: str
    id: str
    path: bytes | None
    format: str
    content: bytes | None
    limit: int | None
    encoding: str | None
    origin: str
    url: str
    strict: bool
    options: dict[str, Any]

    @classmethod
    def of(cls, source: Source, options: ReadOptions, strict: bool) -> Task:
        chosen = asdict(options)
        return cls(
            name=source.name,
            id=source.id,
            path=None if source.path is None else os.fsencode(source.path),
            format=source.format,
            content=source.content,
            limit=source.limit,
            encoding=source.encoding,
            origin=source.origin,
            url=source.url,
            strict=strict,
            options={name: chosen[name] for name in chosen if name not in ELSEWHERE},
        )

    def source(self) -> Source:
        return Source(
            self.name,
            self.id,
            None if self.path is None else Path(os.fsdecode(self.path)),
            self.format,
            content=self.content,
            limit=self.limit,
            encoding=self.encoding,
            origin=self.origin,
            url=self.url,
        )

    def read_options(self) -> ReadOptions:
        return ReadOptions(**self.options | {"fields": tuple(self.options["fields"])})


class Part(msgspec.Struct, tag=True):
    """A batch of documents."""

    ids: list[str]
    texts: list[list[str]]
    records: bytes
    ends: list[int]
    sources: list[str]
    lines: list[int]
    unit: str

    @classmethod
    def of(cls, batch: Batch) -> Part:
        ends, lines = batch.ends.tolist(), batch.lines.tolist()
        texts = [list(field) for field in batch.texts]
        return cls(batch.ids, texts, batch.records, ends, batch.sources, lines, batch.unit)

    def batch(self) -> Batch:
        """The batch, if it is one: counts that do not fit each other are refused."""
        n = len(self.ids)
        counts = {n, len(self.ends), len(self.sources), len(self.lines), *map(len, self.texts)}
        if counts != {n} or sorted(self.ends) != self.ends or self.ends[-1:] != [len(self.records)]:
            raise ValueError("a batch whose parts do not fit")
        return Batch(
            ids=self.ids,
            texts=self.texts,
            records=self.records,
            ends=np.array(self.ends, np.uint64),
            sources=self.sources,
            lines=np.array(self.lines, np.int64),
            unit=self.unit,
        )


class Done(msgspec.Struct, tag=True):
    """The end of a source: what was left out, and why it ended if it failed."""

    error: str | None = None
    listed: list[tuple[str, str]] = []
    count: int = 0
    replaced: dict[str, int] = {}
    decoded: dict[str, str] = {}
    labels: tuple[dict[str, dict[str, int]], list[str]] = ({}, [])

    @classmethod
    def of(cls, problems: Problems, error: str | None = None) -> Done:
        listed = [(one.place, one.message) for one in problems.listed]
        return cls(
            error,
            listed,
            problems.count,
            dict(problems.replaced),
            problems.decoded,
            problems.labels.counted(),
        )

    def report_to(self, problems: Problems) -> None:
        for place, message in self.listed:
            problems.report(place, message)
        problems.count += max(self.count - len(self.listed), 0)
        problems.replaced.update(self.replaced)
        problems.decoded.update(self.decoded)
        problems.labels.merge_counted(*self.labels)


Message = Part | Done


def send(write: Callable[[bytes], Any], message: Task | Message) -> None:
    data = msgspec.msgpack.encode(message)
    write(LENGTH.pack(len(data)) + data)


def receive(read: Callable[[int], bytes], kind: Any) -> Any:
    """The next message; `read` gives exactly so many bytes. EOFError if there is none."""
    (length,) = LENGTH.unpack(read(LENGTH.size))
    if length > LARGEST:
        raise ValueError(f"a message of {length:,} bytes")
    return msgspec.msgpack.decode(read(length), type=kind)
