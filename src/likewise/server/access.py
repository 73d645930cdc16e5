"""Who may do what, and how often: roles, callers, and a limit of requests a second."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from enum import Flag
from typing import TYPE_CHECKING, NamedTuple, Protocol

from likewise.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

CLIENTS = 10_000  # whose requests are counted; the one not seen for longest is forgotten first


class Role(Flag):
    """What a caller may do. A token may have several; `GRANTS` says what each includes."""

    read = 1
    review = 2
    write = 4
    owner = 8


GRANTS = {
    "read": Role.read,
    "review": Role.review | Role.read,
    "write": Role.write | Role.read,
    "owner": Role.owner | Role.write | Role.review | Role.read,
}


def role_of(names: Iterable[str]) -> Role:
    """All that these roles may do together."""
    granted = Role(0)
    for name in names:
        if name not in GRANTS:
            raise UsageError(f"{name!r} is no role: choose {', '.join(GRANTS)}")
        granted |= GRANTS[name]
    return granted


def names_of(role: Role) -> list[str]:
    """What a caller may do, by name, from the least to the most."""
    return [name for name in GRANTS if Role[name] in role]


class Caller(NamedTuple):
    name: str
    role: Role

    def may(self, role: Role) -> bool:
        return role in self.role

    def owns(self, owner: str) -> bool:
        """Whether what belongs to `owner` is this caller's to change and to delete."""
        return self.may(Role.owner) or (bool(self.name) and self.name == owner)


ANYONE = Caller("", GRANTS["owner"])  # on this machine alone, where no token file is given


class Limited(Protocol):
    def take(self, client: str) -> float:
        """0 if a request may pass, otherwise the seconds to wait, as a whole number."""


class Rate:
    """A token bucket for each client, which fills evenly and holds two seconds' worth."""

    def __init__(self, a_second: float) -> None:
        self._a_second = a_second
        self._most = max(1.0, 2 * a_second)
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, client: str) -> float:
        """0 if a request may pass, otherwise the seconds to wait, as a whole number."""
        if not self._a_second:
            return 0.0
        now = time.monotonic()
        level, at = self._buckets.get(client, (self._most, now))
        level = min(self._most, level + (now - at) * self._a_second)
        passes = level >= 1
        self._buckets[client] = (level - passes, now)
        self._buckets.move_to_end(client)
        if len(self._buckets) > CLIENTS:
            self._buckets.popitem(last=False)
        return 0.0 if passes else math.ceil((1 - level) / self._a_second)
