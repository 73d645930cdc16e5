"""Examples as they are written on the command line: id:…, files, or - for standard input."""

from __future__ import annotations

import sys
from glob import glob, has_magic
from pathlib import Path
from typing import TYPE_CHECKING

from likewise.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from likewise.index import Index
    from likewise.search.examples import Example

ID = "id:"
STANDARD_INPUT = "-"


def example(index: Index, directory: Path, value: str) -> Example:
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


def expanded(values: Sequence[str]) -> dict[str, str]:
    """Each example, and what was given for it: a pattern stands for the files that it names."""
    found: dict[str, str] = {}
    for value in values:
        for one in _matches(value):
            found.setdefault(one, value)
    return found


def weights(values: Mapping[str, str], given: Sequence[str]) -> list[float] | None:
    """The weights of expanded examples, given as X=N; None if no example has one."""
    if not given:
        return None
    pairs = [_weight(one, values.values()) for one in given]
    of = dict(pairs)
    if len(of) < len(pairs):
        raise UsageError("--weight: give each example one weight only")
    return [of.get(value, 1.0) for value in values.values()]


def _matches(value: str) -> list[str]:
    if value.startswith(ID) or not has_magic(value) or Path(value).exists():
        return [value]
    found = sorted(p for p in glob(value, recursive=True) if Path(p).is_file())  # noqa: PTH207
    if not found:
        raise UsageError(f"no file matches {value}")
    return found


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


def _weight(given: str, values: Collection[str]) -> tuple[str, float]:
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
