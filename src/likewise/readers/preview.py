"""The documents of one file whose bytes are in memory, for callers that must bound the work.

Nothing is read from disk: the name only tells the format and stands in messages.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import NamedTuple

from likewise.document import Document
from likewise.errors import InputError, UsageError
from likewise.readers.batch import Batch
from likewise.readers.formats import FORMATS
from likewise.readers.options import ReadOptions
from likewise.readers.ordered import read_source
from likewise.readers.problems import Problem, Problems
from likewise.readers.streams import OPENERS, PACKED, Source, plain_suffix

COMPRESSED = ".gz"  # the only compression whose output arrives in small, bounded pieces everywhere
LONGEST_ROW = 1 << 20  # characters of a row of CSV; each broken quote costs reading that much
TEXT_FORMATS = {name: format for name, format in FORMATS.items() if not format.vectors}
TEXT_SUFFIXES = {
    suffix: name
    for name, format in TEXT_FORMATS.items()
    for suffix in format.suffixes
    if PACKED.get(suffix, COMPRESSED) == COMPRESSED
}


class Limits(NamedTuple):
    """How much a preview may hold: bytes once decompressed, documents, problems."""

    bytes: int = 8 << 20
    documents: int = 200
    problems: int = 20


class Preview(NamedTuple):
    """The documents of a file in its order, and what was left out of it and why.

    `characters_replaced` counts characters that stand for bytes that are not valid text.
    """

    documents: list[Document]
    problems: list[Problem]
    characters_replaced: int


DEFAULT_LIMITS = Limits()


def preview(
    name: str, content: bytes, *, format: str | None = None, limits: Limits = DEFAULT_LIMITS
) -> Preview:
    """Read a file of documents in any format but vectors, also as .gz.

    `name` tells the format unless `format` does. A file that cannot be read, or that exceeds a
    limit, is an InputError; lines that cannot be read are problems. A document without a title
    and a text is a problem too.
    """
    source = _source(name, content, format, limits)
    problems = Problems(most=limits.problems)
    options = ReadOptions(longest_row=LONGEST_ROW, processes=1)
    documents: list[Document] = []
    for batch in read_source(source, options, problems):
        assert isinstance(batch, Batch)  # _source refuses vectors
        _check_count(source.name, len(documents) + len(batch), limits)
        documents += _documents(batch, problems)
    if problems.unknown and not documents:
        raise InputError(f"{source.name} holds no file that can be read")
    return Preview(documents, problems.listed, sum(problems.replaced.values()))


def _source(name: str, content: bytes, format: str | None, limits: Limits) -> Source:
    path = PurePath(name)
    if format is not None and format not in TEXT_FORMATS:
        raise UsageError(f"unknown format {format!r}: choose {', '.join(TEXT_FORMATS)}")
    suffix = path.suffix.lower()
    found = format or TEXT_SUFFIXES.get(plain_suffix(path))
    if found is None or (suffix in OPENERS and suffix != COMPRESSED):
        raise InputError(
            f"{path.name} cannot be read: give a file that ends in {', '.join(TEXT_SUFFIXES)}, "
            f"or in one of these and {COMPRESSED}"
        )
    return Source(path.name, path.name, None, found, content=content, limit=limits.bytes)


def _check_count(name: str, count: int, limits: Limits) -> None:
    if count > limits.documents:
        raise InputError(f"{name} has more than {limits.documents} documents: give a part of it")


def _documents(batch: Batch, problems: Problems) -> list[Document]:
    documents = []
    for i in range(len(batch)):
        document = Document.from_record(batch.record(i), batch.ids[i])
        if document.title.strip() or document.text.strip():
            documents.append(document)
        else:
            problems.report(batch.place(i), "it has neither a title nor a text")
    return documents
