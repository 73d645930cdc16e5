"""Whether two records are of the same paper: titles, authors, years, abstracts and identifiers.

A DOI or PMID in common settles it. Otherwise titles must be alike, with the same numbers in them
and the same words that mark a reply or a correction; then abstracts, if both have one, must share
their terms; then authors and years must not speak against it. Two different PMIDs are two papers.
Two different DOIs may be a preprint and its article, so they only ask for more. The limits were
tuned on half of the open reviews, see benchmarks/bench_duplicates.py.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from likewise.duplicates.facts import LONG_TEXT
from likewise.duplicates.people import people, same_people
from likewise.duplicates.titles import Title

if TYPE_CHECKING:
    from collections.abc import Callable

    from likewise.duplicates.facts import Facts

SAME_KEY = 0.4  # least similarity of titles of records with one DOI: chapters share their book's
ALIKE = 0.75  # of titles, where abstracts tell
OTHER_TITLE = 0.45  # of titles, where abstracts are the same
SAME_TEXT = 0.9  # of abstracts then, by Jaccard
SAME_IF_REPLACED = 0.75  # by Jaccard, where a word of the title is another
SHARED = 0.75  # terms in common of the shorter abstract
SHARED_IF_DOUBTFUL = 0.88  # where words, authors, years or DOIs differ
ALMOST = 0.93  # of titles, where there are no abstracts to compare
SAME = 0.98  # of titles that differ in little words only
SHORT = 2  # words that say something, of a title that alone tells little
LONG = 5  # such words of one that tells much
KEPT = 1 << 13  # titles that are remembered
MOST_SLIPS = 4  # words that differ, to look whether they are the same
NEAR, FAR = 1, 2  # years between an article online and in print; between a preprint and both
STOP = frozenset(
    {
        *("a", "an", "and", "are", "as", "at", "by", "de", "der", "die", "et", "for", "from", "in"),
        *("is", "its", "la", "le", "of", "on", "or", "s", "the", "to", "und", "vs", "versus"),
        "with",
    }
)
NOT = frozenset({"without", "no", "not", "non", "un"})
OPPOSITES = (("hyper", "hypo"), ("inter", "intra"), ("pre", "post"), ("micro", "macro"))


class Match(NamedTuple):
    similarity: float
    reason: str


class Titles(NamedTuple):
    """How alike two titles are; `replaced` words have others in their place, not only dropped."""

    similarity: float
    replaced: bool


class Comparison:
    """Compares documents of one index; `terms` are a document's terms by its number."""

    def __init__(
        self, facts: Facts, terms: Callable[[int], frozenset[int]], *, has_texts: bool = True
    ) -> None:
        self._facts, self._terms, self._has_texts = facts, terms, has_texts
        self._title = lru_cache(maxsize=KEPT)(lambda number: Title(facts.titles[number]))

    def __call__(self, a: int, b: int) -> Match | None:
        facts = self._facts
        if facts.pmids[a] and facts.pmids[b]:
            return Match(1.0, "same PMID") if facts.pmids[a] == facts.pmids[b] else None
        dois = facts.dois[a], facts.dois[b]
        same_doi = dois[0] == dois[1] if all(dois) else None
        one, other = self._title(a), self._title(b)
        if not one.words or not other.words:
            return Match(1.0, "same DOI") if same_doi else self._by_text(a, b)
        if same_doi:
            shorter = min(one.grams.total(), other.grams.total())
            alike = (one.grams & other.grams).total() / shorter
            return Match(1.0, "same DOI") if alike >= SAME_KEY else None
        if not one.same_numbers(other) or one.about != other.about:
            return None
        titles = compare_titles(one, other)
        if self._has_text(a) and self._has_text(b):
            return self._with_texts(a, b, titles, same_doi)
        return self._without_texts(a, b, titles, same_doi)

    def _with_texts(self, a: int, b: int, titles: Titles, same_doi: bool | None) -> Match | None:
        if titles.similarity < OTHER_TITLE:
            return None
        one, other = self._terms(a), self._terms(b)
        common = len(one & other)
        shared = common / max(min(len(one), len(other)), 1)
        jaccard = common / max(len(one) + len(other) - common, 1)
        people, years = self._people(a, b), self._years(a, b)
        doubts = (titles.replaced, people is False, years is False, same_doi is False)
        if titles.similarity < ALIKE:
            if jaccard < SAME_TEXT or any(doubts[1:]):
                return None
            return Match(jaccard, "same abstract")
        if shared < (SHARED_IF_DOUBTFUL if any(doubts) else SHARED) or sum(doubts[1:]) > 1:
            return None
        if people is False and titles.similarity < 1:
            return None
        if titles.replaced and jaccard < SAME_IF_REPLACED:
            return None
        reason = "same title" if titles.similarity == 1 else "similar title"
        return Match((titles.similarity + shared) / 2, f"{reason}, similar abstract")

    def _without_texts(self, a: int, b: int, titles: Titles, same_doi: bool | None) -> Match | None:
        if titles.similarity < ALMOST or titles.replaced:
            return None
        people, years = self._people(a, b), self._years(a, b)
        words = min(len(_content(self._title(number).words)) for number in (a, b))
        if people is False or (words <= SHORT and not (people and years)):
            return None
        if words <= SHORT + 2 and not (people or years):
            return None
        if (years is False or same_doi is False) and not (
            people and titles.similarity >= SAME and words >= LONG
        ):
            return None
        reason = "same title" if titles.similarity == 1 else "similar title"
        beside = [text for text, so in (("authors", people), ("year", years)) if so]
        said = f" and {' and '.join(beside)}" if beside else ""
        return Match(titles.similarity, reason + said)

    def _by_text(self, a: int, b: int) -> Match | None:
        """Documents of which one has no title: the same text, or nothing."""
        one, other = self._terms(a), self._terms(b)
        common = len(one & other)
        jaccard = common / max(len(one) + len(other) - common, 1)
        if jaccard < ALMOST or self._years(a, b) is False or self._people(a, b) is False:
            return None
        return Match(jaccard, "same text")

    def _has_text(self, number: int) -> bool:
        return self._has_texts and self._facts.texts[number] >= LONG_TEXT

    def _people(self, a: int, b: int) -> bool | None:
        names = self._facts.people
        return same_people(people(names[a]), people(names[b]))

    def _years(self, a: int, b: int) -> bool | None:
        """Whether they are the same or nearly so; None: unknown, or not enough apart to tell."""
        one, other = self._facts.years[a], self._facts.years[b]
        apart = abs(one - other)
        if not one or not other or NEAR < apart <= FAR:
            return None
        return apart <= NEAR


def compare_titles(a: Title, b: Title) -> Titles:
    """By words, slips of the pen forgiven, weighted by their length; little words do not count."""
    if a.bare == b.bare:
        return Titles(1.0, replaced=False)
    left, right = list((a.counts - b.counts).elements()), list((b.counts - a.counts).elements())
    if "".join(left) == "".join(right):  # "meta analysis" and "metaanalysis"
        return Titles(SAME, replaced=False)
    denied = not NOT.isdisjoint(left) or not NOT.isdisjoint(right)
    _drop_slips(left, right)
    left, right = _content(left), _content(right)
    missing = sum(map(len, left)) + sum(map(len, right))
    replaced = denied or bool(left and right)
    return Titles(max(SAME - missing / max(len(a.bare) + len(b.bare), 1), 0.0), replaced)


def _drop_slips(left: list[str], right: list[str]) -> None:
    """Take out words that are the same but for a slip or an ending, unless there are many."""
    if min(len(left), len(right)) > MOST_SLIPS:
        return
    for word in list(left):
        other = next((other for other in right if is_slip(word, other)), None)
        if other is not None:
            left.remove(word)
            right.remove(other)


@lru_cache(maxsize=1 << 15)
def is_slip(a: str, b: str) -> bool:
    """Whether one or two letters were left out, doubled, changed or swapped in a long word.

    What makes the opposite of a word is none: atypical, unstable, hypotension.
    """
    shorter, longer = (a, b) if len(a) <= len(b) else (b, a)
    if len(shorter) < 4 or len(longer) - len(shorter) > 2 or longer.endswith(shorter):
        return False
    if (a[0] != b[0] and (a[-1] != b[-1] or len(longer) < 6)) or len(set(a) ^ set(b)) > 3:
        return False
    for pair in OPPOSITES:
        if a.startswith(pair) and b.startswith(pair) and _which(a, pair) != _which(b, pair):
            return False
    return distance(a, b) <= (1 if len(longer) < 9 else 2)


def _which(word: str, starts: tuple[str, str]) -> bool:
    return word.startswith(starts[0])


def distance(a: str, b: str) -> int:
    """Letters to insert, delete, change or swap with the next one to make one word the other."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        earlier, before, row = before, row, [i]
        for j, y in enumerate(b, 1):
            least = min(before[j] + 1, row[-1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                least = min(least, earlier[j - 2] + 1)
            row.append(least)
    return row[-1]


def _content(words: list[str]) -> list[str]:
    return [word for word in words if word not in STOP]
