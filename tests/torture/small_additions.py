"""Adds documents one by one with few descriptors: nothing may fail, and none may take much longer.

    python tests/torture/small_additions.py [--additions 10000] [--descriptors 256] [--factor 1.5]

Documents are those of the bundled collection, over and over with new ids. Prints the percentiles
of the time that an addition takes, by the clock and by the processor, of each thousand; in the end
every document must be found and every checksum hold. Exit status 1 if the 99th percentile of the
last thousand is more than --factor times that of the first.
"""

from __future__ import annotations

import argparse
import gzip
import resource
import shutil
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

import msgspec
import numpy as np

from likewise import Index
from likewise.datasets import arxiv_sample

THOUSAND = 1000


def main() -> int:
    options = parse()
    resource.setrlimit(resource.RLIMIT_NOFILE, (options.descriptors, options.descriptors))
    folder = Path(tempfile.mkdtemp(dir=options.folder))
    try:
        index = Index.create(folder / "small.idx", threads=1)
        clock, processor = add_one_by_one(index, options.additions)
        check(index, options.additions)
    finally:
        shutil.rmtree(folder)
    factors = [p99_of(times, -THOUSAND) / p99_of(times, 0) for times in (clock, processor)]
    print(
        f"p99 of the last thousand to that of the first: {factors[0]:.2f} by the clock "
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


def add_one_by_one(index: Index, additions: int) -> tuple[list[float], list[float]]:
    """How long each took, by the clock and by the processor, in milliseconds."""
    lines = gzip.decompress(arxiv_sample().read_bytes()).splitlines()
    clock: list[float] = []
    processor: list[float] = []
    for number, line in enumerate(islice(cycle(lines), additions)):
        document = msgspec.json.decode(line) | {"id": f"n{number}"}
        began = time.perf_counter(), time.process_time()
        index.add([document])
        clock.append(1000 * (time.perf_counter() - began[0]))
        processor.append(1000 * (time.process_time() - began[1]))
        if (number + 1) % THOUSAND == 0:
            report(index, clock, processor)
    return clock, processor


def report(index: Index, clock: list[float], processor: list[float]) -> None:
    found = [np.percentile(times[-THOUSAND:], (50, 99, 100)) for times in (clock, processor)]
    print(
        f"{len(clock):6,} added: {index.info().segments} segments, {descriptors()} descriptors; "
        "ms by the clock: median {:.1f}, p99 {:.1f}, most {:.0f}; ".format(*found[0])
        + "by the processor: {:.1f}, {:.1f}, {:.0f}".format(*found[1]),
        flush=True,
    )


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir())) - 1  # less the one that lists them


def p99_of(times: list[float], first: int) -> float:
    return float(np.percentile(times[first:][:THOUSAND], 99))


def check(index: Index, additions: int) -> None:
    opened = Index.open(index.path)
    opened.verify()
    assert opened.ids() == [f"n{number}" for number in range(additions)]
    assert len(opened.search("robot arm", k=5)) == 5
    opened.merge()
    assert (opened.info().segments, len(opened)) == (1, additions)


if __name__ == "__main__":
    sys.exit(main())
