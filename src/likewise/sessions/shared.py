"""What all handles of one session have in common: its events, its pages, and a warm ranker.

Threads take turns, one session at a time. Other processes are met in the database: `follow` takes
in what they have entered.
"""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from likewise.errors import UsageError
from likewise.feedback import Ranker
from likewise.judgements import records
from likewise.judgements.agreement import combined
from likewise.judgements.ledger import Ledger
from likewise.sessions import starts
from likewise.sessions.settings import decode_settings
from likewise.sessions.shown import ids_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from likewise.feedback import Page
    from likewise.judgements.database import Database
    from likewise.judgements.records import PageRow, SessionRow
    from likewise.search.generation import Generation
    from likewise.sessions.settings import Settings


class Shared:
    def __init__(
        self, database: Database, row: SessionRow, searcher: Callable[[], Generation]
    ) -> None:
        self.database = database
        self.lock = RLock()
        self.ledger = Ledger()
        self.pages: list[PageRow] = []
        self.settings = decode_settings(row.settings, row.name)
        self.start = starts.decode(row.start, row.name)
        self.number = row.number
        self.name = row.name
        self._newest = searcher
        self._searcher: Generation | None = None
        self._ranker: Ranker | None = None
        self._seen: dict[str, set[str]] = {}

    @property
    def searcher(self) -> Generation:
        """The generation that the index is at."""
        return self._newest()

    def renew(self) -> None:
        """Take in what others have made of the session: its name, its settings, its end."""
        row = records.get(self.database, self.number)
        if row is None:
            raise self._deleted()
        self.take(row)

    def take(self, row: SessionRow) -> None:
        self.name = row.name
        settings = decode_settings(row.settings, row.name)
        if settings != self.settings:
            self.settings, self._ranker = settings, None

    def change(self, settings: Settings) -> None:
        if settings != self.settings:
            self.ranker(settings)  # refuses what makes no sense, before it is kept
            text = msgspec.json.encode(settings).decode()
            records.change(self.database, self.number, settings=text)
            self.settings, self._ranker = settings, None

    def follow(self) -> None:
        """Take in what others have done."""
        last = self.pages[-1].number if self.pages else 0
        news = records.news(self.database, self.number, self.ledger.last, last)
        if news is None:
            raise self._deleted()
        self.take(news.row)
        self.ledger.feed(news.events)
        for page in news.pages:
            self.remember(page)

    def _deleted(self) -> UsageError:
        return UsageError(
            f"session {self.name!r} in {self.database.place} was deleted meanwhile: "
            "begin another one"
        )

    def remember(self, page: PageRow) -> None:
        self.pages.append(page)
        self._seen.setdefault(page.reviewer, set()).update(ids_of(page))

    def seen(self, reviewer: str | None = None) -> set[str]:
        """The documents that a reviewer was shown, or that anybody was."""
        if reviewer is not None:
            return self._seen.get(reviewer, set())
        return set().union(*self._seen.values())

    def labels(self) -> dict[str, bool]:
        """What is learned from: relevant or not, by document."""
        return combined(self.ledger.by_document(), self.settings.combine)

    def present(self, ids: Iterable[str]) -> list[str]:
        """Those that are in the index now."""
        wanted = list(ids)
        numbers = self.searcher.snapshot.numbers(wanted)
        return [id for id, number in zip(wanted, numbers.tolist(), strict=True) if number >= 0]

    def ranked(self, n: int, leave_out: Iterable[str] = ()) -> Page:
        """The next documents by all judgements in force."""
        if self._ranker is None or self._searcher is not self.searcher:
            self._searcher = self.searcher
            self._ranker = self.ranker(self.settings)
        self._ranker.judge(self.labels())
        return self._ranker.page(n, leave_out=set(leave_out))

    def ranker(self, settings: Settings) -> Ranker:
        searcher = self.searcher
        return Ranker(
            searcher,
            starts.begin(self.start, searcher.snapshot),
            method=settings.method,
            selection=settings.selection,
            weighting=settings.weighting,
            seed=settings.seed,
        )

    def urn(self) -> list[str]:
        """Documents that nobody has judged and that were not given as examples."""
        snapshot = self.searcher.snapshot
        known = [*self.ledger.by_document(), *self.start.ids]
        numbers = snapshot.numbers(known)
        free = np.ones(len(snapshot), np.bool_)
        free[numbers[numbers >= 0]] = False
        return snapshot.ids(np.flatnonzero(free).tolist())
