"""Who may do what, and how often: a file of tokens with roles, and a limit of requests a second."""

from __future__ import annotations

import hmac
import math
import time
from collections import OrderedDict
from enum import IntEnum
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from likewise.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

SHORTEST = 16  # characters of a token
CLIENTS = 10_000  # whose requests are counted; the one not seen for longest is forgotten first


class Role(IntEnum):
    """Each role includes those before it."""

    read = 1
    review = 2
    write = 3


class Caller(NamedTuple):
    name: str
    role: Role


ANYONE = Caller("", Role.write)  # on this machine alone, where no token file is given


class Tokens:
    """Callers by the hashes of their tokens, compared in constant time."""

    def __init__(self, callers: dict[bytes, Caller]) -> None:
        self._callers = callers

    @classmethod
    def read(cls, path: Path) -> Tokens:
        """Lines of `TOKEN ROLE [NAME]`; empty lines and comments after # are skipped."""
        try:
            lines = path.read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"cannot read the tokens in {path}: {error}") from error
        callers: dict[bytes, Caller] = {}
        for number, line in enumerate(lines, 1):
            if line.strip() and not line.lstrip().startswith("#"):
                token, caller = _parse(line, f"{path}, line {number}")
                if _hash(token) in callers:
                    raise InputError(f"{path}, line {number}: the token is there twice")
                callers[_hash(token)] = caller
        if not callers:
            raise InputError(f"{path} holds no token: write lines of TOKEN ROLE NAME")
        return cls(callers)

    def caller(self, token: str) -> Caller | None:
        given = _hash(token)
        found = None
        for known, caller in self._callers.items():
            if hmac.compare_digest(known, given):
                found = caller
        return found


def _parse(line: str, place: str) -> tuple[str, Caller]:
    """Errors never contain the token."""
    parts = line.split()
    if len(parts) not in (2, 3) or parts[1] not in Role.__members__:
        roles = ", ".join(Role.__members__)
        raise InputError(f"{place}: expected a token, a role ({roles}) and perhaps a name")
    if len(parts[0]) < SHORTEST:
        raise InputError(f"{place}: the token is shorter than {SHORTEST} characters")
    return parts[0], Caller(parts[2] if len(parts) == 3 else "", Role[parts[1]])


def _hash(token: str) -> bytes:
    return sha256(token.encode("utf-8", "surrogatepass")).digest()


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
