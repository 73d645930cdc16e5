"""Stored rows on a cluster: a part for each source, opened where it will be asked."""

from __future__ import annotations

import atexit
import time
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from xxhash import xxh3_128_hexdigest

from likewise.engines.cluster import work
from likewise.engines.cluster.corpus import ClusterCorpus, Place
from likewise.engines.cluster.layout import Anchor
from likewise.engines.cluster.tasks import ANCHOR, Batch, Cluster
from likewise.engines.local.collection import LocalCollection, LocalEngine
from likewise.engines.local.segments import Factors
from likewise.errors import ClusterError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from distributed import Future
    from numpy.typing import NDArray

    from likewise.corpus import Floats, Ids, Source, Stored
    from likewise.weighting import Weighting


@dataclass(frozen=True)
class Sent:
    """Rows that are in this process and are sent to a worker."""

    stored: tuple[Stored, ...]
    documents: int
    name: str

    def __call__(self) -> Sequence[Stored]:
        return self.stored


class ClusterCollection:
    def __init__(
        self, cluster: Cluster, sources: Sequence[Source], width: int, threads: int
    ) -> None:
        self._cluster, self.width, self._threads = cluster, width, threads
        self._sources = [source for source in sources if source.documents]

    @cached_property
    def frequencies(self) -> NDArray[np.int64]:
        batch = Batch(self._cluster)
        terms = [batch.add("terms", work.frequencies, one, wanted=False) for one in self._opened]
        if not terms:
            return np.zeros(self.width, np.int64)
        root = batch.sum("terms", [*terms, batch.add("terms", np.zeros, self.width, np.int64)])
        found: NDArray[np.int64] = self._cluster.gathered([batch.send()[root.key]])[0]
        return found

    def folded(self, *_: object, **__: object) -> None:
        """Latent spaces are products like others here."""

    def corpus(self, weighting: Weighting, col: Floats | None = None) -> ClusterCorpus:
        factors = self._factors(weighting, col)
        batch = Batch(self._cluster)
        wire = batch.add("send", work.itself, factors.col, wanted=False)
        given = wire, factors.mean_unique
        parts = [batch.add("weigh", work.make_part, one, weighting, *given) for one in self._opened]
        about = [batch.add("weigh", work.told, part) for part in parts]
        sent = batch.send()
        told = self._cluster.gathered([sent[each.key] for each in about])
        places = [
            Place(sent[part.key], anchor, size)
            for part, anchor, (size, _) in zip(parts, self._anchors, told, strict=True)
        ]
        longest = max((length for _, length in told), default=0.0)
        return ClusterCorpus(self._cluster, places, factors, longest, self._threads, whole=True)

    def narrowed(self, ids: Ids, terms: NDArray[np.uint32]) -> LocalCollection:
        """In this process: it is for few documents."""
        from likewise.weighting import WEIGHTINGS

        raw = self.corpus(WEIGHTINGS["raw"], np.ones(self.width))
        stored: list[Stored] = []
        for _, (rows, _) in raw._asked("bring", work.stored_rows, np.asarray(ids, np.int64)):
            stored += rows
        whole = LocalEngine().collection(stored, self.width, self._threads)
        return whole.narrowed(np.arange(len(ids)), terms)

    def _factors(self, weighting: Weighting, col: Floats | None) -> Factors:
        """As the local engine has them: of all documents."""
        batch = Batch(self._cluster)
        asked = [batch.add("terms", work.about, one) for one in self._opened]
        sent = batch.send()
        told = self._cluster.gathered([sent[each.key] for each in asked])
        documents = sum(each.documents for each in told)
        if told and not documents:  # vectors of real numbers have no df
            return Factors(weighting, np.ones(self.width) if col is None else col, 0.0)
        mean = sum(each.unique for each in told) / max(documents, 1)
        own = weighting.columns(self.frequencies, documents) if col is None else col
        return Factors(weighting, own, mean)

    @cached_property
    def _anchors(self) -> list[Future[Any]]:
        """One for all views of a source, on workers in turn."""
        names = [source.name for source in self._sources]
        keys = {f"{ANCHOR}{xxh3_128_hexdigest(name.encode())}": name for name in names}
        return self._cluster.placed(Anchor, keys)

    @cached_property
    def _opened(self) -> list[Any]:
        batch, given = Batch(self._cluster), (self.width, self._cluster.build)
        made = [
            batch.add("open", work.open_source, anchor, source, *given)
            for anchor, source in zip(self._anchors, self._sources, strict=True)
        ]
        sent = batch.send()
        return [sent[each.key] for each in made]


_known: dict[str, ClusterEngine] = {}
_silent: dict[str, tuple[ClusterError, float]] = {}
_connecting = Lock()
PAUSE = 5.0  # seconds after nobody answered, in which nobody is asked: many may be waiting


def at(address: str) -> ClusterEngine:
    """The engine of a cluster. All of a process share a connection; a lost one is made again."""
    if not address:
        raise UsageError(
            "engine 'cluster' needs the address of a scheduler, as in "
            "address='tcp://HOST:8786', or 'local:4' for processes on this machine"
        )
    with _connecting:
        refused, until = _silent.get(address, (None, 0.0))
        if refused is not None and time.monotonic() < until:
            raise ClusterError(str(refused))
        known = _known.get(address)
        if known is not None and known.lost and not known.cluster.failed:
            known = _known[address] = ClusterEngine(known.cluster)
        if known is None or known.lost:
            if known is not None:
                known.cluster.close()
            try:
                known = _known[address] = ClusterEngine(Cluster(address))
            except ClusterError as error:
                _silent[address] = error, time.monotonic() + PAUSE
                raise
        return known


@atexit.register
def _close() -> None:
    for engine in _known.values():
        engine.cluster.close()
    _known.clear()


class ClusterEngine:
    def __init__(self, cluster: Cluster) -> None:
        self.cluster, self._spoiled = cluster, cluster.spoiled

    @property
    def lost(self) -> bool:
        """Whether what was opened is gone, or some of it failed: it is to be opened again."""
        return self.cluster.failed or self.cluster.spoiled > self._spoiled

    def collection(self, stored: Sequence[Stored], width: int, threads: int) -> ClusterCollection:
        """Of rows in this process, which are sent."""
        sources = []
        for number, each in enumerate(stored):
            size = _documents(each)
            sources.append(
                Sent((each._replace(inverted=None, listed=None),), size, f"{id(self)}-{number}")
            )
        return self.spread(sources, width, threads)

    def spread(self, sources: Sequence[Source], width: int, threads: int) -> ClusterCollection:
        """Of rows that workers open by themselves."""
        return ClusterCollection(self.cluster, sources, width, threads)


def _documents(stored: Stored) -> int:
    if stored.live is not None:
        return len(stored.live)
    rows = stored.rows
    return len(rows) if isinstance(rows, np.ndarray) else len(rows["starts"]) - 1
