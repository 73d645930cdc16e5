"""Indexes from files that were sent: what is in them, a new index, more documents for one.

Each is the work of a job. What fails leaves no index behind, and no files where the disk is full.
"""

from __future__ import annotations

import secrets
import shutil
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from likewise.errors import LeftOut, LikewiseError, Unfinished, sentence
from likewise.index import Index
from likewise.previewing import preview
from likewise.readers.fieldlabels import label_of
from likewise.server.answers import encoded
from likewise.server.causes import Cause
from likewise.server.models.indexes import Added
from likewise.server.models.uploads import FieldPreview, MadeIndex, PreviewProblem, UploadPreview
from likewise.server.problems import ProblemError, of_error, silence, without_paths
from likewise.server.uploads import FULL
from likewise.server.wording import in_http

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from likewise.server.indexes import ServedIndex, ServedIndexes
    from likewise.server.jobs import Advance
    from likewise.server.models.uploads import AddedFiles, NewIndex, Reading
    from likewise.server.projects import Projects
    from likewise.server.uploads import Upload, Uploads
    from likewise.store import Added as Done

SHOWN_PROBLEMS = 100
SHOWN_FIELDS = 100
READING, LEARNING, OPENING = "reading", "learning", "opening"


class Workshop(NamedTuple):
    """What the work is done with."""

    indexes: ServedIndexes
    uploads: Uploads
    projects: Projects
    threads: int | None

    def look(
        self, upload: Upload, reading: Reading, served: ServedIndex | None, advance: Advance
    ) -> bytes:
        """What is in the files of an upload."""
        with self._in_a_sentence(upload):
            found = preview(
                upload.folder,
                index=None if served is None else served.current,
                progress=partial(advance, READING),
                **reading.model_dump(exclude_none=True),
            )
        return encoded(
            UploadPreview(
                documents=found.documents,
                formats=dict(found.formats),
                types=dict(found.types),
                fields=[
                    FieldPreview(label=label_of(one.name), **one._asdict())
                    for one in found.fields[:SHOWN_FIELDS]
                ],
                titles=list(found.titles),
                duplicates=dict(found.duplicates),
                alike=found.alike,
                labels=dict(found.labels),
                problems=[
                    PreviewProblem(
                        place=_named(upload, one.place), message=_named(upload, one.message)
                    )
                    for one in found.problems[:SHOWN_PROBLEMS]
                ],
                problem_count=found.problem_count,
                characters_replaced=found.characters_replaced,
                unknown=dict(found.unknown),
                remarks=[_named(upload, remark) for remark in found.remarks],
            )
        )

    def create(self, upload: Upload, new: NewIndex, path: Path, advance: Advance) -> bytes:
        """Make an index, which gets its name when it is whole."""
        made = upload.place / "made.idx"
        try:
            with self._in_a_sentence(upload):
                index = Index.create(made, **new.settings, threads=self.threads)
                done = self._read(index, upload, new, advance)
                if not done.documents:
                    raise ProblemError(
                        Cause.unreadable, f"no documents were found{_why(upload, done)}"
                    )
                _forget_roots(index, upload)
                advance(OPENING, 0, 0)
                self.projects.put(made, path)
                served = self.indexes.open(path)
        finally:
            shutil.rmtree(made, ignore_errors=True)
            self.projects.end(path)
        self.uploads.clear(upload)
        upload.index = served.name
        added = _added(upload, done, served)
        return encoded(MadeIndex(index=served.name, added=added, labels=dict(done.labels)))

    def create_empty(self, new: NewIndex) -> MadeIndex:
        """Make an index without documents, at once."""
        path = self.projects.begin(new.name)
        staged = self.projects.staging / f"n-{secrets.token_hex(8)}"
        made = staged / "made.idx"
        try:
            with self._in_a_sentence(None):
                staged.mkdir()
                Index.create(made, **new.settings, threads=self.threads)
                self.projects.put(made, path)
                served = self.indexes.open(path)
        finally:
            shutil.rmtree(staged, ignore_errors=True)
            self.projects.end(path)
        generation = served.current.generation
        added = Added(
            documents=0,
            replaced=0,
            skipped=0,
            duplicates={},
            problems=[],
            generation=generation,
            notes=[],
        )
        return MadeIndex(index=served.name, added=added, labels={})

    def add(
        self, upload: Upload, asked: AddedFiles, served: ServedIndex, advance: Advance
    ) -> bytes:
        """Add the files to an index, as one change."""
        with self._in_a_sentence(upload), served.writing:
            _forget_roots(served.newest, upload)
            done = self._read(served.newest, upload, asked, advance)
            if not done.documents and not done.skipped:
                raise ProblemError(Cause.unreadable, f"no documents were found{_why(upload, done)}")
            _forget_roots(served.newest, upload)
            served.refreshed()
        self.uploads.clear(upload)
        return encoded(_added(upload, done, served))

    def _read(
        self, index: Index, upload: Upload, asked: NewIndex | AddedFiles, advance: Advance
    ) -> Done:
        silence(LeftOut, Unfinished)  # the answer says so

        def progress(done: int, total: int) -> None:
            advance(*((READING, done, total) if done < total else (LEARNING, 0, 0)))

        return index.add(
            upload.folder,
            on_duplicate=asked.on_duplicate,
            strict=False,
            progress=progress,
            **asked.reading.model_dump(exclude_none=True),
        )

    @contextmanager
    def _in_a_sentence(self, upload: Upload | None) -> Iterator[None]:
        """Name files as they were sent. On a full disk they are in the way: drop them."""
        try:
            yield
        except (LikewiseError, OSError) as error:
            cause = error if isinstance(error, OSError) else error.__cause__
            if isinstance(cause, OSError) and cause.errno in FULL:
                if upload is not None:
                    self.uploads.drop(upload)
                raise ProblemError(Cause.disk_full, "the disk is full: nothing was made") from error
            if isinstance(error, OSError):
                raise ProblemError(Cause.failed, f"it failed: {sentence(error)}") from error
            sent = {} if upload is None else {f"{upload.folder.as_posix()}/": ""}
            problem = of_error(error, sent)
            text = without_paths(problem.detail, self.indexes.folders)
            raise ProblemError(problem.cause, text) from error


def _forget_roots(index: Index, upload: Upload) -> None:
    """The files are gone soon: an index must not look for them there."""
    staging = str(upload.place.parent.parent)
    for name, folder in list(index.roots.items()):
        if str(folder).startswith(staging):
            index.roots.forget(name)


def _named(upload: Upload, text: str) -> str:
    """A sentence in HTTP's words, with the names of files as they were sent."""
    return in_http(text).replace(f"{upload.folder.as_posix()}/", "")


def _why(upload: Upload, done: Done) -> str:
    if done.problems:
        return f": {_named(upload, str(done.problems[0]))}"
    if done.unknown:
        return f": files that end in {', '.join(sorted(done.unknown))} cannot be read"
    return ""


def _added(upload: Upload, done: Done, served: ServedIndex) -> Added:
    return Added(
        documents=done.documents,
        replaced=done.replaced,
        skipped=done.skipped,
        duplicates=dict(done.duplicates),
        problems=[_named(upload, str(one)) for one in done.problems[:SHOWN_PROBLEMS]],
        generation=served.current.generation,
        notes=[without_paths(_named(upload, note), served.folders) for note in done.notes],
    )
