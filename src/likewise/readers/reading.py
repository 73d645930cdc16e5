"""One door for all input: paths, standard input, or documents from a program."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from likewise.document import Document
from likewise.errors import InputError, UsageError
from likewise.readers.batch import AnyBatch, Batch, merge
from likewise.readers.finding import find_sources
from likewise.readers.formats import FORMATS
from likewise.readers.frames import as_frame
from likewise.readers.given import read_frame, read_given
from likewise.readers.options import ReadOptions
from likewise.readers.problems import Problems

if TYPE_CHECKING:
    from likewise.readers.source import Source

Item = str | os.PathLike[str] | Document | Mapping[str, Any]
Input = Item | Iterable[Item] | Any  # or a DataFrame, of a package that is not imported
Progress = Callable[[int, int], None]


def read(
    input: Input,
    options: ReadOptions | None = None,
    problems: Problems | None = None,
    progress: Progress | None = None,
) -> Iterator[AnyBatch]:
    """Batches of a path or several ("-" is standard input), of Documents or dictionaries, or of
    the rows of a DataFrame.

    Paths and options are checked at once, the rest as batches are asked for. What cannot be read
    of files in folders, and bad lines of any file, go to `problems`; without it, or if a file
    named directly cannot be read, the first is an error. `progress` gets bytes read and in all.
    """
    options = options or ReadOptions()
    problems = problems if problems is not None else Problems(strict=True)
    if isinstance(input, (str, os.PathLike)):
        return _read_paths([input], options, problems, progress)
    if isinstance(input, (Document, Mapping)):
        input = [input]
    frame = as_frame(input)
    if frame is not None:
        _refuse_file_options(options)
        return read_frame(frame, options, problems)
    if isinstance(input, (bytes, bytearray)) or not isinstance(input, Iterable):
        raise UsageError(f"cannot read a {type(input).__name__}: give paths or documents")
    return _read_iterable(iter(input), options, problems, progress)


def _read_iterable(
    items: Iterator[Any], options: ReadOptions, problems: Problems, progress: Progress | None
) -> Iterator[AnyBatch]:
    """The first item tells whether these are paths or documents."""
    first = list(islice(items, 1))
    if first and isinstance(first[0], (str, os.PathLike)):
        return _read_paths([*first, *items], options, problems, progress)
    _refuse_file_options(options)
    return read_given(chain(first, items), options, problems)


def _refuse_file_options(options: ReadOptions) -> None:
    if options.ids_file is not None or options.format is not None:
        raise UsageError("ids_file and format are for files, not for documents given directly")


def _read_paths(
    paths: Iterable[Any], options: ReadOptions, problems: Problems, progress: Progress | None
) -> Iterator[AnyBatch]:
    paths = list(paths)
    for path in paths:
        if not isinstance(path, (str, os.PathLike)):
            raise UsageError(f"{path!r} is not a path, but the first item was: do not mix them")
    sources = find_sources(paths, options, problems)
    batches = _with_progress(sources, options, problems, progress or (lambda done, total: None))
    return _merge_small(batches, options.batch_bytes)


def _with_progress(
    sources: list[Source], options: ReadOptions, problems: Problems, progress: Progress
) -> Iterator[AnyBatch]:
    total = sum(source.size for source in sources)
    done = 0
    for source in sources:
        for batch in _read_source(source, options, problems):
            progress(done + source.position, total)
            yield batch
        done += source.size
        progress(done, total)


def _read_source(source: Source, options: ReadOptions, problems: Problems) -> Iterator[AnyBatch]:
    """A source that fails is a problem if it was found in a folder, and an error if named."""
    try:
        if not source.format:
            source.recognise()
        yield from FORMATS[source.format].load()(source, options, problems)
    except InputError as error:
        if problems.strict or not source.in_folder:
            raise
        problems.report(source.name, str(error).removeprefix(source.name).lstrip(":, "))


def _merge_small(batches: Iterable[AnyBatch], size: int) -> Iterator[AnyBatch]:
    """Small files' batches together, up to about `size` bytes, in order."""
    waiting: list[Batch] = []
    waiting_bytes = 0
    for batch in batches:
        if isinstance(batch, Batch):
            waiting.append(batch)
            waiting_bytes += len(batch.records)
            if waiting_bytes < size // 2:
                continue
            yield _joined(waiting)
        else:
            if waiting:
                yield _joined(waiting)
            yield batch
        waiting, waiting_bytes = [], 0
    if waiting:
        yield _joined(waiting)


def _joined(batches: list[Batch]) -> Batch:
    return batches[0] if len(batches) == 1 else merge(batches)
