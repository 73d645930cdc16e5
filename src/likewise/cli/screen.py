"""The screens of a review: a page, a whole document, its explanation, progress, and the keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.cli.highlight import Highlighter
from likewise.cli.printing import session as progress
from likewise.cli.printing.text import aligned, cut, four_digits, one_line, pad, table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.text import Text

    from likewise.index import Index
    from likewise.reviews import ReviewPage, Session
    from likewise.search.hits import Explanation, Hit

SIGNS: dict[str | None, str] = {"relevant": "+", "not": "-", "unsure": "?", None: " "}
STYLES: dict[str | None, str] = {"relevant": "green", "not": "red", "unsure": "yellow", None: ""}
KEYS = (
    ("r", "relevant"),
    ("n", "not relevant"),
    ("u", "unsure"),
    ("s", "skip"),
    ("z", "undo"),
    ("y Z", "redo"),
    ("o", "open the whole text"),
    ("w", "why: what each term adds to its score"),
    ("j k ↓ ↑", "go down, go up"),
    ("Enter", "next page"),
    ("a", "again: documents that were skipped"),
    ("x", "a random page, to estimate recall"),
    ("t", "progress, and whether to stop"),
    ("h ?", "these keys"),
    ("q", "quit; all judgements are saved"),
)
BRIEFLY = "r relevant  n not  u unsure  s skip  z undo  o open  w why  h help  q quit"
OTHERS = 8  # lines that are neither hits nor the beginning of a document
BEGINNING = 1200  # characters of a document that are shown below the page


class Screen:
    def __init__(self, index: Index, session: Session) -> None:
        from rich.console import Console

        self._console = Console(highlight=False, soft_wrap=False)
        self._index, self._session = index, session
        self._highlight = Highlighter(index.analyzer)

    @property
    def height(self) -> int:
        return self._console.size.height

    def page(
        self,
        page: ReviewPage,
        place: int,
        labels: Mapping[str, str],
        why: dict[str, Explanation],
        message: str,
    ) -> None:
        """The page with a pointer, the beginning of the document pointed at, and a last line."""
        from rich.text import Text

        console = self._console
        console.clear()
        heading = f"{self._session.name}, page {page.number}: {page.method}"
        console.print(Text(cut(one_line(heading), console.width), "bold"))
        console.print(Text(cut(one_line(page.reason), console.width), "dim"))
        console.print()
        shown = self._around(place, len(page.hits))
        for number in shown:
            line = self._line(page.hits[number], number == place, labels, why)
            console.print(line, no_wrap=True, crop=True)
        if page.hits:
            console.print()
            self._beginning(page.hits[place], why, len(shown))
        console.print()
        if message:
            console.print(Text(cut(one_line(message), console.width), "bold yellow"))
        console.print(Text(cut(BRIEFLY, console.width), "dim"))

    def document(self, hit: Hit, explanation: Explanation | None) -> list[Text]:
        """Its lines, as wide as the screen."""
        document = self._index.document(hit.id)
        fields = [f"{name}: {one_line(str(value))}" for name, value in document.fields.items()]
        text = "\n".join([document.title, "", document.text, "", f"id: {hit.id}", *fields])
        marked = self._highlight(text, explanation)
        return list(marked.wrap(self._console, self._console.width))

    def lines(self, lines: list[Text], below: str) -> None:
        from rich.text import Text

        self._console.clear()
        for line in lines:
            self._console.print(line)
        self._console.print(Text(below, "dim"))

    def why(self, hit: Hit, explanation: Explanation | None) -> list[Text]:
        if explanation is None:
            return self._plain(
                f"{hit.title}\n\nThe order of this page is random: nothing to explain."
            )
        shown = explanation.terms[:20]
        amounts = aligned([term.weight for term in shown])
        rows = [(amount, term.term) for amount, term in zip(amounts, shown, strict=True)]
        heading = f"{one_line(hit.title)}\nscore {four_digits(explanation.score)}\n\n"
        return self._plain(heading + table([("adds", "term"), *rows], self._console.width))

    def progress(self) -> list[Text]:
        return self._plain(progress.as_text(self._session, self._console.width))

    def keys(self) -> list[Text]:
        return self._plain("".join(f"{pad(key, 8)}  {what}\n" for key, what in KEYS))

    def _around(self, place: int, hits: int) -> range:
        """As much of a page as there is room for, with the pointer in it."""
        room = min(hits, max(self.height - OTHERS - 3, 1))
        first = min(max(place - room // 2, 0), hits - room)
        return range(first, first + room)

    def _plain(self, text: str) -> list[Text]:
        from rich.text import Text

        return [Text(line) for line in text.splitlines()]

    def _line(
        self, hit: Hit, here: bool, labels: Mapping[str, str], why: dict[str, Explanation]
    ) -> Text:
        from rich.text import Text

        label = labels.get(hit.id)
        line = Text("> " if here else "  ", "bold" if here else "")
        line.append(f"{SIGNS[label]} ", STYLES[label])
        line.append(f"{hit.rank:>3}  {four_digits(hit.score):>8}  ", "dim")
        title = cut(one_line(hit.title) or hit.id, self._console.width - len(line.plain))
        line.append_text(self._highlight(title, why.get(hit.id)))
        return line

    def _beginning(self, hit: Hit, why: dict[str, Explanation], hits: int) -> None:
        """As much of the text as there is room for."""
        room = max(self.height - hits - OTHERS, 1)
        text = " ".join(self._index.document(hit.id).text[:BEGINNING].split())
        marked = self._highlight(text, why.get(hit.id))
        for line in list(marked.wrap(self._console, self._console.width))[:room]:
            self._console.print(line)
