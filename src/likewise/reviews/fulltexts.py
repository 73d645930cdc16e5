"""`session.full_texts`: the PDFs of a review's documents.

Some were attached to the session and are kept with its judgements. Others were indexed with their
records, from a folder that the index knows as one of its roots: they are found where they lie, as
long as that is within the root.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from likewise.errors import InputError, UsageError
from likewise.readers.papers import HEAD, is_pdf, papers
from likewise.reviews import attachments
from likewise.reviews.attachments import LARGEST
from likewise.reviews.handle import id_of, refuse_unknown
from likewise.reviews.matching import Matching

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from contextlib import AbstractContextManager

    from likewise.document import Document
    from likewise.readers.papers import Paper
    from likewise.readers.roots import Root
    from likewise.reviews.live import Live
    from likewise.search.hits import Hit

    Progress = Callable[[int, int], None]

SUFFIX = ".pdf"
LONGEST_NAME = 300  # characters
NO_RECORD = "no record that was found relevant links to it or has its DOI, title or name"


class FullText(NamedTuple):
    """A PDF: an attachment with a number, or else a file in a folder that was indexed."""

    document: str
    name: str
    size: int
    number: int | None = None
    by: str = ""
    at: float = 0.0
    path: Path | None = None


class Left(NamedTuple):
    """A file that was not attached, and why."""

    name: str
    why: str

    def __str__(self) -> str:
        return f"{self.name}: {self.why}"


class Attached(NamedTuple):
    """What became of several files."""

    attached: list[FullText]
    left: list[Left]


class FullTexts:
    """Made by `Session.full_texts`. PDFs of duplicates of a document are its own."""

    def __init__(self, now: Callable[[], AbstractContextManager[Live]], reviewer: str) -> None:
        self._now, self._reviewer = now, reviewer

    def attach(
        self,
        document: Hit | str,
        content: bytes | str | os.PathLike[str],
        *,
        name: str | None = None,
    ) -> FullText:
        """Attach a PDF, given as a path or as bytes; one that is there already stays as it is."""
        id = id_of(document)
        if isinstance(content, bytes):
            called, data = name or "full text.pdf", content
        else:
            called, data = name or Path(content).name, _read(Path(content))
        check_pdf(called, data)
        with self._now() as live:
            refuse_unknown(live, [id])
            for one in self._of(live, [id])[id]:
                if one.size == len(data) and _content(live, one) == data:
                    return one
            number = attachments.attach(
                live.database, live.number, id, called, data, self._reviewer
            )
        return next(one for one in self.attached() if one.number == number)

    def attach_all(
        self,
        paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        *,
        progress: Progress | None = None,
    ) -> Attached:
        """Attach PDFs, or all those of a folder, each to the record that it belongs to.

        That is the one that links to it, or has its DOI, its title or its name, of those found
        relevant by title and abstract. What belongs to none is left, and listed with the reason.
        """
        given = [paths] if isinstance(paths, str | os.PathLike) else paths
        found = [file for path in given for file in _files(Path(path))]
        readable, left = [], []
        for file in found:
            try:
                _check_file(file)
                readable.append(file)
            except (InputError, UsageError) as error:
                left.append(_left(str(file), error))
        said = papers(readable, progress or (lambda done, total: None))
        matching = self._matching()
        attached = []
        for file in readable:
            try:
                attached.append(self._attach_found(matching, str(file), said[str(file)], file))
            except (InputError, UsageError) as error:
                left.append(_left(str(file), error))
        return Attached(attached, left)

    def attach_found(self, name: str, content: bytes, says: Paper) -> FullText:
        """Attach a PDF to the record that it belongs to, by its name and by what it says."""
        return self._attach_found(self._matching(), name, says, content)

    def attached(self) -> list[FullText]:
        """All that is attached to documents of the session."""
        with self._now() as live:
            return list(map(_attached, attachments.attached(live.database, live.number)))

    def of(self, documents: Iterable[Hit | str]) -> dict[str, list[FullText]]:
        """The PDFs of documents, attached or indexed, by their ids."""
        with self._now() as live:
            return self._of(live, [id_of(one) for one in documents])

    def sought(self) -> list[str]:
        """Whose full texts are wanted: what was found relevant by title and abstract."""
        with self._now() as live:
            return live.once(_sought(live))

    def missing(self) -> list[str]:
        """Those of them of which there is no PDF."""
        return [id for id, there in self.of(self.sought()).items() if not there]

    def read(self, which: FullText | int) -> bytes:
        """A PDF's bytes; an attachment can be asked for by its number."""
        with self._now() as live:
            if isinstance(which, int):
                return attachments.content_of(live.database, live.number, which)
            return _content(live, which)

    def detach(self, number: int) -> None:
        """Remove an attachment."""
        with self._now() as live:
            if not attachments.detach(live.database, live.number, number, self._reviewer):
                raise UsageError(attachments.NONE.format(number=number))

    def _matching(self) -> Matching:
        with self._now() as live:
            return Matching(_documents(live, _sought(live)))

    def _attach_found(
        self, matching: Matching, name: str, says: Paper, content: bytes | Path
    ) -> FullText:
        id = matching.find(name, says)
        if id is None:
            why = f" {says.problem}; no record has its name" if says.problem else f": {NO_RECORD}"
            raise UsageError(f"{name}{why}")
        return self.attach(id, content, name=Path(name).name)

    def _of(self, live: Live, ids: Iterable[str]) -> dict[str, list[FullText]]:
        wanted = list(ids)
        refuse_unknown(live, wanted)
        grouping = live.grouping
        groups = {id: grouping.members(id) if grouping else (id,) for id in wanted}
        members = list(dict.fromkeys(member for group in groups.values() for member in group))
        there: dict[str, list[FullText]] = {member: [] for member in members}
        for row in attachments.attached(live.database, live.number):
            if row.document in there:
                there[row.document].append(_attached(row))
        roots = live.generation.snapshot.manifest.roots
        for document in _documents(live, live.documents.present(members)):
            if (path := indexed(document, roots)) is not None:
                file = FullText(document.id, path.name, path.stat().st_size, path=path)
                there[document.id].append(file)
        return {
            id: [one for member in group for one in there[member]] for id, group in groups.items()
        }


def indexed(document: Document, roots: Mapping[str, Root]) -> Path | None:
    """Where the PDF lies that was indexed with a document: within its root, or it is none.

    Only folders are looked into: files that were given one by one may lie anywhere, and a record
    can say anything of itself.
    """
    place = document.fields.get("file") or document.fields.get("source")
    if not isinstance(place, str) or not place.lower().endswith(SUFFIX) or "\0" in place:
        return None
    for name, root in roots.items():
        if root.alone or not place.startswith(f"{name}/"):
            continue
        folder = Path(os.path.realpath(root.path))
        path = Path(os.path.realpath(folder / place.removeprefix(f"{name}/")))
        if path.is_relative_to(folder) and path.is_file() and _begins_as_pdf(path):
            return path
    return None


def _sought(live: Live) -> list[str]:
    candidates = live.candidates()
    if candidates is not None:
        return candidates
    return live.documents.present(id for id, relevant in live.labels().items() if relevant)


def _documents(live: Live, ids: list[str]) -> Iterator[Document]:
    return map(live.generation.snapshot.document, live.documents.numbers(ids), ids)


def _attached(row: attachments.Attachment) -> FullText:
    return FullText(row.document, row.name, row.size, row.number, row.by, row.at)


def _content(live: Live, one: FullText) -> bytes:
    if one.path is not None:
        return _read(one.path)
    assert one.number is not None  # it is attached
    return attachments.content_of(live.database, live.number, one.number)


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    for folder, _, names in sorted(os.walk(path)):
        yield from (Path(folder, name) for name in sorted(names) if name.lower().endswith(SUFFIX))


def _read(path: Path) -> bytes:
    _check_file(path)
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error


def _check_file(path: Path) -> None:
    """Refuse what is no PDF or too large before all of it is read."""
    if not path.is_file():
        raise InputError(f"there is no file {path}")
    size = path.stat().st_size
    if size > LARGEST:
        raise UsageError(attachments.too_large(str(path), size))
    if not _begins_as_pdf(path):
        raise UsageError(_no_pdf(str(path), empty=not size))


def _begins_as_pdf(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return is_pdf(file.read(HEAD))
    except OSError:
        return False


def check_pdf(name: str, content: bytes) -> None:
    """Refuse what is no PDF, by its first bytes, and a name that no file should have."""
    if not is_pdf(content):
        raise UsageError(_no_pdf(name, empty=not content))
    if not name.isprintable() or not name.strip() or "/" in name or len(name) > LONGEST_NAME:
        raise UsageError(
            f"{name[:LONGEST_NAME]!r} is no name for a file: write up to {LONGEST_NAME} characters "
            "in one line, without /"
        )


def _no_pdf(name: str, *, empty: bool) -> str:
    return f"{name} is {'empty' if empty else 'no PDF'}: attach a PDF"


def _left(name: str, error: Exception) -> Left:
    return Left(name, str(error).removeprefix(name).lstrip(":, "))
