"""Filters: conditions on the fields of documents, such as `year>=2019 category=cs.CL,cs.LG`.

All conditions must hold. `=` with several values means any of them, `!=` none of them. A list
meets a condition if one of its items does. A missing field meets only `!=`.
"""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from dataclasses import field as attribute
from typing import TYPE_CHECKING, Any

from likewise.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Scalar = str | int | float | bool

ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
OPERATORS = ("!=", *ORDER, "=")
LONGEST_NUMBER = 100  # characters; longer ones are text

_WORD = r'"(?:[^"\\]|\\.)*"|[^\s"=!<>,]+'
_CONDITION = re.compile(
    rf"\s*(?P<field>{_WORD})\s*(?P<operator>!=|<=|>=|<|>|=)\s*"
    rf"(?P<values>(?:{_WORD})(?:,(?:{_WORD}))*)(?=\s|$)",
    re.DOTALL,
)
_VALUE = re.compile(_WORD, re.DOTALL)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_PLAIN = re.compile(r'[^\s"=!<>,]+')


@dataclass(frozen=True, slots=True)
class Condition:
    field: str
    operator: str
    values: tuple[str, ...]
    _texts: frozenset[str] = attribute(init=False, repr=False, compare=False)
    _numbers: frozenset[int | float] = attribute(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Each value once; they are looked up rather than compared one by one."""
        object.__setattr__(self, "values", tuple(dict.fromkeys(self.values)))
        numbers = (number(value) for value in self.values)
        object.__setattr__(self, "_texts", frozenset(self.values))
        object.__setattr__(self, "_numbers", frozenset(n for n in numbers if n is not None))

    def __str__(self) -> str:
        return f"{_quoted(self.field)}{self.operator}{','.join(map(_quoted, self.values))}"

    def matches(self, value: Any) -> bool:
        """Whether a field with this value, None if missing, meets the condition."""
        return (self.operator == "!=") != any(map(self.accepts, scalars(value)))

    def accepts(self, value: Scalar) -> bool:
        """Whether one value of a field meets the condition; for !=, whether it is excluded."""
        if self.operator in ORDER:
            return _in_order(value, ORDER[self.operator], self.values[0])
        if isinstance(value, str):
            return value in self._texts
        if isinstance(value, bool):
            return ("true" if value else "false") in self._texts
        return value in self._numbers


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions that must all hold, each once; its str can be parsed again."""

    conditions: tuple[Condition, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "conditions", tuple(dict.fromkeys(self.conditions)))

    @classmethod
    def parse(cls, text: str) -> Filter:
        conditions = []
        place = 0
        while text[place:].strip():
            match = _CONDITION.match(text, place)
            if match is None:
                raise UsageError(
                    f"the filter {text!r} is not understood from {text[place:].strip()[:40]!r} on: "
                    'write conditions such as year>=2019 or category="cs.CL","cs.LG"'
                )
            conditions.append(_condition(match))
            place = match.end()
        if not conditions:
            raise UsageError("the filter is empty: write conditions such as year>=2019")
        return cls(tuple(conditions))

    def __str__(self) -> str:
        return " ".join(map(str, self.conditions))

    @property
    def fields(self) -> list[str]:
        return list(dict.fromkeys(condition.field for condition in self.conditions))

    def matches(self, values: Mapping[str, Any]) -> bool:
        """Whether a document with these values meets all conditions."""
        return all(c.matches(values.get(c.field)) for c in self.conditions)


def as_filter(filter: Filter | str | None) -> Filter | None:
    """The filter that a user gives as text or as a Filter."""
    if filter is not None and not isinstance(filter, (str, Filter)):
        raise UsageError(
            f"filter is {filter!r}: write it as text, such as 'year>=2019', or give a Filter"
        )
    return Filter.parse(filter) if isinstance(filter, str) else filter


def scalars(value: Any) -> Iterator[Scalar]:
    """The values of a field that can be compared: itself, or the items of a list."""
    for item in value if isinstance(value, (list, tuple)) else (value,):
        if isinstance(item, (str, int, float)):
            yield item


def number(text: str) -> int | float | None:
    """The number that a text is, if it is one."""
    if len(text) > LONGEST_NUMBER or not _NUMBER.fullmatch(text):
        return None
    return float(text) if re.search(r"[.eE]", text) else int(text)


def _condition(match: re.Match[str]) -> Condition:
    values = tuple(_unquoted(value) for value in _VALUE.findall(match["values"]))
    if match["operator"] in ORDER and len(values) > 1:
        raise UsageError(
            f"{match['field']}{match['operator']} takes one value, not {len(values)}: "
            "only = and != take several"
        )
    return Condition(_unquoted(match["field"]), match["operator"], values)


def _in_order(value: Scalar, holds: Callable[[Any, Any], bool], limit: str) -> bool:
    """Numbers as numbers, also where they came as text; dates, and other text, as text.

    Where the limit is a number, only text that begins with a digit is compared, as 2019-05-20 is.
    """
    if isinstance(value, bool):
        return False
    bound = number(limit)
    if not isinstance(value, str):
        return bound is not None and holds(value, bound)
    own = number(value) if bound is not None else None
    if own is not None:
        return holds(own, bound)
    if bound is None or value[:1].isdigit():
        return holds(value, limit)
    return False


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL) if text[0] == '"' else text


def _quoted(text: str) -> str:
    if _PLAIN.fullmatch(text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
