"""JSON Lines: one object a line. The line itself is kept as the document's record.

A chunk of lines is decoded at once, and only the fields analysed. If that fails, the chunk is
read line by line to report the bad ones.
"""

from __future__ import annotations

import json
import re
from collections import deque
from contextlib import ExitStack, contextmanager
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec
import numpy as np

from likewise import _core
from likewise.document import values_of
from likewise.engines.cores import cores
from likewise.engines.workers import Workers
from likewise.readers.batch import Batch, hashes_of, pack, place
from likewise.readers.labels import label_fields
from likewise.readers.problems import Problems
from likewise.readers.records import RecordDecoder, listed, mapper, rename
from likewise.readers.streams import (
    is_utf8,
    line_chunks,
    open_utf8,
    replace_invalid,
    replace_lone_surrogates,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from io import BufferedReader

    from numpy.typing import NDArray

    from likewise.readers.options import ReadOptions
    from likewise.readers.streams import Source

T = TypeVar("T")

BLANK = b" \t\r"
DECODE_ERRORS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
MOST_KEYS = 200
AHEAD = 4  # chunks that are read, and looked through, before their turn
MOST_THREADS = 3  # for that: it takes a tenth of what counting does, and more wait for each other
FEW = 2  # chunks for which no thread is started to read on
UNNAMEABLE = re.compile(r'[\x00-\x1f"\\]')  # in a structure of msgspec

_by_name = msgspec.json.Decoder(dict[str, msgspec.Raw])


def read_jsonl(source: Source, options: ReadOptions, problems: Problems) -> Iterator[Batch]:
    lines = _Lines(source.name, _Keys(options), problems)
    first = 1
    with _decoded(source, problems) as stream, ExitStack() as stack:
        chunks = line_chunks(stream, options.batch_bytes, source.name)
        # A thread that waits cannot be ended.
        for chunk, scanned in _scanned(chunks, lines.scan, stack, read_on=not source.may_wait):
            batch = lines.scanned_batch(chunk, scanned, first) if scanned is not None else None
            if batch is None:
                ends = _core.line_ends(chunk)
                batch = lines.batch(chunk, ends, first)
                first += len(ends)
            else:
                first += len(batch)
            if options.columns:
                _rename_columns(batch, options)
            if len(batch):
                yield batch


class _Scanned(NamedTuple):
    """What the core has found in a chunk: ids and texts, each document having some."""

    lines: _core.Lines
    ids: list[str]
    hashes: NDArray[np.uint64]
    texts: list[_core.Texts]


@contextmanager
def _decoded(source: Source, problems: Problems) -> Iterator[BufferedReader]:
    """The source as UTF-8. What is wrong with its characters another thread may find: it counts
    apart until all is read.
    """
    own = Problems(strict=problems.strict)
    try:
        with open_utf8(source, own) as stream:
            yield stream
    finally:
        problems.replaced.update(own.replaced)
        problems.decoded.update(own.decoded)


def _scanned(
    chunks: Iterable[bytes],
    scan: Callable[[bytes], _Scanned | None],
    stack: ExitStack,
    *,
    read_on: bool,
) -> Iterator[tuple[bytes, _Scanned | None]]:
    """Chunks with what is where in them, which threads find out ahead of their turn. With
    `read_on` one more thread reads them, and without it they are read here.
    """
    pool = stack.enter_context(Workers(min(cores(), MOST_THREADS)))
    begun = ((chunk, pool.submit(scan, chunk)) for chunk in chunks)
    for chunk, future in _by_thread(begun, stack) if read_on else _ahead(begun):
        yield chunk, future.result()


def _by_thread(items: Iterator[T], stack: ExitStack) -> Iterator[T]:
    """Items of which, beyond the first ones, some are made by a thread ahead of their turn."""
    first, error = _first(items, FEW)
    if error or len(first) < FEW:
        yield from _then(first, error)
        return
    maker = Workers(1)
    stack.callback(maker.shutdown, cancel_futures=True)
    following = deque(maker.submit(next, items, None) for _ in range(AHEAD))
    yield from first
    while (item := following.popleft().result()) is not None:
        following.append(maker.submit(next, items, None))
        yield item


def _ahead(items: Iterator[T]) -> Iterator[T]:
    """Items of which one is made ahead of its turn."""
    made, error = _first(items, FEW)
    while made and not error:
        yield made.pop(0)
        more, error = _first(items, 1)
        made += more
    yield from _then(made, error)


def _first(items: Iterator[T], count: int) -> tuple[list[T], Exception | None]:
    """So many of the next items; fewer if there are no more, or where an error ends them."""
    found: list[T] = []
    try:
        found.extend(islice(items, count))
    except Exception as error:  # what came before it is no worse for it
        return found, error
    return found, None


def _then(items: Iterable[T], error: Exception | None) -> Iterator[T]:
    yield from items
    if error is not None:
        raise error


class _Line(NamedTuple):
    number: int
    record: bytes
    document: Any


class _Decoded(NamedTuple):
    documents: list[Any]
    records: bytes
    ends: NDArray[np.int64]


class _Keys:
    """Knows the keys of records, so that those with another name are noticed.

    Records of one collection are alike: they are decoded as objects with the keys met so far,
    which are skipped, and when another turns up, it is looked at. Records that have one with
    another name are written anew, with the canonical one.
    """

    def __init__(self, options: ReadOptions) -> None:
        self._options, self._mapper = options, mapper(options)
        self._met: dict[str, bool] = {}  # each key, and whether it has another name
        self._closed = not options.columns  # with these, all records are renamed later
        self.decoder = self._new_decoder()

    def _new_decoder(self) -> RecordDecoder:
        others = [key for key, aliased in self._met.items() if not aliased]
        return RecordDecoder(self._options, others if self._closed else None)

    def decode(self, records: bytes, ends: NDArray[np.int64]) -> _Decoded:
        if self._closed or self._options.columns:
            try:
                return _Decoded(self.decoder.decode_lines(records), records, ends)
            except msgspec.ValidationError:
                if self._options.columns:
                    raise
        found = _by_name.decode_lines(records)
        self._meet(chain.from_iterable(found))
        aliases = {key for key, aliased in self._met.items() if aliased}
        if not all(map(aliases.isdisjoint, found)):
            lines = records.split(b"\n")
            records = b"".join(
                line + b"\n" if aliases.isdisjoint(keys) else self._encoded(line)
                for keys, line in zip(found, lines, strict=False)
            )
            ends = _core.line_ends(records)
        return _Decoded(self.decoder.decode_lines(records), records, ends)

    def knows(self, keys: Sequence[str]) -> bool:
        """Whether all keys have their own names; those that are new are looked at."""
        if self._options.columns or not self._closed:
            return False
        self._meet(keys)
        return self._closed and not any(map(self._met.__getitem__, keys))

    def renamed(self, record: bytes) -> bytes:
        """The record with canonical names."""
        if self._options.columns or not self._mapper.is_needed(_by_name.decode(record)):
            return record
        return self._encoded(record)

    def _encoded(self, record: bytes) -> bytes:
        values = self._mapper(values_of(record))
        try:
            return msgspec.json.encode(values) + b"\n"
        except (UnicodeEncodeError, OverflowError):
            return json.dumps(values).encode() + b"\n"

    def count_labels(
        self, records: bytes, problems: Problems, scanned: _core.Lines | None = None
    ) -> None:
        """Labels of screening; nothing is decoded for them unless there is a field for one, and
        nothing where the core has `scanned` the records and found texts there.
        """
        fields = label_fields(tuple(self._met))
        if not fields or not records:
            return
        if scanned is not None:
            texts = [scanned.texts([field]) for field in fields]
            given = [text.strings() for text in texts if text is not None]
            if len(given) == len(fields):
                problems.labels.add_rows(fields, list(zip(*given, strict=True)))
                return
        names = {f"l{number}": field for number, field in enumerate(fields)}
        line = msgspec.defstruct("Line", [(name, Any, None) for name in names], rename=names)
        try:
            found = msgspec.json.Decoder(line).decode_lines(records)
        except DECODE_ERRORS:  # numbers that only the json module reads
            return
        problems.labels.add_rows(fields, list(map(msgspec.structs.astuple, found)))

    def _meet(self, keys: Iterable[str]) -> None:
        new = [key for key in dict.fromkeys(keys) if key not in self._met]
        if len(self._met) + len(new) > MOST_KEYS or any(map(UNNAMEABLE.search, new)):
            self._closed = False
        self._met |= {key: self._mapper.is_needed([key]) for key in new}
        if new:
            self.decoder = self._new_decoder()


class _Lines:
    def __init__(self, source: str, keys: _Keys, problems: Problems) -> None:
        self._source, self._keys, self._problems = source, keys, problems

    @property
    def _decoder(self) -> RecordDecoder:
        return self._keys.decoder

    def batch(self, chunk: bytes, ends: NDArray[np.int64], first: int) -> Batch:
        decoded = self._decode(chunk, ends)
        if decoded is None:
            return self._repaired(chunk, first)
        return self._batch(*decoded, np.arange(first, first + len(ends)))

    def scan(self, chunk: bytes) -> _Scanned | None:
        """What the core finds in a chunk; None where that does not do. Any thread may ask."""
        lines = _core.scan(chunk)
        if lines is None:
            return None
        decoder, keys = self._decoder, lines.keys
        named = [key for key in decoder.id_keys if key in keys]
        if len(named) > 1 and any(lines.texts([key]) is None for key in named):
            return None  # only the first that has a text would be looked at
        ids = lines.texts(named)
        found = [lines.texts(of_field) for of_field in decoder.field_keys]
        texts = [text for text in found if text is not None]
        if ids is None or not ids.lengths().all() or len(texts) < len(found):
            return None
        filled = np.zeros(len(lines), np.bool_)
        for text in texts:
            filled |= text.lengths() > 0
        if not filled.all():
            return None
        names = ids.strings()
        return _Scanned(lines, names, hashes_of(ids, names), texts)

    def scanned_batch(self, chunk: bytes, scanned: _Scanned, first: int) -> Batch | None:
        """The batch of a chunk in which the core has found all; None if a key has another name."""
        if not self._keys.knows(scanned.lines.keys):
            return None
        self._keys.count_labels(chunk, self._problems, scanned.lines)
        return Batch(
            ids=scanned.ids,
            hashes=scanned.hashes,
            texts=scanned.texts,
            records=chunk,
            ends=scanned.lines.ends(),
            sources=[self._source] * len(scanned.ids),
            lines=np.arange(first, first + len(scanned.ids)),
            scanned=scanned.lines,
        )

    def _decode(self, chunk: bytes, ends: NDArray[np.int64]) -> _Decoded | None:
        """The chunk's documents, or None unless each line is one valid object."""
        if not (_lines_are_objects(chunk, ends) and is_utf8(chunk)):
            return None
        try:
            decoded = self._keys.decode(chunk, ends)
        except DECODE_ERRORS:
            return None
        if len(decoded.documents) != len(ends):
            return None
        documents, chunk, ends = decoded
        for i in self._decoder.blanks(documents):
            if self._decoder.lacks_text(chunk[_span(ends, i)]):
                return None
        return decoded

    def _repaired(self, chunk: bytes, first: int) -> Batch:
        """The good lines of a chunk that has bad ones."""
        numbered = enumerate(chunk.split(b"\n"), first)
        kept = [(number, bare + b"\n") for number, line in numbered if (bare := line.strip(BLANK))]
        records = b"".join([line for _, line in kept])
        lines = [number for number, _ in kept]
        decoded = self._decode(records, _core.line_ends(records))
        if decoded is None:
            good = [one for number, line in kept if (one := self._checked(number, line))]
            records = b"".join([one.record for one in good])
            lines = [one.number for one in good]
            decoded = _Decoded([one.document for one in good], records, _core.line_ends(records))
        return self._batch(*decoded, np.array(lines, np.int64))

    def _checked(self, number: int, line: bytes) -> _Line | None:
        """A good line, repaired if needed; None for a bad one, which is reported."""
        where = place(self._source, number)
        record, replaced = _repair(line)
        try:
            record = self._keys.renamed(record)
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
        self._keys.count_labels(records, self._problems)
        ids, texts = self._decoder.ids_and_texts(documents, lambda i: records[_span(ends, i)])
        return Batch(
            ids=ids,
            texts=texts,
            records=records,
            ends=ends.astype(np.uint64),
            sources=[self._source] * len(documents),
            lines=lines,
        )


def _span(ends: NDArray[np.int64], i: int) -> slice:
    """Where line i is."""
    return slice(int(ends[i - 1]) if i else 0, int(ends[i]))


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
    """Rename the columns that the options name to id, title and text, and map the others."""
    renamed, mapped = [], mapper(options, options.columns)
    for i in range(len(batch)):
        values = values_of(batch.record(i))
        names = rename(list(values), options.columns)
        renamed.append(mapped(dict(zip(names, values.values(), strict=True))))
    batch.records, batch.ends = pack(renamed)
