"""The engine `gpu`: an NVIDIA card, by CuPy; the same index, the same results.

`LIKEWISE_GPU_MEMORY` bounds the bytes that are used on the card.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from likewise.engines.gpu.collection import GpuEngine
from likewise.errors import UsageError

if TYPE_CHECKING:
    from likewise.engines.gpu.card import Card


@cache
def _card() -> Card:
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
        cupy.cuda.runtime.getDeviceCount()
        return CudaCard()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise UsageError(f"engine 'gpu' finds no card ({error}): use engine 'local'") from error


ENGINE = GpuEngine(_card)
