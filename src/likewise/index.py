"""`Index`: an index of documents in a directory, the main object of the library."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any

import msgspec

# Here, and not below other modules: CPython maps its stack of calls in blocks of 16 KiB, and where
# numpy is imported deep in it, many of its calls map a block and unmap it again, for 20 to 60 ms.
import numpy  # noqa: F401

from likewise import arguments
from likewise.engines import DEFAULT, named, writing
from likewise.errors import LeftOut, Unfinished, UsageError
from likewise.search.open_index import warn
from likewise.search.searching_index import SearchingIndex, refuse_unknown
from likewise.store import MEMORY
from likewise.text import AnalyzerSettings, changed_settings, probe

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable
    from typing import Unpack

    from likewise.readers.reading import Input, Progress
    from likewise.reviews import Session
    from likewise.reviews.backup import Backup
    from likewise.reviews.catalogue import ListedSession, Reviews
    from likewise.search.examples import Examples
    from likewise.search.index_roots import IndexRoots
    from likewise.search.typed import ReadingOptions
    from likewise.store.adding import Added
    from likewise.store.known import OnDuplicate
    from likewise.store.manifest import KindName


class Index(SearchingIndex):
    """Made by `Index.create` or `Index.open`.

    It sees its own changes at once, and those of others after `refresh`. Its path stays valid if
    the program changes its working directory.
    """

    def __init__(
        self, path: str | os.PathLike[str], threads: int | None = None, engine: str = DEFAULT
    ) -> None:
        super().__init__(path, threads, engine)
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
        kind: KindName | None = None,
        latent: int | None = None,
        titles: bool | None = None,
        shards: int | None = None,
        threads: int | None = None,
    ) -> Index:
        """Make an empty index; the settings for turning text into terms are fixed here.

        `kind` is text, counts, values or dense; by default the first documents added decide.
        `latent` is the number of dimensions of the latent space, 0 for none; by default 128, from
        1,000 documents on. `titles` says whether documents get a view of the parts of their titles,
        which review sessions rank by beside the words; by default if titles are searched.
        `shards` divides the documents that are added into so many indexes that each open alone,
        while the whole ranks as one.
        """
        from likewise.store import sharding, transaction
        from likewise.store.kinds import KINDS
        from likewise.store.mirror import located
        from likewise.store.titles import sparse_views

        if kind not in (None, *KINDS):
            raise UsageError(f"unknown kind {kind!r}: choose {', '.join(KINDS)}")
        given = {"language": language, "stop_words": stop_words, "bigrams": bigrams}
        settings = changed_settings(AnalyzerSettings(), **given, fields=fields)
        if latent is not None:
            latent = arguments.whole("latent", latent, 0)
        divided = None if shards is None else sharding.divided(shards)
        place = arguments.path("path", located(path, new=True))
        sparse = sparse_views(settings, kind, titles)
        kept = msgspec.to_builtins(settings)
        transaction.create(place, kept, kind, latent, probe(settings), sparse, divided)
        return cls(place, threads)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        threads: int | None = None,
        engine: str = DEFAULT,
        address: str | None = None,
    ) -> Index:
        """Open the newest generation; `engine` is a name in likewise.engines.ENGINES.

        `address` is that of a Dask cluster, which then computes: tcp://HOST:PORT, tls://HOST:PORT,
        or local:N for N processes on this machine.
        """
        return cls(path, threads, named(engine, address))

    def add(
        self,
        documents: Input,
        *,
        on_duplicate: OnDuplicate = "error",
        strict: bool | None = None,
        memory: int = MEMORY,
        merge: bool = True,
        progress: Progress | None = None,
        cluster: str | None = None,
        **reading: Unpack[ReadingOptions],
    ) -> Added:
        """Add files, folders, Documents, dictionaries or the rows of a DataFrame as one new
        generation.

        Invalid lines and files are skipped, listed in the result and warned about (LeftOut). An
        invalid document from a program is an error, and nothing is added. `strict` sets this for
        both: True for an error, False to skip with a warning. `memory` limits the memory for
        building, in bytes. Small segments of earlier additions are merged in the same step, unless
        `merge` is False. Vectors that Documents bring become their embeddings. `cluster` is the
        address of a Dask cluster whose workers build the new shards of an index of them. `reading`
        is passed to ReadOptions (text_column, id_column, title_column, format, encoding, ids_file,
        ids).
        """
        from likewise.readers import Problems, ReadOptions
        from likewise.readers.options import GIVEN
        from likewise.search.adding import add
        from likewise.store import adding

        refuse_unknown(reading, GIVEN)
        problems = Problems(strict=strict)
        given: dict[str, Any] = {**reading}
        analyzer = self._analyzer_of(self._snapshot)
        options = ReadOptions(fields=analyzer.settings.fields, processes=self.threads, **given)
        carried, added = add(
            self,
            analyzer,
            documents,
            options,
            problems,
            progress,
            cluster,
            on_duplicate=on_duplicate,
            memory=arguments.whole("memory", memory, 1),
            merge=merge,
        )
        for note in added.notes:
            warn(note, Unfinished)
        note = self.views.after_adding() if added.documents or added.skipped else ""
        carried.bring(self, skipped=on_duplicate == "skip")
        if problems.count:
            warn(adding.left_out(problems), LeftOut)
        return added.with_problems(problems, note)

    def delete(self, ids: str | Iterable[str], *, ignore_missing: bool = False) -> int:
        """Mark documents as deleted; returns how many."""
        from likewise.store import deleting

        wanted = [ids] if isinstance(ids, str) else arguments.ids(ids)
        count = deleting.delete(self.path, wanted, ignore_missing=ignore_missing)
        self.see_change()
        return count

    @property
    def roots(self) -> IndexRoots:
        """The folders whose files were added, by name; they can be moved and renamed."""
        from likewise.search.index_roots import IndexRoots

        return IndexRoots(self)

    def merge(self, *, small: bool = False) -> None:
        """Bring all segments into one, drop what was deleted, and refresh the latent space.

        `small` merges only small segments in groups, as `add` does by itself; this takes less
        time, and the latent space stays as it is.
        """
        from likewise.store import merging

        if small:
            merging.merge_small(self.path)
        else:
            merging.merge(self.path, threads=self.threads, engine=writing(self.engine))
        self.see_change()

    def reindex(
        self,
        *,
        language: str | None = None,
        stop_words: bool | None = None,
        bigrams: bool | None = None,
        fields: str | Iterable[str] | None = None,
        memory: int = MEMORY,
        progress: Progress | None = None,
    ) -> None:
        """Analyse all documents anew, with today's stemmer and, if given, other settings.

        They keep their ids and embeddings, and so their judgements. The latent space is learned
        again, and deleted documents are removed from disk. All changes in one step, at the end.
        """
        from likewise.store import reindexing

        asked = {
            "language": language,
            "stop_words": stop_words,
            "bigrams": bigrams,
            "fields": fields,
        }
        given = {name: value for name, value in asked.items() if value is not None}
        settings = changed_settings(self.refresh()._snapshot.settings, **given)
        reindexing.reindex(
            self.path,
            settings,
            memory=arguments.whole("memory", memory, 1),
            threads=self.threads,
            engine=writing(self.engine),
            progress=progress,
        )
        self.see_change()

    def backup(
        self,
        path: str | os.PathLike[str],
        *,
        database: str | os.PathLike[str] | None = None,
        force: bool = False,
        progress: Progress | None = None,
    ) -> Backup:
        """Write the newest generation and its judgements to one file; others may go on writing.

        `path` is a new file, or a folder. `database` is a file of judgements that is not beside
        the index. `force` replaces a file that is there.
        """
        from likewise.reviews.backup import backup

        place = arguments.path("path", path)
        return backup(self.path, place, database=database, force=force, progress=progress)

    @classmethod
    def restore(
        cls,
        backup: str | os.PathLike[str],
        path: str | os.PathLike[str],
        *,
        database: str | os.PathLike[str] | None = None,
        force: bool = False,
        progress: Progress | None = None,
    ) -> Index:
        """Put the index and the judgements of a backup at `path`, which must be free.

        With `force`, they replace those there: the index in one step, as its next generation, and
        the judgements in another; the judgements before that are kept in a copy.
        """
        from likewise.reviews.backup import restore

        file, place = arguments.path("backup", backup), arguments.path("path", path)
        restore(file, place, database=database, force=force, progress=progress)
        return cls(place)

    def upgrade(self) -> bool:
        """Rewrite an index of an older format in today's; False if there was nothing to do."""
        from likewise.store.upgrading import upgrade

        before = self.generation
        changed = upgrade(self.path).generation != before
        self.see_change()
        return changed

    @property
    def reviews(self) -> Reviews:
        """Review sessions: open, find, list, rename and delete them."""
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
        """Start a review session, or continue the one of this name: `reviews.open`."""
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
        """Continue the session of this name like `session`; None if this index has none."""
        return self.reviews.find(name, **options)

    def sessions(self, database: str | os.PathLike[str] | None = None) -> list[ListedSession]:
        """All sessions, the most recently used first."""
        return self.reviews.list(database)

    def rename_session(
        self, name: str, new: str, database: str | os.PathLike[str] | None = None
    ) -> None:
        self.reviews.rename(name, new, database)

    def delete_session(self, name: str, database: str | os.PathLike[str] | None = None) -> None:
        """Delete a session with all its judgements and their history."""
        self.reviews.delete(name, database)
