"""What counts as a word, in every script, from Python's own Unicode tables."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

SEPARATOR, WORD, CJK = 0, 1, 2
RULES = 1  # one more whenever text is split or folded otherwise: indexes keep it, see probe.py

# Scripts written without spaces, cut into overlapping bigrams. Left to WORD are characters that
# NFKC composes (half-width kana and jamo, conjoining jamo): a run of them is folded as a whole,
# so that it ends up as the same bigrams as its usual spelling.
_CJK_RANGES = (
    (0x3005, 0x3007),  # ideographic iteration and closing marks, zero
    (0x3021, 0x3029),  # Hangzhou numerals
    (0x3031, 0x3035),  # kana repeat marks
    (0x3038, 0x303C),  # more Hangzhou numerals, vertical iteration mark, masu
    (0x3041, 0x30FF),  # Hiragana, Katakana
    (0x3105, 0x318E),  # Bopomofo, compatibility jamo
    (0x31A0, 0x31BF),  # Bopomofo extended
    (0x31F0, 0x31FF),  # Katakana phonetic extensions
    (0x3400, 0x4DBF),  # Han, extension A
    (0x4E00, 0x9FFF),  # Han
    (0xAC00, 0xD7A3),  # Hangul syllables
    (0xF900, 0xFAFF),  # Han, compatibility
    (0x1AFF0, 0x1B16F),  # Kana supplements and extensions
    (0x20000, 0x3FFFF),  # Han, all later extensions
)
# Symbols by category but Han by script: text taken from PDF has them in place of Han characters.
_RADICALS = ((0x2E80, 0x2E99), (0x2E9B, 0x2EF3), (0x2F00, 0x2FD5))

# All letters, numbers and marks are below plane 4, marks below plane 2, but for some variation
# selectors: only these need looking at (a test looks at all).
_LETTERS_END, _MARKS_END, _SELECTORS = 0x40000, 0x20000, range(0xE0100, 0xE01F0)

# Soft hyphen, zero-width non-joiner and joiner hold a word together; they and what only changes a
# character's looks (variation selectors, the keycap around a digit) are left out of its term.
_JOINERS = (0x00AD, 0x200C, 0x200D)
_DROPPED = dict.fromkeys((*_JOINERS, 0x20E3, *range(0xFE00, 0xFE10), *_SELECTORS))


@cache
def unicode_classes() -> NDArray[np.uint8]:
    """Each code point's class: SEPARATOR, WORD or CJK."""
    classes = np.zeros(0x110000, np.uint8)
    # A numpy string of one character is that character's code point in four bytes.
    characters = np.arange(_LETTERS_END, dtype=np.uint32).view("U1")
    classes[:_LETTERS_END] = np.char.isalnum(characters)
    others = np.flatnonzero(classes[:_MARKS_END] == SEPARATOR)
    categories = "".join(map(unicodedata.category, map(chr, others.tolist())))
    classes[others[np.frombuffer(categories.encode(), np.uint8)[::2] == ord("M")]] = WORD
    classes[[*_JOINERS, *_SELECTORS]] = WORD
    for first, last in _CJK_RANGES:
        classes[first : last + 1] *= CJK
    for first, last in _RADICALS:
        classes[first : last + 1] = CJK
    classes.flags.writeable = False
    return classes


def fold(forms: Sequence[str]) -> tuple[list[str], list[bool]]:
    """NFKC and case folding of forms; and for each whether NFKC changed it.

    Only NFKC can bring separators or CJK characters into a form: letters fold to letters.
    """
    # A line break neither composes nor decomposes, so all forms are folded in one go.
    text = "\n".join(forms)
    normal = unicodedata.normalize("NFKC", text.translate(_DROPPED))
    changed = [new != old for new, old in zip(normal.split("\n"), forms, strict=True)]
    folded = unicodedata.normalize("NFKC", normal.casefold())
    # The Turkish capital İ folds to i and a dot above: no other spelling has that dot.
    return folded.replace("i\u0307", "i").split("\n"), changed
