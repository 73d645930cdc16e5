from __future__ import annotations

import os
from contextlib import suppress
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from xxhash import xxh3_64_intdigest

from likewise import _core
from likewise.errors import StoreError
from likewise.store import container
from likewise.store.container import (
    FORMAT,
    HEADER,
    MAGIC,
    TRAILER,
    Container,
    ContainerWriter,
    read_together,
)

ARRAYS = {
    "numbers": np.arange(40, dtype=np.uint32),
    "wide": np.arange(7, dtype=np.uint64) << np.uint64(40),
    "empty": np.zeros(0, np.uint8),
    "dense": np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3),
}


def write(path, arrays=ARRAYS, text=(b"some ", b"text"), **metadata):
    writer = ContainerWriter(path, "segment")
    writer.begin("text")
    for piece in text:
        writer.write(piece)
    for name, values in arrays.items():
        writer.array(name, values)
    return writer.close(**metadata)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.seg"
    write(path, first=12)
    return path


def read_everything(path):
    container = Container(path, "segment")
    return {name: container.array(name).tolist() for name in ["text", *ARRAYS]}


def test_what_was_written_is_read(path):
    container = Container(path, "segment", path.stat().st_size)
    assert container.unchecked("text").tobytes() == b"some text"
    assert container.number("first") == 12
    for name, values in ARRAYS.items():
        found = container.array(name)
        assert found.dtype == values.dtype
        assert found.shape == values.shape
        assert np.array_equal(found, values)
    container.verify()


def test_a_long_table_of_contents(tmp_path, monkeypatch):
    arrays = {f"section {i}": np.arange(i, dtype=np.uint32) for i in range(200)}
    path = tmp_path / "a.seg"
    write(path, arrays, first=12)
    opened = Container(path, "segment")
    assert opened.names == ["text", *arrays]
    assert opened.array("section 199").tolist() == list(range(199))
    content = path.read_bytes()
    table = len(content) - TRAILER.size - TRAILER.unpack(content[-TRAILER.size :])[0]
    monkeypatch.setattr(container, "LONGEST_TABLE", table)
    assert Container(path, "segment").names == opened.names
    monkeypatch.setattr(container, "LONGEST_TABLE", table - 1)  # of more, nobody believes it
    with pytest.raises(StoreError, match="its end does not fit the rest"):
        Container(path, "segment")


def test_no_descriptor_is_kept(path):
    before = lowest_free_descriptor()
    opened = [Container(path, "segment") for _ in range(20)]
    assert lowest_free_descriptor() == before
    assert {container.number("first") for container in opened} == {12}


def lowest_free_descriptor():
    descriptor = os.open(os.devnull, os.O_RDONLY)
    os.close(descriptor)
    return descriptor


def test_arrays_are_aligned_and_read_only(path):
    values = Container(path, "segment").array("wide")
    assert values.ctypes.data % 64 == 0
    assert not values.flags.writeable


def test_arrays_outlive_the_container_and_the_file(path):
    values = Container(path, "segment").array("numbers")
    path.unlink()
    assert values.sum() == sum(range(40))


@given(
    values=hnp.arrays(
        st.sampled_from([np.uint8, np.uint32, np.uint64, np.float32]),
        hnp.array_shapes(min_dims=1, max_dims=2, min_side=0, max_side=20),
    )
)
def test_any_array_comes_back(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("any") / "a.seg"
    write(path, {"values": values})
    found = Container(path, "segment").array("values")
    assert found.shape == values.shape
    assert found.tobytes() == values.tobytes()


def test_the_same_content_gives_the_same_bytes(tmp_path):
    write(tmp_path / "a", text=[b"one", b"two"])
    write(tmp_path / "b", text=[b"onetwo"])
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_an_unknown_type_of_number_is_a_mistake_of_the_programmer(tmp_path):
    writer = ContainerWriter(tmp_path / "a", "segment")
    with pytest.raises(TypeError, match="float64"):
        writer.array("x", np.zeros(3))
    writer.abandon()
    assert not (tmp_path / "a").exists()


def test_every_truncation_is_noticed(path):
    content = path.read_bytes()
    for length in range(len(content)):
        path.write_bytes(content[:length])
        with pytest.raises(StoreError, match=r"a\.seg"):
            Container(path, "segment")
        with pytest.raises(StoreError, match="bytes instead of"):
            Container(path, "segment", len(content))


@pytest.mark.parametrize("length", range(0, 2 * HEADER.size, 7))
def test_a_file_that_becomes_shorter_while_it_is_opened(path, monkeypatch, length):
    """A copy that somebody makes anew: what is asked for is not there any more."""
    read = os.pread

    def shortened(descriptor, count, offset):
        os.truncate(path, length)
        return read(descriptor, count, offset)

    monkeypatch.setattr("likewise.store.mapped.os.pread", shortened)
    with pytest.raises(StoreError, match=r"a\.seg became shorter"):
        Container(path, "segment")


def test_appended_bytes_are_noticed(path):
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(StoreError, match="damaged"):
        Container(path, "segment")


def test_every_flipped_bit_is_noticed(path):
    content = path.read_bytes()
    rng = np.random.default_rng(5)
    for place in range(len(content)):
        damaged = bytearray(content)
        damaged[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        with pytest.raises(StoreError, match=r"a\.seg"):
            Container(path, "segment").verify()


def test_a_flipped_bit_never_reaches_whoever_asks_for_the_array(path):
    content, whole = path.read_bytes(), read_everything(path)
    for place in range(HEADER.size, len(content)):
        damaged = bytearray(content)
        damaged[place] ^= 0x10
        path.write_bytes(damaged)
        with suppress(StoreError):
            assert read_everything(path) == whole  # the bit is between sections


def test_a_damaged_array_does_not_hide_the_others(path):
    content = path.read_bytes()
    at = content.index(ARRAYS["numbers"].tobytes())
    path.write_bytes(content[:at] + b"\xff" + content[at + 1 :])
    container = Container(path, "segment")
    assert np.array_equal(container.array("wide"), ARRAYS["wide"])
    for _ in range(2):
        with pytest.raises(StoreError, match="'numbers'"):
            container.array("numbers")


def test_a_foreign_file(path):
    path.write_bytes(b"%PDF-1.7" + bytes(4000))
    with pytest.raises(StoreError, match="not written by likewise"):
        Container(path, "segment")


def test_a_newer_format(path):
    content = path.read_bytes()
    newer = HEADER.pack(MAGIC, FORMAT + 1, b"segment")
    path.write_bytes(newer + content[HEADER.size :])
    with pytest.raises(StoreError, match=f"format {FORMAT + 1}.*upgrade likewise"):
        Container(path, "segment")


def test_another_kind_of_file(path):
    with pytest.raises(StoreError, match="not that of a deletions"):
        Container(path, "deletions")


def test_a_section_that_is_not_there(path):
    with pytest.raises(StoreError, match="no section 'other'"):
        Container(path, "segment").array("other")
    with pytest.raises(StoreError, match="'documents'"):
        Container(path, "segment").number("documents")


def test_a_directory_in_place_of_the_file(tmp_path):
    with pytest.raises(StoreError, match="cannot read"):
        Container(tmp_path, "segment")


def test_a_file_is_never_overwritten(path):
    with pytest.raises(StoreError, match="exists"):
        ContainerWriter(path, "segment")


@given(
    st.lists(st.binary(max_size=300), min_size=1, max_size=12),
    st.integers(1, 5).map(lambda blocks: 64 * blocks),
)
def test_whatever_the_pieces_the_file_is_the_same(tmp_path_factory, texts, piece):
    folder = tmp_path_factory.mktemp("pieces")
    write(folder / "a.seg", text=texts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(container, "PIECE", piece)
        patch.setattr(container, "AT_ONCE", 2 * piece)
        size = write(folder / "b.seg", text=texts)
    assert (folder / "b.seg").read_bytes() == (folder / "a.seg").read_bytes()
    assert (folder / "b.seg").stat().st_size == size


def test_sections_read_together_are_not_read_again(path, monkeypatch):
    file = Container(path, "segment")
    read_together([(file, ["numbers", "wide", "none of these"])], 2)
    monkeypatch.setattr(Container, "_read", lambda *_: pytest.fail("it was read again"))
    assert file.array("numbers").tolist() == list(range(40))
    assert file.told("numbers")[1:] == (39, True, True)
    assert file.told("wide").highest == 6 << 40


def test_what_is_damaged_is_told_by_who_asks_for_it(path):
    whole = Container(path, "segment")._sections["numbers"]
    with path.open("r+b") as file:
        file.seek(whole.offset)
        file.write(b"\xff")
    found = Container(path, "segment")
    read_together([(found, found.names)], 2)
    assert found.array("wide").tolist() == ARRAYS["wide"].tolist()
    with pytest.raises(StoreError, match="'numbers' does not have the checksum"):
        found.array("numbers")


def as_bytes(numbers):
    return numbers.view(np.uint8)


@given(st.integers(0, 3000), st.integers(0, 2**32))
def test_the_checksum_is_xxh3(size, seed):
    data = np.random.default_rng(seed).integers(0, 256, size, np.uint8)
    for unit in (0, 1):
        assert _core.read_through([(data, unit)])[0][0] == xxh3_64_intdigest(data.tobytes())


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8"])
@given(data=st.data())
def test_what_one_reading_tells(dtype, data):
    """Also where numbers are more than are looked at together."""
    limit = data.draw(st.sampled_from([3, 200, np.iinfo(dtype).max]))
    numbers = data.draw(hnp.arrays(dtype, st.integers(0, 40), elements=st.integers(0, limit)))
    numbers = np.repeat(numbers, data.draw(st.sampled_from([1, 700])))
    if data.draw(st.booleans()):
        numbers.sort()
    checksum, highest, ascends, differs = _core.read_through(
        [(as_bytes(numbers), numbers.itemsize)]
    )[0]
    assert checksum == xxh3_64_intdigest(numbers.tobytes())
    assert highest == max(numbers.tolist(), default=0)
    pairs = list(pairwise(numbers.tolist())) if numbers.itemsize >= 4 else []
    assert ascends == all(a <= b for a, b in pairs)
    assert differs == all(a != b for a, b in pairs)


@given(st.lists(st.integers(0, 2**24 - 1), max_size=60), st.sampled_from([1, 300]))
def test_numbers_of_three_bytes(numbers, times):
    packed = np.concatenate([_core.in_three_bytes(np.array(numbers * times, np.uint32)), [0]])
    told = _core.read_through([(packed.astype(np.uint8), 3)])[0]
    assert told[1] == max(numbers, default=0)


def test_numbers_that_are_none_are_refused():
    with pytest.raises(ValueError, match="one byte more"):
        _core.read_through([(np.zeros(6, np.uint8), 3)])
    with pytest.raises(ValueError, match="1, 2, 3, 4 or 8"):
        _core.read_through([(np.zeros(6, np.uint8), 5)])


@given(st.permutations(range(6)), st.integers(0, 7), st.integers(0, 5))
def test_permutations(order, number, place):
    order = np.array(order, np.uint32)
    assert _core.is_permutation(order)
    changed = order.copy()
    changed[place] = number
    assert _core.is_permutation(changed) == (number == order[place])
