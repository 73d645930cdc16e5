"""An open index: its generation, going to a newer one, and reading its documents."""

from __future__ import annotations

import sys
import warnings
from copy import copy
from typing import TYPE_CHECKING, Any, Self

from likewise import arguments
from likewise.engines import DEFAULT, engine_of
from likewise.engines.cores import cores
from likewise.errors import Drifted, LikewiseError, Unfinished, UnknownIdError, UsageError
from likewise.filters import as_filter
from likewise.store.disk import reason
from likewise.store.mirror import located, pull
from likewise.store.snapshot import Snapshot
from likewise.text import Analyzer

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator

    from likewise.document import Document
    from likewise.filters import Filter
    from likewise.search.generation import Generation
    from likewise.store.fields import FieldSummary
    from likewise.store.info import Info
    from likewise.store.manifest import Manifest
    from likewise.writers import Record

AFTERWARDS = (LikewiseError, OSError, MemoryError)  # possible errors after a change was written


class OpenIndex:
    """Stays at one generation until `refresh`; reads its documents."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        threads: int | None = None,
        engine: str = DEFAULT,
    ) -> None:
        self.path = arguments.path("path", located(path))
        self._asked_threads = threads
        self.threads = cores() if threads is None else arguments.whole("threads", threads, 1)
        engine_of(engine)  # raises if the engine is unknown
        self.engine = engine
        self._snapshot = Snapshot.open(self.path)
        self._analyzer_ = Analyzer(self._snapshot.settings)
        self._generation: Generation | None = None
        self._warn_of_drift()

    @property
    def analyzer(self) -> Analyzer:
        """Turns the text of queries into terms, as this generation has them."""
        return self.searcher.analyzer

    @property
    def searcher(self) -> Generation:
        """The current generation."""
        from likewise.search.generation import Generation

        snapshot, generation = self._snapshot, self._generation
        if generation is not None and generation.lost:
            generation = None
        if generation is None or generation.snapshot is not snapshot:  # or refreshed meanwhile
            generation = Generation(
                snapshot, self._analyzer_of(snapshot), self.engine, self.threads
            )
            self._generation = generation
        return generation

    @property
    def manifest(self) -> Manifest:
        """What this generation consists of."""
        return self._snapshot.manifest

    @property
    def generation(self) -> int:
        """The number of the generation; each change adds 1."""
        return self._snapshot.generation

    def refresh(self) -> Self:
        """Go to the newest generation; if that is damaged, raise and stay at this one."""
        pull(self.path)
        newest = Snapshot.open(self.path, self._snapshot)
        if newest.manifest != self._snapshot.manifest:
            self._analyzer_of(newest)  # raises if the settings are invalid
            known = self._snapshot.drift
            self._snapshot, self._generation = newest, None
            if newest.drift != known:
                self._warn_of_drift()
        return self

    def move_to(self, other: OpenIndex) -> None:
        """Go to the generation of another handle of this index, and share its caches."""
        self._snapshot, self._generation = other._snapshot, other._generation

    def frozen(self) -> Self:
        """Another handle that stays at this generation, also when this one moves on."""
        return copy(self)

    def __copy__(self) -> Self:
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled by its path: opened there, at the newest generation."""
        return type(self), (self.path, self._asked_threads, self.engine)

    def see_change(self) -> str:
        """Go to the generation just written; returns a note if it cannot be opened."""
        try:
            self.refresh()
        except AFTERWARDS as error:
            why = reason(error)
            note = f"{self.path} is changed, but cannot be opened ({why}): refresh it later"
            warn(note, Unfinished)
            return note
        return ""

    def document(self, id: str) -> Document:
        return self.documents([arguments.one_id(id)])[0]

    def documents(self, ids: Iterable[str]) -> list[Document]:
        """Several documents at once, in the order of their ids."""
        wanted = arguments.ids(ids)
        return list(map(self._snapshot.document, self._refuse_unknown(wanted), wanted))

    def records(
        self, ids: Iterable[str] | None = None, *, filter: Filter | str | None = None
    ) -> Iterator[Record]:
        """Documents for likewise.writers, read one by one: of some ids, or all that match."""
        from likewise.search.records import every, records

        if ids is None:
            mask = self.searcher.kept(as_filter(filter))
            numbers = range(len(self)) if mask is None else mask.nonzero()[0].tolist()
            return every(self._snapshot, numbers)
        if filter is not None:
            raise UsageError("ids and a filter exclude each other: give one of them")
        wanted = arguments.ids(ids)
        self._refuse_unknown(wanted)
        return records(self._snapshot, wanted)

    def export(
        self,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,
        ids: Iterable[str] | None = None,
        filter: Filter | str | None = None,
    ) -> None:
        """Write documents as a file: one of likewise.writers.FORMATS, or what its suffix tells.

        All documents, those of some ids or those that match a filter.
        """
        from likewise.store.disk import replace_file
        from likewise.writers import format_of, written

        target = arguments.path("path", path)
        chosen = format_of(target, format)
        replace_file(target, written(chosen, self.records(ids, filter=filter)))

    def ids(self) -> list[str]:
        """All documents' ids, in the order of their numbers in the corpus."""
        return self._snapshot.ids(range(len(self._snapshot)))

    def terms(self) -> list[str]:
        """All terms, in the order of their numbers in the corpus."""
        return self._snapshot.term_names(range(self._snapshot.terms))

    def words_of(self, terms: Iterable[str]) -> dict[str, str]:
        """A whole word for each term, which may be a stem: its most frequent form."""
        return self.searcher.surface(terms)

    def count(self, filter: Filter | str | None = None, words: str = "") -> int:
        """How many documents match a filter and, if words have them, "phrases" and -words.

        Where more than some thousands have all words of a phrase, these are counted.
        """
        from likewise.search.keywords import Wanted, parse

        mask = self.searcher.kept(as_filter(filter))
        if words and (asked := parse(arguments.text("words", words))).asks:
            return Wanted(self.searcher, asked).count(mask)
        return len(self) if mask is None else int(mask.sum())

    def fields(self, most: int = 20) -> list[FieldSummary]:
        """The fields to filter by, each with at most `most` of its most frequent values."""
        return self.searcher.fields(arguments.whole("most", most, 0))

    def text_fields(self) -> list[str]:
        """The fields with long values, which `fields` does not count; filters read them, too."""
        from likewise.store.fieldnames import field_names

        return sorted(field_names(self._snapshot).texts)

    def info(self) -> Info:
        """Sizes and settings of the index."""
        from likewise.store.info import info_of

        return info_of(self._snapshot)

    def verify(self) -> None:
        """Check every byte on disk against its checksum."""
        self._snapshot.verify()

    def __len__(self) -> int:
        return len(self._snapshot)

    def __contains__(self, id: object) -> bool:
        """Whether there is a document of this id, or that of a hit."""
        id = getattr(id, "id", id)
        return isinstance(id, str) and bool(self._snapshot.numbers([id])[0] >= 0)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.path)!r}, {len(self)} documents)"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Does nothing: changes are complete when they return; maps are freed with the handle."""

    def _warn_of_drift(self) -> None:
        if drift := self._snapshot.drift:
            warn(drift.note(str(self.path)), Drifted)

    def _refuse_unknown(self, ids: list[str]) -> list[int]:
        """The documents' numbers."""
        numbers: list[int] = self._snapshot.numbers(ids).tolist()
        for id in (id for id, number in zip(ids, numbers, strict=True) if number < 0):
            raise UnknownIdError(f"no document {id!r} in {self.path}")
        return numbers

    def _analyzer_of(self, snapshot: Snapshot) -> Analyzer:
        """Today's, with the settings of a generation: the index may have been made anew."""
        known, settings = self._analyzer_, snapshot.settings
        if known.settings != settings:
            known = self._analyzer_ = Analyzer(settings)
        return known


def warn(note: str, category: type[Warning]) -> None:
    """Warn, at the line of the program that called the library."""
    frame, level = sys._getframe(), 1
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("likewise."):
        frame, level = frame.f_back, level + 1
    warnings.warn(note, category, stacklevel=level)
