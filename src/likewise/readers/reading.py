"""One entry point for all input: paths, standard input, or documents from a program."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from pathlib import Path, PurePath
from stat import S_ISDIR, S_ISREG
from typing import TYPE_CHECKING, Any

from likewise.document import Document
from likewise.errors import InputError, UsageError
from likewise.readers.attaching import read_attached
from likewise.readers.batch import AnyBatch, Batch, merge
from likewise.readers.foreign import as_table, read_foreign, refuse_splits
from likewise.readers.formats import FORMATS, SUFFIXES
from likewise.readers.objects import as_frame, read_documents, read_frame
from likewise.readers.options import ReadOptions
from likewise.readers.problems import Problems
from likewise.readers.streams import OPENERS, Source, plain_suffix
from likewise.readers.urls import expanded, url_of

if TYPE_CHECKING:
    from likewise.readers.attaching import Kept
    from likewise.readers.roots import Roots

LONGEST_SHOWN = 200  # characters of a path

PathLike = str | os.PathLike[str]
Inode = tuple[int, int]
Item = str | os.PathLike[str] | Document | Mapping[str, Any]
Input = Item | Iterable[Item] | Any  # or a DataFrame, of a package that is not imported
Progress = Callable[[int, int], None]


def read(
    input: Input,
    options: ReadOptions | None = None,
    problems: Problems | None = None,
    progress: Progress | None = None,
    roots: Roots | None = None,
    kept: Kept | None = None,
) -> Iterator[AnyBatch]:
    """Batches of a path or several ("-" is standard input), of Documents or dictionaries, of the
    rows of a DataFrame or another table, of a data set, or of an array of vectors.

    Paths and options are checked at once, the rest as batches are asked for. What cannot be read
    of files in folders, and bad lines of any file, go to `problems`; without it, or if a file
    named directly cannot be read, the first is an error. `progress` gets bytes read and in all.
    `roots` say what ids files have; without them a folder's files have their paths below it.
    `kept` is what an index has of papers whose PDF or record is given now.
    """
    options = options or ReadOptions()
    problems = problems if problems is not None else Problems(strict=True)
    if isinstance(input, (str, os.PathLike)):
        return _read_paths([input], options, problems, progress, roots, kept)
    if isinstance(input, Mapping):
        refuse_splits(input)
    if isinstance(input, (Document, Mapping)):
        input = [input]
    foreign = read_foreign(input, options, problems)
    if foreign is not None:
        return foreign
    frame = as_frame(input) or as_table(input)
    if frame is not None:
        _refuse_file_options(options)
        return read_frame(frame, options, problems)
    if isinstance(input, (bytes, bytearray)) or not isinstance(input, Iterable):
        raise UsageError(f"cannot read a {type(input).__name__}: give paths or documents")
    return _read_iterable(iter(input), options, problems, progress, roots, kept)


def _read_iterable(
    items: Iterator[Any],
    options: ReadOptions,
    problems: Problems,
    progress: Progress | None,
    roots: Roots | None,
    kept: Kept | None,
) -> Iterator[AnyBatch]:
    """The first item decides whether these are paths or documents."""
    first = list(islice(items, 1))
    if first and isinstance(first[0], (str, os.PathLike)):
        return _read_paths([*first, *items], options, problems, progress, roots, kept)
    _refuse_file_options(options)
    return read_documents(chain(first, items), options, problems)


def _refuse_file_options(options: ReadOptions) -> None:
    if options.ids_file is not None or options.format is not None:
        raise UsageError("ids_file and format are for files, not for documents given directly")


def _read_paths(
    paths: Iterable[Any],
    options: ReadOptions,
    problems: Problems,
    progress: Progress | None,
    roots: Roots | None,
    kept: Kept | None,
) -> Iterator[AnyBatch]:
    paths = list(paths)
    for path in paths:
        if not isinstance(path, (str, os.PathLike)):
            raise UsageError(f"{path!r} is not a path, but the first item was: do not mix them")
    sources = find_sources(paths, options, problems, roots)
    told = progress or (lambda done, total: None)
    batches = read_attached(sources, options, problems, told, kept)
    merged = merge_small(batches, options.batch_bytes)
    return roots.watch(merged) if roots else merged


def merge_small(batches: Iterable[AnyBatch], size: int) -> Iterator[AnyBatch]:
    """Small files' batches together, up to about `size` bytes, in order."""
    waiting: list[Batch] = []
    waiting_bytes = 0
    for batch in batches:
        if isinstance(batch, Batch):
            waiting.append(batch)
            waiting_bytes += len(batch.records)
            if waiting_bytes < size // 2:
                continue
            yield merge(waiting)
        else:
            if waiting:
                yield merge(waiting)
            yield batch
        waiting, waiting_bytes = [], 0
    if waiting:
        yield merge(waiting)


def find_sources(
    paths: Iterable[PathLike], options: ReadOptions, problems: Problems, roots: Roots | None
) -> list[Source]:
    """The sources under these paths; a missing path is an error before anything is read."""
    if options.format is not None and options.format not in FORMATS:
        raise UsageError(f"unknown format {options.format!r}: it is one of {', '.join(FORMATS)}")
    if options.ids_file is not None and not options.ids_file.exists():
        raise InputError(f"there is no file {options.ids_file}")
    sources: list[Source] = []
    for path in paths:
        found = list(_sources(path, options, problems))
        if options.only is not None:
            found = [source for source in found if source.path in options.only]
        if roots and path != "-" and not any(source.url for source in found):
            roots.place(path, found)
        sources += found
    _check_options(sources, options)
    return sources


def _sources(path: PathLike, options: ReadOptions, problems: Problems) -> Iterator[Source]:
    if path == "-":
        format = options.format or ""
        yield Source("standard input", "", None, format, encoding=options.encoding)
        return
    if (url := url_of(path)) is not None and not Path(path).exists():
        yield from (_elsewhere(one, options) for one in expanded(url))
        return
    path = Path(path)
    try:
        there = path.exists()
    except OSError:  # a name that is too long to be one
        there = False
    if not there:
        raise InputError(_no_file(str(path)))
    if path.is_dir():
        yield from _in_folder(path, options, problems)
    else:
        yield _named(path, options)


def _no_file(path: str) -> str:
    """The message for a missing path; if it looks like text, it is cut short."""
    if len(path) <= LONGEST_SHOWN and "\n" not in path:
        return f"there is no file or folder {path}"
    start = path[:LONGEST_SHOWN].partition("\n")[0]
    return f"there is no file or folder {start!r}…: give text as Document(id, text)"


def _named(path: Path, options: ReadOptions) -> Source:
    name = _text(path.as_posix())
    format = options.format or SUFFIXES.get(plain_suffix(path), "")
    if not format and path.is_file():
        raise InputError(
            f"{name}: the suffix does not tell its format; known are {', '.join(SUFFIXES)} and "
            f"these with {', '.join(OPENERS)}; or name one of the formats {', '.join(FORMATS)}"
        )
    return Source(name, name, path, format, encoding=options.encoding)


def _elsewhere(url: str, options: ReadOptions) -> Source:
    """A file at a URL, which is its id if it is one document."""
    format = options.format or SUFFIXES.get(plain_suffix(PurePath(url)), "")
    if not format:
        raise InputError(
            f"{url}: the suffix does not tell its format; name one of the formats "
            f"{', '.join(FORMATS)}"
        )
    if FORMATS[format].holds:
        raise InputError(f"{url}: archives are not read from elsewhere: copy it here first")
    return Source(url, url, None, format, encoding=options.encoding, origin=url, url=url)


def _in_folder(folder: Path, options: ReadOptions, problems: Problems) -> Iterator[Source]:
    for path in _walk(folder, frozenset(), problems):
        format = options.format or SUFFIXES.get(plain_suffix(path), "")
        if options.ids_file is not None and path.samefile(options.ids_file):
            continue
        if not format:
            problems.unknown[path.suffix.lower()] += 1
            continue
        name, id = _text(path.as_posix()), _text(path.relative_to(folder).as_posix())
        yield Source(name, id, path, format, in_folder=True, encoding=options.encoding)


def _walk(folder: Path, above: frozenset[Inode], problems: Problems) -> Iterator[Path]:
    """Regular files in order of their names, hidden ones left out, links followed but not back."""
    try:
        status = folder.stat()
        children = sorted(folder.iterdir(), key=lambda child: child.name)
    except OSError as error:
        problems.report(_text(folder.as_posix()), f"the folder cannot be read: {error.strerror}")
        return
    inode = (status.st_dev, status.st_ino)
    for child in children if inode not in above else ():
        if child.name.startswith("."):
            continue
        try:
            mode = child.stat().st_mode
        except OSError as error:
            problems.report(_text(child.as_posix()), f"cannot be read: {error.strerror}")
            continue
        if S_ISDIR(mode):
            if not _is_index(child):
                yield from _walk(child, above | {inode}, problems)
        elif S_ISREG(mode):
            yield child


def _is_index(folder: Path) -> bool:
    """Indexes often lie beside what they are of; their JSON is no document."""
    return (folder / "manifest.json").is_file() and (folder / "segments").is_dir()


def _check_options(sources: list[Source], options: ReadOptions) -> None:
    """Refuse options that apply to none of the sources."""
    formats = [FORMATS[source.format] for source in sources if source.format]
    vectors = sum(format.vectors for format in formats)
    if options.ids_file is not None and vectors != 1:
        raise UsageError(f"an ids file goes with one file of vectors, and {vectors} were given")
    unsure = len(formats) < len(sources) or any(format.holds for format in formats)
    if sources and options.columns and not unsure and not any(f.columns for f in formats):
        names = ", ".join(f"--{role}-column (in Python, {role}_column)" for role in options.columns)
        raise UsageError(f"{names}: none of the files given has columns")


def _text(path: str) -> str:
    """A path as text that can be printed and kept: file names may be any bytes."""
    return os.fsencode(path).decode("utf-8", "replace")
