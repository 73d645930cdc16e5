"""What the process does with memory that is free again: glibc keeps much of it by itself.

A server with an arena for each of its many threads grows for hours at the same load. And arrays of
all sizes would be put between small things that last: once a large one is freed, glibc takes the
next ones from an arena, too, instead of from the system. But each page of what is taken from the
system costs a fault, so that what every answer needs must be smaller: a decompressor of Zstandard,
one for each document that is shown, has some 100 KB.
"""

from __future__ import annotations

import gc

from likewise.store import freed

MMAP_THRESHOLD = -3  # M_MMAP_THRESHOLD of malloc.h
ARENAS = 2
LARGE = 128 << 10  # bytes of what is taken from the system, and goes back to it when it is freed


def share_arenas() -> None:
    """Have threads share a few arenas for small things; to be called before there are many."""
    freed.share_arenas(ARENAS)
    if mallopt := freed.of_libc("mallopt"):
        mallopt(MMAP_THRESHOLD, LARGE)


def pass_over_modules() -> None:
    """Have the garbage collector never look at what there is now, most of it code.

    To be called before an index is opened: what is passed over is not freed with its cycle.
    """
    gc.collect()
    gc.freeze()


def give_back() -> None:
    """Give free pages back to the system: some milliseconds.

    Requests and tasks refer to each other in circles. Left to itself the collector frees those
    that have got old only when there are a quarter as many as everything else.
    """
    gc.collect()
    freed.give_back()
