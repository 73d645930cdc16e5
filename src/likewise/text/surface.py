"""From terms back to words: the form of a term that stands most often in some texts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from likewise.text.unicode import unicode_classes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from likewise.text.analyzer import Analyzer


def forms_of(analyzer: Analyzer, text: str) -> list[str]:
    """The words of a text in their order as they stand, but for case."""
    from likewise import _core

    forms = _core.forms(text, unicode_classes, analyzer.settings.max_bytes)
    return [form.casefold() for form in forms]


def all_forms(analyzer: Analyzer, term: str, texts: Iterable[str]) -> Counter[str]:
    """How often each word that a term stands for is in some texts; of a pair, the two words."""
    parts, found = term.split(" "), Counter[str]()
    for text in texts:
        words = [(word, analyzer(word)) for word in forms_of(analyzer, text)]
        known = [(word, terms[0]) for word, terms in words if terms]  # pairs pass over stop words
        for i in range(len(known) - len(parts) + 1):
            some = known[i : i + len(parts)]
            if [stands_for for _, stands_for in some] == parts:
                found[" ".join(word for word, _ in some)] += 1
    return found


def words_of(analyzer: Analyzer, terms: Collection[str], texts: Iterable[str]) -> dict[str, str]:
    """The most frequent word of each term that the texts have; the first of those as frequent."""
    from likewise import _core

    most = analyzer.settings.max_bytes
    forms: Counter[str] = Counter()
    for text in texts:
        forms.update(_core.forms(text, unicode_classes, most))
    wanted = {part for term in terms for part in term.split(" ")}
    first = {part[:1] for part in wanted}  # which stemming leaves, and folding may change
    likely = [form for form in forms if form[:1] in first or not form[:1].isascii()]
    best: dict[str, tuple[int, str]] = {}
    for form, stands_for in zip(likely, analyzer.terms(likely), strict=True):
        if isinstance(stands_for, str) and stands_for in wanted:
            known = best.get(stands_for)
            if known is None or forms[form] > known[0]:
                best[stands_for] = (forms[form], form)
    found = {}
    for term in terms:  # of two words, where pairs of words are terms
        parts = term.split(" ")
        if all(part in best for part in parts):
            found[term] = " ".join(best[part][1] for part in parts)
    return found
