"""What was read from which file: how many records, how many of them were duplicates or unreadable.

Counts are kept in the manifest, so they change with the documents, in one step. A file that comes
again as it was is counted once: a digest of its records tells. Files of one document each count
together, by their folder. The oldest are put together once there are many, so that a manifest
stays small.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import msgspec
from xxhash import xxh3_64

from likewise.readers.problems import SOURCE as GIVEN
from likewise.readers.problems import source_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from likewise.readers.batch import Records
    from likewise.store.beside import Beside

MOST = 40  # files that are told apart
LONGEST = 120  # characters of a name
OTHERS = "other files"


class SourceCounts(msgspec.Struct, frozen=True, omit_defaults=True):
    """One file, by its name without folders; `digest` is that of its records.

    `skipped` counts records that were left out because an earlier one has their id, DOI or PMID,
    by that key; `replaced` those that took the place of an earlier one.
    """

    name: str
    digest: str = ""
    read: int = 0
    skipped: dict[str, int] = {}
    replaced: dict[str, int] = {}
    unreadable: int = 0

    @property
    def records(self) -> int:
        """Without those that came again under their id, to renew what was there."""
        return self.read - self.replaced.get("id", 0)

    @property
    def duplicates(self) -> int:
        """Records of papers that were there under another id or in another file."""
        again = sum(n for key, n in self.replaced.items() if key != "id")
        return again + sum(self.skipped.values())

    def plus(self, other: SourceCounts) -> SourceCounts:
        """Both together, under this one's name."""
        return SourceCounts(
            self.name,
            read=self.read + other.read,
            skipped=dict(Counter(self.skipped) + Counter(other.skipped)),
            replaced=dict(Counter(self.replaced) + Counter(other.replaced)),
            unreadable=self.unreadable + other.unreadable,
        )


@dataclass(slots=True)
class _Counting:
    digest: xxh3_64 = field(default_factory=xxh3_64)
    read: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    replaced: Counter[str] = field(default_factory=Counter)


class Tally:
    """Counts the records of one addition by their file; another thread may take their digests."""

    def __init__(self, beside: Beside | None = None) -> None:
        self._found: dict[str, _Counting] = {}
        self._beside = beside

    def read(self, batch: Records) -> None:
        """All records of a batch, before any is left out."""
        end, first = 0, 0
        parts: list[tuple[xxh3_64, memoryview]] = []
        for (source, part), n in _runs(batch):
            one = self._of(_name(source, part=part))
            start, end, first = end, int(batch.ends[first + n - 1]), first + n
            one.read += n
            parts.append((one.digest, memoryview(batch.records)[start:end]))
        if self._beside is None:
            _digest(parts)
        else:
            self._beside.do(lambda: _digest(parts))

    def skip(self, batch: Records, i: int, key: str) -> None:
        one = self._at(batch, i)
        if key == "id" and not batch.lines[i]:
            one.read -= 1  # a file of one document, which is there already
        else:
            one.skipped[key] += 1

    def replace(self, batch: Records, i: int, key: str) -> None:
        self._at(batch, i).replaced[key] += 1

    def with_earlier(
        self,
        earlier: tuple[SourceCounts, ...],
        unreadable: Mapping[str, int],
        *,
        changed: bool,
    ) -> tuple[SourceCounts, ...]:
        """Counts of an index after this addition; `changed` says whether it has new documents.

        What a program gives is no file that somebody exported: it counts where it adds something.
        """
        if self._beside is not None:
            self._beside.wait()
        lost: Counter[str] = Counter()
        for place, n in unreadable.items():
            own = _name(place, part=True)
            part = own in self._found or source_of(place) != place
            lost[own if part else _name(place, part=False)] += n
        known = {one.digest for one in earlier if one.digest}
        found = list(earlier)
        for name in dict.fromkeys((*self._found, *lost)):
            one = self._found.get(name, _Counting())
            digest = "" if name == GIVEN else one.digest.hexdigest()
            if (one.read and digest in known) or (name == GIVEN and not changed):
                continue
            if not one.read and any(name == known.name for known in earlier):
                continue  # nothing could be read of it, as before
            new = SourceCounts(
                name, digest, one.read, dict(one.skipped), dict(one.replaced), lost[name]
            )
            found = _joined(found, new) if name == GIVEN else [*found, new]
        return _few(found)

    def _at(self, batch: Records, i: int) -> _Counting:
        return self._of(_name(batch.sources[i], part=bool(batch.lines[i])))

    def _of(self, name: str) -> _Counting:
        return self._found.setdefault(name, _Counting())


def _digest(parts: Iterable[tuple[xxh3_64, memoryview]]) -> int:
    """Take records into their files' digests; it takes no memory."""
    for digest, records in parts:
        digest.update(records)
    return 0


def _runs(batch: Records) -> Iterator[tuple[tuple[str, bool], int]]:
    """Neighbours of one source: its name, whether they are parts of it, and how many they are."""
    if batch.lines.all() and len(set(batch.sources)) == 1:  # most often
        yield (batch.sources[0], True), len(batch)
        return
    within = (batch.lines > 0).tolist()
    for found, group in groupby(zip(batch.sources, within, strict=True)):
        yield found, sum(1 for _ in group)


def by_name(sources: Iterable[SourceCounts]) -> dict[str, SourceCounts]:
    """Files of one name together, in the order in which they came."""
    found: dict[str, SourceCounts] = {}
    for one in sources:
        found[one.name] = found[one.name].plus(one) if one.name in found else one
    return found


def _name(source: str, *, part: bool) -> str:
    """A file's name, or that of its folder where the file is one document and not a part of it."""
    path = PurePosixPath(source_of(source))
    name = path.parent.name if not part and path.parent.name else path.name
    return (name or source)[:LONGEST]


def _joined(found: list[SourceCounts], new: SourceCounts) -> list[SourceCounts]:
    if not any(one.name == new.name for one in found):
        return [*found, new]
    return [one.plus(new) if one.name == new.name else one for one in found]


def _few(found: list[SourceCounts]) -> tuple[SourceCounts, ...]:
    """At most so many, the oldest files as one."""
    if len(found) <= MOST:
        return tuple(found)
    others = SourceCounts(OTHERS)
    kept = [one for one in found if one.name == GIVEN]
    files = [one for one in found if one.name != GIVEN]
    while len(files) + len(kept) + 1 > MOST:
        others = others.plus(files.pop(0))
    return (*kept, others, *files)
