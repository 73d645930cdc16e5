"""A session in memory: its events and pages so far, and a warm ranker, for all its handles.

Threads take turns, one session at a time. Other processes are met in the database: `follow` reads
what they have entered.
"""

from __future__ import annotations

import time
from collections import Counter
from contextlib import contextmanager
from threading import RLock
from typing import TYPE_CHECKING

import msgspec

from likewise.errors import UsageError
from likewise.feedback import Ranker
from likewise.feedback.documents import Documents
from likewise.reviews import arrivals, assignments, records, start
from likewise.reviews.agreement import combined
from likewise.reviews.assignments import TakenError
from likewise.reviews.blinding import Eyes
from likewise.reviews.crew import Crew
from likewise.reviews.free import FreeOf, single
from likewise.reviews.judged import doubts
from likewise.reviews.kept import Kept
from likewise.reviews.learned import learned_from
from likewise.reviews.ledger import FIRST, Ledger
from likewise.reviews.pages import ids_of
from likewise.reviews.records import Position
from likewise.reviews.remarks import Remarks
from likewise.reviews.settings import decode_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from sqlalchemy import Connection

    from likewise.corpus import Mask
    from likewise.feedback import Page
    from likewise.reviews.adjudications import Decision
    from likewise.reviews.agreement import Votes
    from likewise.reviews.assignments import Claim
    from likewise.reviews.blinding import Shown
    from likewise.reviews.database import Database
    from likewise.reviews.ledger import Mark, Stage
    from likewise.reviews.protocol import Team
    from likewise.reviews.records import Entries, May, News, PageRow, SessionRow
    from likewise.reviews.settings import Settings
    from likewise.search.generation import Generation
    from likewise.search.grouping import Grouping
    from likewise.search.hits import AnyQuery
    from likewise.solvers.stopping import Report

ITSELF, EVENT, PAGE = 50_000, 1_000, 4_000  # bytes of a session, an event and a page, at most about
MOST_RANKERS = 8  # one for each reviewer of a blinded session


class MovedError(Exception):
    """The session in hand is not the one that was asked for by name: look the name up again."""


class Live:
    """`whole` and `whole_remarks` are what everybody has said; nobody is shown them as they are.

    What is shown and counted is made of `ledger` and `remarks`, in which a blinded reviewer
    finds nothing that is hidden from her.
    """

    def __init__(
        self, database: Database, row: SessionRow, newest: Callable[[], Generation]
    ) -> None:
        self.database = database
        self.holding: dict[str, str] = {}  # by document: who else has it, while a page is chosen
        self.renewed: dict[str, float] = {}  # by reviewer: when what she holds was kept for longer
        self.settings = decode_settings(row.settings, row.name)
        self.start = start.decode(row.start, row.name)
        self.number = row.number
        self.name = row.name
        self.row = row
        self.report: Report | None = None  # of the turn in progress
        self._newest = newest
        self._eyes: Eyes | None = None
        self._documents: Documents | None = None
        self._lock = RLock()
        self._depth = 0
        self.restart()
        self._expected: tuple[str, str] | None = None
        self._generation: Generation | None = None
        self._met: set[int] | None = None  # generations whose extent is kept

    def restart(self) -> None:
        """Know nothing of what was judged and shown, until the database is read again."""
        self.whole = Ledger()
        self.whole_remarks = Remarks()
        self.all_pages: list[PageRow] = []
        self.pages_by: Counter[str] = Counter()  # how many each reviewer was shown
        self.ids_on: dict[int, list[str]] = {}  # of each page
        self.crew = Crew(self.database, self.row)
        self.free = FreeOf()
        self._doubts, self._labels = Kept[dict[str, float]](), Kept[dict[str, bool]]()
        self._seen: dict[tuple[Stage, str], set[str]] = {}
        self._rankers: dict[str | None, Ranker] = {}  # of all together, or of a blinded reviewer
        self._told: dict[str | None, Mapping[str, bool]] = {}  # what each has learned from
        self._read = False  # whether the database was read in this turn

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

    @contextmanager
    def looking(self, reviewer: str, *, oversees: bool = False) -> Iterator[Live]:
        """A turn in which is there what this reviewer may see."""
        with self.turn():
            before, self._eyes = self._eyes, Eyes(reviewer, oversees)
            try:
                yield self
            finally:
                self._eyes = before

    @property
    def size(self) -> int:
        """About how many bytes it takes: the ranker's, and those of what was judged and shown."""
        rankers = list(self._rankers.values())  # another thread may be adding one
        events, pages = EVENT * len(self.whole.history), PAGE * len(self.all_pages)
        return ITSELF + events + pages + sum(one.size for one in rankers)

    def release(self) -> None:
        """Hold nothing of an older generation, unless somebody is at work with it."""
        if self._lock.acquire(blocking=False):
            try:
                if not self._depth:
                    self._generation = None
                    if self._documents and self._documents.snapshot is not self._newest().snapshot:
                        self._documents, self._doubts = None, Kept()
                        self._rankers.clear()
                        self.free.clear()
            finally:
                self._lock.release()

    def follow(self) -> None:
        """Read what others have done, unless that was done in this turn."""
        if not self._read:
            self._take(records.news(self.database, self.number, self._position))

    def now(self) -> float:
        """The time, for what is kept for a while."""
        return time.time()

    def read_again(self) -> None:
        """Read what others have done since."""
        self._read = False
        self.follow()

    def enter(self, decide: Callable[[], Entries]) -> None:
        """Append in one transaction; `decide` says what, once all news are taken in."""

        def entered(news: News | None) -> Entries:
            self._take(news)
            return decide()

        new = records.append(self.database, self.number, self._position, entered)
        self.whole.feed(new.events)
        self.whole_remarks.feed(new.remarks)

    def keep(self, page: PageRow, claim: Claim | None = None) -> int:
        """Keep a page; returns its number among those of its reviewer.

        A `claim` makes sure that nobody else has its documents on screen: a TakenError says that
        somebody has, or that this reviewer was shown some of them elsewhere, a moment ago.
        """

        def check(connection: Connection, others: Sequence[PageRow]) -> None:
            whose = (page.reviewer, page.stage)
            same = [one for one in others if (one.reviewer, one.stage) == whose]
            if not set(ids_of(page)).isdisjoint(id for one in same for id in ids_of(one)):
                raise TakenError
            held = assignments.claim(connection, self.number, claim) if claim else set()
            if claim and len(held) < len(claim.documents):
                raise TakenError

        self._meet(page)
        found = records.add_page(self.database, self.number, page, self._position.page, check)
        if not found:
            raise self._deleted()
        self._remember(found)  # others may have kept pages before this one
        return self.pages_by[page.reviewer]

    def _meet(self, page: PageRow) -> None:
        """Keep how far the index was, once for each generation that a page is made of."""
        if self._met is None:
            self._met = set(arrivals.met(self.database, self.number))
        if page.generation not in self._met:
            extent = arrivals.extent_of(self.generation.snapshot)
            arrivals.meet(self.database, self.number, self.name, page.reviewer, extent)
            self._met.add(page.generation)

    def change(self, settings: Settings, by: str, may: May | None = None) -> None:
        if settings != self.settings:
            self.ranker(settings)  # refuses what makes no sense, before it is kept
            text = msgspec.json.encode(settings).decode()
            records.change(self.database, self.number, by, "settings", may, settings=text)
            self.settings = settings
            self._rankers.clear()

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
            self._documents = Documents(snapshot)
            self._rankers.clear()
            self.free.clear()
        return self._documents

    @property
    def stage(self) -> Stage:
        """What is judged now."""
        return self.settings.stage

    @property
    def team(self) -> Team:
        """Who works on it."""
        self.crew.take(self.row)
        return self.crew.team

    @property
    def blind(self) -> str | None:
        """The reviewer who looks, if others' votes are hidden from her."""
        eyes = self._eyes
        if eyes is None or eyes.sees_all(self.team, self.row.owner):
            return None
        return eyes.reviewer

    @property
    def ledger(self) -> Ledger:
        """The judgements that may be seen by who looks."""
        blind = self.blind
        return self.whole if blind is None else self._of(blind).ledger

    @property
    def remarks(self) -> Remarks:
        """The notes and tags that may be seen by who looks."""
        return self.whole_remarks if self.blind is None else self._of(self.blind).remarks

    @property
    def pages(self) -> list[PageRow]:
        """The pages that may be seen by who looks."""
        blind = self.blind
        return [page for page in self.all_pages if blind in (None, page.reviewer)]

    def marks(self, reviewer: str) -> Mapping[str, Mark]:
        """A reviewer's judgements at this stage."""
        known = self.whole if reviewer == self.blind else self.ledger
        return known.marks(reviewer, self.stage)

    def votes(self) -> Votes:
        """Everybody's judgements at this stage, as far as who looks may see them."""
        return self.ledger.by_document(self.stage)

    def voters(self) -> Mapping[str, Collection[str]]:
        """Who has judged each document at this stage, and not what they said."""
        return self.whole.by_document(self.stage)

    @property
    def decisions(self) -> list[Decision]:
        """All decisions where reviewers differ, as far as who looks may see them."""
        self.crew.take(self.row)
        blind = self.blind
        if blind is None:
            return self.crew.decisions
        is_open = self._of(blind).is_open
        return [one for one in self.crew.decisions if is_open(one.stage, one.document)]

    def seen(self, reviewer: str | None = None) -> set[str]:
        """The documents that a reviewer was shown at this stage, or that anybody was."""
        reviewer = self.blind if reviewer is None else reviewer
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
        return grouping.with_copies(ids)

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
        known, agree = self.whole.by_document(FIRST), self.team.agree
        before = combined(known, self.settings.combine, agree, self.crew.decided(FIRST))
        return self.documents.present(id for id, relevant in before.items() if relevant)

    def labels(self) -> Mapping[str, bool]:
        """What is learned from: relevant or not, by document; kept until one changes."""
        state = (self.blind, self.whole.last, self.row.team, self.settings, self.crew.moment)
        return self._labels.of(state, lambda: learned_from(self))

    def settled(self, votes: Votes, stage: Stage | None = None) -> dict[str, bool]:
        """What votes at a stage add up to, with what was decided: relevant or not."""
        agree, blind = self.team.agree, self.blind
        shown = self._of(blind) if blind is not None and self.crew.decisions else None
        decided = self.crew.decided(stage or self.stage, shown)
        return combined(votes, self.settings.combine, agree, decided)

    def doubts(self) -> dict[str, float]:
        """How far the ranking disagrees with judgements, by document; kept until one changes."""
        state = (self.blind, self.whole.last, self.row.team, self.settings, self.generation)
        return self._doubts.of(state, lambda: doubts(self))

    def ranked(
        self,
        n: int,
        leave_out: Iterable[str] = (),
        among: Collection[str] | None = None,
        free: Mask | None = None,
    ) -> Page:
        """The next documents by all judgements in force; of those `among` and `free`, if given.

        Of documents that are judged as one, only the one that stands for them.
        """
        free = single(len(self.generation), self.grouping) if free is None else free
        return self._judged().page(
            n, leave_out=set(leave_out), among=among, free=free, explained=False
        )

    def query(self) -> AnyQuery | None:
        """What documents are ranked by now; None where they are in random order."""
        return self._judged().query

    def learn(self) -> None:
        self._judged(learn=True)

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

    def _judged(self, *, learn: bool = False) -> Ranker:
        _ = self.documents  # drops the rankers of an earlier generation
        blind = self.blind
        if blind not in self._rankers:
            if len(self._rankers) >= MOST_RANKERS:
                del self._rankers[next(iter(self._rankers))]
            self._rankers[blind] = self.ranker(self.settings)
            self._told.pop(blind, None)
        ranker, labels = self._rankers[blind], self.labels()
        ranker.report = self.report
        if learn or self._told.get(blind) is not labels:
            (ranker.learn if learn else ranker.judge)(labels)
            self._told[blind] = labels
        return ranker

    def _of(self, blind: str) -> Shown:
        overlap = self.settings.overlap
        return self.crew.shown(blind, self.whole, self.whole_remarks, overlap=overlap)

    @property
    def _position(self) -> Position:
        page = self.all_pages[-1].number if self.all_pages else 0
        return Position(self.whole.last, page, self.whole_remarks.last)

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
        self.crew.take(news.row)
        settings = decode_settings(news.row.settings, news.row.name)
        if settings != self.settings:
            self.settings = settings
            self._rankers.clear()
        self.whole.feed(news.events)
        self.whole_remarks.feed(news.remarks)
        self._remember(news.pages)

    def _remember(self, pages: Iterable[PageRow]) -> None:
        for page in pages:
            self.all_pages.append(page)
            self.pages_by[page.reviewer] += 1
            self.ids_on[page.number] = ids_of(page)
            own = self._seen.setdefault((page.stage, page.reviewer), set())
            own.update(self.ids_on[page.number])

    def _deleted(self) -> UsageError:
        return UsageError(
            f"session {self.name!r} in {self.database.place} was deleted meanwhile: "
            "begin another one"
        )
