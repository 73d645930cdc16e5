"""How text becomes terms here and now, in a form that an index can keep and compare later.

Stemmers, lists of stop words and Unicode's tables change with the versions of packages and of
Python. A query that is stemmed otherwise than the documents were finds nothing, so an index keeps
the stems of some words that are known to change, and digests of the rest.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np
from xxhash import xxh3_64_hexdigest

from likewise.text.probe_words import WORDS
from likewise.text.stopwords import stop_words
from likewise.text.unicode import CJK, RULES, fold, unicode_classes

if TYPE_CHECKING:
    from likewise.text.analyzer import AnalyzerSettings

SHOWN = 3  # words that a sentence names
# Letters that came later may be treated otherwise without a note: else each new Python had one.
_ASSIGNED = unicodedata.ucd_3_2_0


class Probe(msgspec.Struct, frozen=True):
    """What an analyzer does. Versions are for people; behaviour is compared."""

    stemmer: str = ""  # version of PyStemmer
    unicode: str = ""  # version of Python's tables
    rules: int = 0  # number of our own way to split and fold text
    letters: str = ""  # digest of what is a letter, and of what it is folded to
    stop_words: str = ""  # digest
    stems: dict[str, str] = {}


class Drift(NamedTuple):
    """That an index was analysed otherwise than text is now.

    `stems` are those that it kept, if any of them is another one today.
    """

    reason: str
    stems: dict[str, str]

    def note(self, place: str) -> str:
        return f"{place} was made with {self.reason}: likewise reindex {place} brings it up to date"


def probe(settings: AnalyzerSettings) -> Probe:
    """What an analyzer of these settings does here and now."""
    return Probe(
        stemmer=_version("PyStemmer"),
        unicode=unicodedata.unidata_version,
        rules=RULES,
        letters=_letters(),
        stop_words=_stop_words(settings),
        stems=_stems(settings.language, WORDS.get(settings.language, "").split()),
    )


def drift(kept: Probe | None, settings: AnalyzerSettings) -> Drift | None:
    """How the analyzer that an index was made with differs from today's; None if it does not.

    Nothing can be said of an index that keeps no probe.
    """
    if kept is None:
        return None
    stems = _other_stems(kept, settings.language)
    reasons = [
        stems,
        _other_letters(kept),
        "another list of stop words" if kept.stop_words != _stop_words(settings) else "",
    ]
    found = " and ".join(filter(None, reasons))
    return Drift(found, kept.stems if stems else {}) if found else None


def _other_stems(kept: Probe, language: str) -> str:
    now = _stems(language, list(kept.stems))
    other = [word for word, stem in kept.stems.items() if now[word] != stem]
    if not other:
        return ""
    examples = ", ".join(f"{word} was {kept.stems[word]}" for word in other[:SHOWN])
    versions = f"PyStemmer {kept.stemmer}, and {_version('PyStemmer')} stems words otherwise"
    return f"{versions} ({examples}{' …' if len(other) > SHOWN else ''})"


def _other_letters(kept: Probe) -> str:
    if kept.rules != RULES:
        return "another way to split text into words"
    if kept.unicode == unicodedata.unidata_version or kept.letters == _letters():
        return ""
    return f"Unicode {kept.unicode}, which has other letters than {unicodedata.unidata_version}"


def _stems(language: str, words: list[str]) -> dict[str, str]:
    if language == "none":
        return {word: word for word in words}
    import Stemmer

    return dict(zip(words, Stemmer.Stemmer(language, 0).stemWords(words), strict=True))


def _stop_words(settings: AnalyzerSettings) -> str:
    words = stop_words(settings.language) if settings.stop_words else ()
    return xxh3_64_hexdigest("\n".join(sorted(words)).encode())


@cache
def _letters() -> str:
    """Of code points that every Python knows, but for Han and Hangul, which are not folded."""
    classes = unicode_classes()
    places = [
        place
        for place in np.flatnonzero(classes[:0x20000] != CJK).tolist()
        if _ASSIGNED.category(chr(place)) != "Cn" and not 0xD800 <= place < 0xE000
    ]
    folded, _ = fold([chr(place) for place in places if chr(place) != "\n"])
    return xxh3_64_hexdigest(classes[places].tobytes() + "\n".join(folded).encode())


@cache
def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "of an unknown version"
