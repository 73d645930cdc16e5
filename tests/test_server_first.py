"""Turns by who came first, so many at a time."""

from __future__ import annotations

import asyncio

import pytest

from likewise.server.first import FirstCome


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
