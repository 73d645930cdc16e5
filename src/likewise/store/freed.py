"""Memory that is free again, given back to the system: glibc keeps much of it for each thread."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any


def give_back() -> None:
    """Give free pages back: some milliseconds, while other Python threads go on."""
    if malloc_trim := of_libc("malloc_trim"):
        malloc_trim(0)


@cache
def of_libc(name: str) -> Any:
    """A function of the C library; None where that is not glibc."""
    try:
        return getattr(ctypes.CDLL(None), name, None)
    except (OSError, TypeError):  # a system whose programs cannot be asked
        return None
