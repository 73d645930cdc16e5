"""How Onoda, Murata & Yamada (2005) tried feedback from non-relevant documents; their tables."""

from __future__ import annotations

PAGES = (10, 20)  # documents on a page, N
ROUNDS = 10  # feedback iterations; five in the paper
PRINTED_ROUNDS = 5

# Tables II and III: the iteration that had a relevant document, never more than one; None where
# five had none. Topic 306 of table I is called 308 in these tables.
PRINTED: dict[int, dict[int, dict[str, int | None]]] = {
    10: {
        306: {"one-class": 1, "svdd": None, "none": 3, "rocchio": None},
        343: {"one-class": 2, "svdd": None, "none": None, "rocchio": None},
        383: {"one-class": 2, "svdd": None, "none": 4, "rocchio": None},
    },
    20: {
        306: {"one-class": 1, "svdd": None, "none": 1, "rocchio": None},
        343: {"one-class": 1, "svdd": None, "none": 4, "rocchio": None},
        383: {"one-class": 1, "svdd": None, "none": 2, "rocchio": None},
    },
}
TABLES = {10: "II", 20: "III"}
