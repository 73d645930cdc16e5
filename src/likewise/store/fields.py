"""Documents' fields by column, so that a filter need not read records.

A column holds the field's different values as they stand in the records, lists included, and for
each document the number of its value; the first is null, for documents that do not have the field.
Fields with long values have no column; their names are kept, so that it is known where records
must be read after all.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec
import numpy as np

from likewise import _core
from likewise.document import ID_NAMES, TEXT_NAMES, TITLE_NAMES, values_of
from likewise.filters import scalars
from likewise.store.strings import Flat, batches, narrow
from likewise.store.structure import column_part

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from likewise._core import Lines
    from likewise.filters import Condition, Filter
    from likewise.store.container import Container
    from likewise.store.segment import Segment
    from likewise.store.snapshot import Snapshot

    Arrays = Callable[[str], NDArray[Any]]
    Mask = NDArray[np.bool_]

Kind = Literal["number", "date", "text", "boolean", "mixed"]
ABSENT = b"null"
LONGEST = 100  # bytes of a value; a field with a longer one is text
LONGEST_LIST = 300
LONGEST_NAME = 200
MOST_FIELDS = 200
UNNAMEABLE = re.compile(r'[\x00-\x1f"\\]')  # in a structure of msgspec
DATE = re.compile(r"\d{4}-\d\d(-\d\d)?(?![\d-])")
ROLES = frozenset({*ID_NAMES, *TITLE_NAMES, *TEXT_NAMES})  # always read from records

_by_name = msgspec.json.Decoder(dict[str, msgspec.Raw])


class Names(msgspec.Struct, frozen=True):
    """The fields of a segment: those with a column, in their order, and those without.

    `complete` says that there are no others.
    """

    stored: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    complete: bool = True


class Column:
    """One field of one segment; `arrays` gives `text` and `ends` of the values, and `codes`."""

    def __init__(self, arrays: Arrays, decode: Callable[[Flat], list[Any]]) -> None:
        self._arrays, self._decode = arrays, decode

    @cached_property
    def values(self) -> list[Any]:
        """The different values, in the order of their codes."""
        return self._decode(Flat(self._arrays("text").tobytes(), self._arrays("ends")))

    @property
    def codes(self) -> NDArray[np.unsignedinteger]:
        return self._arrays("codes")

    def matching(self, condition: Condition) -> Mask:
        """Which documents meet a condition on this field."""
        values = self.values
        accepted = np.fromiter(map(condition.matches, values), np.bool_, len(values))
        return np.take(accepted, self.codes)

    def counts(self, live: Mask) -> NDArray[np.int64]:
        """How many of some documents have each value."""
        return np.bincount(self.codes[live], minlength=len(self.values))


class Columns(NamedTuple):
    """The fields of one segment."""

    names: Names
    stored: Mapping[str, Column]
    documents: int

    def tells(self, field: str) -> bool:
        """Whether all is known of a field without reading records."""
        return field in self.stored or (self.names.complete and field not in self.names.left_out)

    def matching(self, condition: Condition) -> Mask | None:
        """Which documents meet a condition; None if only their records can tell."""
        column = self.stored.get(condition.field)
        if column is not None:
            return column.matching(condition)
        if not self.tells(condition.field):
            return None
        return np.full(self.documents, condition.matches(None))


def open_columns(file: Container, documents: int) -> Columns:
    """The columns that a segment's file holds."""
    data = file.array("columns").data
    names = file.understood("columns", lambda: msgspec.json.decode(data, type=Names))
    stored = {
        name: _column_of(file, f"columns.{number}", documents)
        for number, name in enumerate(names.stored)
    }
    return Columns(names, stored, documents)


def _column_of(file: Container, name: str, documents: int) -> Column:
    return Column(
        lambda part: column_part(file, name, part, documents),
        lambda flat: file.understood(f"{name}.text", lambda: flat_values(flat)),
    )


def flat_values(flat: Flat) -> list[Any]:
    """JSON values one after another, each of which has an end."""
    values = decode_values([value for some in batches(flat) for value in some])
    if len(values) != len(flat.ends):
        raise ValueError(f"{len(flat.ends)} values were expected, {len(values)} are there")
    return values


def decode_values(values: list[bytes]) -> list[Any]:
    """JSON values, as they would be in their records."""
    joined = b"[%b]" % b",".join(values)
    try:
        return msgspec.json.decode(joined, type=list[Any])
    except msgspec.DecodeError:  # a number beyond a double's range, which JSON does allow
        import json  # which few indexes need

        return list(json.loads(joined))


class ColumnBuilder:
    """Makes columns out of records, as they pass by on their way to disk.

    Records of one collection are alike, so they are decoded as a structure of the fields met so
    far; when a new field turns up, the structure is made anew. Values stay as they are written: a
    value is looked at once, when it is first met, and only counted from then on. If one record
    cannot be decoded, there are no columns at all.
    """

    def __init__(self) -> None:
        self._documents = 0
        self._growing: dict[str, _core.Codes] = {}
        self._left_out: dict[str, None] = {}
        self._complete = True
        self._readable = True
        self._layout = self._make_layout()

    def add(self, records: bytes | memoryview, scanned: Lines | None = None) -> None:
        """Records one a line; `scanned` if it is known what is where in them."""
        if scanned is not None and self._readable:
            self._meet(scanned.keys)
            added = {name: c.add_lines(scanned, name) for name, c in self._growing.items()}
            self._added(added, len(scanned))
            return
        lines = self._decode(records) if self._readable else None
        if lines is None:
            return
        fields = enumerate(self._growing.items())
        values = {name: (c, map(bytes, map(attrgetter(f"f{i}"), lines))) for i, (name, c) in fields}
        self._added({name: c.add(written) for name, (c, written) in values.items()}, len(lines))

    def _added(self, fits: Mapping[str, bool], documents: int) -> None:
        """Leave out the fields that have values which a column cannot hold."""
        for name in (name for name, fit in fits.items() if not fit):
            del self._growing[name]
            self._left_out[name] = None
        self._documents += documents
        if self._layout.fields != len(self._growing):
            self._layout = self._make_layout()

    @property
    def memory(self) -> int:
        """About how many bytes this takes."""
        return sum(column.memory for column in self._growing.values())

    def arrays(self) -> Iterator[tuple[str, NDArray[Any]]]:
        """The sections that `open_columns` reads; none if some record could not be decoded."""
        if not self._readable:
            return
        yield "columns", np.frombuffer(msgspec.json.encode(self._names()), np.uint8)
        for number, column in enumerate(self._growing.values()):
            for part, values in _parts(column).items():
                yield f"columns.{number}.{part}", values

    def columns(self) -> Columns | None:
        """The columns as they are, without a file."""
        if not self._readable:
            return None
        stored = {
            name: Column(_parts(c).__getitem__, flat_values) for name, c in self._growing.items()
        }
        return Columns(self._names(), stored, self._documents)

    def _names(self) -> Names:
        return Names(tuple(self._growing), tuple(self._left_out), self._complete)

    def _decode(self, records: bytes | memoryview) -> Sequence[Any] | None:
        try:
            return self._layout.decode(records)
        except msgspec.DecodeError:  # a name not met before, or no JSON that msgspec reads
            pass
        try:
            self._meet(chain.from_iterable(_by_name.decode_lines(records)))
            return self._layout.decode(records)
        except msgspec.DecodeError:
            self._readable = False
            self._growing.clear()
            return None

    def _meet(self, names: Iterable[str]) -> None:
        new = [
            n for n in dict.fromkeys(names) if n not in self._growing and n not in self._left_out
        ]
        for name in new:
            full = len(self._growing) + len(self._left_out) >= MOST_FIELDS
            if full or len(name) > LONGEST_NAME or UNNAMEABLE.search(name):
                self._complete = False
            elif name in ROLES:
                self._left_out[name] = None
            else:
                self._growing[name] = _core.Codes(self._documents, LONGEST, LONGEST_LIST)
        if new:
            self._layout = self._make_layout()

    def _make_layout(self) -> _Layout:
        return _Layout(list(self._growing), list(self._left_out), complete=self._complete)


class _Layout:
    """Lines as structures: what is to be stored is f0, f1, …; what is left out is passed over."""

    def __init__(self, stored: list[str], left_out: list[str], *, complete: bool) -> None:
        self.fields = len(stored)
        names = [*stored, *left_out]
        made = msgspec.defstruct(
            "Line",
            [(f"f{place}", msgspec.Raw, msgspec.Raw(ABSENT)) for place in range(len(names))],
            rename={f"f{place}": name for place, name in enumerate(names)},
            forbid_unknown_fields=complete,
            gc=False,
        )
        self.decode = msgspec.json.Decoder(made).decode_lines


def _parts(column: _core.Codes) -> dict[str, NDArray[Any]]:
    """What is stored of a column."""
    text, ends, codes = column.arrays()
    small = np.min_scalar_type(len(column))
    return {"text": text, "ends": narrow(ends), "codes": codes.astype(small)}


def matching(snapshot: Snapshot, filter: Filter) -> Mask:
    """A mask over the live documents, read-only."""
    found = [_of_segment(segment, filter.conditions) for segment in snapshot.segments]
    mask = np.concatenate([np.zeros(0, np.bool_), *found])
    mask.flags.writeable = False
    return mask


def _of_segment(segment: Segment, conditions: Sequence[Condition]) -> Mask:
    """By columns first; records are read of documents that these leave, for what is left."""
    mask = ~segment.deleted_mask()
    left: list[Condition] = []
    for condition in conditions:
        found = segment.columns.matching(condition) if segment.columns else None
        if found is None:
            left.append(condition)
        else:
            mask &= found
    if left:
        for number in np.flatnonzero(mask).tolist():
            values = segment.read(number, values_of)
            mask[number] = all(c.matches(values.get(c.field)) for c in left)
    return mask if segment.live is None else mask[segment.live]


class FieldSummary(NamedTuple):
    """What documents have in a field: how many have it, and its values, most frequent first.

    Items of a list count one by one. `distinct` counts all different values, `values` has at most
    as many as were asked for; `least` and `most` are of the numbers or, where there are none, of
    the texts. `kind` is number, date, text, boolean or mixed.
    """

    name: str
    documents: int
    distinct: int
    values: list[tuple[Any, int]]
    least: Any
    most: Any
    kind: Kind


def summarise(snapshot: Snapshot, most: int) -> list[FieldSummary]:
    """Fields with columns, those that most documents have first.

    A field that only the records of some segment can tell of has none, as after merging.
    """
    present: Counter[str] = Counter()
    counts: dict[str, Counter[tuple[type, Any]]] = {}
    segments = [segment for segment in snapshot.segments if segment.entry.live]
    known = [segment.columns for segment in segments if segment.columns]
    if len(known) < len(segments):
        return []
    for segment, columns in zip(segments, known, strict=True):
        live = ~segment.deleted_mask()
        for name, column in columns.stored.items():
            if not all(other.tells(name) for other in known):
                continue
            counted = counts.setdefault(name, Counter())
            for value, number in zip(column.values, column.counts(live).tolist(), strict=True):
                items = {(type(item), item) for item in scalars(value)}
                present[name] += number if items else 0
                for item in items if number else ():
                    counted[item] += number
    return [_summary(name, n, counts[name], most) for name, n in present.most_common() if n]


def _summary(
    name: str, documents: int, counts: Counter[tuple[type, Any]], most: int
) -> FieldSummary:
    values = [(value, n) for (_, value), n in counts.most_common()]
    numbers = [v for v, _ in values if isinstance(v, (int, float)) and not isinstance(v, bool)]
    comparable: list[Any] = numbers or [v for v, _ in values if isinstance(v, str)]
    least, greatest = (min(comparable), max(comparable)) if comparable else (None, None)
    kinds = {_kind(value) for value, _ in values}
    kind: Kind = kinds.pop() if len(kinds) == 1 else "mixed"
    if kinds == {"text", "date"}:
        kind = "text"
    return FieldSummary(name, documents, len(values), values[:most], least, greatest, kind)


def _kind(value: Any) -> Kind:
    if isinstance(value, str):
        return "date" if DATE.match(value) else "text"
    return "boolean" if isinstance(value, bool) else "number"
