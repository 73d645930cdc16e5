"""Adding documents: batches in, segments out, all of them visible at once at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, get_args

import msgspec
import numpy as np
from xxhash import xxh3_128_hexdigest

from likewise.document import TITLE_NAMES
from likewise.engines import DEFAULT
from likewise.errors import StoreError, UsageError
from likewise.readers.batch import Batch
from likewise.store import MEMORY
from likewise.store.beside import (
    Beside,
    Helpers,
    compressing_threads,
    stage_threads,
    title_threads,
)
from likewise.store.disk import reason
from likewise.store.finishing import Complete, Finishing, TitleFile
from likewise.store.freed import give_back, share_arenas
from likewise.store.kinds import kind_of, kind_of_batch
from likewise.store.known import EditedSegment, KnownIds, OnDuplicate, hashes_of_ids
from likewise.store.merging import small_merged
from likewise.store.segment import open_segments
from likewise.store.segment_writer import SegmentWriter
from likewise.store.sources import Tally
from likewise.store.strings import flatten, table_arrays
from likewise.store.titles import TitleRows, has_titles
from likewise.store.transaction import Transaction
from likewise.store.views import complete
from likewise.text import drift, probe
from likewise.views import TITLES, titles

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from likewise._core import Texts
    from likewise.readers.batch import AnyBatch
    from likewise.readers.problems import Problem, Problems
    from likewise.readers.roots import Roots
    from likewise.store.kinds import Kind
    from likewise.store.manifest import SegmentEntry
    from likewise.store.rows import Rows
    from likewise.store.strings import StringTable
    from likewise.text import Analyzer

MAX_MEMORY = 64 << 30  # a fifth of it in rows has fewer entries than 32 bits can count
# What a segment takes until it is on disk, so that `memory` is about what the process takes:
ROW_COPIES = 5  # rows grow with room to spare, are transposed, and forms and terms grow beside them
BYTES_PER_ID = 600  # dictionary, list and table of ids
GIVEN_BACK = 1 << 28  # bytes of records after which the system gets back what is free
FEWEST_ARENAS = 2  # of malloc, which else has one for each thread and gives little of them back
DOCUMENTS = 1 << 16  # of a segment at most, unless one batch has more: its inverted file is smaller


class Others(NamedTuple):
    """Documents of the same index in other shards: the index, and their segments."""

    directory: Path
    segments: list[EditedSegment]


class Added(NamedTuple):
    """What an addition did; `problems` lists the parts of the input that were left out.

    `unknown` counts files in folders that were passed over, by the suffix that nobody reads.
    `segments` counts those written for these documents, small ones that were merged included.
    `labels` counts documents with a label of screening, which Session.load_labels takes over.
    `notes` say what failed without keeping the documents out, such as learning the latent space;
    `remarks` what was decided and might surprise, such as the ids of a second folder.
    `duplicates` counts documents whose id, doi or pmid another one has, by that key: they were
    skipped or replaced it; if neither was asked for, those with another id are kept.
    """

    documents: int
    replaced: int = 0
    skipped: int = 0
    segments: int = 0
    problems: tuple[Problem, ...] = ()
    problem_count: int = 0
    characters_replaced: int = 0
    unknown: Mapping[str, int] = {}
    labels: Mapping[str, int] = {}
    notes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    duplicates: Mapping[str, int] = {}

    def with_problems(self, problems: Problems, note: str) -> Added:
        """The same with what was left out of the input and, if anything failed, a note."""
        return self._replace(
            notes=(*self.notes, note) if note else self.notes,
            problems=tuple(problems.listed),
            problem_count=problems.count,
            characters_replaced=sum(problems.replaced.values()),
            unknown=dict(problems.unknown),
            labels=problems.labels.total(),
            remarks=(*self.remarks, *problems.remarks()),
        )


def left_out(problems: Problems) -> str:
    """A sentence about what was given and is not in the index."""
    others = f" (and {problems.count - 1:,} more, see Added.problems)" if problems.count > 1 else ""
    given = f"{problems.count:,} of the documents given " if problems.given else ""
    return f"{given}left out: {problems.listed[0]}{others}"


def add(
    directory: Path,
    batches: Iterable[AnyBatch],
    analyzer: Analyzer,
    *,
    on_duplicate: OnDuplicate = "error",
    memory: int = MEMORY,
    threads: int = 1,
    engine: str = DEFAULT,
    merge: bool = True,
    roots: Roots | None = None,
    renewed: set[str] | None = None,
    problems: Problems | None = None,
    others: Others | None = None,
) -> Added:
    """Add documents as one new generation; whatever goes wrong, the index is as it was.

    Small segments are merged in the same step, unless `merge` says no. `roots` gave files their
    ids; those that are new are kept with the documents. Those whose ids are in `renewed` when they
    come replace what is there, whatever `on_duplicate` says. `problems` are those of reading, which
    are counted with the documents. `others` are other shards of the same index.
    """
    if on_duplicate not in (choices := get_args(OnDuplicate)):
        raise UsageError(f"on_duplicate is {on_duplicate!r}: it may be {', '.join(choices)}")
    if min(memory, threads) < 1:
        raise UsageError(f"memory ({memory}) and threads ({threads}) must be 1 or more")
    with Transaction(directory) as change:
        _refuse_other_settings(change, analyzer)
        _refuse_drift(change, analyzer)
        _refuse_other_roots(change, roots)
        adding = Adding(change, analyzer, on_duplicate, memory, threads, engine, renewed, others)
        try:
            for batch in batches:
                adding.add(batch)
            return adding.commit(merge=merge, roots=roots, problems=problems)
        finally:
            adding.close()


def _refuse_other_settings(change: Transaction, analyzer: Analyzer) -> None:
    """An empty index may have been made anew since the analyzer was: do not mix their terms."""
    kept = change.manifest.settings
    if kept and msgspec.convert(kept, type(analyzer.settings)) != analyzer.settings:
        raise UsageError(
            f"{change.directory} was made anew with other settings meanwhile: open it again"
        )


def _refuse_drift(change: Transaction, analyzer: Analyzer) -> None:
    """Terms of two stemmers in one index would not match; an empty index takes today's."""
    manifest = change.manifest
    if not manifest.segments:
        change.manifest = msgspec.structs.replace(manifest, probe=probe(analyzer.settings))
    elif kind_of(manifest.kind).has_text and (found := drift(manifest.probe, analyzer.settings)):
        raise UsageError(
            f"nothing was added, as new documents would not match the old ones: "
            f"{found.note(str(change.directory))}"
        )


def _refuse_other_roots(change: Transaction, roots: Roots | None) -> None:
    if roots and roots.before is not None and roots.before != change.manifest.roots:
        raise UsageError(f"folders were added to {change.directory} meanwhile: add these again")


class Adding:
    """The state of one addition: the segment being written and the ids met so far."""

    def __init__(
        self,
        change: Transaction,
        analyzer: Analyzer,
        on_duplicate: OnDuplicate,
        memory: int,
        threads: int,
        engine: str,
        renewed: set[str] | None = None,
        others: Others | None = None,
    ) -> None:
        share_arenas(max(FEWEST_ARENAS, threads))
        of_stage = stage_threads(threads)
        self._change = change
        self._memory = min(memory, MAX_MEMORY)
        self._threads, self._engine = threads, engine
        there = list(map(EditedSegment, open_segments(change.directory, change.manifest.segments)))
        self._helpers = Helpers(compressing_threads(threads))
        self._tally = Tally(Beside(self._helpers))
        whole, beside = others or Others(change.directory, [])
        self._known = KnownIds(whole, there, on_duplicate, renewed, self._tally, beside)
        terms = [edited.segment.terms for edited in there]
        self._collector = RowCollector(change, analyzer, terms, of_stage)
        self._titles = _TitleCollector(change, analyzer, title_threads(threads))
        self._terms = change.manifest.terms
        self._documents = 0
        self._writer: SegmentWriter | None = None
        self._finishing = Finishing(change.directory, threads, self._helpers)
        self._ids: list[str] = []
        self._hashes: list[NDArray[np.uint64]] = []
        self._taken = self._passed = 0
        self.identity = change.manifest.identity

    def add(self, batch: AnyBatch) -> None:
        if not len(batch):
            return
        rows = self._collector.rows_for(batch)
        if self._writer and len(self._ids) + len(batch) > DOCUMENTS:
            self._finish_segment(self._writer)
        batch = self._known.admit(batch)
        if not len(batch):
            return
        rows.add(batch)
        self._titles.add(batch)
        # The same collection indexed anew is the same to whoever keeps ids of its documents.
        self.identity = self.identity or xxh3_128_hexdigest(batch.records)
        if self._writer is None:
            file = self._change.segment_file()
            self._writer = SegmentWriter(self._change.directory, file, self._threads, self._helpers)
        scanned = batch.scanned if isinstance(batch, Batch) else None
        self._writer.add_records(batch.records, batch.ends, self._titles.of(batch), scanned)
        self._ids += batch.ids
        self._hashes.append(hashes_of_ids(batch))
        taken = ROW_COPIES * (rows.memory + self._titles.memory) + BYTES_PER_ID * len(self._ids)
        self._taken = taken + self._writer.memory + self._known.memory
        if self._taken > self._memory:
            self._finish_segment(self._writer)
        self._finishing.make_room(self._memory - self._taken)
        self._passed += len(batch.records)
        if self._passed > GIVEN_BACK:
            self._passed = 0
            self._helpers.arranging.submit(give_back)

    def finish(self) -> list[SegmentEntry]:
        """All segments, those that were there among them; nothing is committed."""
        if self._writer:
            self._finish_segment(self._writer, last=True)
        self._finishing.wait()
        return [edited.write_deletions(self._change) for edited in self._known.segments]

    def commit(
        self, *, merge: bool, roots: Roots | None = None, problems: Problems | None = None
    ) -> Added:
        entries = self.finish()
        before = len(self._change.manifest.segments)
        segments = self._known.segments
        added = Added(
            self._documents, self._known.replaced, self._known.skipped, len(segments) - before
        )
        added = added._replace(duplicates=dict(self._known.by_key))
        if roots:
            added = added._replace(remarks=tuple(roots.notes))
        new = roots.new if roots and (added.documents or added.skipped) else {}
        self._change.roots |= new
        counted = self._count(problems, changed=added.segments > 0)
        if not added.segments and not new and not counted:
            return added
        entries = complete(self._change, entries, self._threads, self._engine)
        entries, notes = self._tidied(entries) if merge else (entries, ())
        kind = self._collector.kind.name if added.segments else None
        self._change.commit(entries, kind, self.identity)
        return added._replace(notes=notes)

    def _count(self, problems: Problems | None, *, changed: bool) -> bool:
        """Count what was read by its file; whether that is news."""
        earlier = self._change.manifest.sources
        lost = problems.by_source if problems is not None else {}
        found = self._tally.with_earlier(earlier, lost, changed=changed)
        self._change.manifest = msgspec.structs.replace(self._change.manifest, sources=found)
        return found != earlier and (self._known.skipped > 0 or changed)

    def close(self) -> None:
        self._collector.close()
        self._titles.close()
        self._finishing.close()  # which needs its helpers to the end
        self._helpers.stop()
        if self._writer:
            self._writer.abandon()

    def _tidied(self, entries: list[SegmentEntry]) -> tuple[list[SegmentEntry], tuple[str, ...]]:
        """Segments of which small ones are merged. If that fails, they are kept as they are:
        neither damage to an older segment nor a full disk is a reason to refuse documents.
        """
        opened = {edited.segment.entry.file: edited.segment for edited in self._known.segments}
        try:
            return small_merged(self._change, entries, self._collector.kind, opened), ()
        except (StoreError, OSError, MemoryError) as error:
            note = "the documents are in the index, but its small segments could not be merged"
            return entries, (f"{note}: {reason(error)}",)

    def _finish_segment(self, writer: SegmentWriter, *, last: bool = False) -> None:
        self._known.release()
        rows, first = self._collector.rows, self._terms
        drained = rows.drain()
        self._terms = rows.terms
        complete = Complete(
            writer,
            self._collector.kind.matrix,
            drained,
            ids=table_arrays(flatten(self._ids), known=np.concatenate(self._hashes)),
            terms=rows.terms_since(first),
            first_term=first,
            width=self._terms,
            titles=self._titles.drain(),
        )
        finishing = self._finishing
        found = finishing.last(complete) if last else finishing.begin(complete, self._taken)
        self._known.finish_segment(found)
        self._documents += writer.documents
        self._writer, self._ids, self._hashes, self._taken = None, [], [], 0


class RowCollector:
    """Collects rows of one kind: that of the index or, if it has none yet, of the first batch."""

    kind: Kind
    rows: Rows

    def __init__(
        self, change: Transaction, analyzer: Analyzer, known: Sequence[StringTable], threads: int
    ) -> None:
        self._directory, self._manifest = change.directory, change.manifest
        self._analyzer, self._known, self._threads = analyzer, known, threads
        self._begun = False

    def rows_for(self, batch: AnyBatch) -> Rows:
        """What collects this batch's rows; a batch of another kind is refused."""
        if not self._begun:
            self._begin(batch)
        if not isinstance(batch, self.kind.batch):
            raise UsageError(
                f"{batch.place(0)} is {kind_of_batch(batch).description}, but {self._directory} "
                f"holds {self.kind.description}: make another index for it"
            )
        return self.rows

    def close(self) -> None:
        if self._begun:
            self.rows.close()

    def _begin(self, batch: AnyBatch) -> None:
        named = self._manifest.kind
        self.kind = kind_of_batch(batch) if named is None else kind_of(named)
        if named is None and self._manifest.latent and not self.kind.has_counts:
            raise UsageError(  # a latent space that was asked for is not left out in silence
                f"{batch.place(0)} is {self.kind.description}: a latent space, which "
                f"{self._directory} is to have, is learned from words (leave out --latent)"
            )
        self.rows = self.kind.rows(self._analyzer, self._known, self._threads)
        self._begun = True


class _TitleCollector:
    """Collects the rows of titles, if the index is to have them and its documents are text."""

    def __init__(self, change: Transaction, analyzer: Analyzer, threads: int) -> None:
        self._change, self._fields = change, analyzer.settings.fields
        if not has_titles(analyzer.settings):
            change.sparse.pop(TITLES, None)
        self._rows = TitleRows(threads) if TITLES in change.sparse else None
        self._beside = Beside()

    @property
    def memory(self) -> int:
        return self._beside.memory

    def of(self, batch: AnyBatch) -> Sequence[str] | Texts | None:
        """The documents' titles; None where what was analysed does not tell them."""
        if not isinstance(batch, Batch) or set(TITLE_NAMES).intersection(self._fields) != {
            titles.FIELD
        }:
            return None
        return batch.texts[self._fields.index(titles.FIELD)]

    def add(self, batch: AnyBatch) -> None:
        if self._rows is None:
            return
        if isinstance(batch, Batch):
            rows, some = self._rows, batch.texts[self._fields.index(titles.FIELD)]
            self._beside.do(lambda: rows.add(some), len(batch.records))
        else:  # the first of vectors, which have no titles
            self._change.sparse.pop(TITLES)
            self._rows = None

    def drain(self) -> TitleFile | None:
        """The rows of a segment, which are then forgotten."""
        if self._rows is None:
            return None
        self._beside.wait()
        return TitleFile(self._change.new_file("view"), self._rows.drain())

    def close(self) -> None:
        self._beside.stop()
