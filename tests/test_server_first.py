"""Turns by who came first, so many at a time, and whose judgements are entered together."""

from __future__ import annotations

import asyncio
from collections import deque

import pytest

from likewise.server.access import ANYONE
from likewise.server.first import FirstCome
from likewise.server.judging import Asked, One
from likewise.server.stop import Stop
from likewise.server.together import MOST, Together, Waiting


async def takes_part(turns, came, log, enough):
    async with turns.place(came):
        log.append(came)
        await enough.wait()


async def settled():
    for _ in range(10):
        await asyncio.sleep(0)


def test_who_came_first_is_next_whenever_she_began_to_wait_here():
    async def run():
        turns, log, enough = FirstCome(2), [], asyncio.Event()
        tasks = []
        for came in (7, 9, 5, 8, 3):
            tasks.append(asyncio.create_task(takes_part(turns, came, log, enough)))
            await settled()
        assert log == [7, 9]  # there were places
        enough.set()
        await asyncio.gather(*tasks)
        return log

    assert asyncio.run(run()) == [7, 9, 3, 5, 8]


@pytest.mark.parametrize("given", [False, True])
def test_who_leaves_takes_no_place(given):
    """Also where the place was given to her in the moment in which she left."""

    async def run():
        turns, log, enough = FirstCome(1), [], asyncio.Event()
        first, leaving, last = (
            asyncio.create_task(takes_part(turns, came, log, enough)) for came in (1, 2, 3)
        )
        await settled()
        if given:
            enough.set()
            while not first.done():
                await asyncio.sleep(0)
        leaving.cancel()
        enough.set()
        await asyncio.gather(first, last)
        async with asyncio.timeout(10), turns.place(4):  # nobody holds the place any more
            return log

    assert [came for came in asyncio.run(run()) if came != 2] == [1, 3]


def waiting_in(together, sessions):
    """Requests that wait, in this order, each in its session."""
    queues = {name: deque() for name in sessions}
    for name in sessions:
        one = Waiting(None, name, ANYONE, Asked([One("p1", "not")]), Stop(60))
        queues[name].append(one)
        together._all[one.came] = one
    return queues


def test_the_older_half_of_all_is_entered_together():
    together = Together(None)
    queues = waiting_in(together, "abababab")
    first = list(queues["a"])
    assert together._taken(queues["a"]) == first[:3]  # the fifth of eight is among them
    assert list(queues["a"]) == first[3:]
    second = list(queues["b"])
    assert together._taken(queues["b"]) == second[:3]
    assert together._taken(queues["a"]) == first[3:]  # at least one
    assert together._taken(queues["b"]) == second[3:]
    assert not together._all


def test_no_more_than_so_many_are_entered_together():
    together = Together(None)
    queues = waiting_in(together, "a" * (3 * MOST))
    assert len(together._taken(queues["a"])) == MOST
