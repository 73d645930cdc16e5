"""Rows of a segment, collected from batches: counts of terms, real values, or dense vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from likewise import _core
from likewise.errors import InputError, StoreError
from likewise.store.arrays import concatenate_values, counts_from_values, select_entries
from likewise.store.beside import AHEAD, Beside
from likewise.store.disk import REBUILD
from likewise.store.strings import Flat, batches, flatten
from likewise.text.unicode import unicode_classes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise._core import CountArrays, Counter, Texts
    from likewise.corpus import ValueArrays
    from likewise.readers.batch import Batch, DenseBatch, SparseBatch
    from likewise.store.strings import StringTable
    from likewise.text import Analyzer

CHUNK = 1 << 20  # columns that are numbered anew at a time


class Rows(Protocol):
    """Collects the rows of a segment, and numbers terms over all segments."""

    @property
    def memory(self) -> int:
        """Bytes that the rows collected take."""

    @property
    def terms(self) -> int:
        """Terms numbered so far; to be asked after drain()."""

    def add(self, batch: Any) -> None: ...
    def drain(self) -> Any:
        """All rows so far, which are then forgotten; their terms are not."""

    def terms_since(self, first: int) -> Flat:
        """The terms from number `first` on."""

    def close(self) -> None: ...


class TextRows:
    """Counts of the terms of texts, made on two threads beside the calling one.

    One counts forms, the other turns them into terms and rows, each in the order of the batches, so
    results never depend on timing. What the core does of it, on threads of its own, is most.
    """

    def __init__(self, analyzer: Analyzer, known: Sequence[StringTable], threads: int) -> None:
        settings = analyzer.settings
        self._analyzer = analyzer
        self._counter = _core.Counter(
            unicode_classes,
            threads=threads,
            max_bytes=settings.max_bytes,
            bigrams=settings.bigrams,
            digits_stay=analyzer.digits_stay,
            stems=analyzer.stems(),
        )
        self._numbering = TermNumbering(self._counter, known)
        self._counting, self._absorbing = Beside(ahead=AHEAD // 2), Beside(ahead=AHEAD // 2)

    @property
    def memory(self) -> int:
        return self._counting.memory

    def add(self, batch: Batch) -> None:
        self.add_texts(batch.texts, len(batch.records))

    def add_texts(self, texts: Sequence[Sequence[str] | Texts], size: int = 0) -> None:
        """Count documents of about so many bytes, given per field one text per document."""

        def count() -> int:
            forms = self._counter.count(texts)
            self._absorbing.do(lambda: absorb(forms), size)
            return self._absorbing.memory

        def absorb(forms: list[str]) -> int:
            self._counter.absorb(self._analyzer.terms(forms))
            return self._counter.memory

        self._counting.do(count, size)

    def drain(self) -> CountArrays:
        """All rows so far, which are then forgotten; their terms are not."""
        self._counting.wait()
        self._absorbing.wait()
        return self._numbering.drain()

    @property
    def terms(self) -> int:
        """Terms in the dictionary; to be asked after drain()."""
        return self._numbering.terms

    def terms_since(self, first: int) -> Flat:
        return self._numbering.terms_since(first)

    def close(self) -> None:
        self._counting.stop()  # which may wait for the other
        self._absorbing.stop()


class CountRows:
    """Counts of features; a feature's number as text is the term."""

    def __init__(self, known: Sequence[StringTable]) -> None:
        self._counter = _core.Counter(unicode_classes)
        self._numbering = TermNumbering(self._counter, known)

    def add(self, batch: SparseBatch) -> None:
        refuse_fractions(batch)
        features, columns = by_first_appearance(batch.columns)
        rows = counts_from_values(batch.starts, columns, batch.values)
        self._counter.add_rows(rows, [str(feature) for feature in features.tolist()])

    @property
    def memory(self) -> int:
        return self._counter.memory

    def drain(self) -> CountArrays:
        return self._numbering.drain()

    @property
    def terms(self) -> int:
        return self._numbering.terms

    def terms_since(self, first: int) -> Flat:
        return self._numbering.terms_since(first)

    def close(self) -> None:
        """Nothing is held open."""


class ValueRows:
    """Real values of features; a feature's number as text is the term."""

    def __init__(self, known: Sequence[StringTable]) -> None:
        self._numbers = feature_numbers([name for terms in known for name in terms.all()])
        self._parts: list[ValueArrays] = []
        self.memory = 0

    def add(self, batch: SparseBatch) -> None:
        features, columns = by_first_appearance(batch.columns)
        numbers = [self._numbers.setdefault(f, len(self._numbers)) for f in features.tolist()]
        rows: ValueArrays = {
            "starts": batch.starts.astype(np.uint32),
            "columns": np.array(numbers, np.uint32)[columns],
            "values": batch.values,
        }
        self._parts.append(rows)
        self.memory += rows["starts"].nbytes + rows["columns"].nbytes + rows["values"].nbytes

    def drain(self) -> ValueArrays:
        parts, self._parts, self.memory = self._parts, [], 0
        return concatenate_values(parts)

    @property
    def terms(self) -> int:
        return len(self._numbers)

    def terms_since(self, first: int) -> Flat:
        return flatten(map(str, list(self._numbers)[first:]))

    def close(self) -> None:
        """Nothing is held open."""


class DenseRows:
    """Vectors of one length; a column's number as text is the term."""

    def __init__(self, known: Sequence[StringTable]) -> None:
        self.terms = sum(map(len, known))
        self._parts: list[NDArray[np.float32]] = []
        self.memory = 0

    def add(self, batch: DenseBatch) -> None:
        width = batch.values.shape[1]
        if self.terms not in (0, width):
            raise InputError(
                f"{batch.place(0)}: the vector has {width} numbers, those before it have "
                f"{self.terms}: vectors of one index are of one length"
            )
        self.terms = width
        self._parts.append(batch.values)
        self.memory += batch.values.nbytes

    def drain(self) -> NDArray[np.float32]:
        parts, self._parts, self.memory = self._parts, [], 0
        return np.concatenate(parts)

    def terms_since(self, first: int) -> Flat:
        return flatten(map(str, range(first, self.terms)))

    def close(self) -> None:
        """Nothing is held open."""


def are_counts(values: NDArray[np.float32]) -> bool:
    return bool(np.all((values >= 0) & (values == np.floor(values)) & (values < 2**32)))


def refuse_fractions(batch: SparseBatch) -> None:
    if are_counts(batch.values):
        return
    entry = next(i for i, value in enumerate(batch.values) if not are_counts(value))
    row = int(np.searchsorted(batch.starts, entry, "right")) - 1
    raise InputError(
        f"{batch.place(row)}: {batch.values[entry]:g} is no count, but the index holds counts: "
        "create it for real values (kind 'values')"
    )


def feature_numbers(names: Sequence[str]) -> dict[int, int]:
    """Which column each feature has, given the features' numbers as text."""
    try:
        found = {int(name): number for number, name in enumerate(names)}
    except ValueError:
        found = {}
    if len(found) < len(names):
        raise StoreError(f"the index is damaged, its features are not numbered: {REBUILD}")
    return found


def by_first_appearance(columns: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The features that occur, in the order in which they do, and each entry's place in it."""
    features, first, inverse = np.unique(columns, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return features[order], place[inverse]


class TermNumbering:
    """A counter's rows and terms in the numbers of an index, new terms after those it has.

    The counter knows nothing of the index' dictionary. Only the terms that occur are looked up, so
    that adding a little to a large index costs little.
    """

    def __init__(self, counter: Counter, known: Sequence[StringTable]) -> None:
        self._counter = counter
        self._known = known
        self._firsts = np.cumsum([0, *map(len, known)])
        self._numbers = np.zeros(0, np.uint32)  # of the counter's terms, in its order
        self.terms = int(self._firsts[-1])

    def drain(self) -> CountArrays:
        """The rows counted since the last time."""
        rows = self._counter.drain()
        if not self._known:
            self.terms = self._counter.terms
            return rows
        self._number_terms()
        columns = rows["columns"]
        for start in range(0, len(columns), CHUNK):
            chunk = columns[start : start + CHUNK]
            chunk[:] = self._numbers[chunk]
        return rows

    def terms_since(self, first: int) -> Flat:
        """The terms from number `first` on, which must be new ones."""
        if not self._known:
            return Flat(*self._counter.terms_since(first))
        fresh = np.flatnonzero(self._numbers >= first)
        begin = int(fresh[0]) if len(fresh) else len(self._numbers)
        text, ends = self._counter.terms_since(begin)
        starts = np.concatenate([np.zeros(1, np.uint64), ends])
        selected, places = select_entries(starts, fresh - begin)
        chosen = np.frombuffer(text, np.uint8)[places].tobytes()
        return Flat(chosen, selected[1:].astype(np.uint64))

    def _number_terms(self) -> None:
        """Give the counter's new terms the numbers they have, or the next ones."""
        new = Flat(*self._counter.terms_since(len(self._numbers)))
        self._numbers = np.concatenate([self._numbers, *map(self._numbers_of, batches(new))])

    def _numbers_of(self, terms: list[bytes]) -> NDArray[np.uint32]:
        numbers = np.empty(len(terms), np.uint32)
        missing = np.arange(len(terms))
        for first, table in zip(self._firsts, self._known, strict=False):
            local = table.find([terms[i] for i in missing.tolist()])
            numbers[missing[local >= 0]] = first + local[local >= 0]
            missing = missing[local < 0]
        numbers[missing] = np.arange(self.terms, self.terms + len(missing))
        self.terms += len(missing)
        return numbers
