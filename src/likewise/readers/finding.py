"""From paths to sources: files as they are named, folders in a fixed order."""

from __future__ import annotations

import os
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import TYPE_CHECKING

from likewise.errors import InputError, UsageError
from likewise.readers.compression import OPENERS
from likewise.readers.formats import FORMATS, SUFFIXES
from likewise.readers.source import Source, plain_suffix

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems

LONGEST_SHOWN = 200  # characters of a path

PathLike = str | os.PathLike[str]
Inode = tuple[int, int]


def find_sources(
    paths: Iterable[PathLike], options: ReadOptions, problems: Problems
) -> list[Source]:
    """What there is to read. A path that does not exist is an error before anything is read."""
    if options.format is not None and options.format not in FORMATS:
        raise UsageError(f"unknown format {options.format!r}: it is one of {', '.join(FORMATS)}")
    if options.ids_file is not None and not options.ids_file.exists():
        raise InputError(f"there is no file {options.ids_file}")
    sources = [source for path in paths for source in _sources(path, options, problems)]
    _check_options(sources, options)
    return sources


def _sources(path: PathLike, options: ReadOptions, problems: Problems) -> Iterator[Source]:
    if path == "-":
        yield Source("standard input", "", None, options.format or "")
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
    """Text that was taken for a path is cut short, and the way to give text is said."""
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
    return Source(name, name, path, format)


def _in_folder(folder: Path, options: ReadOptions, problems: Problems) -> Iterator[Source]:
    for path in _walk(folder, frozenset(), problems):
        format = options.format or SUFFIXES.get(plain_suffix(path), "")
        if options.ids_file is not None and path.samefile(options.ids_file):
            continue
        if not format:
            problems.unknown[path.suffix.lower()] += 1
            continue
        name, id = _text(path.as_posix()), _text(path.relative_to(folder).as_posix())
        yield Source(name, id, path, format, in_folder=True)


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
            yield from _walk(child, above | {inode}, problems)
        elif S_ISREG(mode):
            yield child


def _check_options(sources: list[Source], options: ReadOptions) -> None:
    """Refuse options that none of the sources can heed."""
    formats = [FORMATS[source.format] for source in sources if source.format]
    vectors = sum(format.vectors for format in formats)
    if options.ids_file is not None and vectors != 1:
        raise UsageError(f"an ids file goes with one file of vectors, and {vectors} were given")
    unsure = len(formats) < len(sources)
    if sources and options.columns and not unsure and not any(f.columns for f in formats):
        names = ", ".join(f"--{role}-column (in Python, {role}_column)" for role in options.columns)
        raise UsageError(f"{names}: none of the files given has columns")


def _text(path: str) -> str:
    """A path as text that can be printed and kept: file names may be any bytes."""
    return os.fsencode(path).decode("utf-8", "replace")
