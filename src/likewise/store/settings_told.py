"""How text was analysed, as the stored terms of some documents tell: by trying."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise import _core
from likewise.document import values_of
from likewise.store.reindexing import UNREADABLE, RecordTexts
from likewise.text import Analyzer, AnalyzerSettings
from likewise.text.analyzer import languages

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from likewise.store.manifest import KindName
    from likewise.store.remains import Remains

SOME = 100  # documents that are looked at
FIRST = 3  # of which one must be the same for the others to be looked at
ENOUGH = 0.9  # of them that must be the same: a stemmer's other version changes few
MOST_NAMES = 10  # of fields that are tried, up to three together
USUAL = AnalyzerSettings().fields


class Told(NamedTuple):
    kind: KindName
    settings: AnalyzerSettings | None


class _Sample(NamedTuple):
    """A document and how often it has each term."""

    record: bytes
    terms: Counter[str]


def told(known: Sequence[Remains]) -> Told:
    """What was indexed, and the settings that give the terms that are there; None if none do."""
    samples = list(_samples(known))
    best, most = None, 0.0
    for settings in _candidates(samples):
        found = _share(settings, samples)
        if found > most:
            best, most = settings, found
        if most == 1:
            break
    if best is None and samples and not any(_texts(one.record, USUAL) for one in samples):
        numbers = all(term.isdecimal() for one in samples for term in one.terms)
        return Told("counts" if numbers else "text", None)
    return Told("text", best if most >= ENOUGH else None)


def _samples(known: Sequence[Remains]) -> Iterator[_Sample]:
    """Documents of all segments whose terms can be read."""
    names: dict[int, str] = {}
    for one in known:
        if one.segment is not None and one.has("terms"):
            names.update(enumerate(one.segment.terms.all(), one.segment.first_term))
    for one in known:
        if one.segment is None or not one.has("rows"):
            continue
        counts = _core.Counts(one.segment.rows, one.segment.width)
        left = max(SOME // len(known), FIRST)
        for chunk in one.chunks():
            ends = chunk.ends.tolist()[:left]
            for place, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
                number = np.array([chunk.first + place], np.uint32)
                _, columns, found = counts.entries(number)
                if len(columns) and all(column in names for column in columns.tolist()):
                    terms = dict(zip(map(names.get, columns.tolist()), found.tolist(), strict=True))
                    yield _Sample(bytes(chunk.records[start:end]), Counter(terms))  # type: ignore[arg-type]
            left -= len(ends)
            if left <= 0:
                break


def _candidates(samples: Sequence[_Sample]) -> Iterator[AnalyzerSettings]:
    """The usual ones first."""
    known = [AnalyzerSettings().language, "none", *languages()]
    for fields in _fields(samples):
        for language, stop, bigrams in product(dict.fromkeys(known), (True, False), (False, True)):
            yield AnalyzerSettings(language, stop, bigrams, fields)


def _fields(samples: Sequence[_Sample]) -> Iterator[tuple[str, ...]]:
    yield USUAL
    names = dict.fromkeys(USUAL)
    for one in samples[:FIRST]:
        try:
            values = values_of(one.record)
        except UNREADABLE:
            continue
        names |= dict.fromkeys(name for name, value in values.items() if isinstance(value, str))
    for size in (1, 2, 3):
        yield from (some for some in combinations(list(names)[:MOST_NAMES], size) if some != USUAL)


def _share(settings: AnalyzerSettings, samples: Sequence[_Sample]) -> float:
    """How many of the documents have the terms that these settings give."""
    analyzer = Analyzer(settings)
    first = [_same(one, analyzer) for one in samples[:FIRST]]
    if not any(first):
        return 0.0
    return (sum(first) + sum(_same(one, analyzer) for one in samples[FIRST:])) / len(samples)


def _same(sample: _Sample, analyzer: Analyzer) -> bool:
    texts = _texts(sample.record, analyzer.settings.fields)
    return Counter(term for text in texts for term in analyzer(text)) == sample.terms


def _texts(record: bytes, fields: tuple[str, ...]) -> list[str]:
    found = RecordTexts(fields)(record, [len(record)])
    return [text for (text,) in found if text]
