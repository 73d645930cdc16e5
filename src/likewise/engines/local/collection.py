"""Stored rows of the local engine: mapped, never copied, shared by all weightings."""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING, cast

import numpy as np

from likewise import _core
from likewise.engines.checks import checked_ids
from likewise.engines.local.columns import Outwards, Renumbered
from likewise.engines.local.corpus import LocalCorpus
from likewise.engines.local.parts import CountMatrix
from likewise.engines.local.segments import Factors
from likewise.engines.local.vectors import DensePart, ValuePart
from likewise.engines.together import together

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from likewise._core import CountArrays
    from likewise.corpus import Floats, Ids, PackedRows, Space, Stored, ValueArrays
    from likewise.engines.local.parts import Part
    from likewise.weighting import Weighting

    Rows = NDArray[np.uint32]
    Matrices = list[tuple[CountMatrix | Part, Rows | None]]

MANY_ROWS = 10_000  # from which on threads are started for one a segment
LEFT_OUT = np.uint32(2**32 - 1)


class LocalCollection:
    """Matrices, each with its live rows (None: all), over one dictionary of `width` terms."""

    has_rows = True

    def __init__(self, matrices: Matrices, width: int, threads: int) -> None:
        self.matrices, self.width, self.threads = matrices, width, threads

    @cached_property
    def frequencies(self) -> NDArray[np.int64]:
        df = np.zeros(self.width, np.int64)
        sums = Outwards(df)
        for matrix, live in self._counts:
            own = sums(matrix)
            matrix.add_frequencies(own)
            if live is not None:
                deleted = np.setdiff1d(np.arange(matrix.shape[0]), live).astype(np.uint32)
                _, columns, _ = matrix.rows.entries(deleted)
                own -= np.bincount(columns, minlength=matrix.width)
        sums.total()
        return df

    def corpus(self, weighting: Weighting, col: Floats | None = None) -> LocalCorpus:
        factors = self.factors(weighting, col)
        counted = len(self._counts) == len(self.matrices)
        segments = factors.segments(self._counts, self.threads) if counted else None
        if segments is None:
            at_once = 1 if counted else self._at_once
            alone = self.threads if at_once == 1 else 1
            segments = together(lambda one: factors.segment(*one, alone), self.matrices, at_once)
        return LocalCorpus(segments, factors, threads=self.threads)

    def narrowed(self, ids: Ids, terms: NDArray[np.uint32]) -> LocalCollection:
        numbers = _numbers_of(terms)
        chosen = _core.select(
            [(m.rows, rows, _renumbered(numbers, m)) for m, rows in self._located(ids)],
            self.threads,
        )
        matrix = _compact(chosen, len(terms), self.threads)
        return LocalCollection([(matrix, None)], len(terms), self.threads)

    def folded(self, ids: Ids, space: Space, weighting: Weighting, *, in_bytes: bool) -> PackedRows:
        terms, basis, centre = space
        numbers, table = _numbers_of(terms), weighting.f(np.arange(256))
        found = [
            _core.fold(
                m.rows, rows, _renumbered(numbers, m), *basis, centre,
                table, weighting.f(m.arrays["large"]), in_bytes, self.threads,
            )
            for m, rows in self._located(ids)
        ]  # fmt: skip
        if len(found) == 1:
            return found[0]
        places, factors = zip(*found, strict=True)
        return np.concatenate(places), np.concatenate(factors) if in_bytes else None

    @property
    def _at_once(self) -> int:
        """How many matrices to read at a time; 1 where few are large: threads share each then."""
        rows = [matrix.shape[0] for matrix, _ in self.matrices]
        small = sum(rows) < MANY_ROWS or max(rows) * self.threads > 2 * sum(rows)
        return 1 if small else self.threads

    @property
    def _counts(self) -> list[tuple[CountMatrix, Rows | None]]:
        return [(m, live) for m, live in self.matrices if isinstance(m, CountMatrix)]

    def factors(self, weighting: Weighting, col: Floats | None) -> Factors:
        """Those of the columns, and what those of the rows are computed from."""
        if len(self._counts) < len(self.matrices):  # vectors of real numbers have no df
            return Factors(weighting, np.ones(self.width) if col is None else col, 0.0)
        uncounted = [matrix for matrix, _ in self._counts if matrix.is_uncounted]
        together(CountMatrix.count, uncounted, self._at_once)
        documents = sum(m.shape[0] if live is None else len(live) for m, live in self._counts)
        entries = sum(
            m.entries if live is None else int(m.unique[live].sum()) for m, live in self._counts
        )
        mean = entries / max(documents, 1)
        own = weighting.columns(self.frequencies, documents) if col is None else col
        return Factors(weighting, own, mean)

    def _located(self, ids: Ids) -> Iterator[tuple[CountMatrix, Rows]]:
        """The rows of some live documents, segment by segment; numbers ascend."""
        sizes = [m.rows.shape[0] if live is None else len(live) for m, live in self._counts]
        firsts = np.cumsum([0, *sizes])
        cuts = np.searchsorted(checked_ids(ids, int(firsts[-1])), firsts)
        for i, (matrix, live) in enumerate(self._counts):
            local = (ids[cuts[i] : cuts[i + 1]] - firsts[i]).astype(np.uint32)
            yield matrix, local if live is None else live[local]


class LocalEngine:
    def collection(self, stored: Sequence[Stored], width: int, threads: int) -> LocalCollection:
        given = {id(each.numbers): each.numbers for each in stored if each.numbers is not None}
        # One of each, as passes ask whether neighbours share it; the first shard needs none.
        shared = {key: Renumbered(one) for key, one in given.items() if not _in_order(one)}
        found: Matrices = [
            (_matrix(each, width, shared.get(id(each.numbers))), each.live) for each in stored
        ]
        return LocalCollection(found, width, threads)


ENGINE = LocalEngine()


def _matrix(stored: Stored, width: int, columns: Renumbered | None) -> CountMatrix | Part:
    rows = stored.rows
    if isinstance(rows, np.ndarray):
        return DensePart(rows, stored.factors)
    if "values" in rows:
        values = cast("ValueArrays", rows)
        if columns is None:
            return ValuePart(values["starts"], values["columns"], values["values"], stored.width)
        own = columns.numbers[values["columns"]]  # half of what is stored is read into memory
        return ValuePart(values["starts"], own, values["values"], width)
    trusted = stored.trusted

    @cache
    def transposed() -> CountArrays:  # where it is asked for: what is trusted is not read before
        return _core.Counts(rows, stored.width, trusted=trusted).transpose()

    listed = stored.listed if stored.inverted else None
    kept = stored.inverted is not None
    return CountMatrix(
        rows, stored.inverted or transposed, stored.width, trusted=trusted, listed=listed,
        stored=kept, columns=columns, starts=stored.starts if kept else None,
        frequencies=stored.frequencies,
    )  # fmt: skip


def _in_order(numbers: Rows) -> bool:
    """Whether every column has the number that it has already."""
    return bool((numbers == np.arange(len(numbers), dtype=np.uint32)).all())


def _numbers_of(terms: NDArray[np.uint32]) -> Rows:
    """The place of each term among these."""
    numbers = np.full(int(terms.max(initial=0)) + 1, LEFT_OUT)
    numbers[terms] = np.arange(len(terms), dtype=np.uint32)
    return numbers


def _renumbered(numbers: Rows, matrix: CountMatrix) -> Rows:
    """Numbers by the corpus' columns, by those of a matrix."""
    if matrix.columns is None:
        return numbers
    own = matrix.columns.numbers
    found = np.full(len(own), LEFT_OUT)
    within = own < len(numbers)
    found[within] = numbers[own[within]]
    return found


def _compact(rows: CountArrays, width: int, threads: int) -> CountMatrix:
    """A matrix of rows that the core has made; transposed only on use."""
    transposed = cache(lambda: matrix.rows.transpose(threads))
    matrix = CountMatrix(rows, transposed, width, trusted=True)
    return matrix
