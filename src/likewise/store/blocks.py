"""Documents as they were given, in compressed blocks: reading one document reads one block.

Records are JSON objects, one a line, cut into blocks of at most so many bytes; a longer record is a
block of its own. Each block is one frame of Zstandard. Blocks are short, so that one is read in
little time; what they have in common is in a dictionary, made of the segment's first records, or
they would be larger by a tenth. A small segment has no dictionary.

Sections: `records` (the blocks one after another), `records.blocks` (of each block: bytes in the
file, bytes of its records, documents), `records.checksums` (XXH3 of each block, verified when it is
read) and the dictionary, compressed, as `records.dictionary` and, as all depends on it, once more
as `records.spare`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict, deque
from contextlib import suppress
from functools import cached_property
from itertools import pairwise
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from xxhash import xxh3_64_intdigest

from likewise import _core
from likewise.errors import InputError, StoreError
from likewise.readers.zstandard import library, zstd
from likewise.store.structure import BYTE, LONG, NUMBER, SHORT, expect, require

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future

    from numpy.typing import NDArray

    from likewise.store.beside import Helpers
    from likewise.store.container import Container, ContainerWriter

    Ends = NDArray[np.int64]
    Compress = Callable[[bytes, Ends], tuple[bytes, NDArray[np.uint32]]]

GROUP = 1 << 20  # bytes of records that are compressed together; fewer need no dictionary
SIZE = 12 << 10  # bytes of records in a block, if it holds several
SIZE_ALONE = 16 << 10  # where there is no dictionary
DICTIONARY = 64 << 10  # bytes
SAMPLES = 300  # records that show which letters are frequent
LONGEST = 1 << 28  # bytes of one record: what reading a document may take of memory at most
LEVEL = 3
CACHED = 64  # blocks that are kept as they were read last
AHEAD = 2  # groups that wait to be compressed, for each thread
OPTIONS = {
    int(zstd.CompressionParameter.compression_level): LEVEL,
    int(zstd.CompressionParameter.checksum_flag): 1,  # a block is whole, even without the table
    int(zstd.CompressionParameter.dict_id_flag): 0,
}
# With a dictionary: its tables are copied for each block, so they are small; and few matches that
# are shorter than this are worth the time that they take.
OPTIONS_OF_DICTIONARY = OPTIONS | {
    int(zstd.CompressionParameter.hash_log): 15,
    int(zstd.CompressionParameter.chain_log): 13,
    int(zstd.CompressionParameter.min_match): 6,
}
LEVEL_OF_LETTERS = 1  # whose matches are most like these, so what is counted of them is, too
MARK = b"\x37\xa4\x30\xec"  # that a dictionary begins with, unless it is a mere text


class Chunk(NamedTuple):
    """Neighbouring documents: the first's number, their records, and where each ends in these."""

    first: int
    records: bytes
    ends: Ends


class Blocks(NamedTuple):
    """Compressed blocks one after another, and of each: its bytes, of its records, documents."""

    data: bytes
    table: NDArray[np.int64]
    checksums: NDArray[np.uint64]


class BlockWriter:
    """Compresses records on helping threads while they come, and writes them in their order."""

    def __init__(self, container: ContainerWriter, helpers: Helpers) -> None:
        self.documents = 0
        self._container, self._helpers = container, helpers
        self._compressing: deque[Future[Blocks]] = deque()
        self._collected: list[bytes] = []
        self._size = 0
        self._packer: Future[Packer] | None = None
        self._tables: list[NDArray[np.int64]] = [np.zeros((0, 3), np.int64)]
        self._checksums: list[NDArray[np.uint64]] = [np.zeros(0, np.uint64)]
        container.begin("records")

    def add(self, records: bytes | memoryview, ends: NDArray[np.integer]) -> None:
        """Append JSON lines; `ends` says where each ends among these."""
        refuse_longer(int(np.diff(ends, prepend=0).max(initial=0)))
        self._collected.append(bytes(records))
        self._size += len(records)
        self.documents += len(ends)
        if self._size >= (GROUP if self._packer is None else GROUP // 2):
            self._submit()
        while self._compressing and (self._compressing[0].done() or self._is_full()):
            self._write(self._compressing.popleft().result())

    def finish(self) -> None:
        """Write what is left, the table of blocks and the dictionary."""
        for blocks in self._compressing:
            self._write(blocks.result())
        packer = Packer() if self._packer is None else self._packer.result()
        self._write(packer.compress(self._take()))
        table = np.concatenate(self._tables)
        if int(table[:, 2].sum()) != self.documents:
            raise ValueError("a record is not one line")
        small = np.uint16 if table.max(initial=0) < 1 << 16 else np.uint32
        self._container.array("records.blocks", table.astype(small))
        self._container.array("records.checksums", np.concatenate(self._checksums))
        if packer.dictionary is not None:
            packed = zstd.compress(packer.dictionary.dict_content, options=OPTIONS)
            for name in ("records.dictionary", "records.spare"):
                self._container.array(name, np.frombuffer(packed, np.uint8))

    def _submit(self) -> None:
        records = self._take()
        pool = self._helpers.compressing
        if self._packer is None:
            self._packer = pool.submit(lambda: Packer(make_dictionary(records)))
        self._compressing.append(pool.submit(_compress_with, records, self._packer))

    def _take(self) -> bytes:
        records = b"".join(self._collected)
        self._collected, self._size = [], 0
        return records

    def _is_full(self) -> bool:
        return len(self._compressing) > AHEAD * self._helpers.threads

    def _write(self, blocks: Blocks) -> None:
        self._container.write(blocks.data)
        self._tables.append(blocks.table)
        self._checksums.append(blocks.checksums)


def _compress_with(records: bytes, packer: Future[Packer]) -> Blocks:
    """The dictionary was begun before, so it is there soon."""
    return packer.result().compress(records)


class Packer:
    """Compresses lines as blocks, with what they have in common, if that is known."""

    def __init__(self, dictionary: zstd.ZstdDict | None = None) -> None:
        self.dictionary = dictionary
        self._options = OPTIONS if dictionary is None else OPTIONS_OF_DICTIONARY
        content = dictionary.dict_content if dictionary is not None else b""
        self._frames: Compress = self._one_by_one
        with suppress(RuntimeError):  # the core does not find the library's functions
            self._frames = _core.Frames(library(), self._options, content).compress

    def compress(self, records: bytes) -> Blocks:
        firsts, cuts = cut(_core.line_ends(records), SIZE if self.dictionary else SIZE_ALONE)
        stops = np.array(cuts, np.int64)
        data, sizes = self._frames(records, stops)
        ends = np.cumsum(sizes, dtype=np.int64).tolist()
        packed = map(memoryview(data).__getitem__, map(slice, [0, *ends[:-1]], ends))
        checksums = np.fromiter(map(xxh3_64_intdigest, packed), np.uint64, len(sizes))
        return Blocks(data, np.stack([sizes, np.diff(stops), np.diff(firsts)], 1), checksums)

    def _one_by_one(self, records: bytes, stops: Ends) -> tuple[bytes, NDArray[np.uint32]]:
        """Frames of the same, with the interpreter in between."""
        packer = zstd.ZstdCompressor(options=self._options, zstd_dict=self.dictionary)
        packed = [
            packer.compress(records[a:b], zstd.ZstdCompressor.FLUSH_FRAME)
            for a, b in pairwise(stops.tolist())
        ]
        return b"".join(packed), np.fromiter(map(len, packed), np.uint32, len(packed))


def cut(ends: Ends, size: int) -> tuple[list[int], list[int]]:
    """Where blocks begin and the last one ends: in documents and in bytes."""
    places = ends.tolist()
    firsts, stops = [0], [0]
    while firsts[-1] < len(places):
        after = bisect_right(places, stops[-1] + size, lo=firsts[-1])
        firsts.append(max(after, firsts[-1] + 1))
        stops.append(places[firsts[-1] - 1])
    return firsts, stops


def make_dictionary(records: bytes) -> zstd.ZstdDict:
    """What records have in common: what they repeat most, and how frequent each letter is."""
    repeated = _core.most_repeated(records[:GROUP], DICTIONARY)
    plain = zstd.ZstdDict(repeated.rjust(DICTIONARY), is_raw=True)
    lines = records.splitlines(keepends=True)
    samples = lines[:: len(lines) // SAMPLES + 1]
    try:
        made = zstd.finalize_dict(plain, samples, DICTIONARY, LEVEL_OF_LETTERS)
    except zstd.ZstdError:  # too few or too much alike to count letters
        return plain
    return made if len(made.dict_content) == DICTIONARY else plain


def read_dictionary(packed: memoryview) -> zstd.ZstdDict:
    """A dictionary out of the file; a ValueError if it is none."""
    content = decompress(packed, DICTIONARY, None)
    return zstd.ZstdDict(content, is_raw=not content.startswith(MARK))


def refuse_longer(size: int) -> None:
    if size > LONGEST:
        raise InputError(
            f"a document of {size:,} bytes is longer than an index can hold ({LONGEST:,}): split it"
        )


class RecordBlocks:
    """The records of a segment, read block by block."""

    def __init__(self, file: Container, documents: int) -> None:
        self._file, self._documents = file, documents
        self._cache: OrderedDict[int, tuple[bytes, list[int]]] = OrderedDict()
        self._lock = Lock()

    @property
    def size(self) -> int:
        """Bytes of all records."""
        return int(self._table[:, 1].sum(dtype=np.int64))

    def one(self, number: int) -> memoryview:
        """A document's record, with the newline that ends it."""
        block = int(self._firsts.searchsorted(number, "right")) - 1
        (records, ends), place = self._cached(block), number - int(self._firsts[block])
        return memoryview(records)[ends[place - 1] if place else 0 : ends[place]]

    @property
    def blocks(self) -> int:
        """How many there are; an error if their tables are damaged."""
        return min(len(self._table), len(self._checksums))

    def block(self, number: int) -> Chunk:
        """The documents of one block."""
        records = self._read(number)
        return Chunk(int(self._firsts[number]), records, _core.line_ends(records))

    def chunks(self) -> Iterator[Chunk]:
        """All documents in order, about a group at a time; nothing is kept."""
        last = 0
        for after in cut(np.cumsum(self._table[:, 1]), GROUP)[0][1:]:
            records = b"".join([self._read(block) for block in range(last, after)])
            yield Chunk(int(self._firsts[last]), records, _core.line_ends(records))
            last = after

    def verify(self) -> None:
        """Read every block."""
        for _ in self.chunks():
            pass

    @cached_property
    def _table(self) -> NDArray[np.int64]:
        """A row a block: bytes in the file, bytes of its records, documents."""
        name = "records.blocks"
        table = self._file.array(name).astype(np.int64)
        self._file.once(name, lambda: self._check(table))
        return table

    def _check(self, table: NDArray[np.int64]) -> None:
        packed, sizes, documents = table.T
        require(int(packed.sum()) == self._file.size("records"), "it must end with the blocks")
        require(int(documents.sum()) == self._documents, "it must end with the documents")
        require(bool((documents > 0).all()), "a block must hold documents")
        require(bool((sizes >= documents).all()), "a block must hold a line for each")
        require(int(sizes.max(initial=0)) <= LONGEST, "a block is too long")
        require(bool((documents[sizes > SIZE_ALONE] == 1).all()), "a long block must hold one")

    @cached_property
    def _data(self) -> memoryview:
        """All blocks; each is checked when it is read."""
        return self._file.unchecked("records").data

    @cached_property
    def _checksums(self) -> NDArray[np.uint64]:
        return self._file.array("records.checksums")

    @cached_property
    def _firsts(self) -> NDArray[np.int64]:
        """The first document of each block, and their number."""
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(self._table[:, 2])])

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(self._table[:, 0])])

    @cached_property
    def _dictionary(self) -> zstd.ZstdDict | None:
        """What all blocks share; where it is damaged, there is a copy."""
        if "records.dictionary" not in self._file:
            return None
        try:
            packed = self._file.array("records.dictionary").data
        except StoreError:
            packed = self._file.array("records.spare").data
        return self._file.understood("records.dictionary", lambda: read_dictionary(packed))

    @cached_property
    def _reader(self) -> _core.FrameReader | None:
        """What reads short blocks; None where the core does not find the library's functions."""
        dictionary = self._dictionary
        with suppress(RuntimeError):
            return _core.FrameReader(library(), dictionary.dict_content if dictionary else b"")
        return None

    def _cached(self, block: int) -> tuple[bytes, list[int]]:
        """A block's records, and where each ends."""
        with self._lock:
            found = self._cache.get(block)
            if found is not None:
                self._cache.move_to_end(block)
                return found
        records = self._read(block)
        found = records, _ends(records)
        if len(records) <= SIZE_ALONE:
            with self._lock:
                self._cache[block] = found
                if len(self._cache) > CACHED:
                    self._cache.popitem(last=False)
        return found

    def _read(self, block: int) -> bytes:
        """A block's records: lines, as many as there should be. Its checksum comes first."""
        packed, size, documents = self._table[block].tolist()
        start = int(self._starts[block])
        data = self._data[start : start + packed]
        if xxh3_64_intdigest(data) != int(self._checksums[block]):
            raise self._damaged(block, documents)

        if size <= SIZE_ALONE and self._reader is not None:
            short = self._reader.read(data, size, documents)
            if short is not None:
                return short

        def read() -> bytes:
            """As above, for long blocks; and for broken ones, of which it says what is wrong."""
            records = decompress(data, size, self._dictionary)
            lines = records.count(b"\n") if records.endswith(b"\n") else -1
            require(lines == documents, "a block does not hold the documents that it should")
            return records

        return self._file.understood("records", read)

    def _damaged(self, block: int, documents: int) -> StoreError:
        first = int(self._firsts[block])
        which = f"{first} to {first + documents - 1}" if documents > 1 else str(first)
        return self._file.damaged(
            f"section 'records' does not have the checksum it had (of documents {which})"
        )


def _ends(records: bytes) -> list[int]:
    """Where each of a few lines ends, its newline included."""
    found, end = [], records.find(b"\n") + 1
    while end:
        found.append(end)
        end = records.find(b"\n", end) + 1
    return found


def decompress(data: memoryview | bytes, size: int, dictionary: zstd.ZstdDict | None) -> bytes:
    """One frame that states this size and has it; a ValueError if it does not."""
    try:
        require(zstd.get_frame_info(data).decompressed_size == size, "a block has another size")
        frame = zstd.ZstdDecompressor(zstd_dict=dictionary)
        found = frame.decompress(data, size + 1)
    except zstd.ZstdError as error:
        raise ValueError(f"a block cannot be decompressed ({error})") from error
    whole = len(found) == size and frame.eof and not frame.unused_data
    require(whole, "a block does not have the size that it says")
    return found


def check_sections(file: Container, documents: int) -> None:
    """Refuse a segment whose records are not laid out like this."""
    expect(file, "records", BYTE, (None,))
    expect(file, "records.blocks", (SHORT, NUMBER), (None, 3))
    blocks = file.layout("records.blocks")[1][0]
    expect(file, "records.checksums", LONG, (blocks,))
    if "records.dictionary" in file:
        expect(file, "records.dictionary", BYTE, (None,))
        expect(file, "records.spare", BYTE, (None,))
