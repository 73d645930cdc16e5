"""JSON Lines: one object a line. The line itself is kept as the document's record.

A chunk of lines is decoded at once, and only the fields analysed. If that fails, the chunk is
read line by line to report the bad ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from likewise.document import values_of
from likewise.readers.batch import Batch, pack, place
from likewise.readers.records import RecordDecoder, listed, rename
from likewise.readers.streams import (
    is_utf8,
    line_chunks,
    line_ends,
    open_utf8,
    replace_invalid,
    replace_lone_surrogates,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems
    from likewise.readers.streams import Source

BLANK = b" \t\r"
DECODE_ERRORS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def read_jsonl(source: Source, options: ReadOptions, problems: Problems) -> Iterator[Batch]:
    lines = _Lines(source.name, RecordDecoder(options), problems)
    first = 1
    with open_utf8(source, problems) as stream:
        for chunk in line_chunks(stream, options.batch_bytes, source.name):
            ends = line_ends(chunk)
            batch = lines.batch(chunk, ends, first)
            if options.columns:
                _rename_columns(batch, options)
            if len(batch):
                yield batch
            first += len(ends)


class _Line(NamedTuple):
    number: int
    record: bytes
    document: Any


class _Lines:
    def __init__(self, source: str, decoder: RecordDecoder, problems: Problems) -> None:
        self._source, self._decoder, self._problems = source, decoder, problems

    def batch(self, chunk: bytes, ends: NDArray[np.int64], first: int) -> Batch:
        documents = self._decode(chunk, ends)
        if documents is None:
            return self._repaired(chunk, first)
        return self._batch(documents, chunk, ends, np.arange(first, first + len(ends)))

    def _decode(self, chunk: bytes, ends: NDArray[np.int64]) -> list[Any] | None:
        """The chunk's documents, or None unless each line is one valid object."""
        if not (_lines_are_objects(chunk, ends) and is_utf8(chunk)):
            return None
        try:
            documents = self._decoder.decode_lines(chunk)
        except DECODE_ERRORS:
            return None
        if len(documents) != len(ends):
            return None
        for i in self._decoder.blanks(documents):
            if self._decoder.lacks_text(chunk[ends[i - 1] if i else 0 : ends[i]]):
                return None
        return documents

    def _repaired(self, chunk: bytes, first: int) -> Batch:
        """The good lines of a chunk that has bad ones."""
        numbered = enumerate(chunk.split(b"\n"), first)
        kept = [(number, bare + b"\n") for number, line in numbered if (bare := line.strip(BLANK))]
        records = b"".join([line for _, line in kept])
        lines = [number for number, _ in kept]
        documents = self._decode(records, line_ends(records))
        if documents is None:
            good = [one for number, line in kept if (one := self._checked(number, line))]
            records = b"".join([one.record for one in good])
            lines = [one.number for one in good]
            documents = [one.document for one in good]
        return self._batch(documents, records, line_ends(records), np.array(lines, np.int64))

    def _checked(self, number: int, line: bytes) -> _Line | None:
        """A good line, repaired if needed; None for a bad one, which is reported."""
        where = place(self._source, number)
        record, replaced = _repair(line)
        try:
            document = self._decoder.decode(record)
        except DECODE_ERRORS as error:
            self._problems.report(where, _sentence(error))
            return None
        if self._decoder.blanks([document]) and self._decoder.lacks_text(record):
            keys = listed(list(values_of(record)))
            self._problems.report(
                where,
                f"none of its keys ({keys}) is a text; "
                "name one with --text-column (in Python, text_column)",
            )
            return None
        if replaced:
            self._problems.replace(self._source, where, replaced)
        return _Line(number, record, document)

    def _batch(
        self,
        documents: list[Any],
        records: bytes,
        ends: NDArray[np.int64],
        lines: NDArray[np.int64],
    ) -> Batch:
        ids, texts = self._decoder.ids_and_texts(documents)
        return Batch(
            ids=ids,
            texts=texts,
            records=records,
            ends=ends.astype(np.uint64),
            sources=[self._source] * len(documents),
            lines=lines,
        )


def _lines_are_objects(chunk: bytes, ends: NDArray[np.int64]) -> bool:
    """Whether each line is {…}, so that none can be the middle of an object begun before.

    The decoder accepts newlines within objects and several objects in a line, but a record is a
    line. After a line that ends in }, an object that is still open cannot continue with {.
    """
    data = np.frombuffer(chunk, np.uint8)
    starts = np.concatenate(([0], ends[:-1])) if len(ends) else ends
    return bool(np.all(data[starts] == ord("{")) and np.all(data[ends - 2] == ord("}")))


def _repair(line: bytes) -> tuple[bytes, int]:
    """The line without invalid UTF-8 and lone surrogates, and how many there were."""
    replaced = surrogates = 0
    if not is_utf8(line):
        text, replaced = replace_invalid(line)
        line = text.encode()
    if b"\\ud" in line or b"\\uD" in line:
        line, surrogates = replace_lone_surrogates(line)
    return line, replaced + surrogates


def _sentence(error: Exception) -> str:
    if isinstance(error, msgspec.ValidationError):
        return f"not a document: {error}"
    return f"not valid JSON: {error}"


def _rename_columns(batch: Batch, options: ReadOptions) -> None:
    """Rename the columns that the options name to id, title and text."""
    renamed = []
    for i in range(len(batch)):
        values = values_of(batch.record(i))
        names = rename(list(values), options.columns)
        renamed.append(dict(zip(names, values.values(), strict=True)))
    batch.records, batch.ends = pack(renamed)
