"""Documents and their records."""

from __future__ import annotations

import pickle

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likewise.document import Document, Text, as_text, content_id

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
keys = st.sampled_from(["year", "source", "label", "authors"])
values = st.one_of(st.integers(-(2**53), 2**53), words, st.lists(words, max_size=3), st.none())


@settings(deadline=None)
@given(words.filter(bool), words, words, st.dictionaries(keys, values))
def test_a_record_gives_the_document_back(id: str, text: str, title: str, fields: dict) -> None:
    document = Document(id, text, title, **fields)
    assert Document.from_record(msgspec.json.encode(document.values())) == document


def test_a_document_is_a_value() -> None:
    document = Document("a", "text", "title", year=1999)
    assert document == Document("a", "text", "title", year=1999) != Document("a", "text")
    assert len({document, Document("a", "text", "title", year=1999)}) == 1
    assert repr(document) == "Document('a', 'text', title='title', and 1 field)"
    assert pickle.loads(pickle.dumps(document)) == document
    with pytest.raises(AttributeError):
        document.id = "b"  # type: ignore[misc]


def test_without_an_id_the_content_is_hashed() -> None:
    assert Document(None, "text").id == Document("", "text").id == content_id(["", "text"])
    assert Document(None, "text").id != Document(None, "text", "title").id
    assert Document(0, "text").id == "0"


def test_the_first_name_with_a_value_counts() -> None:
    record = b'{"_id": 7, "text": "", "contents": null, "abstract": "words", "body": "other"}'
    document = Document.from_record(record)
    assert document == Document("7", "words", contents=None, body="other")
    assert Document.from_record(record, "known").id == "known"


def test_values_that_are_not_text() -> None:
    assert as_text(["a", 1, None, ["b"]]) == "a\n1\n\nb"
    with pytest.raises(TypeError, match=r"got dict"):
        as_text({"a": 1})
    with pytest.raises(TypeError, match=r"got bool"):
        as_text(True)
    assert Document.from_record(b'{"id": 1, "title": {"en": "x"}}').title == '{"en":"x"}'


def test_a_record_may_hold_numbers_beyond_a_double() -> None:
    assert Document.from_record(b'{"id": 1, "x": 1e999}').fields == {"x": float("inf")}


def test_raw_text_is_not_an_id() -> None:
    assert not isinstance(Text("raw"), str)
    assert str(Text("raw")) == Text("raw").text == "raw"
