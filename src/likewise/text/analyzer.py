"""From text to terms: what depends on language, done once per distinct form.

The core splits text into forms; here a form becomes a term (folded, stemmed), several (½ holds
1 and 2) or none (a stop word).
"""

from __future__ import annotations

import re
from itertools import chain, compress, islice, pairwise
from typing import TYPE_CHECKING, Any

import msgspec

from likewise import arguments
from likewise.errors import UsageError
from likewise.text.stopwords import stop_words
from likewise.text.unicode import fold, unicode_classes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from likewise._core import Stems

    Mend = Callable[[list[str], list[str]], list[str]]

Terms = str | tuple[str, ...] | None

_digit = re.compile(r"\d").search
_letter_or_digit = re.compile(r"[^\W_]").search


class AnalyzerSettings(msgspec.Struct, frozen=True):
    """How text becomes terms; an index records it, so that queries are treated alike."""

    language: str = "english"
    stop_words: bool = True
    bigrams: bool = False
    fields: tuple[str, ...] = ("title", "text")
    max_bytes: int = 64


def languages() -> list[str]:
    """The languages that can be stemmed, and "none": neither stemming nor stop words."""
    import Stemmer

    return [*Stemmer.algorithms(), "none"]


class Analyzer:
    """Turns forms, or the text of a query, into terms. Threads may share one."""

    def __init__(self, settings: AnalyzerSettings | None = None, mend: Mend | None = None) -> None:
        """`mend` gets words and their stems, and returns the stems that are to be used."""
        self.settings = settings or AnalyzerSettings()
        self._mend = mend
        _check(self.settings)
        with_stop_words = self.settings.stop_words
        self._stop = stop_words(self.settings.language) if with_stop_words else frozenset()

    def __call__(self, text: str) -> list[str]:
        """The terms of a text in order, then its bigrams if those are wanted."""
        from likewise import _core

        forms = _core.forms(text, unicode_classes, self.settings.max_bytes)
        terms = [term for stands_for in self.terms(forms) for term in _each(stands_for)]
        if self.settings.bigrams:
            terms += [f"{first} {second}" for first, second in pairwise(terms)]
        return terms

    @property
    def digits_stay(self) -> bool:
        """Whether each ASCII form with a digit is a term as it is: no stop word is such a form."""
        return not any(_digit(word) for word in self._stop if word.isascii())

    def stems(self) -> Stems | None:
        """What does `terms` for forms of ASCII letters without the interpreter, if there is one."""
        from likewise import _core

        if self._mend is not None or self.settings.language == "none":
            return None
        import Stemmer

        try:
            return _core.Stems(Stemmer.__file__, self.settings.language, sorted(self._stop))
        except RuntimeError:  # the core does not find the library's functions
            return None

    def words(self, text: str) -> set[str]:
        """The words of a text as a stemmer gets them."""
        from likewise import _core

        forms = _core.forms(text, unicode_classes, self.settings.max_bytes)
        several = {} if text.isascii() else self._fold(forms)
        return {*forms, *chain.from_iterable(several.values())}

    def terms(self, forms: Sequence[str]) -> list[Terms]:
        """What each form stands for."""
        words = list(forms)
        if all(map(str.isascii, words)):
            return [*self._reduce(words)]
        several = self._fold(words)
        terms: list[Terms] = [*self._reduce(words)]
        parts = iter(self._reduce(list(chain.from_iterable(several.values()))))
        for i, of_form in several.items():
            kept = tuple(term for term in islice(parts, len(of_form)) if term is not None)
            terms[i] = kept[0] if len(kept) == 1 else kept or None
        return terms

    def _fold(self, words: list[str]) -> dict[int, list[str]]:
        """Fold the non-ASCII ones in place; returns the words of those to be split again."""
        from likewise import _core

        split: dict[int, list[str]] = {}
        wide = [i for i, word in enumerate(words) if not word.isascii()]
        for i, word, changed in zip(wide, *fold([words[i] for i in wide]), strict=True):
            words[i] = word
            if changed:
                parts = _core.forms(word, unicode_classes, self.settings.max_bytes)
                split[i] = [part for part in parts if _letter_or_digit(part)]
            elif not (word.isalnum() or _letter_or_digit(word)):
                split[i] = []  # marks alone, say a stray accent
        return split

    def _reduce(self, words: list[str]) -> Sequence[str | None]:
        """Drop stop words and stem the rest, but for those with digits."""
        if self.settings.language == "none":
            return words
        if "".join(words).isalpha():  # most often
            stems = self._stems(words)
        else:
            # An ASCII form that is not all letters has a digit; others may have marks.
            plain = [w.isalpha() or not (w.isascii() or _digit(w)) for w in words]
            found = iter(self._stems(list(compress(words, plain))))
            stems = [next(found) if p else w for w, p in zip(words, plain, strict=True)]
        stop = self._stop
        # Some stemmers leave nothing of a word that is all ending.
        return [None if w in stop else stem or w for w, stem in zip(words, stems, strict=True)]

    def _stems(self, words: list[str]) -> list[str]:
        import Stemmer

        # One of our own, since it is cheap to make and no two threads may share one.
        stemmed: list[str] = Stemmer.Stemmer(self.settings.language, 0).stemWords(words)
        return stemmed if self._mend is None else self._mend(words, stemmed)


def changed_settings(known: AnalyzerSettings, **given: Any) -> AnalyzerSettings:
    """The settings with those that are given, which are checked."""
    if "language" in given:
        arguments.text("language", given["language"])
    if "fields" in given:
        fields = given["fields"]
        given["fields"] = (fields,) if isinstance(fields, str) else arguments.names(fields)
    settings = msgspec.structs.replace(known, **given)
    Analyzer(settings)  # raises if a setting is invalid
    return settings


def _each(stands_for: Terms) -> tuple[str, ...]:
    if stands_for is None:
        return ()
    return (stands_for,) if isinstance(stands_for, str) else stands_for


def _check(settings: AnalyzerSettings) -> None:
    known = languages()
    if settings.language not in known:
        raise UsageError(f"unknown language {settings.language!r}: use one of {', '.join(known)}")
    if not settings.fields or "" in settings.fields:
        raise UsageError("fields must name at least one field to take text from, such as 'text'")
    if len(set(settings.fields)) < len(settings.fields):
        raise UsageError(f"fields names one twice: {', '.join(settings.fields)}")
    if not 1 <= settings.max_bytes <= 255:
        raise UsageError(f"max_bytes is {settings.max_bytes}; it must be 1 to 255")
