"""`index.views`: titles, latent space and embeddings of an index: learn, add and drop them."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise import arguments
from likewise.corpus import SparseVector
from likewise.engines import writing
from likewise.errors import Unfinished, UsageError
from likewise.search import vectors as given
from likewise.search.open_index import AFTERWARDS, warn
from likewise.store import info, titles
from likewise.store import views as stored
from likewise.store.disk import reason
from likewise.store.embeddings import bring
from likewise.store.reindexing import titles_of
from likewise.views import EMBEDDINGS, LATENT, WORDS
from likewise.views.models import unit
from likewise.views.precision import PRECISIONS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray

    from likewise.corpus import Corpus
    from likewise.readers.reading import Progress
    from likewise.search.hits import AnyQuery, Hit
    from likewise.search.open_index import OpenIndex
    from likewise.search.query import Weight
    from likewise.store.embeddings import Brought
    from likewise.store.info import ViewInfo
    from likewise.store.snapshot import Snapshot
    from likewise.views.models import Encodes

PASSES = 3  # timed; the first of them reads from disk


class ViewCost(NamedTuple):
    """What a view costs; that of the words has the documents themselves.

    `share` is its size beside that of the documents as they were given; `seconds` are those of
    comparing one document with all.
    """

    documents: int
    dimensions: int
    bytes: int
    share: float
    seconds: float


class IndexViews:
    """The views of an Index beside its words: titles, a latent space and embeddings."""

    def __init__(self, index: OpenIndex) -> None:
        self._index = index

    def __repr__(self) -> str:
        return f"IndexViews({', '.join(self.info()) or 'words only'})"

    def info(self) -> dict[str, ViewInfo]:
        """The views that the index has, by name."""
        return info.views_of(self._snapshot)

    def costs(self) -> dict[str, ViewCost]:
        """What each view takes on disk, and the time of one pass over it, words first."""
        seen = self._index.searcher
        known = info.info_of(seen.snapshot)
        others = {name: (view.documents, view.bytes) for name, view in known.views.items()}
        words = known.bytes_on_disk - sum(size for _, size in others.values())
        return {
            name: ViewCost(
                documents,
                seen.columns({name: 1.0}).width,
                size,
                size / max(known.bytes_of_records, 1),
                _pass(seen.words() if name == WORDS else seen.view(name)),
            )
            for name, (documents, size) in {WORDS: (known.documents, words), **others}.items()
        }

    def add_titles(self) -> None:
        """Give all documents a row of the parts of their titles, also those that come later."""
        titles.make(self._index.path, titles_of)
        self._index.see_change()

    def explain_title(self, document: Hit | str, query: AnyQuery) -> list[Weight]:
        """What each part of a document's title adds to its score, largest effect first.

        These are the details of "(parts of the title)" in `Index.explain`; none if the query does
        not use the view of titles.
        """
        from likewise.search.hits import explain_title

        id = arguments.one_id(getattr(document, "id", document))
        return explain_title(self._index.searcher, id, query)

    def drop_titles(self) -> None:
        """Remove the view of titles; documents that come later get none either."""
        titles.drop(self._index.path)
        self._index.see_change()

    def learn_latent(self, dimensions: int | None = None, *, seed: int | None = None) -> None:
        """Learn the latent space again, from the current documents.

        It is learned automatically when there are 1,000 documents and when their number has
        doubled; other documents are folded in.
        """
        if dimensions is not None:
            dimensions = arguments.whole("dimensions", dimensions, 1)
        there = self._snapshot.manifest.views.get(LATENT)
        seed = arguments.whole("seed", seed, 0) if seed is not None else there.seed if there else 0
        index = self._index
        stored.learn(
            index.path, dimensions, seed=seed, threads=index.threads, engine=writing(index.engine)
        )
        index.see_change()

    def after_adding(self) -> str:
        """Refresh after adding documents, and learn the latent space if it is due.

        The documents stay in the index if this fails; returns a note on what failed.
        """
        done = "the documents are in the index"
        try:
            note = self._index.see_change()
            if not note and stored.wants_latent(self._snapshot.manifest):
                self.learn_latent()
            return note
        except AFTERWARDS as error:
            way = "learn it by learn_latent() or `likewise latent`"
            note = f"{done}, but its latent space could not be learned ({reason(error)}): {way}"
            warn(note, Unfinished)
            return note
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"{done}, but its latent space was not learned") from None

    def drop_latent(self) -> None:
        """Remove the latent space and do not learn it again."""
        self._drop(LATENT)

    def embed(
        self,
        vectors: NDArray[np.number] | str | os.PathLike[str],
        ids: Iterable[str] | str | os.PathLike[str] | None = None,
        *,
        source: str | None = None,
        replace: bool = False,
    ) -> Brought:
        """Add embeddings of the documents; returns how many got, kept and lost one.

        `vectors` is an array or a .npy file, one vector per row; `ids`, or a file of ids, names
        the documents. Without ids there must be one vector for each document, in order. Other
        documents keep their earlier vectors, unless `replace` is set or these have other
        dimensions or another `source`. Documents without a vector have no part in this view.
        `embed_with` makes embeddings with a model.
        """
        self._index.refresh()
        rows, names = given.load(vectors), given.names(ids)
        file = Path(vectors) if isinstance(vectors, (str, os.PathLike)) else None
        called = str(file) if file else given.THE_ARRAY
        snapshot = self._snapshot
        brought = bring(
            self._index.path,
            snapshot.generation,
            _numbers(snapshot, names, rows, called),
            unit(rows, called),
            (source or (file.name if file else "array"), source is not None),
            replace=replace,
        )
        self._index.see_change()
        return brought

    def embed_with(
        self,
        model: str | Encodes | None = None,
        *,
        progress: Progress | None = None,
        turn: AbstractContextManager[object] | None = None,
    ) -> int:
        """Embed documents with a model of sentence-transformers; returns how many were embedded.

        `model` is a folder on this machine, the name of a model that is in a cache or a package
        there, or an object with a method `encode` that makes a vector of each text of a list.
        Documents that have an embedding of this model keep it. Without `model`, documents without
        an embedding get one from the model that made the others, or from all-MiniLM-L6-v2. An
        interrupted call continues where it stopped; the index changes once, at the end, inside
        `turn` if that is given: a lock, where others change the index, too.
        """
        from likewise.search.embeddings import make

        seen = self._index.searcher
        fields = seen.analyzer.settings.fields
        count = make(seen.snapshot, fields, model, progress, turn)
        self._index.see_change()
        return count

    def store_embeddings(self, precision: str) -> None:
        """Keep embeddings as "float32", or as "int8": a byte a number and a factor a vector.

        Bytes take a quarter of the space. This holds for all vectors of the index, also for those
        that come later; what bytes have rounded stays so.
        """
        if precision not in PRECISIONS:
            raise UsageError(f"precision {precision!r} is none of {', '.join(PRECISIONS)}")
        stored.store_at(self._index.path, EMBEDDINGS, precision)
        self._index.see_change()

    def drop_embeddings(self) -> None:
        """Remove the embeddings."""
        self._drop(EMBEDDINGS)

    @property
    def _snapshot(self) -> Snapshot:
        return self._index.searcher.snapshot

    def _drop(self, name: str) -> None:
        stored.drop(self._index.path, name)
        self._index.see_change()


def _pass(corpus: Corpus) -> float:
    """The seconds in which a document is compared with all; the fastest of a few times."""
    if not corpus.shape[0]:
        return 0.0
    row = corpus.rows(np.array([0]))
    vector, taken = SparseVector(row.columns, row.values), []
    for _ in range(PASSES):
        began = time.perf_counter()
        corpus.scores(vector)
        taken.append(time.perf_counter() - began)
    return min(taken)


def _numbers(
    snapshot: Snapshot, ids: list[str] | None, rows: NDArray[np.number], name: str
) -> NDArray[np.int64]:
    """The document number of each row of embeddings."""
    if ids is None:
        if len(rows) != len(snapshot):
            raise UsageError(
                f"{name} holds {len(rows):,} vectors for {len(snapshot):,} documents: "
                "give their ids"
            )
        return np.arange(len(rows))
    given.check(rows, ids, name, values=False)
    numbers = snapshot.numbers(ids)
    if len(missing := np.flatnonzero(numbers < 0)):
        raise UsageError(
            f"no document {ids[missing[0]]!r} in {snapshot.directory}, but {name} has its vector: "
            "remove it, or add the document"
        )
    return numbers
