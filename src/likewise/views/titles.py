"""Titles as sets of short parts: each four letters in a row of each word, its edges included.

A title is the densest sentence of a paper. Its parts tell what its stemmed words do not: that
`antipsychotic`, `psychosis` and `psychotropic` have something in common. Beside the words they
lower the loss of screening by some 5 % (docs/feedback.md).

A part has a column by its hash alone, so there is no dictionary: a document has the same row in any
index, two files of rows are merged by writing one below the other, and a learned query can be used
elsewhere. Two parts that share one of 65,536 columns count as one; a large collection of English
titles has some 60,000 different parts.
"""

from __future__ import annotations

from xxhash import xxh3_64_intdigest

from likewise.weighting import WEIGHTINGS

LENGTH = 4  # letters of a part: 3 rank as well, and there are more of them in a title
WIDTH = 1 << 16  # columns; two bytes each on disk
FIELD = "title"
WEIGHTING = WEIGHTINGS["smooth"]


def parts(word: str) -> list[str]:
    """The parts of a word in their order; a space stands for each of its edges."""
    edged = f" {word} "
    if len(edged) <= LENGTH:
        return [edged]
    return [edged[i : i + LENGTH] for i in range(len(edged) - LENGTH + 1)]


def column(part: str) -> int:
    return xxh3_64_intdigest(part.encode("utf-8", "surrogatepass")) % WIDTH
