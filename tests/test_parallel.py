"""The threads that share a pass: who comes, and who cannot be started, changes no result."""

from __future__ import annotations

import resource
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

from likewise import _core

THREADS = 64
STACK = 256 << 20  # of each thread, so that it is they who run into a limit of memory
SPARE = 100 << 20  # for the rest
# Products by one thread, then by many when there is memory for few stacks.
PROGRAM = f"""
import resource, sys
import numpy as np
from likewise import _core

n = 200_000
none = np.zeros(0, np.uint32)
arrays = dict(
    starts=np.arange(n + 1, dtype=np.uint32),
    more=np.zeros(n + 1, np.uint32),
    columns=np.arange(n, dtype=np.uint32) % 100,
    counts=np.zeros(0, np.uint8),
    large_at=none,
    large=none,
)
matrix = _core.Counts(arrays, 100)
w, a = np.random.default_rng(0).normal(size=100), np.random.default_rng(1).normal(size=n)
rest = np.arange(256.0), np.zeros(0)

def products(threads):
    scores, sums = matrix.dot(w, *rest, threads), matrix.weighted_sum(a, *rest, threads)
    back = matrix.transpose(threads)
    return scores.tobytes() + sums.tobytes() + b"".join(x.tobytes() for x in back.values())

alone = products(1)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + int(sys.argv[1]),) * 2)
print(products({THREADS}) == alone)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")
@pytest.mark.parametrize("started", [0, 1, 3])
def test_threads_that_cannot_be_started(started):
    room = started * STACK + SPARE
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(room)],
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (STACK, STACK)),
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")


def test_threads_that_several_callers_share():
    """Each wants another number of them, while the others' come, go, and fall asleep between."""
    draw, none = np.random.default_rng(0), np.zeros(0, np.uint32)
    n, width = 100_000, 50
    arrays = {
        "starts": np.arange(n + 1, dtype=np.uint32),
        "more": np.zeros(n + 1, np.uint32),
        "columns": draw.integers(0, width, n).astype(np.uint16),
        "counts": np.zeros(0, np.uint8),
        "large_at": none,
        "large": none,
    }
    matrix = _core.Counts(arrays, width)
    product = partial(matrix.dot, draw.normal(size=width), np.arange(256.0), np.zeros(0))
    alone = product(1).tobytes()

    def ask(threads):
        return [product(threads).tobytes() for _ in range(20)]

    with ThreadPoolExecutor(8) as callers:
        for found in callers.map(ask, [1, 2, 3, 5, 8, 13, 21, 34]):
            assert found == [alone] * 20
