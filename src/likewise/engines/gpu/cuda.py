"""A card by CuPy: kernels.cu, compiled for it at first use and kept by CuPy on disk."""

from __future__ import annotations

from functools import cached_property
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from likewise.engines.gpu.arrays import CupyArrays
from likewise.errors import UsageError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from likewise.engines.gpu.layout import Array, Groups, Sparse, Tiled

THREADS = 512
TILED_THREADS = 1024  # of a block that shares a tile's weights
TILES = 2  # that a processor has at a time: with one, too few threads wait for memory
SIDE_BY_SIDE = 16  # vectors from which on a kernel for several is faster than one for each
WIDE = 128  # columns of a block that one launch does
SLAB = 2048  # rows whose sums a block makes
FEW = 1 << 15  # documents that a host learns from in less time than a card has to be told
DENSE_ROWS = 1 << 16  # multiplied by a block of vectors at a time
TYPES = {"float32": "float", "float64": "double", "uint8": "u8", "int8": "signed char"}
TEMPLATES: dict[str, list[tuple[str, ...]]] = {
    "rows_dot": [("u8", "float"), ("u8", "double"), ("float", "float"), ("float", "double")],
    "rows_dot_block": [("u8", "float"), ("u8", "double"), ("float", "float"), ("float", "double")],
    "lists_dot": [("u8", "float"), ("u8", "double"), ("float", "float"), ("float", "double")],
    "add_groups": [("float",), ("double",)],
    "copy_rows": [("u8",), ("float",)],
    "dense_dot": [(m, t) for m in ("signed char", "float") for t in ("float", "double")],
    "dense_sums": [(m, t) for m in ("signed char", "float") for t in ("float", "double")],
}


class CudaCard:
    """A device by its number. `memory` is the most bytes to use: by default what is free."""

    def __init__(self, memory: int | None = None, few: int = FEW, number: int = 0) -> None:
        import cupy

        self.xp: Any = cupy
        self.arrays = CupyArrays()
        self.few, self._memory = few, memory
        self._number = number
        self._properties = cupy.cuda.runtime.getDeviceProperties(number)
        shared = int(self._properties["sharedMemPerMultiprocessor"])
        self.tile = 1 << ((shared // (8 * TILES)).bit_length() - 1)

    def active(self) -> AbstractContextManager[Any]:
        device: AbstractContextManager[Any] = self.xp.cuda.Device(self._number)
        return device

    def brought(self, array: Array) -> Array:
        return self.xp.asarray(array)

    def room(self, bytes: int, what: str) -> None:
        pool = self.xp.get_default_memory_pool()
        free = int(self.xp.cuda.runtime.memGetInfo()[0]) + int(pool.free_bytes())
        if self._memory is not None:
            free = min(free, self._memory - int(pool.used_bytes()))
        if bytes > free:
            raise UsageError(
                f"{what} needs {_gb(bytes)} on the card, and {_gb(max(free, 0))} are free there: "
                "use engine 'local', a card with more memory, or fewer documents"
            )

    def rows_dot(self, rows: Sparse, table: Array, x: Array, factor: Array) -> Array:
        x = self.xp.ascontiguousarray(x)
        y = self.xp.empty((rows.height, *x.shape[1:]), x.dtype)
        types = _kind(rows.amounts), _kind(x)
        args: tuple[Any, ...]
        if x.ndim == 1:
            args = (*rows, table, x, factor, y, np.int64(rows.height))
            self._launch("rows_dot", types, 8 * rows.height, args)
            return y
        if x.shape[1] < SIDE_BY_SIDE:
            for column in range(x.shape[1]):
                y[:, column] = self.rows_dot(rows, table, x[:, column], factor)
            return y
        for first in range(0, x.shape[1], WIDE):
            sizes = np.int64(rows.height), np.int32(x.shape[1]), np.int32(first)
            args = (*rows, table, x, factor, y, *sizes)
            self._launch("rows_dot_block", types, 32 * rows.height, args)
        return y

    def add_lists(self, by_term: Tiled, table: Array, a: Array, factor: Array, out: Array) -> None:
        if not by_term.lists.height:
            return
        if a.ndim == 1:
            self._add_lists(by_term, table, self.xp.ascontiguousarray(a), factor, out)
            return
        for column in range(a.shape[1]):  # faster than several at a time, which do not fit a tile
            sums = self.xp.zeros(out.shape[0])
            self._add_lists(by_term, table, self.xp.ascontiguousarray(a[:, column]), factor, sums)
            out[:, column] += sums

    def _add_lists(self, by_term: Tiled, table: Array, a: Array, factor: Array, out: Array) -> None:
        lists, tiles = by_term.lists, int(by_term.firsts.shape[0]) - 1
        partial = self.xp.empty(lists.height)
        shares = max(1, min(32, 4 * self._processors // tiles))
        kernel = self._kernel("lists_dot", (_kind(lists.amounts), _kind(a)))
        kernel.max_dynamic_shared_size_bytes = 8 * by_term.tile
        sizes = np.int64(a.shape[0]), np.int32(by_term.tile), np.int32(shares)
        args = (*lists, table, by_term.by_size, by_term.sizes, a, factor, partial, *sizes)
        kernel((tiles * shares,), (TILED_THREADS,), args, shared_mem=8 * by_term.tile)
        terms = int(by_term.terms.shape[0])
        order = (by_term.order, by_term.term_starts, by_term.terms)
        self._launch("sum_lists", (), 8 * terms, (partial, *order, out, np.int64(terms)))

    def add_groups(self, groups: Groups, added: Array, out: Array) -> None:
        width = 1 if out.ndim == 1 else out.shape[1]
        count = int(groups.targets.shape[0])
        added = self.xp.ascontiguousarray(added, np.float64)
        sizes = np.int64(count), np.int32(width)
        args = (groups.targets, groups.starts, added, out, *sizes)
        self._launch("add_groups", (_kind(out),), count * width, args)

    def copy_rows(self, rows: Sparse, ids: Array, to: Sparse, into: Array) -> None:
        ids, into = ids.astype(np.int64, copy=False), into.astype(np.int64, copy=False)
        args = (*rows, ids, into, *to, np.int64(ids.shape[0]))
        self._launch("copy_rows", (_kind(rows.amounts),), 32 * ids.shape[0], args)

    def widened(self, columns: Array) -> Array:
        if columns.dtype != np.uint8:
            return columns.astype(np.uint32, copy=False)
        count = columns.shape[0] // 3
        numbers = self.xp.empty(count, np.uint32)
        self._launch("widen", (), count, (columns, numbers, np.int64(count)))
        return numbers

    def dense_dot(self, matrix: Array, x: Array, factor: Array) -> Array:
        rows, width = matrix.shape
        x = self.xp.ascontiguousarray(x)
        y = self.xp.empty((rows, *x.shape[1:]), x.dtype)
        if x.ndim == 1:
            args = (matrix, x, factor, y, np.int64(rows), np.int32(width))
            self._launch("dense_dot", (_kind(matrix), _kind(x)), 32 * rows, args)
            return y
        for first in range(0, rows, DENSE_ROWS):
            some = slice(first, first + DENSE_ROWS)
            y[some] = matrix[some].astype(x.dtype) @ x
        y *= factor[:, None].astype(x.dtype)
        return y

    def dense_sums(self, matrix: Array, a: Array, factor: Array) -> Array:
        rows, width = matrix.shape
        if a.ndim == 1:
            slabs = max(-(-rows // SLAB), 1)
            partial = self.xp.zeros((slabs, width))
            sizes = np.int64(rows), np.int32(width), np.int64(SLAB)
            args = (matrix, self.xp.ascontiguousarray(a), factor, partial, *sizes)
            kernel = self._kernel("dense_sums", (_kind(matrix), _kind(a)))
            kernel((slabs,), (min(256, -(-width // 32) * 32),), args)
            return partial.sum(axis=0)
        total = self.xp.zeros((width, a.shape[1]), a.dtype)
        for first in range(0, rows, DENSE_ROWS):
            some = slice(first, first + DENSE_ROWS)
            weights = a[some] * factor[some, None].astype(a.dtype)
            total += matrix[some].astype(a.dtype).T @ weights
        return total

    @cached_property
    def _processors(self) -> int:
        return int(self._properties["multiProcessorCount"])

    @cached_property
    def _module(self) -> Any:
        code = files(__package__).joinpath("kernels.cu").read_text("utf-8")
        names = [_named(name, types) for name, kinds in TEMPLATES.items() for types in kinds]
        names += ["sum_lists", "widen"]
        return self.xp.RawModule(code=code, options=("-std=c++17",), name_expressions=names)

    def _kernel(self, name: str, types: tuple[str, ...]) -> Any:
        return self._module.get_function(_named(name, types))

    def _launch(
        self, name: str, types: tuple[str, ...], threads: int, args: tuple[Any, ...]
    ) -> None:
        blocks = min(-(-threads // THREADS), 64 * self._processors)
        if blocks:
            self._kernel(name, types)((blocks,), (THREADS,), args)


def _named(name: str, types: tuple[str, ...]) -> str:
    return f"{name}<{', '.join(types)}>" if types else name


def _kind(array: Array) -> str:
    return TYPES[str(array.dtype)]


def _gb(bytes: int) -> str:
    return f"{bytes / 1e9:.1f} GB"
