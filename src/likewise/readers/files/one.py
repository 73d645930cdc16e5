"""From a file's values to its one document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from likewise.errors import InputError
from likewise.readers.records import Entry, batches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from likewise.readers.batch import Batch
    from likewise.readers.formats import Reader
    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems
    from likewise.readers.streams import Source

LARGEST = 1 << 29  # bytes of a file that is held in memory


def one_document(extract: Callable[[Source], dict[str, Any]]) -> Reader:
    """A reader of files that are one document each, whose id is the path."""

    def read(source: Source, options: ReadOptions, problems: Problems) -> Iterator[Batch]:
        values = {key: value for key, value in extract(source).items() if value}
        yield from batches([entry(source, values)], options, problems)

    return read


def entry(source: Source, values: dict[str, Any]) -> Entry:
    """The document of a file; where it lies is kept with it."""
    lies = source.origin or (source.name if source.path else "")
    origin = {"source": lies} if lies else {}
    return Entry(source.name, 0, {"id": source.id, **values, **origin})


def whole(source: Source) -> bytes:
    """All bytes of a source, decompressed."""
    with source.open() as stream:
        data = stream.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise InputError(f"{source.name} is larger than {LARGEST:,} bytes: leave it out")
    return data


def tidy(text: str) -> str:
    """A title or a name in one line."""
    return " ".join(text.split())


def split_title(paragraphs: list[str], longest: int = 300) -> tuple[str, list[str]]:
    """The first paragraph as a title if it may be one, and the others."""
    kept = [paragraph for paragraph in paragraphs if paragraph.strip()]
    if len(kept) > 1 and len(kept[0]) <= longest:
        return tidy(kept[0]), kept[1:]
    return "", kept
