"""A reviewer's hold on a session, and what she writes beside documents and in its protocol."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from likewise.errors import UnknownIdError, UsageError
from likewise.reviews import own
from likewise.reviews.judgement import Judgement
from likewise.reviews.news import News
from likewise.reviews.protocol import Protocol, decode, encode
from likewise.reviews.records import Entries
from likewise.reviews.refusing import refuse_stranger
from likewise.reviews.remarks import check_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from likewise.reviews.database import Database
    from likewise.reviews.fulltexts import FullTexts
    from likewise.reviews.live import Live
    from likewise.reviews.own import Said
    from likewise.reviews.remarks import Remark
    from likewise.search.hits import Hit


class Handle:
    """What `Session` is built on: turns, and all that is no judgement."""

    def __init__(self, live: Live, reviewer: str, *, oversees: bool = False) -> None:
        if not reviewer.strip():
            raise UsageError("the reviewer's name is empty: give one")
        self._live = live
        self.reviewer = reviewer
        self._oversees = oversees

    def annotate(
        self, document: Hit | str, *, note: str | None = None, tags: Iterable[str] | None = None
    ) -> None:
        """Put a note or tags beside a document, in place of this reviewer's own that are there.

        An empty note, and no tags, take away what is there.
        """
        id = id_of(document)
        new = Judgement(id, None, note=note, tags=words_of(tags)).checked()
        remark = new.remark(self.reviewer, time.time())
        if remark is None:
            raise UsageError("there is nothing to write: give a note or tags")
        with self._look() as live:
            self._refuse_unknown([id])
            refuse_stranger(live, self.reviewer, oversees=self._oversees)
            live.enter(lambda: Entries(remarks=[remark]))

    def notes(self, reviewer: str | None = None) -> dict[str, str]:
        """A reviewer's notes by document, this one's by default."""
        with self._now() as live:
            mine = live.remarks.of(reviewer or self.reviewer)
            return {document: beside.note for document, beside in mine.items() if beside.note}

    def tags(self, reviewer: str | None = None) -> dict[str, tuple[str, ...]]:
        """A reviewer's tags by document, this one's by default."""
        with self._now() as live:
            mine = live.remarks.of(reviewer or self.reviewer)
            return {document: beside.tags for document, beside in mine.items() if beside.tags}

    def remarks(self) -> list[Remark]:
        """Every note and tag that was ever written, by all reviewers, oldest first."""
        with self._now() as live:
            return list(live.remarks.history)

    def reasons(self, reviewer: str | None = None) -> dict[str, tuple[str, ...]]:
        """The reasons of a reviewer's judgements at this stage, this one's by default."""
        with self._now() as live:
            marks = live.marks(reviewer or self.reviewer)
            return {document: mark.reasons for document, mark in marks.items() if mark.reasons}

    @property
    def preferences(self) -> own.Preferences:
        """This reviewer's own keys, and words to highlight."""
        with self._now() as live:
            return own.Preferences(live, self.reviewer)

    @property
    def news(self) -> News:
        """Records that came since the review began, or since they were called seen."""
        return News(self._now)

    @property
    def full_texts(self) -> FullTexts:
        """The PDFs of documents: attached to the session, or indexed with their records."""
        from likewise.reviews.fulltexts import FullTexts

        return FullTexts(self._now, self.reviewer)

    def said(self, ids: Iterable[str]) -> dict[str, Said]:
        """What this reviewer says of documents, with reasons, notes and tags."""
        with self._now() as live:
            return own.said(live, self.reviewer, ids)

    @property
    def database(self) -> Database:
        return self._live.database

    def put(self, action: str, **values: str | int) -> None:
        """Set columns of the session's row, as `action` of this reviewer."""
        with self._now() as live:
            live.put(self.reviewer, action, None, **values)

    @property
    def protocol(self) -> Protocol:
        """The question, the criteria, and the reasons and tags to choose from."""
        with self._now() as live:
            return decode(live.row.protocol, Protocol, live.name)

    def plan(self, **given: Any) -> Protocol:
        """Change the protocol: `question`, `criteria`, `reasons` or `tags`."""
        unknown = set(given).difference(Protocol.__struct_fields__)
        if unknown:
            known = ", ".join(Protocol.__struct_fields__)
            raise UsageError(f"unknown part {min(unknown)!r} of a protocol: there are {known}")
        with self._now() as live:
            now = decode(live.row.protocol, Protocol, live.name)
            new = msgspec.structs.replace(now, **given).checked()
            live.put(self.reviewer, "protocol", protocol=encode(new))
            return new

    @contextmanager
    def _now(self) -> Iterator[Live]:
        """The session as it is now, in all processes."""
        with self._look() as live:
            live.follow()
            yield live

    def _look(self) -> AbstractContextManager[Live]:
        """A turn in which is there what this reviewer may see."""
        return self._live.looking(self.reviewer, oversees=self._oversees)

    def _refuse_unknown(self, ids: Iterable[str]) -> None:
        refuse_unknown(self._live, ids)


def refuse_unknown(live: Live, ids: Iterable[str]) -> None:
    wanted = list(ids)
    for id, number in zip(wanted, live.documents.numbers(wanted), strict=True):
        if number < 0:
            raise UnknownIdError(
                f"no document {id!r} in {live.generation.place}: it was deleted, or was never there"
            )


def id_of(document: Hit | str) -> str:
    return document if isinstance(document, str) else document.id


def words_of(tags: Iterable[str] | None) -> tuple[str, ...] | None:
    return None if tags is None else check_words("tags", tags)
