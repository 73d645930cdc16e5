"""What goes on beside an addition: pieces of work in their order, hashes of ids and of strings."""

from threading import get_ident

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xxhash import xxh3_64_intdigest

from likewise import _core
from likewise.readers.batch import Batch
from likewise.store.beside import (
    AHEAD,
    LARGE,
    Beside,
    compressing_threads,
    stage_threads,
    title_threads,
)
from likewise.store.known import CurrentIds, Origins, compact
from likewise.store.strings import encode, flatten, hashes_of, table_arrays


def test_pieces_are_done_in_order_and_their_memory_is_known_later():
    beside, done, known = Beside(), [], []
    for number in range(20):
        beside.do(lambda number=number: done.append(number) or 100 * (number + 1))
        known.append(beside.memory)
    assert known == [0] * AHEAD + [100 * (n + 1) for n in range(20 - AHEAD)]
    beside.wait()
    assert done == list(range(20))
    assert beside.memory == 0
    beside.stop()


def test_the_first_piece_needs_no_thread():
    beside, threads = Beside(), []
    for _ in range(2):
        beside.do(lambda: threads.append(get_ident()) or 0)
    beside.wait()
    beside.stop()
    assert threads[0] == get_ident() != threads[1]


@pytest.mark.parametrize("size", [LARGE - 1, LARGE])
def test_a_large_first_piece_is_done_beside_the_others(size):
    beside, threads, known = Beside(ahead=1), [], []
    for number in range(3):
        beside.do(lambda number=number: threads.append(get_ident()) or number + 1, size)
        known.append(beside.memory)
    beside.wait()
    beside.stop()
    assert (threads[0] == get_ident()) == (size < LARGE)
    assert known == [0, 1, 2], "what is decided by it does not depend on who does it"


def test_an_error_is_raised_by_whoever_waits():
    beside = Beside()
    beside.do(lambda: 0)
    beside.do(lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        beside.wait()
    beside.stop()


def test_a_stage_leaves_threads_to_the_others():
    given = (1, 2, 4, 16, 64)
    assert [stage_threads(threads) for threads in given] == [1, 1, 2, 6, 6]
    assert [title_threads(threads) for threads in given] == [1, 1, 2, 2, 2]
    assert [compressing_threads(threads) for threads in given] == [1, 2, 4, 6, 6]


def test_hashes_that_come_again_are_told():
    met = _core.HashSet()
    first = np.arange(10_000, dtype=np.uint64) << np.uint64(20)  # 0 among them
    assert met.add(first)
    assert len(met) == len(first)
    assert met.add(np.zeros(0, np.uint64))
    assert not met.add(np.array([7, int(first[5_000])], np.uint64))
    assert not met.add(np.array([8, 9, 8], np.uint64))
    assert met.add(np.array([11, 12], np.uint64))


def test_ids_are_new_unless_they_are_there_or_come_twice():
    current = CurrentIds()
    same = np.zeros(2, np.uint64)  # different ids of one hash
    for number, ids in enumerate((["a", "b"], ["c", "d"])):
        assert current.are_new(ids, same + np.array([0, number], np.uint64))
        current.add(2 * number, ids)
    assert not current.are_new(["e", "a"], same)
    assert not current.are_new(["f", "f"], same)
    assert current.numbers() == {"a": 0, "b": 1, "c": 2, "d": 3}


def test_strings_of_any_length_have_the_same_hash_as_elsewhere():
    strings = ["é" * n + "x" * (n % 3) for n in range(40)]
    arrays = table_arrays(flatten(strings))
    wanted = [hash >> 32 for hash in hashes_of(encode(strings))]
    assert arrays["hashes"].tolist() == sorted(wanted)
    assert [wanted[i] for i in arrays["order"].tolist()] == sorted(wanted)
    assert table_arrays(flatten(strings), lambda s: xxh3_64_intdigest(s))["order"].tolist() == (
        arrays["order"].tolist()
    )


def lines_of(source: str, numbers: list[int]) -> Batch:
    return Batch(
        ids=[f"{source}{number}" for number in numbers],
        texts=[],
        records=b"",
        ends=np.zeros(len(numbers), np.uint64),
        sources=[source] * len(numbers),
        lines=np.array(numbers, np.int64),
    )


@given(st.lists(st.tuples(st.sampled_from("ab"), st.lists(st.integers(1, 9), max_size=5))))
def test_the_place_of_each_document_is_known(batches):
    """Whether its line follows the one before it or not; a batch may be empty."""
    origins, expected = Origins(), []
    for source, numbers in batches:
        origins.add(lines_of(source, numbers))
        expected += [f"{source}, line {number}" for number in numbers]
    assert [origins[number] for number in range(len(origins))] == expected


def test_lines_that_follow_each_other_take_next_to_no_memory():
    assert compact(np.arange(7, 100)) == range(7, 100)
    assert compact(np.array([7, 9])).tolist() == [7, 9]
