"""What goes on beside an addition: pieces of work in their order, hashes of ids and of strings."""

from threading import get_ident

import numpy as np
import pytest
from xxhash import xxh3_64_intdigest

from likewise import _core
from likewise.store.beside import AHEAD, LARGE, Beside, stage_threads
from likewise.store.known import CurrentIds
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
    assert [stage_threads(threads) for threads in (1, 2, 4, 16, 64)] == [1, 1, 2, 6, 6]


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
