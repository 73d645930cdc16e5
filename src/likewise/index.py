"""An index of documents in a directory: the one object that users hold."""

from __future__ import annotations

import os
import warnings
from copy import copy
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, Self, get_args

import msgspec
import numpy as np

from likewise import arguments as checks
from likewise.document import Document
from likewise.engines import DEFAULT, engine_of
from likewise.errors import (
    LeftOut,
    LikewiseError,
    StoreError,
    Unfinished,
    UnknownIdError,
    UsageError,
)
from likewise.filters import Filter, as_filter
from likewise.readers import Problems, ReadOptions, read
from likewise.store import adding, deleting, merging, transaction
from likewise.store import views as stored_views
from likewise.store.disk import REBUILD, UNCHANGED
from likewise.store.manifest import NAME as MANIFEST
from likewise.store.manifest import Kind
from likewise.store.snapshot import Snapshot
from likewise.text import Analyzer, AnalyzerSettings

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    from numpy.typing import NDArray

    from likewise.corpus import Corpus
    from likewise.readers.reading import Input, Progress
    from likewise.reviews import Session
    from likewise.reviews.catalogue import ListedSession, Reviews
    from likewise.search.bound import LearnedQuery
    from likewise.search.examples import Examples
    from likewise.search.generation import Generation
    from likewise.search.hits import AnyQuery, Explanation, Hit, Hits
    from likewise.search.query import Query
    from likewise.solvers.stopping import Report
    from likewise.store.adding import Added
    from likewise.store.duplicates import OnDuplicate
    from likewise.store.embeddings import Brought
    from likewise.store.filtered import FieldSummary
    from likewise.store.manifest import Manifest
    from likewise.views.models import Encodes


AFTERWARDS = (LikewiseError, OSError, MemoryError)  # what may fail once a change is made
NUMBERS = ("C", "C_per_example", "at", "tol", "max_passes", "sample_unlabeled", "seed")
READING = ("text_column", "title_column", "id_column", "format", "ids_file")


class ViewInfo(NamedTuple):
    """A view beside the words; `later` documents came after it was made.

    Embeddings have a `source`; where a model made them, `model` says where that is, if anywhere.
    """

    dimensions: int
    documents: int
    later: int
    stale: bool
    bytes: int
    source: str = ""
    model: str = ""
    by_model: bool = False


class Info(NamedTuple):
    """What an index holds; sizes are in bytes."""

    path: str
    kind: str
    documents: int
    deleted: int
    terms: int
    segments: int
    generation: int
    bytes_on_disk: int
    bytes_of_records: int
    settings: dict[str, Any]
    views: dict[str, ViewInfo]


class Index:
    """Made by `Index.create` or `Index.open`.

    A handle sees its own writes; what others wrote is seen after `refresh`. It stays with its
    index if the program changes its working directory.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        threads: int | None = None,
        engine: str = DEFAULT,
    ) -> None:
        self.path = checks.path("path", path)
        self.threads = cores() if threads is None else checks.whole("threads", threads, 1)
        engine_of(engine)  # refuses an unknown one
        self.engine = engine
        self._snapshot = Snapshot.open(self.path)
        self._analyzer_ = Analyzer(_settings(self._snapshot))
        self._generation: Generation | None = None
        self._reviews: Reviews | None = None
        self._reviews_lock = Lock()

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        *,
        language: str = "english",
        stop_words: bool = True,
        bigrams: bool = False,
        fields: str | Iterable[str] = ("title", "text"),
        kind: Kind | None = None,
        latent: int | None = None,
        threads: int | None = None,
    ) -> Index:
        """Make an empty index; how text becomes terms is decided here, once.

        What it holds (text, counts, values or dense) follows from what is added first, unless
        `kind` says it. `latent` is how many dimensions a latent space of the documents is to
        have, 0 for none; by default there is one of 200 as soon as it pays.
        """
        if kind not in (None, *get_args(Kind)):
            raise UsageError(f"unknown kind {kind!r}: choose {', '.join(get_args(Kind))}")
        checks.text("language", language)
        names = (fields,) if isinstance(fields, str) else checks.names(fields)
        settings = AnalyzerSettings(language, stop_words, bigrams, names)
        Analyzer(settings)  # refuses what makes no sense
        if latent is not None:
            latent = checks.whole("latent", latent, 0)
        place = checks.path("path", path)
        transaction.create(place, msgspec.to_builtins(settings), kind, latent)
        return cls(place, threads)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        threads: int | None = None,
        engine: str = DEFAULT,
    ) -> Index:
        """Open the newest generation; `engine` says what computes, see likewise.engines."""
        return cls(path, threads, engine)

    def add(
        self,
        documents: Input,
        *,
        on_duplicate: OnDuplicate = "error",
        strict: bool | None = None,
        memory: int = adding.MEMORY,
        progress: Progress | None = None,
        **reading: Any,
    ) -> Added:
        """Add files, folders, Documents, dictionaries or the rows of a DataFrame as one new
        generation.

        Bad lines and files are left out, listed in the result and warned about (LeftOut); a bad
        document that a program hands over is an error, and nothing is added. `strict` decides
        for both: True for an error, False to leave them out with a warning. `memory` bounds what
        building takes, in bytes; `reading` is passed on to ReadOptions (text_column, id_column,
        title_column, format, ids_file).
        """
        _refuse_unknown(reading, READING)
        problems = Problems(strict=strict)
        options = ReadOptions(fields=self.analyzer.settings.fields, **reading)
        added = adding.add(
            self.path,
            read(documents, options, problems, progress),
            self.analyzer,
            on_duplicate=on_duplicate,
            memory=checks.whole("memory", memory, 1),
            threads=self.threads,
        )
        notes = self._after_adding() if added.documents else ()
        if problems.count:
            warnings.warn(_left_out(problems), LeftOut, stacklevel=2)
        return added._replace(
            notes=notes,
            problems=tuple(problems.listed),
            problem_count=problems.count,
            characters_replaced=sum(problems.replaced.values()),
            unknown=dict(problems.unknown),
        )

    def delete(self, ids: str | Iterable[str], *, ignore_missing: bool = False) -> int:
        """Mark documents as deleted; returns how many."""
        wanted = [ids] if isinstance(ids, str) else checks.ids(ids)
        count = deleting.delete(self.path, wanted, ignore_missing=ignore_missing)
        self._see_change()
        return count

    def learn_latent(self, dimensions: int | None = None, *, seed: int | None = None) -> None:
        """Learn the latent space anew from the documents that are there now.

        It is learned by itself when there are 1,000 documents and when their number has doubled;
        other documents are folded in.
        """
        if dimensions is not None:
            dimensions = checks.whole("dimensions", dimensions, 1)
        there = self._snapshot.manifest.views.get("latent")
        seed = checks.whole("seed", seed, 0) if seed is not None else there.seed if there else 0
        stored_views.learn(self.path, dimensions, seed=seed, threads=self.threads)
        self._see_change()

    def drop_latent(self) -> None:
        """Do without a latent space from now on."""
        stored_views.drop(self.path, "latent")
        self._see_change()

    def embed(
        self,
        vectors: NDArray[np.number] | str | os.PathLike[str],
        ids: Iterable[str] | str | os.PathLike[str] | None = None,
        *,
        source: str | None = None,
        replace: bool = False,
    ) -> Brought:
        """Bring embeddings as a view of the documents; returns who got, kept and lost one.

        An array or a .npy file, one vector a row; `ids`, or a file of them, say whose. Without
        ids, there must be one for each document in order. Other documents keep vectors that were
        brought earlier, unless these are of other dimensions or another `source`, or `replace`
        says so. Documents without a vector take no part in this view. `embed_with` makes them.
        """
        from likewise.search import vectors as embedding
        from likewise.store.embeddings import bring
        from likewise.views.models import unit

        self.refresh()
        rows, names = embedding.load(vectors), embedding.names(ids)
        file = Path(vectors) if isinstance(vectors, (str, os.PathLike)) else None
        named = str(file) if file else embedding.THE_ARRAY
        numbers = self._rows_of(names, rows, named)
        origin = source or (file.name if file else "array")
        brought = bring(
            self.path,
            self.generation,
            numbers,
            unit(rows, named),
            (origin, source is not None),
            replace=replace,
        )
        self._see_change()
        return brought

    def embed_with(
        self, model: str | Encodes | None = None, *, progress: Progress | None = None
    ) -> int:
        """Embed documents with a model of sentence-transformers; returns how many had to be.

        `model` is a folder on this machine, or an object with a method `encode` that makes a
        vector of each text of a list. Documents that have an embedding of this model keep it;
        without `model`, those that have none get one of the model that made the others. What is
        interrupted goes on from where it was, and the index changes at the end, at once.
        """
        from likewise.search.embeddings import make

        count = make(self._snapshot, self.analyzer.settings.fields, model, progress)
        self._see_change()
        return count

    def drop_embeddings(self) -> None:
        """Do without embeddings from now on."""
        stored_views.drop(self.path, "embeddings")
        self._see_change()

    def _rows_of(
        self, ids: list[str] | None, rows: NDArray[np.number], name: str
    ) -> NDArray[np.int64]:
        """The documents that rows of embeddings belong to."""
        from likewise.search import vectors as embedding

        if ids is None:
            if len(rows) != len(self):
                raise UsageError(
                    f"{name} holds {len(rows):,} vectors for {len(self):,} documents: "
                    "give their ids"
                )
            return np.arange(len(rows))
        embedding.check(rows, ids, name, values=False)
        numbers = self._snapshot.numbers(ids)
        if len(missing := np.flatnonzero(numbers < 0)):
            raise UsageError(f"no document {ids[missing[0]]!r} in {self.path}, but in {name}")
        return numbers

    def merge(self) -> None:
        """Bring all segments into one, drop what was deleted, and refresh the latent space."""
        merging.merge(self.path, threads=self.threads)
        self._see_change()

    def refresh(self) -> Self:
        """Go to the newest generation; if that is damaged, raise and stay at this one."""
        newest = Snapshot.open(self.path, self._snapshot)
        if newest.manifest != self._snapshot.manifest:
            self._analyzer_of(newest)  # refuses settings that make no sense
            self._snapshot, self._generation = newest, None
        return self

    def move_to(self, other: Index) -> None:
        """Go to the generation that another handle of this index is at, and share what it found."""
        self._snapshot, self._generation = other._snapshot, other._generation

    def frozen(self) -> Index:
        """Another handle, which stays at this generation whatever becomes of this one."""
        return copy(self)

    def search(
        self,
        words: str,
        k: int = 10,
        *,
        weighting: str | None = None,
        filter: Filter | str | None = None,
        skip: int = 0,
    ) -> Hits:
        """The documents most like some words, by the cosine of the angle between them.

        `filter` says which may be found, as in "year>=2019"; the `skip` best are left out.
        """
        from likewise.search.hits import search

        checks.text("words", words, "give the words to search for as text")
        k, skip = checks.page(k, skip)
        chosen = as_filter(filter)
        return search(self.searcher, words, k, weighting=weighting, filter=chosen, skip=skip)

    def like(
        self,
        examples: Examples,
        unlike: Examples = (),
        *,
        method: str = "auto",
        k: int = 10,
        weighting: str | None = None,
        filter: Filter | str | None = None,
        progress: Report | None = None,
        **options: Any,
    ) -> Hits:
        """The documents most like some examples; `.query` of the result is what was learned.

        A str is an id; files are Paths and raw text is Text. Judged documents are left out.
        `options` are those of likewise.search.methods.Options: C, C_per_example, at, tol, …
        """
        k, _ = checks.page(k)  # before the work, not after it
        chosen = as_filter(filter)
        learned = self._learn(examples, unlike, method, weighting, progress, options)
        return self.run(learned, k, filter=chosen)

    def learn(
        self,
        examples: Examples,
        unlike: Examples = (),
        *,
        method: str = "auto",
        weighting: str | None = None,
        progress: Report | None = None,
        **options: Any,
    ) -> LearnedQuery:
        """The query that `like` runs."""
        return self._learn(examples, unlike, method, weighting, progress, options)

    def run(
        self,
        query: Query | LearnedQuery,
        k: int = 10,
        *,
        filter: Filter | str | None = None,
        skip: int = 0,
    ) -> Hits:
        """The best documents by a query learned here or elsewhere; `filter` as in search."""
        from likewise.search.hits import run

        _refuse_no_query(query)
        k, skip = checks.page(k, skip)
        return run(self.searcher, query, k, filter=as_filter(filter), skip=skip)

    def explain(
        self, document: Hit | str, query: AnyQuery, *, weighting: str | None = None
    ) -> Explanation:
        """What each term added to a document's score for a query or for words."""
        from likewise.search.hits import explain

        if not isinstance(query, str):
            _refuse_no_query(query)
        id = checks.one_id(getattr(document, "id", document))
        return explain(self.searcher, id, query, weighting)

    @property
    def reviews(self) -> Reviews:
        """Sessions of judging: open, find, list, rename and delete them."""
        from likewise.reviews.catalogue import Reviews

        with self._reviews_lock:
            if self._reviews is None:
                self._reviews = Reviews(self.path, lambda: self.searcher)
            return self._reviews

    def session(
        self,
        name: str = "review",
        *,
        query: str | None = None,
        examples: Examples = (),
        unlike: Examples = (),
        reviewer: str | None = None,
        database: str | os.PathLike[str] | None = None,
        adopt: bool = False,
        **settings: Any,
    ) -> Session:
        """Begin a session of judging, or continue the one of this name: `reviews.open`."""
        return self.reviews.open(
            name,
            query=query,
            examples=examples,
            unlike=unlike,
            reviewer=reviewer,
            database=database,
            adopt=adopt,
            **settings,
        )

    def find_session(self, name: str, **options: Any) -> Session | None:
        """Continue the session of this name, as `session` does; None if this index has none."""
        return self.reviews.find(name, **options)

    def sessions(self, database: str | os.PathLike[str] | None = None) -> list[ListedSession]:
        """All sessions kept, the one last used first."""
        return self.reviews.list(database)

    def rename_session(
        self, name: str, new: str, database: str | os.PathLike[str] | None = None
    ) -> None:
        self.reviews.rename(name, new, database)

    def delete_session(self, name: str, database: str | os.PathLike[str] | None = None) -> None:
        """Delete a session with all its judgements and their history."""
        self.reviews.delete(name, database)

    def corpus(self, weighting: str | None = None) -> Corpus:
        """The documents' vectors as a Corpus, for anyone's own learner."""
        return self.searcher.words(weighting)

    @property
    def analyzer(self) -> Analyzer:
        """What turns text into terms in the generation that this handle sees."""
        return self._analyzer_of(self._snapshot)

    @property
    def searcher(self) -> Generation:
        """The generation that this handle sees, ready to be asked."""
        from likewise.search.generation import Generation

        snapshot, generation = self._snapshot, self._generation
        if generation is None or generation.snapshot is not snapshot:  # or a thread has refreshed
            generation = Generation(
                snapshot, self._analyzer_of(snapshot), self.engine, self.threads
            )
            self._generation = generation
        return generation

    def document(self, id: str) -> Document:
        number = int(self._snapshot.numbers([checks.one_id(id)])[0])
        if number < 0:
            raise UnknownIdError(f"no document {id!r} in {self.path}")
        return Document.from_record(self._snapshot.record(number), id)

    def documents(self, ids: Iterable[str]) -> list[Document]:
        """Several documents at once, in the order of their ids."""
        wanted = checks.ids(ids)
        numbers = self._snapshot.numbers(wanted).tolist()
        for id in (id for id, number in zip(wanted, numbers, strict=True) if number < 0):
            raise UnknownIdError(f"no document {id!r} in {self.path}")
        return list(map(self._snapshot.document, numbers, wanted))

    def count(self, filter: Filter | str | None = None) -> int:
        """How many documents a filter leaves."""
        mask = self.searcher.kept(as_filter(filter))
        return len(self) if mask is None else int(mask.sum())

    def fields(self, most: int = 20) -> list[FieldSummary]:
        """The fields to filter by, each with at most so many of its most frequent values."""
        return self.searcher.fields(checks.whole("most", most, 0))

    @property
    def generation(self) -> int:
        """Grows by one with each change."""
        return self._snapshot.generation

    def ids(self) -> list[str]:
        """All documents' ids, in the order of their numbers in the corpus."""
        return self._snapshot.ids(range(len(self._snapshot)))

    def terms(self) -> list[str]:
        """All terms, in the order of their numbers in the corpus."""
        return self._snapshot.term_names(range(self._snapshot.terms))

    def info(self) -> Info:
        snapshot = self._snapshot
        return Info(
            path=str(self.path),
            kind=snapshot.manifest.kind or "empty",
            documents=len(snapshot),
            deleted=sum(len(segment.deleted) for segment in snapshot.segments),
            terms=snapshot.terms,
            segments=len(snapshot.segments),
            generation=snapshot.generation,
            bytes_on_disk=_bytes(snapshot.manifest),
            bytes_of_records=sum(segment.record_bytes for segment in snapshot.segments),
            settings=dict(snapshot.manifest.settings),
            views={name: _view(snapshot.manifest, name) for name in snapshot.manifest.views},
        )

    def verify(self) -> None:
        """Check every byte on disk against its checksum."""
        self._snapshot.verify()

    def __len__(self) -> int:
        return len(self._snapshot)

    def __contains__(self, id: object) -> bool:
        return isinstance(id, str) and bool(self._snapshot.numbers([id])[0] >= 0)

    def __repr__(self) -> str:
        return f"Index({str(self.path)!r}, {len(self)} documents)"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Nothing to do: writes are complete when they return, and maps go with the handle."""

    def _after_adding(self) -> tuple[str, ...]:
        """See the documents and learn from them; they are in, whatever fails here."""
        done = "the documents are in the index"
        try:
            note = self._see_change()
            if not note and stored_views.wants_latent(self._snapshot.manifest):
                self.learn_latent()
            return (note,) if note else ()
        except AFTERWARDS as error:
            way = "learn it by learn_latent() or `likewise latent`"
            note = f"{done}, but its latent space could not be learned ({_why(error)}): {way}"
            warnings.warn(note, Unfinished, stacklevel=3)
            return (note,)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"{done}, but its latent space was not learned") from None

    def _see_change(self) -> str:
        """Go to the generation just made: that this fails does not undo it. Returns why, if so."""
        try:
            self.refresh()
        except AFTERWARDS as error:
            note = f"{self.path} is changed, but cannot be opened ({_why(error)}): refresh it later"
            warnings.warn(note, Unfinished, stacklevel=3)
            return note
        return ""

    def _learn(
        self,
        examples: Examples,
        unlike: Examples,
        method: str,
        weighting: str | None,
        progress: Report | None,
        options: dict[str, Any],
    ) -> LearnedQuery:
        from likewise.search.learning import learn
        from likewise.search.methods import Options

        _refuse_unknown(options, Options.__dataclass_fields__)
        checks.numbers(options, NUMBERS)
        return learn(
            self.searcher,
            examples,
            unlike,
            method=method,
            weighting=weighting,
            options=Options(**options),
            report=progress,
        )

    def _analyzer_of(self, snapshot: Snapshot) -> Analyzer:
        """An index may be replaced by one with other settings: each generation has its own."""
        known, settings = self._analyzer_, _settings(snapshot)
        if known.settings != settings:
            known = self._analyzer_ = Analyzer(settings)
        return known


def _settings(snapshot: Snapshot) -> AnalyzerSettings:
    try:
        return msgspec.convert(snapshot.manifest.settings, AnalyzerSettings)
    except msgspec.ValidationError as error:
        raise StoreError(
            f"the settings in {snapshot.directory / MANIFEST} make no sense ({error}): {REBUILD}"
        ) from error


def _bytes(manifest: Manifest) -> int:
    segments = sum(segment.bytes for segment in manifest.segments)
    deletions = sum(s.deletions.bytes for s in manifest.segments if s.deletions)
    return segments + deletions + sum(_view(manifest, name).bytes for name in manifest.views)


def _view(manifest: Manifest, name: str) -> ViewInfo:
    view = manifest.views[name]
    later = stored_views.later(manifest, name)
    stale = later > 0 if name != "latent" else stored_views.is_stale(manifest)
    size = view.bytes + sum(segment.views[name].bytes for segment in manifest.segments)
    made_from = view.documents if name == "latent" else manifest.documents - later
    origin = (view.source, view.model, bool(view.probe))
    return ViewInfo(view.dimensions, made_from, later, stale, size, *origin)


def _refuse_no_query(query: Any) -> None:
    from likewise.search.bound import LearnedQuery
    from likewise.search.query import Query

    if not isinstance(query, (Query, LearnedQuery)):
        raise UsageError(
            f"a {type(query).__name__} is no learned query: give what learn or Query.load returns, "
            "or use search for words"
        )


def _left_out(problems: Problems) -> str:
    others = f" (and {problems.count - 1:,} more, see Added.problems)" if problems.count > 1 else ""
    given = f"{problems.count:,} of the documents given " if problems.given else ""
    return f"{given}left out: {problems.listed[0]}{others}"


def _why(error: BaseException) -> str:
    """The reason; what a store's sentence says of the index is not so for what came before."""
    return str(error).partition(f"; {UNCHANGED}")[0] or type(error).__name__


def _refuse_unknown(options: Iterable[str], known: Iterable[str]) -> None:
    unknown = set(options).difference(known)
    if unknown:
        raise UsageError(f"unknown option {min(unknown)!r}: the options are {', '.join(known)}")


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
