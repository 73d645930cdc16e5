"""A review made again: each page by what was known when it was shown, beside the page that was.

The same version of likewise, on the same documents, shows the same records in the same order.
Where it does not, the page that was shown stands, and what differs is said.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, NamedTuple

from likewise.errors import LikewiseError, UsageError
from likewise.reviews import arrivals, audit, records
from likewise.reviews.live import Live
from likewise.reviews.pages import RANDOM, ids_of, next_page, random_page
from likewise.reviews.records import Position
from likewise.reviews.report.past import Past
from likewise.reviews.settings import decode_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from likewise.reviews.assignments import Claim
    from likewise.reviews.database import Database
    from likewise.reviews.ledger import Event
    from likewise.reviews.records import News, PageRow, SessionRow
    from likewise.reviews.settings import Settings

    Progress = Callable[[int, int], None]


class ReplayedPage(NamedTuple):
    """A page: what was shown, and what is shown now by what was known then."""

    number: int
    """From 1 on, in the order in which pages were shown."""
    reviewer: str
    method: str
    shown: tuple[str, ...]
    now: tuple[str, ...]
    difference: str
    """Why they differ, as far as that is known; "" where they are the same."""


class Replay(NamedTuple):
    session: str
    pages: tuple[ReplayedPage, ...]

    @property
    def differing(self) -> tuple[ReplayedPage, ...]:
        return tuple(page for page in self.pages if page.difference)


class _Recorded(Live):
    """A session at a moment of its past: pages are made, and nothing is written."""

    def __init__(self, database: Database, row: SessionRow, before: Past) -> None:
        super().__init__(database, row, lambda: before.at(self._at))
        self._at = -1
        self.before = before
        self.made: PageRow | None = None

    def return_to(self, generation: int) -> None:
        """Go on with the documents that were there in a generation, as far as that is known."""
        self._at = generation

    def follow(self) -> None:
        """It has no news."""

    def keep(self, page: PageRow, claim: Claim | None = None) -> int:
        self.made = page
        return len(self.pages) + 1

    def go_on(self, events: Sequence[Event], settings: Settings) -> None:
        self.whole.feed(events)
        if settings != self.settings:
            self.settings = settings
            self._rankers.clear()

    def now(self) -> float:
        return self.crew.moment

    def show(self, page: PageRow) -> None:
        self._remember([page])


def replay(live: Live, progress: Progress | None = None) -> Replay:
    """Make every page of a session again."""
    news = records.news(live.database, live.number, Position())
    if news is None:
        raise UsageError(f"session {live.name!r} was deleted meanwhile")
    changes = _settings(live, news.row)
    with Past(live.generation, arrivals.met(live.database, live.number)) as before:
        past = _Recorded(live.database, news.row, before)
        pages = list(_pages(past, news, changes, progress))
    return Replay(news.row.name, tuple(pages))


def _pages(
    past: _Recorded, news: News, changes: _Changes, progress: Progress | None
) -> Iterator[ReplayedPage]:
    at = 0
    for number, page in enumerate(news.pages, 1):
        upto = next(
            (i for i in range(at, len(news.events)) if news.events[i].number > page.after),
            len(news.events),
        )
        past.go_on(news.events[at:upto], changes.at(page.at))
        past.crew.moment = page.at
        at = upto
        past.return_to(page.generation)
        with past.looking(page.reviewer):
            yield _again(past, page, number)
        past.show(page)
        if progress is not None:
            progress(number, len(news.pages))


class _Changes(NamedTuple):
    """The settings that a session has had, from when on."""

    steps: list[tuple[float, Settings]]

    def at(self, moment: float) -> Settings:
        before = [settings for since, settings in self.steps if since <= moment]
        return before[-1] if before else self.steps[0][1]


def _settings(live: Live, row: SessionRow) -> _Changes:
    acts = audit.read(live.database, live.number)
    steps = [
        (act.at, decode_settings(act.detail["settings"], row.name))
        for act in acts
        if isinstance(act.detail.get("settings"), str)
    ]
    return _Changes(steps or [(row.created, decode_settings(row.settings, row.name))])


def _again(past: _Recorded, page: PageRow, number: int) -> ReplayedPage:
    shown = tuple(ids_of(page))
    same = ReplayedPage(number, page.reviewer, page.method, shown, shown, "")
    now: tuple[str, ...] = ()
    for made in _ways(past, page, len(shown)):
        now = made
        if now == shown:
            return same
    return same._replace(now=now, difference=_why(past, page, shown, now))


def _ways(past: _Recorded, page: PageRow, n: int) -> Iterator[tuple[str, ...]]:
    """The ways in which the page may have been asked for: that is not kept."""
    with past.turn():
        if page.method == RANDOM:
            yield _ids(past, lambda: random_page(past, page.reviewer, n))
            return
        yield _ids(past, lambda: next_page(past, page.reviewer, n))
        yield _ids(past, lambda: next_page(past, page.reviewer, n, again=True))


def _ids(past: _Recorded, make: Callable[[], object]) -> tuple[str, ...]:
    past.made = None
    try:
        make()
    except LikewiseError:
        return ()  # a method that is not there any more
    return tuple(ids_of(past.made)) if past.made is not None else ()


def _why(past: _Recorded, page: PageRow, shown: tuple[str, ...], now: tuple[str, ...]) -> str:
    generation = past.before.newest
    gone = len(shown) - len(past.documents.present(shown))
    causes = []
    if page.version != version("likewise"):
        causes.append(f"it was made by likewise {page.version or 'of an earlier version'}")
    if page.generation != generation and not past.before.is_known(page.generation):
        causes.append(
            f"the documents were those of generation {page.generation}, not {generation}, and "
            "which they were cannot be told: some were deleted or replaced, or an earlier version "
            "did not keep it"
        )
    if past.generation.snapshot.manifest.views:
        causes.append("the latent space or the embeddings may have been made again since")
    if gone:
        causes.append(f"{gone} of its documents are not there any more")
    same = sum(one in set(now) for one in shown)
    what = f"{same} of {len(shown)} records are the same" if same < len(shown) else "another order"
    return f"{what}: {'; '.join(causes) or 'the cause is not known'}"
