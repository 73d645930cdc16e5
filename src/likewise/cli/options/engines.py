"""The engine that computes, and the memory it may use."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from likewise.cli.options import choices
from likewise.engines import DEFAULT
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


def chosen(engine: str | None, gpu_memory: float | None) -> str:
    """The engine's name; its memory is limited from now on."""
    if gpu_memory is not None:
        if engine != "gpu":
            raise UsageError("--gpu-memory goes with --engine gpu: give that as well, or leave it")
        from likewise.engines.gpu import MEMORY

        os.environ[MEMORY] = str(gpu_memory)
    return engine or DEFAULT
