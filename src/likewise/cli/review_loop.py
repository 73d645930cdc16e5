"""The loop of a review in the terminal: show a page, read a key, act."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.cli.keyboard import CLOSED
from likewise.errors import LikewiseError, StoreError, UsageError
from likewise.reviews.keys import DIGITS
from likewise.search.hits import Hit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.text import Text

    from likewise.cli.keyboard import Keyboard
    from likewise.index import Index
    from likewise.reviews import ReviewPage, Session
    from likewise.search.hits import Explanation

NOT_RETRIEVED = "not retrieved"  # which reviews/report/flow.py counts apart
ALSO = {"down": "next", "up": "previous", "enter": "page"}  # keys beside those of the reviewer


class Review:
    """The current page, the place of the reviewer on it, and what each key does."""

    def __init__(
        self, index: Index, session: Session, keyboard: Keyboard, message: str = ""
    ) -> None:
        """A message is shown with the first page."""
        from likewise.cli.screen import Screen

        self._index, self._session, self._keyboard = index, session, keyboard
        self._screen = Screen(index, session)
        self._screen.highlight(session.preferences.highlights)
        self._keys = {key: name for name, key in session.preferences.keys.items()}
        self._message = ""
        self._show(session.page)
        self._message = message or self._message

    def run(self) -> None:
        while True:
            said = self._session.said(self._page.ids)
            self._screen.page(self._page, self._place, said, self._explanations, self._message)
            key = self._keyboard.read()
            action = self._keys.get(key) or ALSO.get(key)
            if action == "quit" or key == CLOSED:
                return
            self._message = ""
            try:
                self._act(key, action)
            except StoreError:
                raise
            except LikewiseError as error:  # nothing to undo, a document that was deleted, …
                self._message = str(error)

    def _act(self, key: str, action: str | None) -> None:
        if key in DIGITS:
            self._judge_for(int(key))
        elif action is None:
            known = self._session.preferences.keys["help"]
            self._message = f"{key!r} is not a key here: press {known} for the keys"
        else:
            ACTIONS[action](self)

    def _show(self, page: ReviewPage) -> None:
        self._page = page
        self._explanations = self._explain_page(page)
        again = self._session.preferences.keys["again"]
        self._message = (
            "" if page.hits else f"{page.reason}: press {again} for records that were skipped"
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
            raise UsageError("there is no record on the page")
        return self._page.hits[self._place]

    def _exclude(self) -> None:
        """Not relevant; a full text is left out for a reason."""
        if self._session.settings.stage == "full text":
            self._reasons()
        else:
            self._judge("not")

    def _judge(self, label: str, reasons: Sequence[str] | None = None) -> None:
        self._session.judge(self._hit, label, reasons=reasons)
        self._advance()

    def _judge_for(self, number: int) -> None:
        """Not relevant for the n-th reason of the protocol."""
        reasons = self._session.protocol.reasons
        if number > len(reasons):
            raise UsageError(f"there is no reason {number}: the review has {len(reasons)}")
        self._judge("not", reasons[number - 1 : number])

    def _reasons(self) -> None:
        said = self._session.said([self._hit.id])[self._hit.id]
        known = self._session.protocol.reasons
        if self._session.settings.stage == "full text":
            known = tuple(dict.fromkeys([*known, NOT_RETRIEVED]))
        chosen = self._words("not relevant, because", known, said.reasons)
        if chosen == [] and self._session.protocol.needs_reason(self._session.settings.stage):
            raise UsageError("give a reason: a full text is left out for one")
        if chosen is not None:
            self._judge("not", chosen)

    def _tags(self) -> None:
        said = self._session.said([self._hit.id])[self._hit.id]
        chosen = self._words("tags", self._session.protocol.tags, said.tags)
        if chosen is not None:
            self._session.annotate(self._hit, tags=chosen)

    def _words(self, what: str, known: Sequence[str], now: Sequence[str]) -> list[str] | None:
        """Several words, typed with ; between; a number stands for one of those known."""
        self._screen.choices(known)
        typed = self._keyboard.line(f"{what}: ", "; ".join(now))
        if typed is None:
            return None
        numbered = {str(number): word for number, word in enumerate(known, 1)}
        words = (word.strip() for word in typed.split(";"))
        return [numbered.get(word, word) for word in words if word]

    def _note(self) -> None:
        said = self._session.said([self._hit.id])[self._hit.id]
        typed = self._keyboard.line("note: ", said.note.replace("\n", " "))
        if typed is not None:
            self._session.annotate(self._hit, note=typed.strip())

    def _highlight(self) -> None:
        from likewise.reviews import Highlight

        own = self._session.preferences
        colours = {one.word: one.colour for one in own.highlights}
        typed = self._keyboard.line("words to highlight, with ; between: ", "; ".join(colours))
        if typed is not None:
            words = (word.strip() for word in typed.split(";"))
            new = [Highlight(word, colours.get(word, "")) for word in words if word]
            self._screen.highlight(own.highlight(new))

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
        """What is not on the page any more comes back to its top."""
        if id in self._index and id not in self._page.ids:
            hit = Hit(id, 0.0, self._index.document(id).title, 0)
            self._page = self._page._replace(hits=(hit, *self._page.hits))
            self._explanations |= self._explain_page(self._page._replace(hits=(hit,)))
        if id in self._page.ids:
            self._place = self._page.ids.index(id)
        title = self._index.document(id).title if id in self._index else ""
        self._message = f"{what}: the judgement of {f'“{title}”' if title else id}"

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


# By the names of likewise.reviews.keys, but for quit, which ends the loop.
ACTIONS: dict[str, Callable[[Review], None]] = {
    "relevant": lambda review: review._judge("relevant"),
    "not": Review._exclude,
    "unsure": lambda review: review._judge("unsure"),
    "reasons": Review._reasons,
    "note": Review._note,
    "tags": Review._tags,
    "next": lambda review: review._move(1),
    "previous": lambda review: review._move(-1),
    "why": Review._explain,
    "undo": Review._undo,
    "redo": Review._redo,
    "skip": Review._advance,
    "open": Review._open,
    "list": lambda review: review._screen.switch(),
    "highlight": Review._highlight,
    "page": Review._next,
    "again": lambda review: review._show(review._session.next(again=True)),
    "random": lambda review: review._show(review._session.sample()),
    "progress": lambda review: review._read(review._screen.progress()),
    "help": lambda review: review._read(review._screen.keys()),
}
