"""Ids, DOIs and PMIDs that an index has already: found while documents are added or deleted.

Ids are unique among live documents. A DOI or PMID may come again under another id: then the
document is skipped or replaces the other, if that was asked for, and is only counted otherwise.
Those of the segment being written are in a dictionary; those
of finished segments, of this run or of earlier ones, are looked up in the segments' files, so that
they take no memory here.
"""

from __future__ import annotations

import dataclasses
import re
from array import array
from bisect import bisect_right
from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import msgspec
import numpy as np

from likewise import _core
from likewise.errors import DuplicateError
from likewise.readers.batch import Batch, DenseBatch, Records, SparseBatch, place
from likewise.store.arrays import select_entries
from likewise.store.keys import keys_of
from likewise.store.segment import write_deletions
from likewise.store.sources import Tally
from likewise.store.strings import decode, encode, hashes_of, likely
from likewise.store.unwritten import Unwritten
from likewise.views import EMBEDDINGS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from likewise.store.keys import Key, KeyTable
    from likewise.store.manifest import SegmentEntry, ViewRows
    from likewise.store.segment import Segment
    from likewise.store.transaction import Transaction

OnDuplicate = Literal["error", "skip", "replace"]
BYTES_PER_KEY = 120  # in a dictionary
MADE = re.compile(r"[0-9a-f]{32}").fullmatch  # an id of a document that had none
BLOCK = 8192  # documents whose vectors are looked at together
Lines = range | np.ndarray[Any, np.dtype[np.uint32]]  # numbers of some lines
B = TypeVar("B", bound=Records)


class KnownIds:
    """Every live id of an index that is being added to; an id that comes again is dealt with."""

    def __init__(
        self,
        directory: Path,
        segments: list[EditedSegment],
        on_duplicate: OnDuplicate,
        renewed: set[str] | None = None,
        tally: Tally | None = None,
        beside: Sequence[EditedSegment] = (),
    ) -> None:
        """Documents whose ids are in `renewed` when they come replace those that are there.
        `beside` are segments of other shards of the same index, which are looked at as well.
        """
        self.segments = segments
        self._beside = list(beside)
        self._tally = tally or Tally()
        self._renewed = renewed if renewed is not None else set()
        self.replaced = 0
        self.skipped = 0
        self.by_key: Counter[str] = Counter()  # documents that another one has the id, DOI … of
        self._directory = directory
        self._on_duplicate = on_duplicate
        self._origins = Origins()
        self._begin_segment()

    def admit(self, batch: B) -> B:
        """The documents to take out of a batch; from now on their ids and keys are known."""
        self._tally.read(batch)
        self._make_room(batch)
        keys = keys_of(batch.records, batch.scanned) if isinstance(batch, Batch) else []
        hashes = hashes_of_ids(batch)
        hits = find_live([*self._beside, *self.segments], batch.ids, hashes)
        same = self._find_keys(keys)
        if self._current.are_new(batch.ids, hashes) and not hits and not same:
            first = self._documents
            self._current.add(first, batch.ids)
            self._keys.update((key.hash, first + key.document) for key in keys)
        else:
            by_document: dict[int, list[Key]] = {}
            for key in keys:
                by_document.setdefault(key.document, []).append(key)
            batch = select(batch, self._choose(batch, hits, by_document, same))
        self._origins.add(batch)
        return batch

    def _make_room(self, batch: Records) -> None:
        if not self._renewed:
            return
        places = [i for i, id in enumerate(batch.ids) if id in self._renewed]
        wanted = [batch.ids[i] for i in places]
        for at, (edited, number) in find_live([*self._beside, *self.segments], wanted).items():
            edited.delete(number)
            self.replaced += 1
            self._tally.replace(batch, places[at], "id")
        self._renewed.difference_update(wanted)

    @property
    def memory(self) -> int:
        """About how many bytes the keys of the segment being written take."""
        return BYTES_PER_KEY * len(self._keys)

    def finish_segment(self, segment: Segment | Unwritten) -> None:
        """The documents admitted so far are in this segment; the next ones begin another."""
        finished = EditedSegment(segment, self._first)
        for number in self._dead:
            finished.delete(number)
        self.segments.append(finished)
        self._begin_segment()

    def release(self) -> None:
        """Take no memory for what was looked up in finished segments, until it is needed again."""
        for edited in (*self._beside, *self.segments):
            edited.release()

    def _begin_segment(self) -> None:
        self._first = len(self._origins)
        self._current = CurrentIds()
        self._keys: dict[int, int] = {}  # hashes of DOIs and PMIDs, and their last document
        self._dead: dict[int, None] = {}

    @property
    def _documents(self) -> int:
        """Documents in the segment that is being written."""
        return len(self._origins) - self._first

    def _choose(
        self,
        batch: Records,
        hits: dict[int, Place],
        keys: Mapping[int, Sequence[Key]],
        same: Mapping[int, Sequence[Place]],
    ) -> list[int]:
        chosen: list[int] = []
        current = self._current.numbers()
        for i, id_ in enumerate(batch.ids):
            number = current.get(id_, -1)
            hit = hits.get(i)
            if number >= 0 or hit:
                if self._on_duplicate == "error":
                    raise self._already_there(batch, i, number, hit, chosen)
                there = [] if hit is None else [hit]
                taken = self._settle("id", there, number, (batch, i))
            else:
                taken = self._by_keys(keys.get(i, ()), same, (batch, i))
            if taken:
                number = self._documents + len(chosen)
                current[id_] = number
                self._keys.update((key.hash, number) for key in keys.get(i, ()))
                chosen.append(i)
        return chosen

    def _by_keys(
        self, keys: Sequence[Key], same: Mapping[int, Sequence[Place]], of: tuple[Records, int]
    ) -> bool:
        """Whether a document of a new id is to be taken, by its DOI and PMID."""
        for key in keys:
            number = self._keys.get(key.hash, -1)
            number = -1 if number in self._dead else number
            there = [place for place in same.get(key.hash, ()) if place[0].is_live(place[1])]
            if number >= 0 or there:
                return self._settle(key.name, there, number, of)
        return True

    def _settle(
        self, name: str, there: Sequence[Place], number: int, of: tuple[Records, int]
    ) -> bool:
        """Whether a document that is there already by this key is to be taken all the same."""
        self.by_key[name] += 1
        if self._on_duplicate == "skip":
            self.skipped += 1
            self._tally.skip(*of, name)
            return False
        if self._on_duplicate == "replace":
            self.replaced += 1
            self._tally.replace(*of, name)
            if number >= 0:
                self._dead[number] = None
            for edited, place in there:
                edited.delete(place)
        return True

    def _find_keys(self, keys: Sequence[Key]) -> dict[int, list[Place]]:
        """Where documents with these keys are in finished segments, by the key's hash; those that
        the segment being written has, or the batch has twice, are there with no place.
        """
        if not keys:
            return {}
        hashes = [key.hash for key in keys]
        found: dict[int, list[Place]] = {hash: [] for hash in hashes if hash in self._keys}
        if len(set(hashes)) < len(hashes):
            found |= {hash: [] for hash, n in Counter(hashes).items() if n > 1}
        wanted = np.array(hashes, np.uint64)
        for edited in (*self._beside, *self.segments):
            for hash, numbers in edited.keys.find(wanted).items():
                live = [(edited, number) for number in numbers if edited.is_live(number)]
                if live:
                    found.setdefault(hash, []).extend(live)
        return found

    def _already_there(
        self, batch: Records, i: int, number: int, hit: Place | None, chosen: list[int]
    ) -> DuplicateError:
        if number >= self._documents:
            before = f"was already given at {batch.place(chosen[number - self._documents])}"
        elif number >= 0:
            before = f"was already given at {self._origins[self._first + number]}"
        elif hit and hit[0].first >= 0:
            before = f"was already given at {self._origins[hit[0].first + hit[1]]}"
        else:
            before = f"is already in the index {self._directory}"
        way_out = (
            "choose --on-duplicate skip or replace (in Python, on_duplicate), or give it another id"
        )
        made = ", made of its title, author and year or its text," if MADE(batch.ids[i]) else ""
        return DuplicateError(f"{batch.place(i)}: id {batch.ids[i]!r}{made} {before}: {way_out}")


class CurrentIds:
    """Ids of the segment that is being written.

    Hashes tell that ids are new, as they are most often; which document has which id is put
    together when one may have come again.
    """

    def __init__(self) -> None:
        self._hashes = _core.HashSet()
        self._numbers: dict[str, int] = {}
        self._later: list[tuple[int, Sequence[str]]] = []  # not among these yet

    def are_new(self, ids: Sequence[str], hashes: NDArray[np.uint64]) -> bool:
        """Whether no id is there already or comes twice."""
        if self._hashes.add(hashes):
            return True
        return self.numbers().keys().isdisjoint(ids) and len(set(ids)) == len(ids)

    def add(self, first: int, ids: Sequence[str]) -> None:
        """Take new ids, of documents from this number on."""
        self._later.append((first, ids))

    def numbers(self) -> dict[str, int]:
        """Each id's document; whoever adds one must have asked whether it is new."""
        for first, ids in self._later:
            self._numbers.update(zip(ids, range(first, first + len(ids)), strict=True))
        self._later.clear()
        return self._numbers


class EditedSegment:
    """A finished segment, and which of its documents a change has deleted so far."""

    def __init__(self, segment: Segment | Unwritten, first: int = -1) -> None:
        """`first` is the number in this run of its first document, -1 if it was there before."""
        self._found = segment
        self.first = first
        self._deleted = segment.deleted_mask()
        self._changed = self._looked_up = False
        self._own_hashes: NDArray[Any] | None = None

    @property
    def segment(self) -> Segment:
        """The segment itself, as soon as it is on disk."""
        if isinstance(self._found, Unwritten):
            self._found = self._found.written()
        return self._found

    @property
    def keys(self) -> KeyTable:
        return self._found.keys

    def release(self) -> None:
        """Take no memory for what was looked up."""
        if isinstance(self._found, Unwritten) and self._found.done():
            self._found = self._found.written()
        self._found.release()

    def find(self, ids: Sequence[str], hashes: NDArray[np.uint64]) -> dict[int, int]:
        """The live documents with these ids, by the id's place."""
        here = likely(self._hashes(), hashes)
        places = here.tolist()
        if not places:
            return {}
        found = self._found.ids.find(encode([ids[i] for i in places]), hashes[here]).tolist()
        both = zip(places, found, strict=True)
        there = {i: number for i, number in both if number >= 0 and self.is_live(number)}
        if not there:  # most often: half of a hash was the same, and all ids were read for it
            self.release()
        return there

    def _hashes(self) -> NDArray[Any]:
        """Those of its ids; from the second batch on apart from the file, of which whole pages, of
        up to 2 MB, would stay in memory if each batch looked something up there.
        """
        if not self._looked_up:
            self._looked_up = True
            return self._found.ids.hashes
        if self._own_hashes is None:
            self._own_hashes = np.array(self._found.ids.hashes)
            self._found.release()
        return self._own_hashes

    def is_live(self, number: int) -> bool:
        return not self._deleted[number]

    def delete(self, number: int) -> None:
        self._deleted[number] = True
        self._changed = True

    def write_deletions(self, change: Transaction) -> SegmentEntry:
        """The segment's entry in the next manifest; a file of deletions is written if needed."""
        entry = self.segment.entry
        if not self._changed:
            return entry
        deleted = np.flatnonzero(self._deleted).astype(np.uint32)
        file = change.deletions_file(entry.file)
        deletions = write_deletions(change.directory, file, deleted)
        views = {name: self._less(name, rows) for name, rows in entry.views.items()}
        return msgspec.structs.replace(entry, deletions=deletions, views=views)

    def _less(self, name: str, rows: ViewRows) -> ViewRows:
        """A view's rows in the manifest; of documents that came later, those left are counted."""
        left = int(np.count_nonzero(~self._deleted))
        if name == EMBEDDINGS and rows.later < self.segment.entry.live:
            left = min(left, self._empty(name)) if rows.later else 0
        return msgspec.structs.replace(rows, later=min(rows.later, left))

    def _empty(self, name: str) -> int:
        """Live documents whose vector says nothing; a model may have made one of zeros, too."""
        count, rows = 0, self.segment.view(name)
        for first in range(0, rows.height, BLOCK):
            empty = ~rows.at(slice(first, first + BLOCK)).any(axis=1)
            count += int(np.count_nonzero(empty & ~self._deleted[first : first + BLOCK]))
        return count


Place = tuple[EditedSegment, int]


def hashes_of_ids(batch: Records) -> NDArray[np.uint64]:
    if isinstance(batch, Batch) and batch.hashes is not None:
        return batch.hashes
    return hashes_of(encode(batch.ids))


def find_live(
    segments: Sequence[EditedSegment],
    ids: Sequence[str],
    hashes: NDArray[np.uint64] | None = None,
) -> dict[int, Place]:
    """Where the i-th id's live document is, for each that has one; `hashes` if they are known."""
    if not segments:
        return {}
    known = hashes_of(encode(ids)) if hashes is None else hashes
    hits: dict[int, Place] = {}
    for edited in segments:
        hits.update((i, (edited, number)) for i, number in edited.find(ids, known).items())
    return hits


class Origins:
    """Where each document of a run came from, to name it in a message: in next to no memory where
    the lines of a batch follow each other, otherwise a line number a document.
    """

    def __init__(self) -> None:
        self._lines: list[Lines] = []  # of each batch
        self._stops = array("Q")  # documents up to the end of each batch
        self._firsts = array("Q")  # the first document of each source
        self._names = bytearray()  # the sources' names, each with its unit
        self._ends = array("Q")
        self._last = ""

    def add(self, batch: Records) -> None:
        if not len(batch):
            return
        number = len(self)
        self._lines.append(compact(batch.lines))
        self._stops.append(number + len(batch))
        if len(set(batch.sources)) == 1:  # most often
            self._begin(number, f"{batch.unit}\0{batch.sources[0]}")
        else:
            for source, documents in groupby(batch.sources):
                self._begin(number, f"{batch.unit}\0{source}")
                number += sum(1 for _ in documents)

    def __getitem__(self, number: int) -> str:
        """The place of the document that was added as this one, counted from 0."""
        at = bisect_right(self._firsts, number) - 1
        start = self._ends[at - 1] if at else 0
        unit, source = decode(bytes(self._names[start : self._ends[at]])).split("\0", 1)
        of = bisect_right(self._stops, number)
        before = self._stops[of - 1] if of else 0
        return place(source, int(self._lines[of][number - before]), unit)

    def __len__(self) -> int:
        return self._stops[-1] if self._stops else 0

    def _begin(self, number: int, name: str) -> None:
        if name == self._last:
            return
        self._firsts.append(number)
        self._names += encode([name])[0]
        self._ends.append(len(self._names))
        self._last = name


def compact(lines: NDArray[np.int64]) -> Lines:
    """The same numbers: a range where each is one more than the last, as of lines of JSON."""
    first, last = int(lines[0]), int(lines[-1])
    following = last - first == len(lines) - 1 and bool((np.diff(lines) == 1).all())
    if following:
        return range(first, last + 1)
    return np.minimum(lines, 2**32 - 1).astype(np.uint32)


def select(batch: B, rows: Sequence[int]) -> B:
    """A batch of these documents only, in this order."""
    lengths = np.diff(batch.ends, prepend=np.uint64(0))[rows]
    chosen = dataclasses.replace(
        batch,
        ids=[batch.ids[i] for i in rows],
        records=b"".join([batch.record(i) for i in rows]),
        ends=np.cumsum(lengths, dtype=np.uint64),
        sources=[batch.sources[i] for i in rows],
        lines=batch.lines[rows],
    )
    if isinstance(chosen, Batch):
        chosen.scanned = chosen.hashes = None
        chosen.texts = [[texts[i] for i in rows] for texts in chosen.texts]
    elif isinstance(chosen, SparseBatch):
        chosen.starts, entries = select_entries(chosen.starts, np.array(rows, np.int64))
        chosen.columns, chosen.values = chosen.columns[entries], chosen.values[entries]
    elif isinstance(chosen, DenseBatch):
        chosen.values = chosen.values[rows]
    return chosen
