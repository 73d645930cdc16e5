"""The way to a Dask cluster: an address, a client, workers that run the same likewise.

Dask runs whatever its clients send. Nothing here makes that safe: an address is given by the
operator, and beyond a trusted network it begins with tls://, with Dask's own settings for it.
"""

from __future__ import annotations

import logging
import re
import sys
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from likewise.errors import ClusterError, UsageError, sentence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distributed import Client

SECONDS = 10.0  # until somebody must have answered
MOST_LOCAL = 256  # processes of a cluster on this machine
ADDRESS = re.compile(r"(tcp|tls)://[^/\s:]+(:\d+)?|(tcp|tls)://\[[0-9A-Fa-f:.]+\]:\d+")
LOCAL = re.compile(r"local:(\d{1,6})")
OWN_WORKERS: dict[str, Any] = {  # Dask's settings for processes that are started here
    "distributed.worker.profile.enabled": False,  # it takes 2 % of a core
    # Vectors come and go by the megabyte: memory that is given back each time is cleared each time.
    "distributed.nanny.pre-spawn-environ": {
        "MALLOC_TRIM_THRESHOLD_": 1 << 28,
        "MALLOC_MMAP_THRESHOLD_": 1 << 25,  # the most that is allowed
        "OMP_NUM_THREADS": 1,
        "MKL_NUM_THREADS": 1,
        "OPENBLAS_NUM_THREADS": 1,
    },
}
FORMS = "tcp://HOST:PORT, tls://HOST:PORT, or local:N for N processes on this machine"


class Build(NamedTuple):
    """What must be the same at both ends: tasks and answers are pickled between them."""

    likewise: str
    python: str
    core: str  # a digest of what the native core offers

    def __str__(self) -> str:
        return f"likewise {self.likewise} (core {self.core}) on Python {self.python}"


@contextmanager
def connect(address: str, *, seconds: float = SECONDS) -> Iterator[Client]:
    """A client of the cluster at this address, which has at least one worker.

    `local:N` starts a cluster of N processes, which ends with the context. A ClusterError says
    that nobody answered within `seconds`, or that a worker runs another version.
    """
    processes = _checked(address)
    try:
        from dask import config
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise ClusterError(
            f"a cluster needs Dask, which is not installed ({sentence(error)}): "
            "pip install 'likewise[cluster]'"
        ) from error
    with ExitStack() as stack:
        if processes:
            with config.set(OWN_WORKERS):
                started = LocalCluster(
                    n_workers=processes,
                    threads_per_worker=1,
                    processes=True,
                    memory_limit=0,  # Dask's count has mapped files in it, which need no memory
                    dashboard_address="127.0.0.1:0",  # any free port
                    silence_logs=logging.CRITICAL,
                )
            target: Any = stack.enter_context(started)
        else:
            target = address
        try:
            opened = Client(target, timeout=seconds, set_as_default=False)
        except (OSError, ValueError, RuntimeError, TypeError) as error:
            raise _silent(address, seconds, error) from error
        client = stack.enter_context(opened)
        _wait(client, address, seconds)
        refuse_others(client)
        yield client


def _checked(address: str) -> int:
    """How many processes are to be started here; 0 where there is a scheduler."""
    if local := LOCAL.fullmatch(address):
        if not 0 < int(local[1]) <= MOST_LOCAL:
            raise UsageError(f"cluster is {address!r}: N may be 1 to {MOST_LOCAL}")
        return int(local[1])
    if not ADDRESS.fullmatch(address):
        raise UsageError(f"cluster is {address!r}: give {FORMS}")
    return 0


def _silent(address: str, seconds: float, error: Exception) -> ClusterError:
    if not isinstance(error, OSError):  # such as a certificate that is missing or not readable
        return ClusterError(f"cannot connect to {address}: {sentence(error)}")
    return ClusterError(
        f"nobody answers at {address} within {seconds:g} s ({sentence(error)}): start a scheduler "
        "there with `dask scheduler`, or use local:N"
    )


def _wait(client: Client, address: str, seconds: float) -> None:
    try:
        client.wait_for_workers(1, timeout=seconds)
    except TimeoutError as error:
        raise ClusterError(
            f"the scheduler at {address} has no workers: start some with `dask worker {address}`"
        ) from error


def own_build() -> Build:
    from importlib.metadata import version

    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return Build(version("likewise"), python, _core_digest())


def _core_digest() -> str:
    """Of the names and signatures that the native core has, the same on every platform."""
    from xxhash import xxh3_64_hexdigest

    from likewise import _core

    told = []
    for name, value in sorted(vars(_core).items()):
        if not name.startswith("_"):
            inner = vars(value) if isinstance(value, type) else {}
            told += [f"{name}.{part}: {inner[part].__doc__}" for part in sorted(inner)]
            told.append(f"{name}: {value.__doc__}")
    return xxh3_64_hexdigest("\n".join(told).encode())[:8]


def refuse_others(client: Client) -> None:
    """Raise a ClusterError that names a worker which runs another version than this process."""
    own = own_build()
    for worker, found in sorted(client.run(own_build, on_error="return").items()):
        if isinstance(found, BaseException):
            raise ClusterError(
                f"worker {worker} has no likewise that can be used ({sentence(found)}): install "
                f"{own} there"
            )
        if found != own:
            raise _other(worker, found, own)


def refuse_other(expected: Build) -> None:
    """On a worker, which may have come after the client connected: raise if it is another one."""
    if (own := own_build()) != Build(*expected):
        from distributed import get_worker

        raise _other(get_worker().address, own, Build(*expected))


def _other(worker: str, found: Build, wanted: Build) -> ClusterError:
    return ClusterError(
        f"worker {worker} runs {found}, but this process runs {wanted}: install the same at both "
        "ends"
    )
