"""Examples as they are written on the command line: id:…, files, or - for standard input."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from likewise.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.index import Index
    from likewise.search.examples import Example

ID = "id:"
STANDARD_INPUT = "-"
PATTERN = re.compile(r"[*?\[]")


def examples(index: Index, directory: Path, value: str) -> list[Example]:
    """The examples that a value stands for: several, where it is a pattern of files."""
    path = Path(value)
    if value == STANDARD_INPUT or value.startswith(ID) or not PATTERN.search(value):
        return [_example(index, directory, value)]
    if path.exists():  # under just this name
        return [_example(index, directory, value)]
    start = Path(path.anchor) if path.is_absolute() else Path()
    files = sorted(one for one in start.glob(str(path.relative_to(start))) if one.is_file())
    if not files:
        raise UsageError(f"there is no file that matches {value}")
    return [_example(index, directory, str(one)) for one in files]


def _example(index: Index, directory: Path, value: str) -> Example:
    """The example that a value of --like or --unlike stands for; nothing is guessed."""
    if value == STANDARD_INPUT:
        return _standard_input()
    if value.startswith(ID):
        return _known(index, directory, value.removeprefix(ID))
    path = Path(value)
    if path.is_file():
        _refuse_unknown_suffix(path)
    elif not path.is_dir():
        known = value if value in index else "…"
        raise UsageError(f"there is no file {value}: give a document of the index as id:{known}")
    return path


def weights(values: Sequence[str], given: Sequence[str]) -> list[float] | None:
    """The examples' weights, given as X=N; None if no example has one."""
    if not given:
        return None
    pairs = [_weight(one, values) for one in given]
    of = dict(pairs)
    if len(of) < len(pairs):
        raise UsageError("--weight: give each example one weight only")
    return [of.get(value, 1.0) for value in values]


def _standard_input() -> Example:
    from likewise.document import Text

    if sys.stdin is None:
        raise UsageError("standard input is closed: - reads an example from it")
    return Text(sys.stdin.buffer.read().decode("utf-8", "replace"))


def _known(index: Index, directory: Path, id: str) -> str:
    if id not in index:
        raise UsageError(f"no document {id!r} in {directory}")
    return id


def _refuse_unknown_suffix(path: Path) -> None:
    from likewise.readers.formats import SUFFIXES
    from likewise.readers.streams import plain_suffix

    if plain_suffix(path) not in SUFFIXES:
        raise UsageError(
            f"{path} has an unknown suffix: if it is plain text, give it on standard input, "
            "with - instead of the file's name"
        )


def _weight(given: str, values: Sequence[str]) -> tuple[str, float]:
    value, _, number = given.rpartition("=")
    try:
        weight = float(number)
    except ValueError:
        weight = 0.0
    if not 0 < weight < float("inf"):
        raise UsageError(f"--weight {given}: write it as X=N with a number N above 0")
    if value not in values:
        raise UsageError(f"--weight {given}: there is no --like {value}")
    return value, weight
