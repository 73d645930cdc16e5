"""What PDFs say of themselves, by which it can be told whose full texts they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from likewise.document import values_of
from likewise.readers.batch import Batch
from likewise.readers.linking import doi_of, title_of
from likewise.readers.options import ReadOptions
from likewise.readers.ordered import read_in_order
from likewise.readers.problems import Problems
from likewise.readers.streams import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

MAGIC = b"%PDF-"
HEAD = 1024  # bytes in which it must stand


class Paper(NamedTuple):
    """A PDF's DOI and title as they are compared, empty if unknown; or why it cannot be read."""

    doi: str = ""
    title: str = ""
    problem: str = ""


def is_pdf(head: bytes) -> bool:
    """By the first bytes of a file, whatever its name is."""
    return MAGIC in head[:HEAD]


def paper(name: str, content: bytes) -> Paper:
    """What one PDF says, whose bytes are in memory."""
    return _papers([Source(name, name, None, "pdf", in_folder=True, content=content)])[name]


def papers(
    paths: Sequence[Path], progress: Callable[[int, int], None] = lambda done, total: None
) -> dict[str, Paper]:
    """What each of these PDFs says, by its path."""
    return _papers([Source(str(at), str(at), at, "pdf", in_folder=True) for at in paths], progress)


def _papers(
    sources: list[Source], progress: Callable[[int, int], None] = lambda done, total: None
) -> dict[str, Paper]:
    problems = Problems(limit=len(sources))
    found = {source.name: Paper() for source in sources}
    for batch in read_in_order(sources, ReadOptions(), problems, progress):
        assert isinstance(batch, Batch)  # PDFs are text
        for i, name in enumerate(batch.sources):
            values = values_of(batch.record(i))
            found[name] = Paper(doi_of(values), title_of(values))
    for one in problems.listed:
        found[one.place] = Paper(problem=one.message)
    return found
