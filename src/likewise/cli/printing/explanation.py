"""Explanations as text: tables for people, JSON for programs."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, Any, Protocol

from likewise.cli.printing import colours, stdout
from likewise.cli.printing import learned as printed
from likewise.cli.printing.text import aligned, four_digits, table
from likewise.cli.printing.units import facts, share

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from likewise.search.hits import Explanation
    from likewise.search.query import Query, Weight

FORMATS = ("table", "json")


class Explained(Protocol):
    def fields(self) -> dict[str, Any]:
        """The explanation as fields of JSON."""

    def as_table(self, width: int | None) -> str: ...


def print_explained(explained: Explained, query: dict[str, Any], format: str) -> None:
    """On stdout; `query` has the query as fields of JSON."""
    if format == "json":
        stdout.put(stdout.as_json(query | explained.fields()), "utf-8")
    else:
        stdout.put_coloured(explained.as_table(stdout.width()), colours.signed)


@dataclass(frozen=True)
class ExplainedDocument:
    """What terms add to a document's score: the k of most effect, and all others together.

    `words` are whole ones for stems. Of words that somebody typed all are shown, otherwise those
    that tell something.
    """

    explanation: Explanation
    title: str
    k: int
    words: Mapping[str, str]
    parts: Sequence[Weight] = ()
    typed: bool = False

    def fields(self) -> dict[str, Any]:
        id, score, terms = self.explanation
        shown = [term._asdict() | {"word": self._word(term)} for term in self._shown]
        others = {"terms": len(terms) - len(shown), "weight": self._others}
        known = {"id": id, "title": self.title, "score": score, "terms": shown, "others": others}
        parts = [part._asdict() for part in self.parts[: self.k]]
        return known | ({"parts of the title": parts} if parts else {})

    def as_table(self, width: int | None) -> str:
        id, score, terms = self.explanation
        heading = table([("score", "id", "title"), (four_digits(score), id, self.title)], width)
        listed = self._shown
        rows = [(term.weight, self._word(term)) for term in listed]
        if len(terms) > len(listed):
            rows.append((self._others, f"(others: {len(terms) - len(listed):,})"))
        parts = [(part.weight, part.term) for part in self.parts[: self.k]]
        terms_shown = _section("adds", ("word",), rows, width)
        return heading + terms_shown + _section("adds", ("part of the title",), parts, width)

    @property
    def _others(self) -> float:
        shown = fsum(term.weight for term in self._shown)
        return fsum(term.weight for term in self.explanation.terms) - shown

    @property
    def _shown(self) -> list[Weight]:
        from likewise.search.telling import shown  # here, as help needs no arrays

        terms = self.explanation.terms
        return list(terms[: self.k]) if self.typed else shown(terms, self.k)

    def _word(self, term: Weight) -> str:
        return self.words.get(term.term, term.term)


@dataclass(frozen=True)
class ExplainedQuery:
    """A query's heaviest terms and documents, k of each.

    `known` is the part of its weight that is on terms of the index.
    """

    query: Query
    known: float
    titles: Mapping[str, str]
    k: int
    words: Mapping[str, str]
    details: bool = False

    def fields(self) -> dict[str, Any]:
        up, down = (
            [term._asdict() | {"word": self._word(term)} for term in side]
            for side in self.query.heaviest(self.k)
        )
        support = [one._asdict() | self._title(one.id) for one in self.query.support[: self.k]]
        return {"terms": len(self.query.terms), "up": up, "down": down, "support": support}

    def as_table(self, width: int | None) -> str:
        up, down = (
            [(term.weight, self._word(term)) for term in side]
            for side in self.query.heaviest(self.k)
        )
        support = [(s.weight, s.id, self.titles.get(s.id, "")) for s in self.query.support]
        return (
            facts(self._facts())
            + _section("weight", ("counts for it",), up, width)
            + _section("weight", ("counts against it",), down, width)
            + _section("weight", ("learned from", "title"), support[: self.k], width)
        )

    def _facts(self) -> dict[str, str]:
        query = self.query
        rows = {
            "method": query.learned.method,
            "learned from": printed.examples(query.learned),
            "weighting": query.weighting,
            "terms": f"{len(query.terms):,}",
            "terms in the index": f"{share(self.known)} of the weight",
        }
        return rows | (printed.details(query.learned) if self.details else {})

    def _word(self, term: Weight) -> str:
        return self.words.get(term.term, term.term)

    def _title(self, id: str) -> dict[str, str]:
        return {"title": self.titles[id]} if id in self.titles else {}


def _section(
    what: str,
    header: Sequence[str],
    rows: Sequence[tuple[float, *tuple[str, ...]]],
    width: int | None,
) -> str:
    """A table under an empty line, numbers first; nothing if there is nothing to show."""
    if not rows:
        return ""
    numbers = aligned([number for number, *_ in rows])
    shown = [(number, *texts) for number, (_, *texts) in zip(numbers, rows, strict=True)]
    return "\n" + table([(what, *header), *shown], width)
