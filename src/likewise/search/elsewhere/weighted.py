"""Boosted terms as each engine takes them: query strings, JSON bodies, sparse vectors."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.search.elsewhere.boosts import Boost

SPECIAL = re.compile(r'([+\-=&|><!(){}\[\]^"~*?:\\/])')
DIGITS = 4  # of a boost
OPERATORS = {"AND", "OR", "NOT"}


def rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def lucene(boosts: Sequence[Boost], fields: Sequence[str]) -> str:
    """Lucene's classic syntax, which query_string and Solr take as well.

    What counts against a document is a bonus for all that lack it; only documents with a term that
    counts for them are found.
    """
    up = [f"{_quoted(one.word)}^{_number(one.boost)}" for one in boosts if one.boost > 0]
    down = [one for one in boosts if one.boost < 0]
    named = [f"{field}:({' '.join(up)})" for field in fields] or up
    clauses = [f"+({' '.join(named)})"] if down else [" ".join(named)]
    for one in down:
        against = [f"-{field}:{_quoted(one.word)}" for field in fields] or [f"-{_quoted(one.word)}"]
        clauses.append(f"(*:* {' '.join(against)})^{_number(-one.boost)}")
    return " ".join(clauses)


def _quoted(word: str) -> str:
    """A word, or several as a phrase, with what the syntax has a use for escaped."""
    if " " in word:
        return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'
    escaped = SPECIAL.sub(r"\\\1", word)
    return f'"{escaped}"' if word.upper() in OPERATORS else escaped


def _number(value: float) -> str:
    """Lucene's syntax knows no exponents."""
    return f"{rounded(value):.12f}".rstrip("0").rstrip(".")


def elasticsearch(
    boosts: Sequence[Boost], fields: Sequence[str], *, combined: bool = True
) -> dict[str, Any]:
    """A search's body. `combined`: several fields are one, as combined_fields takes them."""
    up = [one for one in boosts if one.boost > 0]
    should = [_match(one.word, fields, rounded(one.boost), combined) for one in up]
    positive = {"bool": {"should": should, "minimum_should_match": 1}}
    down = [one for one in boosts if one.boost < 0]
    if not down:
        return {"query": positive}
    lacking = [
        {
            "constant_score": {
                "filter": {"bool": {"must_not": [_match(one.word, fields, None, combined)]}},
                "boost": rounded(-one.boost),
            }
        }
        for one in down
    ]
    return {"query": {"bool": {"must": [positive], "should": lacking}}}


def opensearch(boosts: Sequence[Boost], fields: Sequence[str]) -> dict[str, Any]:
    return elasticsearch(boosts, fields, combined=False)


def _match(word: str, fields: Sequence[str], boost: float | None, combined: bool) -> dict[str, Any]:
    more = {} if boost is None else {"boost": boost}
    if len(fields) == 1:
        kind = "match_phrase" if " " in word else "match"
        return {kind: {fields[0]: {"query": word, **more}}}
    asked = {"query": word, "fields": list(fields), **more}
    if " " in word:
        return {"multi_match": {**asked, "type": "phrase"}}
    if combined:
        return {"combined_fields": asked}
    return {"multi_match": {**asked, "type": "cross_fields"}}


def qdrant(boosts: Sequence[Boost], values: Sequence[float]) -> dict[str, Any]:
    """The body of a query of points; a term's index is that of Qdrant's own model for BM25."""
    joined: dict[int, float] = {}
    for one, value in zip(boosts, values, strict=True):
        place = abs(murmur3(one.term.encode()))
        joined[place] = joined.get(place, 0.0) + value
    places = sorted(joined)
    vector = {"indices": places, "values": [rounded(joined[place]) for place in places]}
    return {"query": vector, "using": "text", "limit": 100}


def vespa(
    boosts: Sequence[Boost], values: Sequence[float], fields: Sequence[str]
) -> dict[str, Any]:
    """The body of a query: words to find documents by, and all weights as a tensor to rank them."""
    field = fields[0] if len(fields) == 1 else "default"
    words = ", ".join(
        f"{field} contains ({{weight: {max(1, round(100 * one.boost))}}}{_vespa_text(one.word)})"
        for one in boosts
        if one.boost > 0
    )
    cells = ",".join(
        f"{_vespa_label(one.term)}:{_number(value)}"
        for one, value in zip(boosts, values, strict=True)
    )
    return {
        "yql": f"select * from sources * where weakAnd({words})",
        "ranking": "likewise",
        "input.query(likewise)": f"{{{cells}}}",
    }


def _vespa_text(word: str) -> str:
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _vespa_label(term: str) -> str:
    return "'" + term.replace("\\", "\\\\").replace("'", "\\'") + "'"


def murmur3(data: bytes, seed: int = 0) -> int:
    """MurmurHash3 of 32 bits, signed (Austin Appleby)."""
    h, whole = seed, len(data) & ~3
    for i in range(0, whole, 4):
        h ^= _mixed(int.from_bytes(data[i : i + 4], "little"))
        h = (_turned(h, 13) * 5 + 0xE6546B64) & 0xFFFFFFFF
    if data[whole:]:
        h ^= _mixed(int.from_bytes(data[whole:], "little"))
    h ^= len(data)
    h = ((h ^ (h >> 16)) * 0x85EBCA6B) & 0xFFFFFFFF
    h = ((h ^ (h >> 13)) * 0xC2B2AE35) & 0xFFFFFFFF
    h ^= h >> 16
    return h - (1 << 32) if h & 0x80000000 else h


def _mixed(k: int) -> int:
    return (_turned((k * 0xCC9E2D51) & 0xFFFFFFFF, 15) * 0x1B873593) & 0xFFFFFFFF


def _turned(x: int, by: int) -> int:
    return ((x << by) | (x >> (32 - by))) & 0xFFFFFFFF
