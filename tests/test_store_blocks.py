"""Records in compressed blocks: what is written comes back, and nothing else is ever read."""

from __future__ import annotations

import itertools
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xxhash import xxh3_64_intdigest

from helpers.forging import Forged
from likewise import Index, _core
from likewise.errors import InputError, StoreError
from likewise.readers.zstandard import library, zstd
from likewise.store import blocks
from likewise.store.beside import Helpers
from likewise.store.blocks import (
    DICTIONARY,
    GROUP,
    LONGEST,
    SIZE,
    SIZE_ALONE,
    BlockWriter,
    RecordBlocks,
    check_sections,
    read_dictionary,
)
from likewise.store.container import HEADER, Container, ContainerWriter

KIND = "segment"


def write(path, records, threads=1, batch=7):
    """Write records some at a time, and return the reader."""
    path.unlink(missing_ok=True)
    container, helpers = ContainerWriter(path, KIND), Helpers(threads)
    writer = BlockWriter(container, helpers)
    for first in range(0, len(records), batch):
        some = records[first : first + batch]
        writer.add(b"".join(some), np.cumsum([*map(len, some)]))
    writer.finish()
    helpers.stop()
    container.close(documents=writer.documents)
    assert writer.documents == len(records)
    return opened(path, len(records))


def opened(path, documents):
    file = Container(path, KIND)
    check_sections(file, documents)
    return RecordBlocks(file, documents)


def lines(*texts):
    return [b'{"text":"%b"}\n' % text for text in texts]


def check(reader, records):
    assert reader.size == sum(map(len, records))
    assert b"".join(chunk.records for chunk in reader.chunks()) == b"".join(records)
    assert [bytes(reader.one(i)) for i in range(len(records))] == records
    numbers = [chunk.first for chunk in reader.chunks()]
    assert numbers == sorted(set(numbers))
    for first, text, ends in reader.chunks():
        assert [text[a:b] for a, b in zip([0, *ends], ends, strict=False)] == records[
            first : first + len(ends)
        ]
    reader.verify()


@settings(max_examples=60, deadline=None)
@given(
    lengths=st.lists(
        st.one_of(
            st.integers(0, 80),
            st.integers(0, 3 * SIZE_ALONE),
            st.sampled_from([SIZE - 1, SIZE_ALONE - 1, GROUP // 3]),
        ),
        max_size=40,
    ),
    seed=st.integers(0, 9),
    threads=st.integers(1, 3),
    batch=st.integers(1, 50),
)
def test_what_is_written_comes_back(tmp_path_factory, lengths, seed, threads, batch):
    rng = np.random.default_rng(seed)
    texts = [rng.integers(32, 34 + 90 * (seed % 2), n, np.uint8).tobytes() for n in lengths]
    records = [text + b"\n" for text in texts]
    path = tmp_path_factory.mktemp("blocks") / "x.seg"
    check(write(path, records, threads, batch), records)
    content = path.read_bytes()
    write(path, records, 1, batch)
    assert path.read_bytes() == content, "threads must not change the bytes"


@pytest.mark.parametrize(
    "records",
    [
        [],
        [b"\n"],
        [b"\n"] * 3000,
        [b"\n", b"x" * SIZE_ALONE + b"\n", b"\n"],
        [b"\n"] * GROUP + lines(b"x"),  # nothing to make a dictionary of
        [b"x" * GROUP + b"\n", *lines(b"x", b"y")],
        lines(b"a" * 5_000_000),
        lines(b"b", b"ab " * 2_000_000, b"c"),
        lines(*(b"the same words %d" % i for i in range(9000))),
    ],
    ids=[
        "none",
        "empty",
        "many empty",
        "long",
        "only empty",
        "long first",
        "huge",
        "huge between",
        "alike",
    ],
)
def test_corners(tmp_path, records):
    check(write(tmp_path / "x.seg", records), records)


def test_blocks_are_short_and_alike_records_small(tmp_path):
    records = lines(*(b"a line like all the others, number %d" % (i * i) for i in range(40_000)))
    reader = write(tmp_path / "x.seg", records, batch=1000)
    table = Container(tmp_path / "x.seg", KIND).array("records.blocks")
    assert (table[:, 1] <= SIZE).all()
    assert np.count_nonzero(table[:, 1] < SIZE - 100) <= 4, "each group ends with a short one"
    assert (tmp_path / "x.seg").stat().st_size < reader.size / 4


def test_a_small_segment_has_no_dictionary(tmp_path):
    records = lines(*(b"%d" % (i * i) for i in range(10_000)))
    write(tmp_path / "x.seg", records)
    file = Container(tmp_path / "x.seg", KIND)
    assert file.names == ["records", "records.blocks", "records.checksums"]
    assert (file.array("records.blocks")[:-1, 1] > SIZE_ALONE - 100).all()


@pytest.mark.parametrize("texts", [400, 20_000])
def test_frames_of_python_hold_the_same(tmp_path, monkeypatch, texts):
    """Where the core does not find the functions of the library, Python makes the frames."""
    records = lines(*(b"one of many, number %d" % (i * i) for i in range(texts)))
    by_core = write(tmp_path / "core.seg", records, threads=2, batch=1000)
    monkeypatch.setattr(blocks, "library", lambda: "/no/such/library.so")
    by_python = write(tmp_path / "python.seg", records, threads=2, batch=1000)
    check(by_core, records)
    check(by_python, records)
    sizes = [(tmp_path / name).stat().st_size for name in ("core.seg", "python.seg")]
    assert sizes[0] == pytest.approx(sizes[1], rel=0.1)


@settings(deadline=None)
@given(
    lengths=st.lists(st.sampled_from([0, 1, 9000, 65_535, 65_536, 65_537, 200_000]), max_size=6),
    seed=st.integers(0, 99),
)
def test_frames_with_a_dictionary_are_read_with_it(lengths, seed):
    """Pieces of any length, also those for which there is no room behind the dictionary."""
    rng = np.random.default_rng(seed)
    words = [rng.integers(97, 123, n, np.uint8).tobytes() for n in rng.integers(1, 12, 500)]
    text = b" ".join([words[i] for i in rng.zipf(1.3, 120_000) % 500])
    dictionary = blocks.make_dictionary(b"\n".join(text[i : i + 80] for i in range(0, GROUP, 80)))
    frames = _core.Frames(library(), blocks.OPTIONS_OF_DICTIONARY, dictionary.dict_content)
    stops = np.cumsum([0, *lengths]) % len(text)
    stops = np.unique(stops)
    data, sizes = frames.compress(text, stops)
    ends = np.cumsum(sizes).tolist()
    found = [
        blocks.decompress(data[a:b], int(size), dictionary)
        for (a, b), size in zip(itertools.pairwise([0, *ends]), np.diff(stops), strict=True)
    ]
    assert found == [text[a:b] for a, b in itertools.pairwise(stops.tolist())]
    again, _ = frames.compress(text, stops)
    assert again == data, "a frame must not depend on those before it"


@given(
    phrase=st.permutations(range(120)).map(bytes),  # whose runs differ, as each counts once
    seed=st.integers(0, 9),
    size=st.integers(400, 3000),
)
@settings(deadline=None)
def test_what_is_repeated_most_comes_last_in_a_dictionary(phrase, seed, size):
    rng = np.random.default_rng(seed)
    noise = [rng.integers(0, 256, 400, np.uint8).tobytes() for _ in range(40)]
    text = b"".join(some + phrase for some in noise)
    found = _core.most_repeated(text, size)
    assert len(found) == size // 200 * 200
    stretches = [found[i : i + 200] for i in range(0, len(found), 200)]
    assert all(stretch in text for stretch in stretches)
    assert phrase in stretches[-1]
    assert _core.most_repeated(text[:size], size) == text[:size], "of a short text it is all"


def test_frames_of_the_core():
    frames = _core.Frames(library(), blocks.OPTIONS, b"")
    data, sizes = frames.compress(b"abcabc" * 50, np.array([0, 0, 100, 300]))
    ends = np.cumsum(sizes).tolist()
    found = [zstd.decompress(data[a:b]) for a, b in itertools.pairwise([0, *ends])]
    assert found == [b"", (b"abcabc" * 50)[:100], (b"abcabc" * 50)[100:]]
    for wrong in ([0, 301], [200, 100], [-1, 5]):
        with pytest.raises(ValueError, match="stop"):
            frames.compress(b"abcabc" * 50, np.array(wrong))
    with pytest.raises(RuntimeError):
        _core.Frames(library(), {-5: 1}, b"")


@settings(deadline=None)
@given(
    lines=st.lists(st.binary(max_size=300).map(lambda x: x.replace(b"\n", b"")), min_size=1),
    with_dictionary=st.booleans(),
    place=st.integers(0, 10_000),
)
def test_short_frames_are_read_by_the_core_as_by_python(lines, with_dictionary, place):
    text = b"".join(line + b"\n" for line in lines)
    dictionary = zstd.ZstdDict(b"a dictionary of few words " * 20, is_raw=True)
    content = dictionary.dict_content if with_dictionary else b""
    reader = _core.FrameReader(library(), content)
    used = dictionary if with_dictionary else None
    frame = zstd.compress(text, options=blocks.OPTIONS, zstd_dict=used)

    def read(frame, *, longer=0, more=0):
        return reader.read(memoryview(frame), len(text) + longer, len(lines) + more)

    assert read(frame) == text
    assert read(frame, longer=1) is None
    assert read(frame, more=1) is None
    assert read(frame + frame) is None
    assert read(frame[: place % len(frame)]) is None
    broken = bytearray(frame)
    broken[place % len(frame)] ^= 1 + place % 255
    assert read(broken) in (None, text)
    assert read(frame) == text, "what was broken is not remembered"


def test_frames_are_read_without_the_core(tmp_path, monkeypatch):
    """Where it does not find the functions of the library."""
    records = lines(*(b"one of many, number %d" % (i * i) for i in range(20_000)))
    write(tmp_path / "x.seg", records, batch=1000)
    monkeypatch.setattr(blocks, "library", lambda: "/no/such/library.so")
    reader = opened(tmp_path / "x.seg", len(records))
    assert reader._reader is None
    check(reader, records)
    with pytest.raises(RuntimeError):
        _core.FrameReader("/no/such/library.so", b"")


def test_reading_one_document_reads_one_block(tmp_path, monkeypatch):
    reader = write(tmp_path / "x.seg", lines(*(b"%40d" % i for i in range(30_000))), batch=999)
    read = []  # the blocks whose checksums are looked at
    monkeypatch.setattr(
        blocks, "xxh3_64_intdigest", lambda data: read.append(len(data)) or xxh3_64_intdigest(data)
    )
    reader.one(29_000)
    assert len(read) == 1
    for number in (29_000, 29_001, 28_999, 15_000, 29_000):
        reader.one(number)
    assert len(read) == 2
    assert max(read) <= SIZE


def test_a_record_that_is_too_long_or_no_line(tmp_path):
    container = ContainerWriter(tmp_path / "x.seg", KIND)
    writer = BlockWriter(container, Helpers())
    with pytest.raises(InputError, match=f"of {LONGEST + 1:,} bytes is longer than an index can"):
        writer.add(b"", np.array([LONGEST + 1]))
    writer.add(b"a\nb\n", np.array([4]))
    with pytest.raises(ValueError, match="not one line"):
        writer.finish()
    container.abandon()


@pytest.fixture(scope="module")
def records():
    """Enough for a dictionary."""
    return lines(*(b"some words, a few more and the number %d" % (i * i) for i in range(22_000)))


def change(path, edit):
    forged = Forged(path)
    edit(forged)
    forged.save()


def numbers(forged, name):
    section = forged.section(name)
    return forged.numbers(section).reshape(section["shape"])


def put(forged, block, data):
    """Another frame in a block's place, as long as it was, under the right checksums."""
    table = numbers(forged, "records.blocks")
    start = int(table[:block, 0].sum())
    assert len(data) <= table[block, 0]
    place = numbers(forged, "records")[start : start + int(table[block, 0])]
    place[:] = np.frombuffer(data.ljust(len(place), b"\0"), np.uint8)
    numbers(forged, "records.checksums")[block] = xxh3_64_intdigest(place.tobytes())


def add_to(block, column, *changes):
    """Numbers of the table of blocks, from this block on, become others."""

    def edit(forged):
        table = numbers(forged, "records.blocks")[block : block + len(changes), column]
        table[:] = table + np.array(changes)

    return edit


FORGED = {
    "no frame": lambda forged: put(forged, 3, b"no frame at all"),
    "a frame and more": lambda forged: put(forged, 3, zstd.compress(b"x\n" * 9)),
    "a bomb": lambda forged: put(forged, 3, zstd.compress(bytes(1 << 22))),
    "a frame without a size": lambda forged: put(forged, 3, unsized(b"x\n" * SIZE)),
    "fewer documents": add_to(2, 2, 1, -1),
    "no documents": lambda forged: numbers(forged, "records.blocks")[2:4, 2].__imul__(0),
    "another size": add_to(3, 1, 1),
    "a large size": add_to(3, 1, 10**4),
    "the largest size": lambda forged: numbers(forged, "records.blocks")[3, 1:2].__ior__(2**16 - 1),
    "other ends": add_to(3, 0, 1, -1),
    "another checksum": lambda forged: numbers(forged, "records.checksums")[3:4].__ixor__(1),
}


def unsized(data):
    made = zstd.ZstdCompressor()
    return made.compress(data) + made.flush()


@pytest.mark.parametrize("what", FORGED)
def test_right_checksums_over_wrong_blocks(tmp_path, records, what):
    path = tmp_path / "x.seg"
    last = int(write(path, records, batch=500)._firsts[3])
    change(path, FORGED[what])
    reader = opened(path, len(records))
    with pytest.raises(StoreError, match=r"x\.seg is damaged, section 'records") as caught:
        [bytes(reader.one(number)) for number in range(last, last + 300)]
    assert "\n" not in str(caught.value)
    with pytest.raises(StoreError, match=r"x\.seg is damaged"):
        opened(path, len(records)).verify()


BOMB = """
import resource, sys
from pathlib import Path
from likewise.errors import StoreError
from likewise.store.blocks import RecordBlocks
from likewise.store.container import Container
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
reader = RecordBlocks(Container(Path(sys.argv[1]), "segment"), int(sys.argv[2]))
try:
    reader.one(0)
except StoreError as error:
    print(error)
"""


def test_a_bomb_takes_no_memory(tmp_path):
    """One document that is said to be short and would be 4 GiB."""
    path = tmp_path / "x.seg"
    write(path, [np.random.default_rng(1).bytes(1 << 18).replace(b"\n", b"") + b"\n"])
    bomb = zstd.ZstdCompressor(level=1)
    zeros = bytes(1 << 24)
    data = b"".join([*(bomb.compress(zeros) for _ in range(256)), bomb.flush()])
    change(path, lambda forged: put(forged, 0, data))
    run = subprocess.run(
        [sys.executable, "-c", BOMB, path, "1"], capture_output=True, text=True, check=True
    )
    assert "a block has another size" in run.stdout


def flip(path, place):
    content = bytearray(path.read_bytes())
    content[place] ^= 4
    path.write_bytes(content)


def test_a_flipped_bit_is_found_when_the_document_is_read(tmp_path, records):
    path = tmp_path / "x.seg"
    reader = write(path, records, batch=500)
    first, after = reader._firsts[5:7].tolist()
    flip(path, HEADER.size + int(reader._starts[5]) + 40)
    reader = opened(path, len(records))
    message = rf"does not have the checksum it had .of documents {first} to {after - 1}\)"
    for number in range(first, after):
        with pytest.raises(StoreError, match=message):
            reader.one(number)
    others = [*range(first), *range(after, after + 900)]
    assert [bytes(reader.one(i)) for i in others] == [records[i] for i in others]
    with pytest.raises(StoreError, match=message):
        reader.verify()


@pytest.mark.parametrize("part", ["records.dictionary", "records.spare"])
def test_one_of_two_dictionaries_may_be_damaged(tmp_path, records, part):
    path = tmp_path / "x.seg"
    write(path, records, batch=500)
    assert Forged(path).section(part)["bytes"] < DICTIONARY
    flip(path, Forged(path).section(part)["offset"] + 20)
    check(opened(path, len(records)), records)
    with pytest.raises(StoreError, match=f"section '{part}' does not have the checksum"):
        Container(path, KIND).verify()


@pytest.mark.parametrize(
    "packed",
    [
        zstd.compress(bytes(DICTIONARY + 1)),
        zstd.compress(b"short"),
        zstd.compress(bytes(DICTIONARY)) + b"more",
        zstd.compress(bytes(1 << 24)),
        b"no frame",
    ],
)
def test_a_dictionary_that_is_none(packed):
    with pytest.raises(ValueError, match="a block"):
        read_dictionary(memoryview(packed))


def test_a_dictionary_of_no_use(tmp_path, records):
    """It says that it has tables of letters, and has none."""
    path = tmp_path / "x.seg"
    write(path, records, batch=500)
    useless = zstd.compress(b"\x37\xa4\x30\xec" + bytes(DICTIONARY - 4))
    forged = Forged(path)
    for name in ("records.dictionary", "records.spare"):
        place = numbers(forged, name)
        place[:] = np.frombuffer(useless.ljust(len(place), b"\0"), np.uint8)
    del place
    forged.save()
    with pytest.raises(StoreError, match="section 'records"):
        opened(path, len(records)).one(9)


def test_damage_is_never_merged_over(tmp_path):
    """What was 100 mg and is 900 mg is neither read nor given a new checksum."""
    index = Index.create(tmp_path / "x.idx")
    index.add([{"id": "a", "text": "The dose was 100 mg daily."}], merge=False)
    index.add([{"id": "b", "text": "other"}], merge=False)
    path = tmp_path / "x.idx/segments/000001.seg"
    content = path.read_bytes()
    assert b"100 mg" in content  # too short to be compressed
    path.write_bytes(content.replace(b"100 mg", b"900 mg"))
    message = r"000001\.seg is damaged, section 'records' does not have the checksum"
    for use in (
        lambda index: index.document("a"),
        lambda index: list(index.search("dose").records()),
        lambda index: index.documents(["b", "a"]),
        lambda index: index.verify(),
        lambda index: index.merge(),
    ):
        with pytest.raises(StoreError, match=message):
            use(Index.open(index.path))
    assert Index.open(index.path).document("b").text == "other"
    assert b"900 mg" in path.read_bytes(), "nothing was written anew"
