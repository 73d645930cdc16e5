"""Forms, counting and the arithmetic of count matrices, against their readable twins."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from helpers import reference_products as reference
from likewise import _core
from likewise.text.unicode import unicode_classes

CLASSES = unicode_classes()
# Few letters make repeated words; the rest are separators, other scripts, marks and CJK.
text_strategy = st.text(
    st.sampled_from(list("aAbB1 -_.é\u0301ßЖ中文字かカ한𠀀½ﷺ\n\x00'")), max_size=40
)
any_text = st.one_of(text_strategy, st.text(max_size=60))


def meaning(form: str) -> list[str]:
    """Drops forms with a 1, lets é mean two terms, and takes B and A for one."""
    if "1" in form:
        return []
    return ["e", "acute"] if "é" in form else [form.replace("b", "a")]


def spell(form: str) -> str | tuple[str, ...] | None:
    terms = meaning(form)
    return tuple(terms) if len(terms) > 1 else terms[0] if terms else None


def dense(arrays_: _core.CountArrays, width: int) -> np.ndarray:
    matrix = _core.Counts(arrays_, width)
    starts, columns, counts = matrix.entries(np.arange(matrix.shape[0], dtype=np.uint32))
    out = np.zeros(matrix.shape, np.int64)
    for row in range(matrix.shape[0]):
        out[row, columns[starts[row] : starts[row + 1]]] = counts[starts[row] : starts[row + 1]]
    return out


def names(counter: _core.Counter) -> list[str]:
    text, ends = counter.terms_since(0)
    starts = [0, *ends.tolist()]
    return [text[a:b].decode() for a, b in zip(starts, ends.tolist(), strict=False)]


def count(batches, **options) -> tuple[np.ndarray, list[str]]:
    counter = _core.Counter(unicode_classes, **options)
    for fields in batches:
        counter.absorb([spell(form) for form in counter.count(fields)])
    assert counter.rows == sum(len(fields[0]) for fields in batches)
    return dense(counter.drain(), counter.terms), names(counter)


@settings(max_examples=300)
@given(text=any_text, max_bytes=st.sampled_from([1, 3, 8, 64, 255]))
def test_forms_are_those_of_the_reference(text, max_bytes):
    expected = reference.forms(text, CLASSES, max_bytes)
    assert _core.forms(text, unicode_classes, max_bytes) == expected


@settings(max_examples=150, deadline=None)
@given(
    batches=st.lists(st.lists(st.tuples(any_text, any_text), min_size=1, max_size=5), max_size=4),
    threads=st.integers(1, 3),
)
def test_counts_are_those_of_the_reference(batches, threads):
    fields = [list(map(list, zip(*batch, strict=True))) for batch in batches]
    found, terms = count(fields, threads=threads)
    documents = [
        [form for text in document for form in reference.forms(text, CLASSES, 64)]
        for batch in batches
        for document in batch
    ]
    rows, expected_terms = reference.count(documents, meaning)
    assert terms == expected_terms
    assert [[row[t] for t in terms] for row in rows] == found.tolist()


@settings(max_examples=60, deadline=None)
@given(documents=st.lists(st.tuples(any_text, any_text), min_size=1, max_size=6))
def test_bigrams_join_neighbours_within_a_field(documents):
    found, terms = count([list(map(list, zip(*documents, strict=True)))], bigrams=True)
    for row, document in zip(found, documents, strict=True):
        expected = {}
        for text in document:
            words = [t for f in reference.forms(text, CLASSES, 64) for t in meaning(f)]
            pairs = [f"{a} {b}" for a, b in itertools.pairwise(words)]
            for term in words + pairs:
                expected[term] = expected.get(term, 0) + 1
        assert {terms[t]: row[t] for t in np.flatnonzero(row)} == expected


def test_numbers_do_not_depend_on_the_number_of_threads():
    rng = np.random.default_rng(0)
    words = np.array([f"w{i}" for i in range(5000)])
    texts = [" ".join(words[rng.zipf(1.3, 300) % 5000]) for _ in range(2000)]
    results = []
    for threads in (1, 2, 5):
        counter = _core.Counter(unicode_classes, threads=threads)
        for first in range(0, 2000, 700):
            counter.absorb(counter.count([texts[first : first + 700]]))
        results.append((counter.terms_since(0)[0], counter.drain()))
    for text, rows in results[1:]:
        assert text == results[0][0]
        assert all((rows[name] == results[0][1][name]).all() for name in rows)


def test_words_beyond_what_a_table_begins_with_keep_their_numbers():
    words = [f"w{i}" for i in range(150_000)]  # in tables of several MB
    counter = _core.Counter(unicode_classes)
    for first in range(0, len(words), 50_000):
        counter.absorb(counter.count([[" ".join(words[first : first + 50_000])]]))
    assert counter.count([[" ".join(reversed(words))]]) == []
    counter.absorb([])
    assert names(counter) == words
    assert counter.drain()["columns"][-len(words) :].tolist() == list(reversed(range(len(words))))


def test_a_word_is_the_same_in_any_text():
    """Of texts that are ASCII, words' first bytes are read in another way."""
    words = [letter * length for length in range(1, 40) for letter in "ab"]
    plain, wide = " ".join(words), " ".join([*words, "é"])
    counts, terms = count([([plain, wide],)])
    expected, of_wide = count([([wide],)])
    assert terms == of_wide
    np.testing.assert_array_equal(counts[1], expected[0])
    np.testing.assert_array_equal(counts[0], expected[0] - [name in meaning("é") for name in terms])


def test_an_index_added_to_keeps_its_numbers():
    counter = _core.Counter(unicode_classes)
    counter.add_rows(reference.count_arrays(np.ones((1, 2), int)), ["old", "older"])
    counter.absorb(counter.count([["new old", "newer"]]))
    assert names(counter) == ["old", "older", "new", "newer"]
    assert counter.terms_since(2)[0] == b"newnewer"
    assert counter.terms_since(2)[1].tolist() == [3, 8]


def test_draining_starts_afresh_but_keeps_the_terms():
    counter = _core.Counter(unicode_classes)
    counter.absorb(counter.count([["a b b"]]))
    assert counter.memory > 0
    assert dense(counter.drain(), 2).tolist() == [[1, 2]]
    counter.absorb(counter.count([["b c"]]))
    assert dense(counter.drain(), 3).tolist() == [[0, 1, 1]]
    assert counter.rows == 0


def test_batches_wait_their_turn():
    counter = _core.Counter(unicode_classes)
    first, second = counter.count([["a b"]]), counter.count([["b c"]])
    assert (first, second) == (["a", "b"], ["c"])
    counter.absorb(first)
    counter.absorb(second)
    assert dense(counter.drain(), 3).tolist() == [[1, 1, 0], [0, 1, 1]]


@pytest.mark.parametrize("threads", [1, 3])
def test_forms_with_digits_stay_as_they_are(threads):
    counter = _core.Counter(unicode_classes, threads=threads, digits_stay=True)
    assert counter.count([["B2B the 1994 ２nd a1é", "42 b2b tail7"]]) == ["the", "２nd", "a1é"]
    counter.absorb([None, ("2", "nd"), "a1e"])
    assert names(counter) == ["b2b", "1994", "2", "nd", "a1e", "42", "tail7"]
    assert dense(counter.drain(), 7).tolist() == [[1, 1, 1, 1, 1, 0, 0], [1, 0, 0, 0, 0, 1, 1]]


@settings(max_examples=100, deadline=None)
@given(
    pieces=st.lists(st.sampled_from(["a", "Z9", " ", "-", "word" * 20, "x" * 61, "é"]), max_size=60)
)
def test_words_across_blocks_are_whole(pieces):
    """ASCII text is read 64 bytes at a time, other text byte by byte."""
    text = "".join(pieces)
    counter = _core.Counter(unicode_classes)
    assert counter.count([[text]]) == list(dict.fromkeys(reference.forms(text, CLASSES, 64)))


def test_texts_that_nobody_else_holds():
    """An array of texts makes each anew when asked for it."""
    texts = [f"word{i} other{i}" for i in range(5000)]
    counters = [_core.Counter(unicode_classes) for _ in range(2)]
    found = [c.count([t]) for c, t in zip(counters, (texts, np.array(texts)), strict=True)]
    assert found[0] == found[1]


def test_misuse_is_refused():
    counter = _core.Counter(unicode_classes)
    with pytest.raises(ValueError, match="differ in their number"):
        counter.count([["a"], []])
    counter.count([["a b"]])
    with pytest.raises(ValueError, match="one meaning"):
        counter.absorb(["a"])
    with pytest.raises(TypeError, match="str"):
        counter.count([[b"bytes"]])
    with pytest.raises(ValueError, match="1 to 255"):
        _core.Counter(unicode_classes, max_bytes=0)


def test_a_lone_surrogate_is_no_reason_to_stop():
    assert count([[["good \ud800 text"]]])[1] == ["good", "text"]


counts_strategy = arrays(
    np.int64,
    st.tuples(st.integers(0, 8), st.integers(1, 6)),
    elements=st.sampled_from([0, 0, 1, 2, 254, 255, 256, 100_000]),
)


def as_rows(counts: np.ndarray) -> _core.CountArrays:
    """Through the core's own door for rows counted elsewhere."""
    counter = _core.Counter(unicode_classes)
    counter.add_rows(reference.count_arrays(counts), [str(j) for j in range(counts.shape[1])])
    return counter.drain()


@settings(max_examples=150, deadline=None)
@given(counts=counts_strategy, threads=st.integers(1, 3), data=st.data())
def test_rows_transpose_and_select(counts, threads, data):
    rows = as_rows(counts)
    width = counts.shape[1]
    assert dense(rows, width).tolist() == counts.tolist()
    matrix = _core.Counts(rows, width)
    inverted = matrix.transpose(threads)
    assert dense(inverted, len(counts)).tolist() == counts.T.tolist()
    back = _core.Counts(inverted, len(counts)).transpose()
    assert dense(back, width).tolist() == counts.tolist()
    ids = data.draw(st.lists(st.integers(0, len(counts) - 1))) if len(counts) else []
    chosen = matrix.select(np.array(ids, np.uint32))
    assert dense(chosen, width).tolist() == counts[ids].tolist()


def test_arrays_that_describe_no_matrix_are_refused():
    good = as_rows(np.array([[1, 2, 300], [0, 1, 0]]))
    changes = {
        "columns": np.array([0, 1, 9, 1], np.uint32),
        "starts": np.array([0, 5, 4], np.uint32),
        "more": np.array([0, 9, 2], np.uint32),
        "counts": np.array([2, 3], np.uint8),
        "large_at": np.array([0], np.uint32),
        "large": np.zeros(0, np.uint32),
    }
    _core.Counts(good, 3)
    for name, value in changes.items():
        with pytest.raises(ValueError, match=r"starts|more|column|large"):
            _core.Counts({**good, name: value}, 3)
    matrix = _core.Counts(good, 3)
    for ids in (np.array([2], np.uint32), np.array([2**32 - 1], np.uint32)):
        with pytest.raises(ValueError, match="out of range"):
            matrix.select(ids)
        with pytest.raises(ValueError, match="out of range"):
            matrix.entries(ids)
