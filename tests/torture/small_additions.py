"""Adds documents one by one with few descriptors: nothing may fail, and none may take much longer.

    python tests/torture/small_additions.py [--additions 10000] [--descriptors 256] [--factor 1.5]

Documents are those of the bundled collection, over and over with new ids. Prints the percentiles
of the time that an addition takes, by the clock and by the processor, of each thousand; in the end
every document must be found and every checksum hold.

Other programs come and go while this runs. So the last thousand take turns with the first thousand
of another, new index. Exit status 1 if the 99th percentile of the last thousand is more than
--factor times that of the first thousand beside it.
"""

from __future__ import annotations

import argparse
import gzip
import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from likewise import Index
from likewise.datasets import arxiv_sample

THOUSAND = 1000
LINES = gzip.decompress(arxiv_sample().read_bytes()).splitlines()


class Times(NamedTuple):
    clock: float
    processor: float


def main() -> int:
    options = parse()
    resource.setrlimit(resource.RLIMIT_NOFILE, (options.descriptors, options.descriptors))
    folder = Path(tempfile.mkdtemp(dir=options.folder))
    try:
        index = Index.create(folder / "small.idx", threads=1)
        times = add_one_by_one(index, 0, options.additions - THOUSAND)
        beside = Index.create(folder / "new.idx", threads=1)
        last, first = in_turn(index, beside, options.additions)
        check(index, options.additions)
        check(beside, THOUSAND)
    finally:
        shutil.rmtree(folder)
    alone = [late / early for late, early in zip(p99s(last), p99s(times[:THOUSAND]), strict=True)]
    print(
        f"p99 of the last thousand to that of the first: {alone[0]:.2f} by the clock, "
        f"{alone[1]:.2f} by the processor"
    )
    factors = [late / early for late, early in zip(p99s(last), p99s(first), strict=True)]
    print(
        f"to that of the first of a new index, in turn: {factors[0]:.2f} by the clock "
        f"(at most {options.factor:g} allowed), {factors[1]:.2f} by the processor"
    )
    return int(factors[0] > options.factor)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Add documents one by one, with few descriptors.")
    parser.add_argument("--additions", type=int, default=10_000)
    parser.add_argument("--descriptors", type=int, default=256)
    parser.add_argument("--factor", type=float, default=1.5)
    parser.add_argument("--folder", help="where the index is made; default: for temporary files")
    return parser.parse_args()


def add_one_by_one(index: Index, first: int, last: int) -> list[Times]:
    """How long each took."""
    found: list[Times] = []
    for number in range(first, last):
        found.append(added(index, number))
        if (number + 1) % THOUSAND == 0:
            report(index, found)
    return found


def in_turn(index: Index, beside: Index, additions: int) -> tuple[list[Times], list[Times]]:
    """The last thousand of an index, and the first of another."""
    last: list[Times] = []
    first: list[Times] = []
    for number in range(THOUSAND):
        first.append(added(beside, number))
        last.append(added(index, additions - THOUSAND + number))
    for one, found in ((index, last), (beside, first)):
        report(one, found)
    return last, first


def added(index: Index, number: int) -> Times:
    """In milliseconds."""
    document = msgspec.json.decode(LINES[number % len(LINES)]) | {"id": f"n{number}"}
    began = time.perf_counter(), time.process_time()
    index.add([document])
    return Times(1000 * (time.perf_counter() - began[0]), 1000 * (time.process_time() - began[1]))


def report(index: Index, times: list[Times]) -> None:
    found = np.percentile(times[-THOUSAND:], (50, 99, 100), axis=0).T
    print(
        f"{len(index):6,} added: {index.info().segments} segments, {descriptors()} descriptors; "
        "ms by the clock: median {:.1f}, p99 {:.1f}, most {:.0f}; ".format(*found[0])
        + "by the processor: {:.1f}, {:.1f}, {:.0f}".format(*found[1]),
        flush=True,
    )


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir())) - 1  # less the one that lists them


def p99s(times: list[Times]) -> list[float]:
    return list(np.percentile(times, 99, axis=0))


def check(index: Index, additions: int) -> None:
    opened = Index.open(index.path)
    opened.verify()
    assert opened.ids() == [f"n{number}" for number in range(additions)]
    assert len(opened.search("robot arm", k=5)) == 5
    opened.merge()
    assert (opened.info().segments, len(opened)) == (1, additions)


if __name__ == "__main__":
    sys.exit(main())
