"""Python values as JSON: each is converted, or refused with a reason; none is lost.

NaN, NaT and NA mean a missing value in NumPy and pandas, so they become null.
pandas is never imported: its dates are datetimes, and its NA is recognised by its name.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

import msgspec
import numpy as np

AS_THEY_ARE = frozenset({str, int, bool, type(None)})
LARGEST = 1 << 63
WAY_OUT = "make it text, a number, a date or a list of these"


class NotPlainError(ValueError):
    """A field whose value JSON cannot hold."""


def plain_fields(values: Mapping[Any, Any]) -> dict[str, Any]:
    """A document's fields; the error names the one that cannot be kept."""
    kept: dict[str, Any] = {}
    for key, value in values.items():
        name = _name(key)
        if name in kept:
            raise NotPlainError(f"two of its fields are named {name!r} as text: rename one of them")
        try:
            kept[name] = plain(value)
        except NotPlainError as error:
            raise NotPlainError(f"field {name!r}: {error}") from error
        except RecursionError as error:
            raise NotPlainError(f"field {name!r} is nested too deeply") from error
    return kept


def plain(value: Any) -> Any:
    """None, text, a number, or lists and dictionaries of these."""
    if type(value) in AS_THEY_ARE:
        return value
    if is_missing(value):
        return None
    if isinstance(value, Enum):
        return plain(value.value)
    for kinds, convert in CONVERSIONS:
        if isinstance(value, kinds):
            return convert(value)
    if is_dataclass(value) and not isinstance(value, type):
        return plain_fields({field.name: getattr(value, field.name) for field in fields(value)})
    if callable(getattr(value, "tolist", None)):  # a column of pandas, or another kind of array
        return plain(value.tolist())
    raise NotPlainError(f"a value of type {_type(value)} cannot be kept: {WAY_OUT}")


def is_missing(value: Any) -> bool:
    """Whether this is NaN, NaT or NA: the first two differ from themselves."""
    if type(value).__name__ == "NAType":
        return True
    if isinstance(value, (float, datetime, timedelta, Decimal, np.generic)):
        return bool(np.all(value != value)) and not isinstance(value, np.void)
    return False


def _name(key: Any) -> str:
    if isinstance(key, str):
        return str.__str__(key)
    if isinstance(key, (int, np.integer)) and not isinstance(key, bool):
        return str(int(key))
    raise NotPlainError(f"the name {key!r} of a field is a {_type(key)}, not text: rename it")


def _finite(value: Any) -> float:
    if math.isinf(value):
        raise NotPlainError("the number is infinite, which JSON cannot hold: leave it out")
    return float(value)


def _of_numpy(value: np.generic) -> Any:
    if isinstance(value, np.datetime64):
        return _without_zeros(str(value))
    if isinstance(value, np.timedelta64):  # in nanoseconds, item() would be a whole number
        return plain(value.astype("timedelta64[us]").item())
    item = value.item()
    if isinstance(item, np.floating):  # wider than Python's float
        return _finite(item)
    return plain(item)


def _of_array(array: np.ndarray[Any, Any]) -> Any:
    if array.ndim and array.dtype.kind in "mM":  # times: tolist() may give whole numbers
        return [plain(item) for item in array]
    return plain(array[()] if array.dtype.kind in "mM" else array.tolist())


def _without_zeros(moment: str) -> str:
    whole, point, fraction = moment.partition(".")
    return whole + (point + fraction).rstrip("0").removesuffix(".")


def _moment(value: datetime | time) -> str:
    written = value.isoformat()
    return f"{written.removesuffix('+00:00')}Z" if written.endswith("+00:00") else written


def _duration(value: timedelta) -> Any:
    """ISO 8601, to microseconds, also for a subclass with more digits."""
    return msgspec.to_builtins(timedelta(value.days, value.seconds, value.microseconds))


def _decimal(value: Decimal) -> int | float | str:
    """A number if that keeps every digit that counts, otherwise text."""
    number = _finite(value) if value.is_infinite() else float(value)
    if math.isinf(number):
        return str(value)
    if value == value.to_integral_value() and abs(value) < LARGEST:
        return int(value)
    return number if Decimal(repr(number)) == value else str(value)


def _refuse_bytes(value: Any) -> Any:
    raise NotPlainError(f"{_type(value)} are not text: decode them first")


def _set(values: set[Any] | frozenset[Any]) -> list[Any]:
    """In an order that is the same in each run."""
    return sorted(map(plain, values), key=msgspec.json.encode)


def _type(value: Any) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


CONVERSIONS: tuple[tuple[Any, Any], ...] = (
    (np.ndarray, _of_array),
    (np.generic, _of_numpy),
    (str, str.__str__),
    (int, int),
    (float, _finite),
    (Decimal, _decimal),
    ((datetime, time), _moment),
    (date, date.isoformat),
    (timedelta, _duration),
    (UUID, str),
    (os.PathLike, lambda path: plain(os.fspath(path))),
    ((bytes, bytearray, memoryview), _refuse_bytes),
    (Mapping, plain_fields),
    ((list, tuple), lambda values: [plain(value) for value in values]),
    ((set, frozenset), _set),
)
