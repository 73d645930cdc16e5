"""Explanations as text: a table for people, JSON for programs."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, Any, Literal, Protocol

from likewise.cli import output
from likewise.cli.display import aligned, cut, one_line, table
from likewise.cli.reports import how, share, what_it_took

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from likewise.query import Query, Weight
    from likewise.search import Explanation

ExplanationFormat = Literal["table", "json"]


class Explained(Protocol):
    def fields(self) -> dict[str, Any]: ...
    def table(self, width: int | None) -> str: ...


def write(explained: Explained, asked: dict[str, Any], format: ExplanationFormat) -> None:
    if format == "json":
        output.put(output.as_json(asked | explained.fields()), "utf-8")
    else:
        output.put(explained.table(output.width()))


@dataclass(frozen=True)
class ExplainedDocument:
    """What terms add to a document's score: the k of most effect, and the others together."""

    explanation: Explanation
    title: str
    k: int

    def fields(self) -> dict[str, Any]:
        id, score, terms = self.explanation
        others = terms[self.k :]
        return {
            "id": id,
            "title": self.title,
            "score": score,
            "terms": [term._asdict() for term in terms[: self.k]],
            "others": {"terms": len(others), "weight": _sum(others)},
        }

    def table(self, width: int | None) -> str:
        id, score, terms = self.explanation
        shown, others = terms[: self.k], terms[self.k :]
        rows = [(term.weight, term.term) for term in shown]
        if others:
            rows.append((_sum(others), "1 other term" if len(others) == 1 else f"{len(others):,} other terms"))
        rows.append((score, "score"))
        return f"{heading}\n\n" + _weights(rows, ("adds", "term"), width)


@dataclass(frozen=True)
class ExplainedQuery:
    """A query's heaviest terms and documents, k of each kind."""
