"""Memory that is free again, given back to the system: glibc keeps much of it by itself.

Each thread would get an arena of its own, from which little goes back to the system while other
threads have something in it.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

ARENA_MAX, TRIM_THRESHOLD, MMAP_THRESHOLD = -8, -1, -3  # M_ARENA_MAX … of malloc.h
KEPT = 1 << 25  # bytes; as much as glibc keeps by itself once something of that size was freed


def share_arenas(count: int) -> None:
    """Have all threads share so many arenas; to be called before there are many.

    glibc does not let this be undone. More arenas than cores gain nothing, as no more threads run
    at a time.
    """
    if mallopt := of_libc("mallopt"):
        mallopt(ARENA_MAX, count)


def keep_for_others() -> None:
    """Have what is freed stay for what is asked for next: to get batches' memory anew from the
    system takes as long as to read them.
    """
    if mallopt := of_libc("mallopt"):
        mallopt(MMAP_THRESHOLD, KEPT)
        mallopt(TRIM_THRESHOLD, KEPT)


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
