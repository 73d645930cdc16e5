"""The file of tokens: lines of `TOKEN ROLES NAME CREATED`, where TOKEN is a hash of the secret.

A secret is shown once, when it is made. The file is replaced in one step and only its owner can
read it. A server notices that it has changed at the next request. Lines with the secret itself,
as people write them by hand, are understood; the next change replaces it by its hash.
"""

from __future__ import annotations

import fcntl
import hmac
import logging
import os
import secrets
import time
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from likewise.errors import InputError, StoreError, UsageError
from likewise.server.access import GRANTS, Caller, role_of
from likewise.store.disk import replace_file, sync_directory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from likewise.server.workers.sharing import Counted

SHORTEST = 16  # characters of a secret
HASHED = "sha256:"
HEADER = "# TOKEN ROLES NAME CREATED, made by likewise tokens\n"
log = logging.getLogger("likewise.server")


class UnknownTokenError(UsageError):
    """There is no token of this name or id."""


class Token(NamedTuple):
    """`digest` is the secret's hash; `created` is "" where nobody wrote it down."""

    digest: bytes
    roles: tuple[str, ...]
    name: str = ""
    created: str = ""

    @property
    def id(self) -> str:
        """What a token without a name goes by, and one of two with the same."""
        return self.digest.hex()[:8]

    @property
    def caller(self) -> Caller:
        return Caller(self.name, role_of(self.roles))

    def line(self) -> str:
        parts = (f"{HASHED}{self.digest.hex()}", ",".join(self.roles), self.name, self.created)
        return " ".join(part for part in parts if part) + "\n"


def read(path: Path) -> list[Token]:
    """The tokens in a file; errors never contain a secret."""
    return [one for one in _parsed(path, _lines(path)) if isinstance(one, Token)]


def add(path: Path, name: str, roles: Iterable[str]) -> str:
    """Make a token, and the file if there is none; returns the secret, which nobody knows else."""
    chosen = tuple(dict.fromkeys(roles))
    role_of(chosen)
    if not chosen:
        raise UsageError(f"say what {name} may do: {', '.join(GRANTS)}")
    if not name or not name.isprintable() or len(name.split()) != 1 or name.startswith("#"):
        raise UsageError(f"{name!r} is no name for a token: write it without spaces")
    if len(name) > 100 or "/" in name or _is_time(name):
        raise UsageError(f"{name!r} is no name for a token: use letters and digits, 100 at most")

    def added(known: list[Token | str]) -> tuple[list[Token | str], str]:
        if any(isinstance(one, Token) and one.name == name for one in known):
            raise UsageError(f"there is a token of {name} already: rotate or revoke it")
        secret = secrets.token_urlsafe()
        return [*known, Token(_hash(secret), chosen, name, _now())], secret

    return _change(path, added)


def rotate(path: Path, which: str) -> str:
    """Replace a token, by name or id, by a new one that may do the same; returns the secret."""

    def rotated(known: list[Token | str]) -> tuple[list[Token | str], str]:
        old, secret = find(path, known, which), secrets.token_urlsafe()
        new = old._replace(digest=_hash(secret), created=_now())
        return [new if one == old else one for one in known], secret

    return _change(path, rotated, make=False)


def revoke(path: Path, which: str, may: Callable[[list[Token], Token], None] | None = None) -> None:
    """Take a token away, by name or id; `may` is given those there are and it, and may raise."""

    def revoked(known: list[Token | str]) -> tuple[list[Token | str], str]:
        gone = find(path, known, which)
        if may is not None:
            may([one for one in known if isinstance(one, Token)], gone)
        return [one for one in known if one != gone], ""

    _change(path, revoked, make=False)


def find(path: Path, known: Iterable[Token | str], which: str) -> Token:
    """The token of this name or id."""
    tokens = [one for one in known if isinstance(one, Token)]
    found = [one for one in tokens if which in (one.name, one.id)]
    if len(found) > 1:
        ids = ", ".join(one.id for one in found)
        raise UsageError(f"there are {len(found)} tokens of {which}: say which one, {ids}")
    if not found:
        raise UnknownTokenError(f"no token of {which!r} in {path.name}: likewise tokens lists them")
    return found[0]


class Tokens:
    """Callers by their tokens, as the file says now."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.last_used: dict[str, float] = {}  # by id, since the process was started
        self.others: Callable[[], Iterable[Counted]] = tuple  # what workers have counted
        self._seen = self._signature()
        self._known = read(self.path)
        self._lock = Lock()
        if not self._known:
            raise InputError(f"{path} holds no token: likewise tokens {path} --add NAME makes one")

    def caller(self, secret: str) -> Caller | None:
        """Who has this secret; it is compared in constant time."""
        given, found = _hash(secret), None
        for token in self.listed():
            if hmac.compare_digest(token.digest, given):
                found = token
        if found is None:
            return None
        self.last_used[found.id] = time.time()
        return found.caller

    def used(self) -> dict[str, float]:
        """When each was last used, by id, since the server was started."""
        found = dict(self.last_used)
        for one in self.others():
            for id, at in one.last_used.items():
                found[id] = max(at, found.get(id, 0.0))
        return found

    def listed(self) -> list[Token]:
        with self._lock:
            signature = self._signature()
            if signature != self._seen:
                self._seen = signature
                try:
                    self._known = read(self.path)
                except InputError as error:  # somebody is in the middle of writing it, perhaps
                    log.error("the tokens are those from before: %s", error)
            return self._known

    def _signature(self) -> tuple[int, ...]:
        """Another one means another content."""
        try:
            found = self.path.stat()
        except OSError:
            return ()
        return found.st_mtime_ns, found.st_size, found.st_ino


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read the tokens in {path}: {error}") from error


def _parsed(path: Path, lines: Iterable[str]) -> list[Token | str]:
    """Tokens, and between them the lines that are none."""
    found: list[Token | str] = []
    known: set[bytes] = set()
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            found.append(f"{line}\n")
            continue
        token = _parse(line, f"{path}, line {number}")
        if token.digest in known:
            raise InputError(f"{path}, line {number}: the token is there twice")
        known.add(token.digest)
        found.append(token)
    return found


def _parse(line: str, place: str) -> Token:
    secret, *rest = line.split()
    roles = tuple(rest[0].split(",")) if rest else ()
    if not 1 <= len(rest) <= 3 or not set(roles) <= GRANTS.keys():
        choices = ", ".join(GRANTS)
        raise InputError(f"{place}: expected a token, a role ({choices}) and a name")
    created = rest.pop() if len(rest) > 1 and _is_time(rest[-1]) else ""
    name = rest[1] if len(rest) > 1 else ""
    if not name and set(roles) != {"read"}:
        raise InputError(f"{place}: a token without a name may only read: write a name at the end")
    return Token(_digest(secret, place), roles, name, created)


def _digest(secret: str, place: str) -> bytes:
    if secret.startswith(HASHED):
        with suppress(ValueError):
            digest = bytes.fromhex(secret.removeprefix(HASHED))
            if len(digest) == sha256().digest_size:
                return digest
        raise InputError(f"{place}: what follows {HASHED} is no hash")
    if len(secret) < SHORTEST:
        raise InputError(f"{place}: the token is shorter than {SHORTEST} characters")
    return _hash(secret)


def _hash(secret: str) -> bytes:
    return sha256(secret.encode("utf-8", "surrogatepass")).digest()


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _is_time(text: str) -> bool:
    try:
        datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ")
    except ValueError:
        return False
    return True


def _change(
    path: Path,
    edit: Callable[[list[Token | str]], tuple[list[Token | str], str]],
    *,
    make: bool = True,
) -> str:
    """Replace the file by what `edit` makes of it; other writers wait."""
    target = path.resolve()
    if not make and not target.exists():
        raise UsageError(f"there is no {path}: likewise tokens {path} --add NAME makes it")
    try:
        with _locked(target):
            known = _parsed(path, _lines(target))
            new, secret = edit(known or [HEADER])
            text = "".join(one.line() if isinstance(one, Token) else one for one in new)
            replace_file(target, text.encode(), private=True)
            sync_directory(target.parent)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise StoreError(f"cannot write {path}: {reason}; the tokens are as they were") from error
    return secret


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the file's lock; whoever waited for it may find that it was replaced meanwhile."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                yield
                return
        finally:
            os.close(descriptor)
