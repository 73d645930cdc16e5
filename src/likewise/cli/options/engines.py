"""The engine that computes, and the memory it may use."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from likewise.cli.options import choices
from likewise.engines import CLUSTER, DEFAULT, named
from likewise.errors import UsageError

Engine = Annotated[
    str | None,
    choices.ENGINE.option("The engine that computes; local by default."),
]
GpuMemory = Annotated[
    float | None,
    typer.Option(
        metavar="GB", help="The most memory to use on a card, with --engine gpu; all by default."
    ),
]


Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="A Dask cluster that computes: tcp://HOST:PORT, tls://HOST:PORT, or local:N for N "
        "processes on this machine.",
    ),
]


def chosen(engine: str | None, gpu_memory: float | None, cluster: str | None = None) -> str:
    """The engine's name, with the cluster's address; its memory is limited from now on."""
    if cluster is not None and engine not in (None, CLUSTER):
        raise UsageError(f"--cluster computes instead of --engine {engine}: give one of them")
    if cluster is None and engine == CLUSTER:
        raise UsageError("--engine cluster needs an address: give --cluster ADDRESS instead")
    if gpu_memory is not None:
        if engine != "gpu":
            raise UsageError("--gpu-memory goes with --engine gpu: give that as well, or leave it")
        from likewise.engines.gpu import MEMORY

        os.environ[MEMORY] = str(gpu_memory)
    return named(engine or DEFAULT, cluster)
