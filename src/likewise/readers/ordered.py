"""Sources read one after another, some of them ahead by other processes; archives opened.

Documents come in the order of the sources, however many processes read them.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from likewise.errors import InputError
from likewise.readers.apart import Readers, Reading
from likewise.readers.archives import EVERY, members
from likewise.readers.formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator

    from likewise.readers.batch import AnyBatch
    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems
    from likewise.readers.streams import Source

    Progress = Callable[[int, int], None]

AHEAD = 4  # sources for each process that are begun before their turn
AHEAD_BYTES = 1 << 27  # of files out of archives that wait


class _Next(NamedTuple):
    """A source whose turn comes, how far it brings the reading, and who reads it ahead."""

    source: Source
    done: Callable[[], int]
    reading: Reading | None


def read_in_order(
    sources: list[Source],
    options: ReadOptions,
    problems: Problems,
    progress: Progress,
    formats: Container[str] = EVERY,
) -> Iterator[AnyBatch]:
    """The batches of all sources, and of files of these formats in archives.

    `progress` gets bytes read and in all.
    """
    total = sum(source.size for source in sources)
    with Readers(options.processes) as readers:
        for turn in _ahead(_opened(sources, problems, formats), readers, options, problems):
            for batch in _batches(turn, options, problems):
                progress(min(turn.done(), total), total)
                yield batch
            progress(min(turn.done(), total), total)
    progress(total, total)


def read_source(source: Source, options: ReadOptions, problems: Problems) -> Iterator[AnyBatch]:
    """The batches of one source; whatever it lacks is an InputError."""
    progress = lambda done, total: None  # noqa: E731
    return read_in_order([source], options, problems, progress)


def _opened(
    sources: Iterable[Source], problems: Problems, formats: Container[str]
) -> Iterator[tuple[Source, Callable[[], int]]]:
    """Each source, or the files in it, with how many bytes have been read when it is done."""
    before = 0
    for source in sources:
        if not source.format:
            yield source, _position(before, source)
        elif FORMATS[source.format].holds:
            try:
                for member in members(source, problems, formats):
                    reached = before + source.position
                    yield member, lambda reached=reached: reached  # type: ignore[misc]
            except InputError as error:
                if source.format in formats:
                    _report(source, error, problems)
        else:
            yield source, _position(before, source)
        before += source.size


def _position(before: int, source: Source) -> Callable[[], int]:
    return lambda: before + source.position


def _ahead(
    found: Iterator[tuple[Source, Callable[[], int]]],
    readers: Readers,
    options: ReadOptions,
    problems: Problems,
) -> Iterator[_Next]:
    """Each source in turn; those that other processes read are begun before."""
    waiting: deque[_Next] = deque()
    held = 0
    for source, done in found:
        apart = bool(source.format) and FORMATS[source.format].apart
        reading = readers.begin(source, options, problems) if apart else None
        waiting.append(_Next(source, done, reading))
        held += len(source.content or b"")
        while len(waiting) > AHEAD * readers.processes or (waiting and held > AHEAD_BYTES):
            turn = waiting.popleft()
            held -= len(turn.source.content or b"")
            yield turn
    yield from waiting


def _batches(turn: _Next, options: ReadOptions, problems: Problems) -> Iterator[AnyBatch]:
    """A source that fails is a problem if it was found in a folder, and an error if named."""
    source = turn.source
    try:
        if turn.reading is not None:
            yield from turn.reading.batches(problems)
            return
        if not source.format:
            source.recognise()
        yield from FORMATS[source.format].load()(source, options, problems)
    except InputError as error:
        _report(source, error, problems)
    finally:
        source.close()


def _report(source: Source, error: InputError, problems: Problems) -> None:
    if problems.strict or not source.in_folder:
        raise error
    problems.report(source.name, str(error).removeprefix(source.name).lstrip(":, "))
