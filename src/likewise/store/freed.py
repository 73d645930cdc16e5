"""Memory that is free again, given back to the system: glibc keeps much of it by itself.

Each thread would get an arena of its own, from which little goes back to the system while other
threads have something in it.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

ARENA_MAX = -8  # M_ARENA_MAX of malloc.h


_arenas = 0  # as many as all threads share; 0: nobody has asked for it


def share_arenas(count: int) -> None:
    """Have all threads of the process share so many arenas; to be called before there are many.

    The first who asks decides: an addition leaves a server's choice as it is. More arenas than
    cores gain nothing, as no more threads run at a time.
    """
    global _arenas
    mallopt = of_libc("mallopt")
    if mallopt and not _arenas:
        _arenas = count
        mallopt(ARENA_MAX, count)


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
