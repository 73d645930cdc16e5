"""Boolean queries as databases write them: operators, truncation, phrases, fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from likewise.search.elsewhere.boolean import Clause
    from likewise.search.elsewhere.literals import Literal

OPERATORS = {"and", "or", "not", "near", "adj", "same", "next"}


class Dialect(NamedTuple):
    """`word` writes a word with whether it is truncated; `whole` wraps the query."""

    word: Callable[[str, bool], str]
    whole: Callable[[str], str] = lambda query: query


def _plain(word: str, truncated: bool) -> str:
    shown = f"{word}*" if truncated else word
    return f'"{shown}"' if " " in word or word in OPERATORS or not _simple(word) else shown


def _simple(word: str) -> bool:
    return word.replace("-", "").isalnum()


def _pubmed(word: str, truncated: bool) -> str:
    return f"{_plain(word, truncated)}[tiab]"


def _ovid(word: str, truncated: bool) -> str:
    if " " in word:
        return f"({' adj '.join(word.split())}{'*' if truncated else ''}).ti,ab."
    return f"{_plain(word, truncated)}.ti,ab."


def _fts5(word: str, truncated: bool) -> str:
    quoted = word.replace('"', '""')
    return f'"{quoted}"{"*" if truncated else ""}'


DIALECTS = {
    "boolean": Dialect(_plain),
    "pubmed": Dialect(_pubmed),
    "ovid": Dialect(_ovid),
    "scopus": Dialect(_plain, lambda query: f"TITLE-ABS-KEY({query})"),
    "wos": Dialect(_plain, lambda query: f"TS=({query})"),
    "fts5": Dialect(_fts5),
}


def written(clauses: Sequence[Clause], literals: dict[int, Literal], dialect: str) -> str:
    """Single terms first, then pairs; pairs with a term in common stand together."""
    style = DIALECTS[dialect]
    singles = [_one(literals[clause[0]], style) for clause in clauses if len(clause) == 1]
    parts = [word for words in singles for word in words]
    pairs = [clause for clause in clauses if len(clause) == 2]
    while pairs:
        terms = [term for pair in pairs for term in pair]
        shared = max(dict.fromkeys(terms), key=terms.count)
        together = [pair for pair in pairs if shared in pair]
        pairs = [pair for pair in pairs if shared not in pair]
        others = [term for pair in together for term in pair if term != shared]
        beside = [word for term in others for word in _one(literals[term], style)]
        parts.append(f"({_any(_one(literals[shared], style))} AND {_any(beside)})")
    return style.whole(" OR ".join(parts))


def _one(literal: Literal, style: Dialect) -> list[str]:
    return [style.word(word, literal.truncated) for word in literal.words]


def _any(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"({' OR '.join(words)})"
