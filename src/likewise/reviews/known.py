"""Papers that are known before a review begins, found among its records.

By id, DOI or PMID as these are written on lines, or by title; a paper from a file by its DOI, its
PMID or its title. What a file has beside that is from outside: it is an example, not a record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.document import Document, content_id, title_of
from likewise.duplicates.titles import fold
from likewise.errors import InputError, UsageError
from likewise.readers import Problems, ReadOptions, read
from likewise.store.keys import keys_of_values

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from likewise.search.generation import Generation

SHORTEST = 3  # words of a title that a paper is known by
SHOWN = 5  # names in a message


class Match(NamedTuple):
    """What was given, the record that it is, and how that was seen: by id, doi, pmid or title."""

    given: str
    id: str
    by: str


class Known(NamedTuple):
    """`outside` are papers of a file that no record is of, `unknown` names that none has."""

    found: tuple[Match, ...]
    outside: tuple[Document, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def ids(self) -> list[str]:
        return list(dict.fromkeys(one.id for one in self.found))

    def checked(self) -> Known:
        """Raise for names that no record has."""
        if self.unknown:
            more = len(self.unknown) - SHOWN
            rest = f" and {more:,} more" if more > 0 else ""
            names = ", ".join(map(repr, self.unknown[:SHOWN]))
            raise UsageError(
                f"no record has the id, DOI, PMID or title {names}{rest}: leave them out, "
                "or give a file of these papers"
            )
        return self


def look_up(generation: Generation, given: Iterable[str | Path | Document]) -> Known:
    """Strings are names, one each; files and documents are papers."""
    names: list[str] = []
    papers: list[Document] = []
    for one in given:
        if isinstance(one, str):
            names += [one.strip()] if one.strip() else []
        elif isinstance(one, Document):
            papers.append(one)
        else:
            papers += _read(one, generation)
    search = _Search(generation)
    found = [search.name(name) for name in names] + [search.paper(paper) for paper in papers]
    missing = [i for i, one in enumerate(found) if one is None]
    return Known(
        tuple(one for one in found if one is not None),
        tuple(papers[i - len(names)] for i in missing if i >= len(names)),
        tuple(names[i] for i in missing if i < len(names)),
    )


class _Search:
    """Titles are read when the first paper is not found by anything else."""

    def __init__(self, generation: Generation) -> None:
        self._generation, self._snapshot = generation, generation.snapshot
        self._titles: dict[str, int] | None = None

    def name(self, name: str) -> Match | None:
        if self._snapshot.numbers([name])[0] >= 0:
            return Match(name, name, "id")
        return self._by_key(name, {"doi": name, "pmid": name}) or self._by_title(name, name)

    def paper(self, paper: Document) -> Match | None:
        """An id counts if nothing else is known: files number their records as they like."""
        given = paper.title or paper.id
        found = self._by_key(given, paper.fields) or self._by_title(given, paper.title)
        if found is None and self._snapshot.numbers([paper.id])[0] >= 0 and _has_own_id(paper):
            return Match(given, paper.id, "id")
        return found

    def _by_key(self, given: str, values: dict[str, str]) -> Match | None:
        for by, hash in keys_of_values(values):
            wanted = np.array([hash], np.uint64)
            for segment in self._snapshot.segments:
                places = segment.keys.find(wanted).get(hash, [])
                ids: Sequence[str] = segment.ids.strings(np.array(places, np.int64))
                for id in ids:
                    if self._snapshot.numbers([id])[0] >= 0:  # and not deleted since
                        return Match(given, id, by)
        return None

    def _by_title(self, given: str, title: str) -> Match | None:
        (folded,) = fold([title])
        if len(folded.split()) < SHORTEST:
            return None
        if self._titles is None:
            read, documents = self._snapshot.read, range(len(self._snapshot))
            titles = fold(read(number, title_of) for number in documents)
            self._titles = {one: i for i, one in reversed([*enumerate(titles)]) if one}
        number = self._titles.get(folded)
        return None if number is None else Match(given, self._snapshot.ids([number])[0], "title")


def _has_own_id(paper: Document) -> bool:
    """Whether the id was given, or is a hash of the text, and is no mere number."""
    return not paper.id.isdigit() or paper.id == content_id((paper.title, paper.text))


def _read(path: Path, generation: Generation) -> list[Document]:
    fields = generation.snapshot.settings.fields
    problems, found = Problems(), []
    for batch in read(path, ReadOptions(fields=fields), problems):
        found += [Document.from_record(batch.record(i), id) for i, id in enumerate(batch.ids)]
    for problem in problems.listed:
        raise InputError(str(problem))
    return found
