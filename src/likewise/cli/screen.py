"""The screens of a review: a page, a whole document, its explanation, progress, and the keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.cli.highlight import Highlighter
from likewise.cli.printing import session as progress
from likewise.cli.printing.fulltexts import where
from likewise.cli.printing.text import aligned, cut, four_digits, one_line, pad, table
from likewise.readers.fieldlabels import label_of
from likewise.reviews.keys import ACTIONS
from likewise.search.telling import shown as telling

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rich.text import Text

    from likewise.document import Document
    from likewise.index import Index
    from likewise.reviews import Highlight, ReviewPage, Session
    from likewise.reviews.own import Said
    from likewise.search.hits import Explanation, Hit

SIGNS: dict[str | None, str] = {"relevant": "+", "not": "-", "unsure": "?", None: " "}
STYLES: dict[str | None, str] = {"relevant": "green", "not": "red", "unsure": "yellow", None: ""}
BRIEFLY = ("relevant", "not", "unsure", "skip", "undo", "open", "why", "help", "quit")
WORDS = {"not": "not", "open": "open", "why": "why", "help": "help", "quit": "quit", "skip": "skip"}
OTHERS = 9  # lines that are neither hits nor the beginning of a document
MOST_AUTHORS = 3  # that are named
BEGINNING = 20_000  # characters of a document, more than any abstract, below the page


class Screen:
    def __init__(self, index: Index, session: Session) -> None:
        from rich.console import Console

        self._console = Console(highlight=False, soft_wrap=False)
        self._index, self._session = index, session
        self._highlight = Highlighter(index.analyzer)
        self._keys = session.preferences.keys
        self._one = False  # whether one document is shown, and not the page

    def highlight(self, words: Iterable[Highlight]) -> None:
        """A reader's own words, from now on."""
        self._highlight.mark(words)

    def switch(self) -> None:
        """From the page to one document, and back."""
        self._one = not self._one

    def choices(self, words: Sequence[str]) -> None:
        """What can be typed as a number, above the last line."""
        for number, word in enumerate(words, 1):
            self._console.print(self._plain(f"{number:>3}  {one_line(word)}")[0])

    @property
    def height(self) -> int:
        return self._console.size.height

    def page(
        self,
        page: ReviewPage,
        place: int,
        said: Mapping[str, Said],
        why: dict[str, Explanation],
        message: str,
    ) -> None:
        """The page with a pointer, the document pointed at, and a last line."""
        from rich.text import Text

        console = self._console
        console.clear()
        kind = ": a random sample" if page.method == "random" else ""
        heading = f"{self._session.name}, page {page.number}{kind}"
        console.print(Text(cut(one_line(heading), console.width), "bold"))
        console.print(Text(cut(one_line(page.reason), console.width), "dim"))
        console.print()
        shown = range(place, place + 1) if self._one else self._around(place, len(page.hits))
        for number in shown if page.hits else ():
            line = self._line(page.hits[number], number == place, said, why)
            console.print(line, no_wrap=True, crop=True)
        if page.hits:
            console.print()
            self._about(page.hits[place])
            self._full_text(page.hits[place])
            self._beginning(page.hits[place], why, len(shown))
            self._beside(said[page.hits[place].id])
        console.print()
        if message:
            console.print(Text(cut(one_line(message), console.width), "bold yellow"))
        brief = "  ".join(f"{self._keys[name]} {WORDS.get(name, name)}" for name in BRIEFLY)
        console.print(Text(cut(brief, console.width), "dim"))

    def document(self, hit: Hit, explanation: Explanation | None) -> list[Text]:
        """Its lines, as wide as the screen."""
        document = self._index.document(hit.id)
        fields = [
            f"{label_of(name)}: {'; '.join(map(one_line, _texts(value)))}"
            for name, value in document.fields.items()
        ]
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
        shown = telling(explanation.terms, 20)
        amounts = aligned([term.weight for term in shown])
        words = self._index.words_of(term.term for term in shown)
        rows = [(amount, words[term.term]) for amount, term in zip(amounts, shown, strict=True)]
        heading = f"{one_line(hit.title)}\nscore {four_digits(explanation.score)}\n\n"
        return self._plain(heading + table([("adds", "word"), *rows], self._console.width))

    def progress(self) -> list[Text]:
        return self._plain(progress.as_text(self._session, self._console.width))

    def keys(self) -> list[Text]:
        rows = [(self._keys[name], action.says) for name, action in ACTIONS.items()]
        rows.append(("1 … 9", "not relevant, for this reason of the list"))
        rows.append(("↓ ↑ Enter", "next record, previous record, next page"))
        return self._plain("".join(f"{pad(key, 9)}  {what}\n" for key, what in rows))

    def _around(self, place: int, hits: int) -> range:
        """As much of a page as there is room for, with the pointer in it."""
        room = min(hits, max(self.height - OTHERS - 3, 1))
        first = min(max(place - room // 2, 0), hits - room)
        return range(first, first + room)

    def _plain(self, text: str) -> list[Text]:
        from rich.text import Text

        return [Text(line) for line in text.splitlines()]

    def _line(
        self, hit: Hit, here: bool, said: Mapping[str, Said], why: dict[str, Explanation]
    ) -> Text:
        from rich.text import Text

        label = said[hit.id].label
        line = Text("> " if here else "  ", "bold" if here else "")
        line.append(f"{SIGNS[label]} ", STYLES[label])
        rank, score = (f"{hit.rank}", four_digits(hit.score)) if hit.rank else ("↩", "")
        line.append(f"{rank:>3}  {score:>8}  ", "dim")
        title = cut(one_line(hit.title) or hit.id, self._console.width - len(line.plain))
        line.append_text(self._highlight(title, why.get(hit.id)))
        return line

    def _about(self, hit: Hit) -> None:
        """Authors, year, journal and DOI, as far as they are known."""
        line = cut(about(self._index.document(hit.id)), self._console.width)
        self._console.print(self._plain(line or " ")[0], style="dim")

    def _full_text(self, hit: Hit) -> None:
        """Where its PDF is, at the stage of full texts."""
        if self._session.settings.stage == "full text":
            found = self._session.full_texts.of([hit])[hit.id]
            self._console.print(
                self._plain(cut(where(found), self._console.width))[0], style="cyan"
            )

    def _beginning(self, hit: Hit, why: dict[str, Explanation], hits: int) -> None:
        """As much of the text as there is room for."""
        more = 3 if self._session.settings.stage == "full text" else 2  # lines that tell more
        room = max(self.height - hits - OTHERS - more, 1)
        longest = None if self._one else BEGINNING
        text = " ".join(self._index.document(hit.id).text[:longest].split())
        marked = self._highlight(text, why.get(hit.id))
        lines = list(marked.wrap(self._console, self._console.width))
        for line in lines[:room]:
            self._console.print(line)
        if len(lines) > room:
            self._console.print(self._plain(f"… (press {self._keys['open']} for the rest)")[0])

    def _beside(self, said: Said) -> None:
        """Reasons, tags and a note, if there are any."""
        parts = [", ".join(said.reasons), " ".join(f"#{tag}" for tag in said.tags), said.note]
        text = "  ·  ".join(one_line(part) for part in parts if part)
        if text:
            self._console.print(self._plain(cut(text, self._console.width))[0], style="yellow")


def about(document: Document) -> str:
    """Doe, J; Roe, R et al. · 2019 · J Sea Ice · DOI 10.1000/ice"""
    fields = document.fields
    people = _texts(fields.get("authors"))
    named = "; ".join(people[:MOST_AUTHORS]) + (" et al." if len(people) > MOST_AUTHORS else "")
    doi, pmid = (" ".join(_texts(fields.get(name))) for name in ("doi", "pmid"))
    inside = _texts(fields.get("journal")) or _texts(fields.get("booktitle"))
    parts = [named, " ".join(_texts(fields.get("year"))), "; ".join(inside)]
    parts += [f"{label_of('doi')} {doi}"] if doi else []
    parts += [f"{label_of('pmid')} {pmid}"] if pmid and not doi else []
    return " · ".join(one_line(part) for part in parts if part.strip())


def _texts(value: object) -> list[str]:
    items = value if isinstance(value, (list, tuple)) else [value]
    return [str(item) for item in items if item not in (None, "")]
