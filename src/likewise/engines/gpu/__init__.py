"""The engine `gpu`: an NVIDIA card, by CuPy; the same index, the same results.

The environment variable `LIKEWISE_GPU_MEMORY` bounds the memory used on the card, in GB.
"""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

from likewise.engines.gpu.collection import GpuEngine
from likewise.errors import UsageError

if TYPE_CHECKING:
    from likewise.engines.gpu.card import Card

MEMORY = "LIKEWISE_GPU_MEMORY"


@cache
def _cards() -> list[Card]:
    """All that there are; CUDA_VISIBLE_DEVICES chooses among them."""
    try:
        import array_api_compat.cupy  # noqa: F401
        import cupy

        from likewise.engines.gpu.cuda import CudaCard
    except ImportError as error:
        raise UsageError(
            f"engine 'gpu' needs CuPy ({error}): pip install 'likewise[gpu-cuda12]' or "
            "'likewise[gpu-cuda13]', whichever the driver supports, or use engine 'local'"
        ) from error
    try:
        count = cupy.cuda.runtime.getDeviceCount()
        return [CudaCard(_memory(), number=number) for number in range(count)]
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise UsageError(f"engine 'gpu' finds no card ({error}): use engine 'local'") from error


def _memory() -> int | None:
    """The most bytes to use on the card; None if that is not limited."""
    given = os.environ.get(MEMORY)
    if not given:
        return None
    try:
        gigabytes = float(given)
    except ValueError:
        gigabytes = -1.0
    if not 0 < gigabytes < float("inf"):
        raise UsageError(f"{MEMORY} is {given!r}: it must be a number of GB above 0")
    return int(gigabytes * 1e9)


ENGINE = GpuEngine(_cards)
