"""DOIs and PMIDs of documents, so that a paper is known again under another id.

A segment keeps their hashes, sorted, each with its document: 12 bytes a key. Two of n different
keys have the same hash with a probability of about n²/2⁶⁵, one in a billion for 200,000 keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np
from xxhash import xxh3_64_intdigest

from likewise.document import values_of
from likewise.readers.fieldvalues import bare_doi, pmid
from likewise.store.arrays import joined

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from likewise._core import Lines

NAMES = ("doi", "pmid")


class Key(NamedTuple):
    """A document's place among others, what its key is, and the key's hash."""

    document: int
    name: str
    hash: int


class _Line(msgspec.Struct, gc=False):
    doi: Any = None
    pmid: Any = None


_decode = msgspec.json.Decoder(_Line).decode_lines


def keys_of(records: bytes | memoryview, scanned: Lines | None = None) -> list[Key]:
    """The keys of records, one JSON object a line; DOIs without case and address.

    `scanned` if it is known what is where in them.
    """
    if scanned is not None and not set(NAMES).intersection(scanned.keys):
        return []
    try:
        lines: list[Any] = _decode(records)
    except msgspec.DecodeError:  # a number beyond a double's range, which JSON does allow
        lines = [_slowly(line) for line in bytes(records).splitlines()]
    return [key for number, line in enumerate(lines) for key in _keys(number, line)]


def _keys(number: int, line: Any) -> Iterator[Key]:
    if line.doi is not None and (doi := bare_doi(line.doi)):
        yield Key(number, "doi", _hash("doi", doi.lower()))
    if line.pmid is not None and (found := pmid(line.pmid)):
        yield Key(number, "pmid", _hash("pmid", found))


def keys_of_values(values: Mapping[str, Any]) -> list[tuple[str, int]]:
    """The keys of one record: what each is, and its hash."""
    line = _Line(values.get("doi"), values.get("pmid"))
    return [(key.name, key.hash) for key in _keys(0, line)]


def _slowly(line: bytes) -> _Line:
    values: Mapping[str, Any] = values_of(line)
    return _Line(values.get("doi"), values.get("pmid"))


def _hash(name: str, value: str) -> int:
    return xxh3_64_intdigest(f"{name}:{value}".encode("utf-8", "surrogatepass"))


class KeyTable(NamedTuple):
    """Hashes, ascending, and the document of each."""

    hashes: NDArray[np.uint64]
    documents: NDArray[np.uint32]

    def find(self, wanted: NDArray[np.uint64]) -> dict[int, list[int]]:
        """The documents with each of the hashes that is there, by the hash."""
        first = np.searchsorted(self.hashes, wanted, "left").tolist()
        last = np.searchsorted(self.hashes, wanted, "right").tolist()
        return {
            int(hash): self.documents[a:b].tolist()
            for hash, a, b in zip(wanted.tolist(), first, last, strict=True)
            if a < b
        }


class KeyBuilder:
    """Collects the keys of a segment's records as they pass by on their way to disk."""

    def __init__(self) -> None:
        self._hashes: list[NDArray[np.uint64]] = []
        self._documents: list[NDArray[np.uint32]] = []
        self._count = 0

    def add(
        self, records: bytes | memoryview, documents: int, scanned: Lines | None = None
    ) -> None:
        found = keys_of(records, scanned)
        if found:
            numbers = [self._count + key.document for key in found]
            self._hashes.append(np.array([key.hash for key in found], np.uint64))
            self._documents.append(np.array(numbers, np.uint32))
        self._count += documents

    def table(self) -> KeyTable:
        hashes = joined(self._hashes, np.uint64)
        order = np.argsort(hashes, kind="stable")
        return KeyTable(hashes[order], joined(self._documents, np.uint32)[order])
