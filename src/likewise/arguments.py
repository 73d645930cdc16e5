"""Checks of the arguments of Index: an error names the argument and what was expected."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Mapping
from numbers import Real
from pathlib import Path
from typing import Any

from likewise.errors import UsageError


def whole(name: str, value: Any, least: int) -> int:
    """A whole number of at least `least`; NumPy integers are accepted, 2.0 and True are not."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise UsageError(f"{name} is {value!r}: it must be a whole number")
    if number < least:
        raise UsageError(f"{name} is {number}: it must be {least} or more")
    return number


def text(name: str, value: Any, way_out: str = "it must be text") -> str:
    if not isinstance(value, str):
        raise UsageError(f"{name} is {_shown(value)}: {way_out}")
    return str(value)


def optional_text(name: str, value: Any) -> None:
    if value is not None:
        text(name, value)


def one_id(value: Any) -> str:
    """An id, or that of a hit."""
    value = getattr(value, "id", value)
    if not isinstance(value, str):
        raise UsageError(f"{_shown(value)} is not an id: give text, such as {str(value)[:40]!r}")
    return str(value)


def ids(value: Any) -> list[str]:
    """Several ids; a str is an error, because it would be read as a list of letters."""
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise UsageError(f"{_shown(value)} is not a list of ids: give a list, such as ['a', 'b']")
    return list(map(one_id, value))


def page(k: Any, skip: Any = 0) -> tuple[int, int]:
    """How many hits to return, and how many of the best to skip."""
    return whole("k", k, 1), whole("skip", skip, 0)


def names(fields: Any) -> tuple[str, ...]:
    """Names of fields; a str is an error, because it would be read as a list of letters."""
    if isinstance(fields, str) or not isinstance(fields, Iterable):
        raise UsageError(f"fields is {_shown(fields)}: give names, such as ('title', 'text')")
    return tuple(text("a field", name, "fields are named by text") for name in fields)


def path(name: str, value: Any) -> Path:
    """An absolute path, so that the working directory may change later."""
    if not isinstance(value, (str, os.PathLike)):
        raise UsageError(f"{name} is {_shown(value)}: it must be a path")
    return Path(value).absolute()


def numbers(options: Mapping[str, Any], names: Iterable[str]) -> None:
    """Raise if one of these options is given and is not a number."""
    for name in names:
        value = options.get(name)
        if value is not None and (not isinstance(value, Real) or isinstance(value, bool)):
            raise UsageError(f"{name} is {_shown(value)}: it must be a number")


def _shown(value: Any) -> str:
    """A value for a message, shortened."""
    written = " ".join(repr(value).split())
    return written if len(written) <= 80 else f"{written[:80]}… (a {type(value).__name__})"
