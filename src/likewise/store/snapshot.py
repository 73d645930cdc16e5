"""One generation of an index, opened for reading: live documents numbered 0 … n−1 without gaps."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, TypeVar

import msgspec
import numpy as np

from likewise import _core
from likewise.document import Document, title_of
from likewise.errors import StoreError
from likewise.store.container import read_together
from likewise.store.dictionary import dictionaries, stored_rows
from likewise.store.disk import REBUILD
from likewise.store.manifest import NAME, read_manifest
from likewise.store.mapped import MissingFileError
from likewise.store.segment import Segment, open_segments
from likewise.store.strings import encode, hashes_of
from likewise.store.views import centre_of, model_of, open_centre, open_model
from likewise.text import AnalyzerSettings, drift
from likewise.views import EMBEDDINGS, LATENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from likewise._core import StringTables
    from likewise.corpus import Stored
    from likewise.store.container import Container
    from likewise.store.dictionary import Dictionary
    from likewise.store.manifest import Manifest
    from likewise.store.strings import StringTable
    from likewise.text import Drift
    from likewise.views.latent import LatentModel

T = TypeVar("T")
MANY = 10_000  # documents, from which on threads are started to check what is stored of them
FAMILY = {"text": "counts", "counts": "counts", "values": "values", "dense": "dense"}


class Snapshot:
    """Stays as it is whatever writers do: the files it maps outlive their names."""

    def __init__(self, directory: Path, manifest: Manifest, segments: list[Segment]) -> None:
        self.directory = directory
        self.manifest = manifest
        self.segments = segments
        self.dictionaries = dictionaries(directory, manifest, segments)
        self._prepared = False
        self._check_family()
        self._latent = open_model(directory, manifest)
        self._centre = open_centre(directory, manifest)
        counts = [segment.entry.live for segment in segments]
        self._starts = list(accumulate(counts, initial=0))
        self.firsts = np.cumsum([0, *counts])  # each segment's first document, and their number

    @classmethod
    def open(cls, directory: Path, earlier: Snapshot | None = None) -> Snapshot:
        """Open the newest generation, using again what `earlier` has opened already."""
        opened = {s.entry.file: s for s in earlier.segments} if earlier else {}
        tried = -1
        while True:
            manifest = read_manifest(directory)
            try:
                segments = open_segments(directory, manifest.segments, opened)
                return cls(directory, manifest, segments)
            except MissingFileError:
                if manifest.generation == tried:
                    raise
                tried = manifest.generation  # a writer may have come between: look again

    def __len__(self) -> int:
        return int(self.firsts[-1])

    @property
    def generation(self) -> int:
        return self.manifest.generation

    @cached_property
    def settings(self) -> AnalyzerSettings:
        """How text becomes terms."""
        try:
            return msgspec.convert(self.manifest.settings, AnalyzerSettings)
        except msgspec.ValidationError as error:
            raise StoreError(
                f"the settings in {self.directory / NAME} make no sense ({error}): {REBUILD}"
            ) from error

    @cached_property
    def drift(self) -> Drift | None:
        """How its documents were analysed otherwise than text is now, if they were."""
        if self.manifest.kind != "text" or not self.segments:
            return None
        return drift(self.manifest.probe, self.settings)

    @property
    def terms(self) -> int:
        """Terms in the dictionary: the width of the matrix."""
        return self.manifest.terms

    @cached_property
    def latent(self) -> LatentModel | None:
        """What puts documents into the latent space, if there is one."""
        return model_of(self._latent, self.terms) if self._latent else None

    @property
    def centre(self) -> NDArray[np.float32] | None:
        """The mean that was taken from the embeddings, where a model made them."""
        return centre_of(self._centre) if self._centre else None

    def prepare(self, threads: int) -> None:
        """Read the tables of ids and titles, if they are large, by several threads.

        Otherwise each is read when it is first asked for, one after another.
        """
        if len(self) >= MANY and not self._prepared:
            read_together(map(Segment.to_show, self.segments), threads)
            self._prepared = True

    def numbers(self, ids: Sequence[str]) -> NDArray[np.int64]:
        """The documents' numbers, -1 for an id that is not in the index."""
        found = np.full(len(ids), -1, np.int64)
        if not len(ids):
            return found
        encoded = encode(ids)
        hashes = hashes_of(encoded)
        for first, segment in zip(self.firsts, self.segments, strict=False):
            local = segment.ids.find(encoded, hashes)
            before = np.searchsorted(segment.deleted, local)
            after = np.searchsorted(segment.deleted, local, "right")
            live = (local >= 0) & (before == after)
            found[live] = (first + local - before)[live]
        return found

    def ids(self, numbers: Iterable[int]) -> list[str]:
        """The documents' ids, in the order of the numbers."""
        return self._strings(self._ids, numbers, "document")

    def titles(self, numbers: Sequence[int]) -> list[str]:
        """The documents' titles, in the order of the numbers."""
        if self._titles is None:
            return [self.read(number, title_of) for number in numbers]
        return self._strings(self._titles, numbers, "document")

    def record(self, number: int) -> memoryview:
        """A document as it was given: one JSON object."""
        segment, local = self._locate(number)
        return segment.records.one(local)

    def document(self, number: int, id: str | None = None) -> Document:
        """A document; `id` where it is known already."""
        return self.read(number, lambda record: Document.from_record(record, id))

    def read(self, number: int, read: Callable[[memoryview], T]) -> T:
        """What `read` makes of a document's record."""
        segment, local = self._locate(number)
        return segment.read(local, read)

    def term_numbers(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """The terms' numbers, -1 for a term that no document has had."""
        return np.array(self.find_terms(terms), np.int64)

    def find_terms(self, terms: Sequence[str]) -> list[int]:
        """The same as a list."""
        encoded = encode(terms)
        if self._terms is not None:
            return self._terms.find(encoded, hashes_of(encoded).tolist())
        found = [dictionary.find(encoded) for dictionary in self.dictionaries]
        best: list[int] = np.max(found, axis=0).tolist()
        return best

    def term_names(self, numbers: Iterable[int]) -> list[str]:
        """The terms with these numbers, in their order."""
        if self._terms is not None:
            return self._strings(self._terms, numbers, "term")
        wanted = np.fromiter(numbers, np.int64)
        self._check(wanted, self.terms, "term")
        found = np.empty(len(wanted), object)
        for dictionary in self.dictionaries:
            here = (dictionary.first <= wanted) & (wanted < dictionary.end)
            found[here] = dictionary.names(wanted[here])
        return list(found)

    def term_tables(self, segment: Segment) -> list[StringTable]:
        """The terms of a segment's columns, in their order."""
        return self._dictionary_of(segment).tables(segment)

    def stored(self, threads: int = 1) -> list[Stored]:
        """The documents' own rows as engines take them."""
        return stored_rows(self.dictionaries, threads)

    def files(self) -> dict[str, Container]:
        """All files but the manifest, by their names there. They last as long as this does."""
        found = {name: file for one in self.segments for name, file in one.files().items()}
        for dictionary in self.dictionaries:
            found |= dictionary.files
        for name, file in ((LATENT, self._latent), (EMBEDDINGS, self._centre)):
            if file is not None and (entry := self.manifest.views[name]).file is not None:
                found[entry.file] = file
        return found

    def verify(self) -> None:
        """Check every byte of every file, and what the numbers say."""
        for segment in self.segments:
            segment.verify()
        for dictionary in self.dictionaries:
            dictionary.verify()
        for file in filter(None, (self._latent, self._centre)):
            file.verify()
        _ = self.latent, self.centre

    @cached_property
    def _ids(self) -> StringTables:
        tables = _core.StringTables()
        for segment in self.segments:
            segment.ids.add_to(tables, segment.live)
        return tables

    @cached_property
    def _terms(self) -> StringTables | None:
        """None where shards number their terms by themselves."""
        if self.manifest.sharding is not None:
            return None
        tables = _core.StringTables()
        for segment in self.segments:
            segment.terms.add_to(tables, lookup=True)
        return tables

    @cached_property
    def _titles(self) -> StringTables | None:
        """None where some segment was written without them."""
        tables = _core.StringTables()
        return tables if all(segment.add_titles(tables) for segment in self.segments) else None

    @staticmethod
    def _strings(tables: StringTables, numbers: Iterable[int], what: str) -> list[str]:
        try:
            return tables.at(numbers)
        except IndexError as error:
            raise IndexError(f"no {what} {error}: there are {len(tables)}") from None

    def _check_family(self) -> None:
        for segment in self.segments:
            if segment.family != FAMILY[self.manifest.kind or "text"]:
                raise segment.damaged(f"it holds no {self.manifest.kind}")

    def _dictionary_of(self, segment: Segment) -> Dictionary:
        return next(one for one in self.dictionaries if segment in one.segments)

    def _locate(self, number: int) -> tuple[Segment, int]:
        if not 0 <= number < len(self):
            raise IndexError(f"no document {number}: there are {len(self)}")
        place = bisect_right(self._starts, number) - 1
        segment = self.segments[place]
        local = int(number) - self._starts[place]
        return segment, local if segment.live is None else int(segment.live[local])

    @staticmethod
    def _check(numbers: NDArray[np.int64], count: int, what: str) -> None:
        wrong = numbers[(numbers < 0) | (numbers >= count)]
        if len(wrong):
            raise IndexError(f"no {what} {wrong[0]}: there are {count}")
