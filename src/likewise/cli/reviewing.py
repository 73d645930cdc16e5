"""`likewise review`: a session in the terminal, one page after another."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from likewise.cli import asking, options
from likewise.cli.examples import STANDARD_INPUT, example
from likewise.cli.failures import INTERRUPTED, note, say
from likewise.cli.keyboard import CLOSED, Keyboard, refuse_no_terminal
from likewise.cli.reports import count
from likewise.errors import LikewiseError, StoreError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.text import Text

    from likewise.index import Index
    from likewise.reviews import ReviewPage, Session
    from likewise.search.hits import Explanation, Hit

FeedbackName = Literal[
    "auto", "none", "rocchio", "one-class", "svdd", "anchored", "expanded", "two-class",
    "centroid", "1c", "ba", "pr", "p@k", "r@k", "f1", "prbep", "rank", "steady",
]  # fmt: skip

Query = Annotated[
    str | None,
    typer.Option(metavar="WORDS", help="Words to begin with; left out to continue a session."),
]
Like = Annotated[
    list[str] | None,
    typer.Option(
        metavar="X",
        help="An example to begin with: id:… for a document of the index, or a file. May be given "
        "several times.",
    ),
]
Unlike = Annotated[
    list[str] | None,
    typer.Option(metavar="X", help="An example of what not to find, given as for --like."),
]
PageSize = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="Documents on a page; 10 by default.")
]
Method = Annotated[
    FeedbackName | None, typer.Option(help="How to learn from judgements; auto by default.")
]
Selection = Annotated[
    Literal["best", "active"] | None,
    typer.Option(help="Which documents to show of those a method ranks; best by default."),
]
Combine = Annotated[
    Literal["any", "majority"] | None,
    typer.Option(help="What holds where reviewers differ; any by default."),
]
Overlap = Annotated[
    bool | None,
    typer.Option(
        "--overlap/--no-overlap",
        help="Whether every reviewer judges every document (the default), or they share them.",
        show_default=False,
    ),
]
Adopt = Annotated[
    bool,
    typer.Option(
        "--adopt", help="Continue the session of another index that holds the same documents."
    ),
]


def review(
    directory: options.Directory,
    name: options.SessionName = "review",
    query: Query = None,
    like: Like = None,
    unlike: Unlike = None,
    reviewer: options.Reviewer = None,
    page_size: PageSize = None,
    method: Method = None,
    selection: Selection = None,
    weighting: Annotated[
        asking.WeightingName | None,
        typer.Option(help="How terms weigh in documents; as each method is best by default."),
    ] = None,
    combine: Combine = None,
    overlap: Overlap = None,
    database: options.Database = None,
    adopt: Adopt = False,
) -> None:
    """Judge documents page by page; every judgement makes the next page better.

    Begin with words or examples, or with nothing; run it again without them to go on where you
    were. Every judgement is on disk before the next page is shown. Press h for the keys.
    """
    from likewise.index import Index

    refuse_no_terminal()
    if STANDARD_INPUT in (*(like or ()), *(unlike or ())):
        raise UsageError("- stands for standard input, which the keys come from: give a file")
    index = Index.open(directory)
    session = index.session(
        name,
        query=query,
        examples=[example(index, value) for value in like or ()],
        unlike=[example(index, value) for value in unlike or ()],
        reviewer=reviewer,
        database=database,
        adopt=adopt,
        page_size=page_size,
        method=method,
        selection=selection,
        weighting=weighting,
        combine=combine,
        overlap=overlap,
    )
    try:
        with Keyboard() as keyboard:
            Review(index, session, keyboard).run()
    except KeyboardInterrupt:
        say("interrupted; every judgement is kept")
        raise typer.Exit(INTERRUPTED) from None
    judged = len(session.judgements())
    note(f"{count(judged, 'document')} judged by {session.reviewer} in session {session.name}")


class Review:
    """The page, where on it the reviewer is, and what each key does."""

    def __init__(self, index: "Index", session: "Session", keyboard: Keyboard) -> None:
        from likewise.cli.screen import Screen

        self._index, self._session, self._keyboard = index, session, keyboard
        self._screen = Screen(index, session)
        self._message = ""
        self._turn_to(session.page)

    def run(self) -> None:
        while True:
            labels = self._session.judgements()
            self._screen.page(self._page, self._place, labels, self._why, self._message)
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
            self._message = f"{key!r} does nothing: press h for the keys"
        else:
            action(self)

    def _turn_to(self, page: "ReviewPage") -> None:
        self._page = page
        self._why = self._reasons(page)
        self._message = "" if page.hits else f"{page.reason}: press a to see what was passed over"
        labels = self._session.judgements()
        waiting = [i for i, hit in enumerate(page.hits) if hit.id not in labels]
        self._place = waiting[0] if waiting else 0

    def _reasons(self, page: "ReviewPage") -> "dict[str, Explanation]":
        """Why each is here, by the query that holds when the page is first seen."""
        query = self._session.query
        if query is None:
            return {}
        weighting = self._session.settings.weighting if isinstance(query, str) else None
        return {id: self._index.explain(id, query, weighting=weighting) for id in page.ids}

    @property
    def _hit(self) -> "Hit":
        if not self._page.hits:
            raise UsageError("there is no document on the page")
        return self._page.hits[self._place]

    def _judge(self, label: str) -> None:
        self._session.judge(self._hit, label)
        self._on()

    def _on(self) -> None:
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
        self._turn_to(self._session.next())

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
        self._read(self._screen.document(self._hit, self._why.get(self._hit.id)))

    def _explain(self) -> None:
        self._read(self._screen.why(self._hit, self._why.get(self._hit.id)))

    def _read(self, lines: "list[Text]") -> None:
        """Lines a screenful at a time; q leads back to the page."""
        room = max(self._screen.height - 2, 1)
        for start in range(0, max(len(lines), 1), room):
            last = start + room >= len(lines)
            below = "any key: back" if last else "any key: more  q: back"
            self._screen.lines(lines[start : start + room], below)
            if self._keyboard.read() in ("q", "Q", "escape", CLOSED):
                return


ACTIONS: "dict[str, Callable[[Review], None]]" = {
    "r": lambda review: review._judge("relevant"),
    "n": lambda review: review._judge("not"),
    "u": lambda review: review._judge("unsure"),
    "s": Review._on,
    "z": Review._undo,
    "y": Review._redo,
    "o": Review._open,
    "w": Review._explain,
    "j": lambda review: review._move(1),
    "down": lambda review: review._move(1),
    "k": lambda review: review._move(-1),
    "up": lambda review: review._move(-1),
    "enter": Review._next,
    "a": lambda review: review._turn_to(review._session.next(again=True)),
    "x": lambda review: review._turn_to(review._session.sample()),
    "t": lambda review: review._read(review._screen.standing()),
    "h": lambda review: review._read(review._screen.keys()),
    "?": lambda review: review._read(review._screen.keys()),
}
