from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xxhash import xxh3_64_intdigest

from likewise._core import line_ends
from likewise.store.strings import Flat, StringTable, encode, flatten, table_arrays, unflatten

strings = st.lists(st.text(st.characters(), max_size=8), max_size=30)  # lone surrogates too


def table(values, hash_of=xxh3_64_intdigest):
    return StringTable(table_arrays(flatten(values), hash_of).__getitem__, hash_of)


@given(strings)
def test_strings_come_back_in_order(values):
    assert unflatten(flatten(values)) == values
    assert table(values).all() == values
    backwards = np.arange(len(values))[::-1]
    assert table(values).strings(backwards) == values[::-1]


@given(strings, strings, st.sampled_from([xxh3_64_intdigest, len, lambda _: 7, lambda s: s[-1:]]))
def test_find_is_a_dictionary_even_when_hashes_collide(values, others, hash_of):
    def as_number(string):
        hashed = hash_of(string)
        return hashed if isinstance(hashed, int) else sum(hashed)

    numbers = {value: i for i, value in enumerate(values)}  # of equal ones the last
    wanted = values + others
    found = table(values, as_number).find(encode(wanted))
    assert found.dtype == np.int64
    assert found.tolist() == [numbers.get(value, -1) for value in wanted]


def test_the_largest_hash_is_found():
    assert table(["a", "b"], lambda _: 2**64 - 1).find(encode(["b", "a", "c"])).tolist() == [
        1,
        0,
        -1,
    ]


def test_nothing_is_found_in_an_empty_table():
    assert table([]).find(encode(["a"])).tolist() == [-1]
    assert table(["a"]).find(encode([])).tolist() == []
    assert len(table([])) == 0


def test_a_miss_touches_the_hashes_only():
    arrays = table_arrays(flatten(["a", "b"]))
    asked = []

    def fetch(name):
        asked.append(name)
        return arrays[name]

    assert StringTable(fetch).find(encode(["c", "d"])).tolist() == [-1, -1]
    assert asked == ["hashes"]


@pytest.mark.parametrize("values", [[], [""], ["a", "", "bc"], ["é", "a"], ["a", "\ud800"]])
def test_strings_are_joined_in_utf8(values):
    text, ends = flatten(values)
    assert text == "".join(values).encode("utf-8", "surrogatepass")
    assert unflatten(Flat(text, ends)) == values


def test_strings_of_the_same_hash_stand_in_their_order():
    hashes = np.array([7, 2**64 - 1, 7, 0, 7 << 32, 7], np.uint64)
    table = table_arrays(flatten("abcdef"), known=hashes)
    assert table["hashes"].tolist() == [0, 0, 0, 0, 7, 2**32 - 1]
    assert table["order"].tolist() == [0, 2, 3, 5, 4, 1]


@pytest.mark.parametrize("lines", [b"", b"\n", b"a", b"a\n", b"\n\nab\nc", b"x" * 100 + b"\n"])
def test_lines_end_behind_their_newlines(lines):
    assert line_ends(lines).tolist() == [i + 1 for i, c in enumerate(lines) if c == ord("\n")]
