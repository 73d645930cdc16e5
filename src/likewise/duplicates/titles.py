"""Titles as they are compared: without case, accents, markup and punctuation.

Numbers decide between parts of a series, and words such as "reply" between a paper and what was
written about it: both are kept apart.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST = 1_000  # characters of a title that are looked at
TAG = re.compile(r"</?[a-zA-Z][^<>]{0,40}>")
NOT_WORD = re.compile(r"[\W_]+")
DIGITS = re.compile(r"\d+")
WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")  # written without spaces
BRACKETS = str.maketrans("", "", "[]")
GREEK_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma "
    "tau upsilon phi chi psi omega"
)
GREEK = {
    ord(letter): name
    for letter, name in zip("αβγδεζηθικλμνξοπρστυφχψω", GREEK_NAMES.split(" "), strict=True)
}
ROMAN_NUMBERS = "i ii iii iv v vi vii viii ix x xi xii"
ROMAN = {roman: str(number) for number, roman in enumerate(ROMAN_NUMBERS.split(" "), 1)}
ALWAYS_ROMAN = ROMAN.keys() - {"i", "v", "x"}  # these are words, too, unless a part is counted
SPELT = "one two three four five six seven eight nine ten"
ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth"
NUMERALS = {
    word: str(number)
    for words in (SPELT, ORDINALS, "a b c d e")
    for number, word in enumerate(words.split(" "), 1)
}
COUNTED = frozenset({"part", "phase", "stage", "volume", "vol", "chapter", "section", "paper"})
# What is written about a paper has its title: these words make it another one.
ABOUT = {
    "comment": "comment", "comments": "comment", "commentary": "comment",
    "reply": "reply", "replies": "reply", "response": "reply", "responses": "reply",
    "rejoinder": "reply", "letter": "letter", "re": "reply",
    "correction": "correction", "corrections": "correction", "corrigendum": "correction",
    "corrigenda": "correction", "erratum": "correction", "errata": "correction",
    "addendum": "addendum", "retraction": "retraction", "withdrawal": "retraction",
    "expression": "concern", "editorial": "editorial", "protocol": "protocol",
    "supplement": "supplement", "summary": "summary", "abstract": "abstract",
}  # fmt: skip
NEAR_EDGE = 3  # words at either end among which these count
STATUS = re.compile(r"^((retracted article|retracted|withdrawn|preprint) )+")


def fold(texts: Iterable[str]) -> list[str]:
    """Each text as words with a space between; letters of other scripts stay."""
    return [_fold(text) for text in texts]


def _fold(text: str) -> str:
    text = text[:LONGEST].translate(BRACKETS)
    if "&" in text:
        text = html.unescape(text)
    if "<" in text:
        text = TAG.sub("", text)
    text = text.lower()
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text).casefold()
        text = unicodedata.normalize("NFKD", text).translate(GREEK)
        text = "".join([c for c in text if not unicodedata.combining(c)])
    folded = NOT_WORD.sub(" ", text).strip()
    return STATUS.sub("", folded)


def words_of(folded: str) -> list[str]:
    """The words; of scripts without spaces, pairs of characters."""
    words = folded.split()
    if not WIDE.search(folded):
        return words
    return [part for word in words for part in _parts(word)]


def _parts(word: str) -> list[str]:
    if not WIDE.search(word) or len(word) < 3:
        return [word]
    return [word[i : i + 2] for i in range(len(word) - 1)]


class Title:
    """A folded title and what is compared of it."""

    def __init__(self, folded: str) -> None:
        self.words = words_of(folded)
        self.bare = folded.replace(" ", "")

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def counts(self) -> Counter[str]:
        return Counter(self.words)

    @cached_property
    def grams(self) -> Counter[str]:
        return grams(self.bare)

    @cached_property
    def digits(self) -> list[str]:
        """Numbers in digits: 2 in CO2."""
        return [number.lstrip("0") or "0" for number in DIGITS.findall(" ".join(self.words))]

    @cached_property
    def numerals(self) -> list[str]:
        """Numbers in Roman or other letters, as digits: 2 in "part II", "part B", "part two"."""
        found, last = [], len(self.words) - 1
        for place, word in enumerate(self.words):
            counted = place > 0 and self.words[place - 1] in COUNTED
            if word in ROMAN and (word in ALWAYS_ROMAN or (place == last > 0) or counted):
                found.append(ROMAN[word])
            elif word in NUMERALS and counted:
                found.append(NUMERALS[word])
        return found

    def same_numbers(self, other: Title) -> bool:
        """Whether the numbers are the same, in any order, or run together: 3,4 and 34."""
        if sorted(self.digits + self.numerals) == sorted(other.digits + other.numerals):
            return True
        together = "".join(self.digits) == "".join(other.digits)
        return together and sorted(self.numerals) == sorted(other.numerals)

    @cached_property
    def about(self) -> frozenset[str]:
        """Whether it is a reply, a correction and the like, by words near either end."""
        edges = {*self.words[:NEAR_EDGE], *self.words[-NEAR_EDGE:]}
        return frozenset(ABOUT[word] for word in edges if word in ABOUT)


def grams(text: str) -> Counter[str]:
    """Runs of three characters, with the ends marked."""
    padded = f" {text} "
    return Counter(padded[i : i + 3] for i in range(len(padded) - 2))


def dice(a: Counter[str], b: Counter[str]) -> float:
    """How much two multisets have in common, from 0 to 1."""
    total = a.total() + b.total()
    return 2 * (a & b).total() / total if total else 1.0
