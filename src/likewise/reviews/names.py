"""Names of sessions and of people."""

from __future__ import annotations

import getpass
import os
from functools import cache

from likewise.errors import UsageError

VARIABLES = ("LOGNAME", "USER", "LNAME", "USERNAME")  # that getpass looks at


def reviewer_or_login(reviewer: str | None) -> str:
    """The reviewer, or who is at work, as the system knows them."""
    return reviewer if reviewer is not None else _login(*map(os.environ.get, VARIABLES))


@cache
def _login(*_: str | None) -> str:
    """It stays the same while these variables do; the system's list of users takes long to read."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # nobody that the system knows
        return "reviewer"


def is_name(name: str) -> bool:
    return bool(name.strip()) and name.isprintable()


def check_name(name: str, what: str = "session") -> None:
    if not is_name(name):
        raise UsageError(f"{name!r} is no name for a {what}: use letters, digits, spaces")
