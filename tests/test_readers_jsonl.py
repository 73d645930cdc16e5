"""JSON Lines, fast where they are good and exact where they are not."""

from __future__ import annotations

import gzip
import json
import random
import tempfile
import zlib
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.reading import Read, lines, read_all
from likewise.document import content_id
from likewise.errors import InputError, UsageError
from likewise.readers import Problems, ReadOptions, read
from likewise.readers.jsonl import _ahead, _by_thread
from likewise.readers.streams import BUFFER

if TYPE_CHECKING:
    from collections.abc import Iterator

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
scalars = st.one_of(words, st.integers(-(2**63), 2**63), st.booleans(), st.none())
others = st.dictionaries(
    st.sampled_from(["year", "ünï", 'quo"te', "key2"]),
    st.recursive(scalars, lambda inner: st.lists(inner, max_size=3), max_leaves=4),
)
documents = st.fixed_dictionaries(
    {"id": words.filter(bool), "text": words}, optional={"title": words}
)


def read_bytes(data: bytes, problems: Problems | None = None, **options: Any) -> list[Read]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.jsonl"
        path.write_bytes(data)
        found = read_all(path, problems, **options)
        if problems is not None:
            problems.listed[:] = [
                problem._replace(place=problem.place.removeprefix(f"{folder}/"))
                for problem in problems.listed
            ]
        return found


@settings(deadline=None)
@given(
    st.lists(st.tuples(documents, others).map(lambda pair: {**pair[1], **pair[0]}), max_size=8),
    st.sampled_from(["\n", "\r\n", "\n\n", " \n"]),
    st.booleans(),
    st.integers(1, 300),
)
def test_what_goes_in_comes_out(given: list[dict], end: str, ascii: bool, size: int) -> None:
    data = "".join(json.dumps(values, ensure_ascii=ascii) + end for values in given).encode()
    found = read_bytes(data, batch_bytes=size)
    assert [document.values for document in found] == given
    assert [document.id for document in found] == [values["id"] for values in given]
    assert [document.texts for document in found] == [
        (values.get("title", ""), values["text"]) for values in given
    ]


AWKWARD = (
    b'\xef\xbb\xbf{"id": 1, "text": "na\xc3\xafve"}\n'
    b"\n"
    b'{"id": 2, "text": "two"}\r\n'
    b'{"id": 3, "text": "broken\n'
    b'  {"id": 4, "text": "in\xffvalid", "other": "\xfe"}  \n'
    b'{"id": 5,\n"text": "over two lines"}\n'
    b'{"id": 6, "text": "a"}{"id": 7, "text": "b"}\n'
    b'{"id": 8, "text": "lone \\ud83d, pair \\ud83d\\ude00, no \\\\ud83d"}\n'
    b"null\n"
    b'{"id": 9, "text": "last"}'
)


def test_chunks_may_end_anywhere() -> None:
    expected = None
    for size in range(1, len(AWKWARD) + 2):
        problems = Problems()
        found = read_bytes(AWKWARD, problems, batch_bytes=size)
        outcome = (
            [(document.id, document.texts[1], document.values) for document in found],
            [problem.place for problem in problems.listed],
            list(problems.replaced.values()),
        )
        expected = expected or outcome
        assert outcome == expected
    assert expected is not None
    assert [(id, text) for id, text, _ in expected[0]] == [
        ("1", "naïve"),
        ("2", "two"),
        ("4", "in\ufffdvalid"),
        ("8", "lone \ufffd, pair 😀, no \\ud83d"),
        ("9", "last"),
    ]
    assert expected[1] == [f"x.jsonl, line {line}" for line in (4, 6, 7, 8, 10)]
    assert expected[2] == [3]


def test_objects_over_lines_cannot_shift_the_records() -> None:
    """Three objects in three lines, but not one each; decoded together they would look fine."""
    data = b'{"id": 1, "text":\n{}}\n{"id": 2, "text": "b"}{"id": 3, "text": "c"}\n'
    spread = data.replace(b"{}", b'"a"')
    for broken in (data, spread):
        problems = Problems()
        assert read_bytes(broken + b'{"id": 4, "text": "d"}\n', problems)[0].id == "4"
        assert problems.count == 3


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", "not valid JSON: Input data was truncated"),
        (b'{"id": 1, "text": NaN}', "not valid JSON: JSON is malformed: invalid character"),
        (b'{"id": 1, "text": {"a": 1}}', r"not a document: .*got `object` - at `\$.text`"),
        (b'{"id": 1.5, "text": ""}', r"not a document: .*got `float` - at `\$.id`"),
        (b'["text"]', "not a document: Expected `object`, got `array`"),
        (b'{"id": 1, "tekst": "x"}', r"none of its keys \('id', 'tekst'\) is a text; name one"),
        (b'{"text": "", "x": ' + b"[" * 9999 + b"]" * 9999 + b"}", "not valid JSON: maximum recur"),
        (b"\0\xff\x00garbage", "not valid JSON"),
    ],
)
def test_a_bad_line_is_named_and_the_rest_kept(line: bytes, message: str) -> None:
    problems = Problems()
    data = b'{"id": "a", "text": "x"}\n' + line + b'\n{"id": "b", "text": "y"}\n'
    assert [(d.id, d.place.rpartition(", ")[2]) for d in read_bytes(data, problems)] == [
        ("a", "line 1"),
        ("b", "line 3"),
    ]
    with pytest.raises(AssertionError, match=f"x.jsonl, line 2: {message}"):
        raise AssertionError(lines(problems)[0])
    with pytest.raises(InputError, match=f"x.jsonl, line 2: {message}"):
        read_bytes(data, Problems(strict=True))


def test_invalid_utf8_is_counted_or_strictly_refused() -> None:
    data = b'{"id": "a", "text": "fine"}\n{"id": "b", "text": "\xef\xbf\xbd\xff\xfe"}\n'
    problems = Problems()
    assert [d.texts[1] for d in read_bytes(data, problems)] == ["fine", "\ufffd" * 3]
    assert (problems.count, list(problems.replaced.values())) == (0, [2])
    with pytest.raises(InputError, match=r"x.jsonl, line 2: not valid UTF-8"):
        read_bytes(data, Problems(strict=True))


def test_fields_that_are_not_analysed_are_made_valid_too() -> None:
    problems = Problems()
    [document] = read_bytes(b'{"id": "a", "text": "\xc3\xa4", "k\xff": "v\xff"}\n', problems)
    assert document.values == {"id": "a", "text": "ä", "k\ufffd": "v\ufffd"}
    assert list(problems.replaced.values()) == [2]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_byte_order_marks(encoding: str) -> None:
    data = '{"id": "a", "text": "naïve 😀"}\n'.encode(encoding)
    assert read_bytes(data)[0].texts[1] == "naïve 😀"


def test_ids_given_or_hashed() -> None:
    data = (
        b'{"id": 0, "text": "a"}\n{"_id": "x", "text": "a"}\n{"id": "", "text": "a"}\n'
        b'{"text": "a"}\n{"title": "a"}\n'
    )
    ids = [document.id for document in read_bytes(data)]
    hashed = content_id(["", "a"])
    assert ids == ["0", "x", hashed, hashed, content_id(["a", ""])]


def test_texts_under_other_names() -> None:
    data = (
        b'{"id": 1, "contents": "a"}\n{"id": 2, "abstract": "b", "text": null}\n'
        b'{"id": 3, "text": ["c", "d"], "title": 1984}\n{"id": 4, "text": ""}\n'
    )
    texts = [document.texts for document in read_bytes(data)]
    assert texts == [("", "a"), ("", "b"), ("1984", "c\nd"), ("", "")]


def test_other_fields_can_be_analysed() -> None:
    data = b'{"id": 1, "text": "a", "keywords": ["b", "c"]}\n{"id": 2, "abstract": "d"}\n'
    assert [d.texts for d in read_bytes(data, fields=("keywords", "text"))] == [
        ("b\nc", "a"),
        ("", "d"),
    ]
    with pytest.raises(UsageError, match=r"cannot analyse .*quo"):
        read_bytes(data, fields=('quo"te',))
    with_abstract = read_bytes(data, fields=("abstract", "text"))
    assert [d.texts for d in with_abstract] == [("", "a"), ("d", "")]


def test_columns_can_be_named() -> None:
    data = b'{"no": 5, "id": "x", "text": "short", "full": "long", "title": "t"}\n{"full": "y"}\n'
    found = read_bytes(data, text_column="full", id_column="no")
    assert [(d.id, d.texts) for d in found] == [
        ("5", ("t", "long")),
        (content_id(["", "y"]), ("", "y")),
    ]
    assert found[0].values == {
        "id": 5,
        "id_2": "x",
        "text_2": "short",
        "text": "long",
        "title": "t",
    }


def test_a_line_may_be_longer_than_a_batch() -> None:
    text = "word " * 10_000
    data = json.dumps({"id": 1, "text": text}).encode() + b'\n{"id": 2, "text": "x"}\n'
    assert [d.texts[1] for d in read_bytes(data, batch_bytes=100)] == [text, "x"]


def test_garbage_gives_problems_and_nothing_else() -> None:
    problems = Problems(limit=10)
    data = bytes(range(256)) * 400
    assert read_bytes(data, problems) == []
    assert problems.count == data.count(b"\n") + 1
    assert len(problems.listed) == 10


def test_an_empty_file_has_no_documents() -> None:
    assert read_bytes(b"") == read_bytes(b"\n \n") == []


def broken_after(count: int, error: BaseException) -> Iterator[int]:
    yield from range(count)
    raise error


@pytest.mark.parametrize("count", range(9))
def test_what_was_read_before_an_error_is_not_lost(count: int) -> None:
    with ExitStack() as stack:
        for ahead in (
            _ahead(broken_after(count, OSError("gone"))),
            _by_thread(broken_after(count, OSError("gone")), stack),
        ):
            found = []
            with pytest.raises(OSError, match="gone"):
                found.extend(ahead)
            assert found == list(range(count))


def test_an_interrupt_while_somebody_waits_is_no_error_of_what_is_read() -> None:
    """It ends the reading at once, and does not wait for its turn."""
    ahead = _ahead(broken_after(5, KeyboardInterrupt()))
    assert [next(ahead) for _ in range(4)] == [0, 1, 2, 3]
    with pytest.raises(KeyboardInterrupt):
        next(ahead)


@pytest.mark.parametrize("size", [2_000, 80_000, 160_000, 300_000])
def test_of_a_file_that_was_cut_off_the_chunks_before_are_read(tmp_path: Path, size: int) -> None:
    draw, most = random.Random(1), 1000
    rows = [{"id": f"{i}", "text": draw.randbytes(100).hex()} for i in range(4000)]
    lines = [json.dumps(row).encode() + b"\n" for row in rows]
    path = tmp_path / "cut.jsonl.gz"
    path.write_bytes(gzip.compress(b"".join(lines))[:size])
    there = len(zlib.decompressobj(wbits=31).decompress(path.read_bytes()))
    batches, found = read(path, ReadOptions(batch_bytes=most)), []
    with pytest.raises(InputError, match=r"cut\.jsonl\.gz is damaged or cut short"):
        found.extend(batches)
    ids = [id for batch in found for id in batch.ids]
    assert ids == [row["id"] for row in rows[: len(ids)]]
    assert sum(map(len, lines[: len(ids)])) > there - BUFFER - 2 * most
