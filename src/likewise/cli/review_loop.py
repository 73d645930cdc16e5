"""The loop of a review in the terminal: show a page, read a key, act."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.cli.keyboard import CLOSED
from likewise.errors import LikewiseError, StoreError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.text import Text

    from likewise.cli.keyboard import Keyboard
    from likewise.index import Index
    from likewise.reviews import ReviewPage, Session
    from likewise.search.hits import Explanation, Hit


class Review:
    """The current page, the place of the reviewer on it, and what each key does."""

    def __init__(self, index: Index, session: Session, keyboard: Keyboard) -> None:
        from likewise.cli.screen import Screen

        self._index, self._session, self._keyboard = index, session, keyboard
        self._screen = Screen(index, session)
        self._message = ""
        self._show(session.page)

    def run(self) -> None:
        while True:
            labels = self._session.judgements()
            self._screen.page(self._page, self._place, labels, self._explanations, self._message)
            key = self._keyboard.read()
            if key in ("q", "Q", CLOSED):
                return
            self._message = ""
            try:
                self._act(key)
            except StoreError:
                raise
            except LikewiseError as error:  # nothing to undo, a document that was deleted, …
                self._message = str(error)

    def _act(self, key: str) -> None:
        action = ACTIONS.get(key)
        if action is None:
            self._message = f"{key!r} is not a key here: press h for the keys"
        else:
            action(self)

    def _show(self, page: ReviewPage) -> None:
        self._page = page
        self._explanations = self._explain_page(page)
        self._message = (
            "" if page.hits else f"{page.reason}: press a for documents that were skipped"
        )
        labels = self._session.judgements()
        waiting = [i for i, hit in enumerate(page.hits) if hit.id not in labels]
        self._place = waiting[0] if waiting else 0

    def _explain_page(self, page: ReviewPage) -> dict[str, Explanation]:
        """The explanation of each hit, by the query that ranked the page."""
        query = self._session.query
        if query is None:
            return {}
        weighting = self._session.settings.weighting if isinstance(query, str) else None
        return {id: self._index.explain(id, query, weighting=weighting) for id in page.ids}

    @property
    def _hit(self) -> Hit:
        if not self._page.hits:
            raise UsageError("there is no document on the page")
        return self._page.hits[self._place]

    def _judge(self, label: str) -> None:
        self._session.judge(self._hit, label)
        self._advance()

    def _advance(self) -> None:
        """To the next document on the page that is not judged, or to the next page."""
        if not self._page.hits:
            return
        labels = self._session.judgements()
        later = range(self._place + 1, len(self._page.hits))
        waiting = [i for i in later if self._page.hits[i].id not in labels]
        if waiting:
            self._place = waiting[0]
        else:
            self._next()

    def _next(self) -> None:
        self._index.refresh()  # documents may have been added meanwhile
        self._show(self._session.next())

    def _undo(self) -> None:
        self._go_to(self._session.undo().changes[0].document, "undone")

    def _redo(self) -> None:
        self._go_to(self._session.redo().changes[0].document, "done again")

    def _go_to(self, id: str, what: str) -> None:
        self._message = f"{what}: the judgement of {id}"
        if id in self._page.ids:
            self._place = self._page.ids.index(id)

    def _move(self, by: int) -> None:
        self._place = min(max(self._place + by, 0), max(len(self._page.hits) - 1, 0))

    def _open(self) -> None:
        self._read(self._screen.document(self._hit, self._explanations.get(self._hit.id)))

    def _explain(self) -> None:
        self._read(self._screen.why(self._hit, self._explanations.get(self._hit.id)))

    def _read(self, lines: list[Text]) -> None:
        """Lines a screenful at a time; q leads back to the page."""
        room = max(self._screen.height - 2, 1)
        for start in range(0, max(len(lines), 1), room):
            last = start + room >= len(lines)
            below = "any key: back" if last else "any key: more  q: back"
            self._screen.lines(lines[start : start + room], below)
            if self._keyboard.read() in ("q", "Q", "escape", CLOSED):
                return


ACTIONS: dict[str, Callable[[Review], None]] = {
    "r": lambda review: review._judge("relevant"),
    "n": lambda review: review._judge("not"),
    "u": lambda review: review._judge("unsure"),
    "s": Review._advance,
    "z": Review._undo,
    "y": Review._redo,
    "Z": Review._redo,
    "o": Review._open,
    "w": Review._explain,
    "j": lambda review: review._move(1),
    "down": lambda review: review._move(1),
    "k": lambda review: review._move(-1),
    "up": lambda review: review._move(-1),
    "enter": Review._next,
    "a": lambda review: review._show(review._session.next(again=True)),
    "x": lambda review: review._show(review._session.sample()),
    "t": lambda review: review._read(review._screen.progress()),
    "h": lambda review: review._read(review._screen.keys()),
    "?": lambda review: review._read(review._screen.keys()),
}
