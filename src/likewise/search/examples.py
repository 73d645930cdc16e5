"""Examples as users give them: ids in the index, files, raw text, documents, mixed as they like."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likewise.document import Document, Text, content_id, values_of
from likewise.errors import InputError, UnknownIdError, UsageError
from likewise.readers import Batch, Problems, ReadOptions, read
from likewise.readers.records import texts_of
from likewise.search.found import Hit
from likewise.store.arrays import counts_from_values
from likewise.store.kinds import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from likewise._core import CountArrays
    from likewise.store.snapshot import Snapshot
    from likewise.text import Analyzer

Example = str | Path | Text | Document | Hit | Mapping[str, Any]
Examples = Example | Iterable[Example]


class Gathered(NamedTuple):
    """Examples as document numbers; numbers from len(snapshot) on are `outside` documents."""

    liked: NDArray[np.int64]
    disliked: NDArray[np.int64]
    ids: list[str]  # of all of them, the liked first
    origins: list[int]  # which of the liked examples, as given, each liked document is from
    given: int  # how many liked examples were given
    outside: list[list[str]]  # the terms of each document that is not in the index …
    texts: list[list[str]]  # … and its fields
    carried: Sequence[Text | Document | None] = ()  # … and what may bring its vector


class Gathering:
    """Collects examples; the same document given twice counts once.

    A document given with its text is the document of that id in the index only if the texts are
    equal. If another document has exactly its terms (found by `twin`), it is that one. Otherwise it
    is an outside document, under its own id or, if the index has that id, a hash of its text.
    """

    def __init__(
        self, snapshot: Snapshot, analyzer: Analyzer, twin: Callable[[list[str]], int | None]
    ) -> None:
        self._snapshot, self._analyzer, self._twin = snapshot, analyzer, twin
        self._options = ReadOptions(fields=analyzer.settings.fields)
        self._outside: list[list[str]] = []
        self._outside_texts: list[list[str]] = []
        self._carried: list[Text | Document | None] = []
        self._places: dict[tuple[str, ...], int] = {}

    def __call__(self, liked: Examples, disliked: Examples) -> Gathered:
        """Numbers of all examples, in the order given."""
        origins: dict[int, int] = {}
        given = each(liked)
        sides = [self._numbers(given, origins), self._numbers(each(disliked), {})]
        for number in sides[0].keys() & sides[1].keys():
            raise UsageError(
                f"{sides[0][number]!r} is given both as liked and as disliked: remove one"
            )
        liked_numbers, disliked_numbers = (np.array(list(side), np.int64) for side in sides)
        ids = [*sides[0].values(), *sides[1].values()]
        places = [origins[number] for number in sides[0]]
        outside = (self._outside, self._outside_texts, self._carried)
        return Gathered(liked_numbers, disliked_numbers, ids, places, len(given), *outside)

    def _numbers(self, examples: list[Example], origins: dict[int, int]) -> dict[int, str]:
        """Each document's number and id; `origins` gets the last example that it came from."""
        numbers: dict[int, str] = {}
        examples = [e.id if isinstance(e, Hit) else e for e in examples]
        known = self._numbers_of_ids([e for e in examples if isinstance(e, str)])
        for place, example in enumerate(examples):
            if isinstance(example, str):
                numbers[known[example]] = example
                origins[known[example]] = place
                continue
            if isinstance(example, (Path, Text, Document, Mapping)):
                found = self._numbers_of_documents(example)
            else:
                raise UsageError(
                    f"{example!r} is not an example: give an id, a hit, a Path, Text(...) or a "
                    "Document"
                )
            numbers.update(found)
            origins.update(dict.fromkeys(found, place))
        return numbers

    def _numbers_of_ids(self, ids: list[str]) -> dict[str, int]:
        numbers = dict(zip(ids, self._snapshot.numbers(ids).tolist(), strict=True))
        for id, number in numbers.items():
            if number < 0:
                raise UnknownIdError(
                    f"no document {id!r} in {self._snapshot.directory}: "
                    "give a file as a Path and raw text as Text(...)"
                )
        return numbers

    def _numbers_of_documents(
        self, example: Path | Text | Document | Mapping[str, Any]
    ) -> dict[int, str]:
        if not kind_of(self._snapshot.manifest.kind).has_text:
            raise UsageError(
                f"{self._snapshot.directory} holds vectors: give ids of documents in it as examples"
            )
        numbers: dict[int, str] = {}
        carried = example if isinstance(example, (Text, Document)) else None
        for batch in self._read(example):
            known = self._snapshot.numbers(batch.ids)
            for i, id in enumerate(batch.ids):
                texts = [field[i] for field in batch.texts]
                number, name = self._place(int(known[i]), id, texts, carried)
                numbers[number] = name
        if not numbers:
            raise InputError(f"{example} contains no document")
        return numbers

    def _read(self, example: Path | Text | Document | Mapping[str, Any]) -> Iterator[Batch]:
        """Invalid bytes are replaced, as in indexing; any other problem is an error."""
        given = Document(None, example.text) if isinstance(example, Text) else example
        problems = Problems()
        for batch in read(given, self._options, problems):
            if not isinstance(batch, Batch):
                raise UsageError(f"{example} holds vectors: give ids of documents in the index")
            yield batch
        for problem in problems.listed:
            raise InputError(str(problem))

    def _place(
        self, number: int, id: str, texts: list[str], carried: Text | Document | None
    ) -> tuple[int, str]:
        """A document's number and id, given the number of that id in the index, or −1."""
        if number >= 0 and self._texts(number) == texts:
            return number, id
        terms = [term for text in texts for term in self._analyzer(text)]
        twin = self._twin(terms)
        if twin is not None:
            return twin, self._snapshot.ids([twin])[0]
        name = id if number < 0 else content_id(texts)
        key = (name, *texts)
        if key not in self._places:
            self._places[key] = len(self._snapshot) + len(self._outside)
            self._outside.append(terms)
            self._outside_texts.append(texts)
            self._carried.append(carried)
        return self._places[key], name

    def _texts(self, number: int) -> list[str]:
        """The searched fields of a document in the index."""
        values = self._snapshot.read(number, values_of)
        return texts_of(values, self._options)


def each(examples: Examples) -> list[Example]:
    """One example or several, as a list."""
    if hasattr(examples, "columns"):  # iterating over a table gives the names of its columns
        raise UsageError(
            f"a {type(examples).__name__} is no list of examples: give its column of ids, "
            "as in frame['id']"
        )
    if isinstance(examples, Iterable) and not isinstance(examples, (str, Hit, Mapping)):
        return list(examples)
    return [examples]


def count_rows(documents: list[list[str]], snapshot: Snapshot) -> CountArrays:
    """The documents as rows of an index' matrix; terms that are not in it are left out."""
    counts = [Counter(document) for document in documents]
    terms = [term for document in counts for term in document]
    numbers = snapshot.term_numbers(terms)
    known = numbers >= 0
    row = np.repeat(np.arange(len(counts)), [len(document) for document in counts])[known]
    amounts = np.array([n for document in counts for n in document.values()], np.int64)[known]
    starts = np.searchsorted(row, np.arange(len(counts) + 1))
    return counts_from_values(starts, numbers[known], amounts)
