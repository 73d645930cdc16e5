"""A session in memory: its events and pages so far, and a warm ranker, for all its handles.

Threads take turns, one session at a time. Other processes are met in the database: `follow` reads
what they have entered.
"""

from __future__ import annotations

from contextlib import contextmanager
from threading import RLock
from typing import TYPE_CHECKING

import msgspec

from likewise.errors import UsageError
from likewise.feedback import Ranker
from likewise.feedback.documents import Documents
from likewise.reviews import records, start
from likewise.reviews.agreement import combined
from likewise.reviews.ledger import FIRST, STAGES, Ledger
from likewise.reviews.pages import ids_of
from likewise.reviews.records import Position
from likewise.reviews.remarks import Remarks
from likewise.reviews.settings import decode_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from likewise.feedback import Page
    from likewise.reviews.agreement import Votes
    from likewise.reviews.database import Database
    from likewise.reviews.ledger import Mark, Stage
    from likewise.reviews.records import Entries, May, News, PageRow, SessionRow
    from likewise.reviews.settings import Settings
    from likewise.search.generation import Generation
    from likewise.search.grouping import Grouping
    from likewise.search.hits import AnyQuery
    from likewise.solvers.stopping import Report


ITSELF, EVENT, PAGE = 50_000, 1_000, 4_000  # bytes of a session, an event and a page, at most about


class MovedError(Exception):
    """The session in hand is not the one that was asked for by name: look the name up again."""


class Live:
    def __init__(
        self, database: Database, row: SessionRow, newest: Callable[[], Generation]
    ) -> None:
        self.database = database
        self.ledger = Ledger()
        self.remarks = Remarks()
        self.pages: list[PageRow] = []
        self.settings = decode_settings(row.settings, row.name)
        self.start = start.decode(row.start, row.name)
        self.number = row.number
        self.name = row.name
        self.row = row
        self.report: Report | None = None  # of the turn in progress
        self._newest = newest
        self._ranker: Ranker | None = None
        self._documents: Documents | None = None
        self._seen: dict[tuple[Stage, str], set[str]] = {}
        self._lock = RLock()
        self._depth = 0
        self._read = False  # whether the database was read in this turn
        self._expected: tuple[str, str] | None = None
        self._generation: Generation | None = None

    @contextmanager
    def turn(self, expected: tuple[str, str] | None = None) -> Iterator[Live]:
        """Other threads wait; inside, the database is read at most once.

        `expected` are the name and the index' identity that the session must have when the
        database is first read: a MovedError says that it has not, and nothing was done.
        """
        with self._lock:
            if not self._depth:
                self._read, self._expected, self._generation = False, expected, None
            self._depth += 1
            try:
                yield self
            finally:
                self._depth -= 1
                if not self._depth:
                    self._generation = None

    @property
    def size(self) -> int:
        """About how many bytes it takes: the ranker's, and those of what was judged and shown."""
        ranker = self._ranker
        events, pages = EVENT * len(self.ledger.history), PAGE * len(self.pages)
        return ITSELF + events + pages + (ranker.size if ranker else 0)

    def release(self) -> None:
        """Hold nothing of an older generation, unless somebody is at work with it."""
        if self._lock.acquire(blocking=False):
            try:
                if not self._depth:
                    self._generation = None
                    if self._documents and self._documents.snapshot is not self._newest().snapshot:
                        self._documents = self._ranker = None
            finally:
                self._lock.release()

    def follow(self) -> None:
        """Read what others have done, unless that was done in this turn."""
        if not self._read:
            self._take(records.news(self.database, self.number, self._position))

    def enter(self, decide: Callable[[], Entries]) -> None:
        """Append in one transaction; `decide` says what, once all news are taken in."""

        def entered(news: News | None) -> Entries:
            self._take(news)
            return decide()

        new = records.append(self.database, self.number, self._position, entered)
        self.ledger.feed(new.events)
        self.remarks.feed(new.remarks)

    def keep(self, page: PageRow) -> int:
        """Keep a page; returns its number among those of its reviewer."""
        found = records.add_page(self.database, self.number, page, self._position.page)
        if not found:
            raise self._deleted()
        self._remember(found)  # others may have kept pages before this one
        return sum(one.reviewer == page.reviewer for one in self.pages)

    def change(self, settings: Settings, by: str, may: May | None = None) -> None:
        if settings != self.settings:
            self.ranker(settings)  # refuses what makes no sense, before it is kept
            text = msgspec.json.encode(settings).decode()
            records.change(self.database, self.number, by, "settings", may, settings=text)
            self.settings, self._ranker = settings, None

    def put(self, by: str, action: str, may: May | None = None, **values: str | int) -> None:
        """Set columns of the session's row."""
        records.change(self.database, self.number, by, action, may, **values)
        self.row = self.row._replace(**values)  # type: ignore[arg-type]

    @property
    def generation(self) -> Generation:
        """The generation that the index is at; one turn stays with one."""
        if self._generation is None:
            self._generation = self._newest()
        return self._generation

    @property
    def documents(self) -> Documents:
        """Ids and numbers in this generation; with another one all that was looked up is void."""
        snapshot = self.generation.snapshot
        if self._documents is None or self._documents.snapshot is not snapshot:
            self._documents, self._ranker = Documents(snapshot), None
        return self._documents

    @property
    def stage(self) -> Stage:
        """What is judged now."""
        return self.settings.stage

    def marks(self, reviewer: str) -> Mapping[str, Mark]:
        """A reviewer's judgements at this stage."""
        return self.ledger.marks(reviewer, self.stage)

    def votes(self) -> Votes:
        """Everybody's judgements at this stage."""
        return self.ledger.by_document(self.stage)

    def seen(self, reviewer: str | None = None) -> set[str]:
        """The documents that a reviewer was shown at this stage, or that anybody was."""
        if reviewer is not None:
            return self._seen.get((self.stage, reviewer), set())
        return set().union(*(ids for (at, _), ids in self._seen.items() if at == self.stage))

    @property
    def grouping(self) -> Grouping | None:
        """Which documents are duplicates, if they are to be judged as one."""
        wanted = self.settings.group_duplicates and self.generation.holds_text
        return self.generation.grouping if wanted else None

    def with_copies(self, ids: Iterable[str]) -> set[str]:
        """Documents and, where these are judged as one, their duplicates."""
        grouping = self.grouping
        if grouping is None:
            return set(ids)
        return {member for id in ids for member in grouping.members(id)}

    def once(self, ids: Iterable[str]) -> list[str]:
        """Of each group of duplicates the one that stands for it, in the order of the ids."""
        grouping = self.grouping
        if grouping is None:
            return list(ids)
        return list(dict.fromkeys(grouping.members(id)[0] for id in ids))

    def candidates(self) -> list[str] | None:
        """What can be judged at this stage: what was found relevant before; None for everything."""
        if self.stage == FIRST:
            return None
        before = combined(self.ledger.by_document(FIRST), self.settings.combine)
        return self.documents.present(id for id, relevant in before.items() if relevant)

    def labels(self) -> dict[str, bool]:
        """What is learned from: relevant or not, by document; a later stage knows better."""
        found: dict[str, bool] = {}
        for stage in STAGES[: STAGES.index(self.stage) + 1]:
            found |= combined(self.ledger.by_document(stage), self.settings.combine)
        return found

    def ranked(self, n: int, leave_out: Iterable[str] = ()) -> Page:
        """The next documents by all judgements in force."""
        return self._judged().page(n, leave_out=set(leave_out))

    def query(self) -> AnyQuery | None:
        """What documents are ranked by now; None where they are in random order."""
        return self._judged().query

    def ranker(self, settings: Settings) -> Ranker:
        generation, documents = self.generation, self.documents
        return Ranker(
            generation,
            start.restored(self.start, documents),
            method=settings.method,
            selection=settings.selection,
            weighting=settings.weighting,
            seed=settings.seed,
            documents=documents,
        )

    def _judged(self) -> Ranker:
        _ = self.documents  # drops the ranker of an earlier generation
        if self._ranker is None:
            self._ranker = self.ranker(self.settings)
        self._ranker.report = self.report
        self._ranker.judge(self.labels())
        return self._ranker

    @property
    def _position(self) -> Position:
        page = self.pages[-1].number if self.pages else 0
        return Position(self.ledger.last, page, self.remarks.last)

    def _take(self, news: News | None) -> None:
        """Take in what was read: the session's name, its settings, events and pages."""
        if self._expected is not None and not self._read:
            found = None if news is None else (news.row.name, news.row.identity)
            if found != self._expected:
                raise MovedError
        if news is None:
            raise self._deleted()
        self._read = True
        self.name, self.row = news.row.name, news.row
        settings = decode_settings(news.row.settings, news.row.name)
        if settings != self.settings:
            self.settings, self._ranker = settings, None
        self.ledger.feed(news.events)
        self.remarks.feed(news.remarks)
        self._remember(news.pages)

    def _remember(self, pages: Iterable[PageRow]) -> None:
        for page in pages:
            self.pages.append(page)
            self._seen.setdefault((page.stage, page.reviewer), set()).update(ids_of(page))

    def _deleted(self) -> UsageError:
        return UsageError(
            f"session {self.name!r} in {self.database.place} was deleted meanwhile: "
            "begin another one"
        )
