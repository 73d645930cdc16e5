"""Files in memory as documents, within limits."""

from __future__ import annotations

import bz2
import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likewise import InputError, UsageError
from likewise.readers.preview import Limits, preview

SMALL = Limits(bytes=1000, documents=3, problems=2)


def texts(name, content, **options):
    return [(one.title, one.text) for one in preview(name, content, **options).documents]


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.txt", b"Some text", [("", "Some text")]),
        ("a.md", b"# A title\n\nText", [("A title", "\nText")]),
        ("a.jsonl", b'{"title": "A", "abstract": "a"}\n{"text": "b"}', [("A", "a"), ("", "b")]),
        ("A.CSV", b'Title,Abstract\nA,"a, b"\nB,"c\nd"\n', [("A", "a, b"), ("B", "c\nd")]),
        ("a.tab", b"text\ttitle\nx\tX\n", [("X", "x")]),
        ("a.ris", b"TY  - JOUR\nTI  - T\nAB  - x\nER  - \n", [("T", "x")]),
        ("folder/../a.txt", "äö".encode("utf-16"), [("", "äö")]),
        ("a.txt", b" \n", []),
        ("a.jsonl", b"", []),
    ],
)
def test_each_format(name, content, expected):
    assert texts(name, content) == expected
    assert texts(f"{name}.gz", gzip.compress(content)) == expected


def test_a_text_file_has_its_name_as_id():
    (document,) = preview("folder/a.txt", b"x").documents
    assert document.id == "a.txt"


def test_a_format_may_be_given():
    assert texts("README", b"x", format="text") == [("", "x")]
    with pytest.raises(UsageError, match="unknown format 'npy': choose text"):
        preview("a.npy", b"", format="npy")


def test_problems_are_listed_with_their_lines():
    found = preview("a.jsonl", b'{"text": "a"}\n{"text":\n{"title": "", "text": " "}\n')
    assert [one.text for one in found.documents] == ["a"]
    assert [problem.place for problem in found.problems] == ["a.jsonl, line 2", "a.jsonl, line 3"]
    assert found.problems[1].message == "it has neither a title nor a text"


def test_replaced_characters_are_counted():
    assert preview("a.txt", "ä".encode() + b"\xff\xfeb").characters_replaced == 2


@pytest.mark.parametrize("name", ["a", "a.doc", "a.npy", "a.svm", "a.jsonl.zst", "a.gz", "", "-"])
def test_other_files_are_refused(name):
    with pytest.raises(InputError, match=r"cannot be read: give a file that ends in .txt"):
        preview(name, b"")


def test_the_size_is_bounded_once_decompressed():
    with pytest.raises(InputError, match=r"^a.txt is larger than 1,000 bytes: give a part of it$"):
        preview("a.txt", b"x" * 1001, limits=SMALL)
    with pytest.raises(InputError, match="larger than 1,000 bytes"):
        preview("a.txt.gz", gzip.compress(b"x" * 100_000_000), limits=SMALL)
    assert texts("a.txt", b"x" * 1000, limits=SMALL) == [("", "x" * 1000)]


def test_the_number_of_documents_is_bounded():
    line = b'{"text": "a"}\n'
    assert len(preview("a.jsonl", line * 3, limits=SMALL).documents) == 3
    with pytest.raises(InputError, match=r"a.jsonl has more than 3 documents: give a part of it"):
        preview("a.jsonl", line * 4, limits=SMALL)


def test_reading_stops_at_too_many_problems():
    assert len(preview("a.jsonl", b"{\n" * 2, limits=SMALL).problems) == 2
    with pytest.raises(InputError, match=r"more than 2 parts cannot be read, .*a.jsonl, line 1"):
        preview("a.jsonl", b"{\n" * 3, limits=SMALL)


def test_quotes_left_open_in_each_line_do_not_cost_quadratic_time():
    with pytest.raises(InputError, match="more than 20 parts"):
        preview("a.csv", b'text,title\n"\n' + b'a","\n' * 100_000)


def test_a_damaged_file_is_refused():
    with pytest.raises(InputError, match=r"a.txt.gz is damaged or cut short"):
        preview("a.txt.gz", gzip.compress(b"x" * 100)[:-9])
    with pytest.raises(InputError, match=r"a.txt.gz is damaged or cut short"):
        preview("a.txt.gz", bz2.compress(b"x"))


@settings(deadline=None)  # the detection of encodings is loaded on first use
@given(
    st.binary(max_size=200),
    st.sampled_from(["a.txt", "a.md", "a.jsonl", "a.csv", "a.tsv", "a.ris", "a.csv.gz"]),
)
def test_any_bytes_are_documents_problems_or_an_input_error(content, name):
    try:
        found = preview(name, content, limits=SMALL)
    except InputError:
        return
    assert len(found.documents) <= SMALL.documents
    assert len(found.problems) <= SMALL.problems
