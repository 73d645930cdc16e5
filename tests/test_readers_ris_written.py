"""Documents written as RIS records, and read again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rispy.config import LIST_TYPE_TAGS, TAG_KEY_MAPPING

from likewise import Document
from likewise.readers import preview
from likewise.readers.ris import FIELDS, REPEATED, as_ris

NOT_FIELDS = {"TY", "ER", "ID", "TI", "AB", "UK"}


def read(text: str) -> Document:
    found = preview("x.ris", text.encode())
    assert not found.problems
    (document,) = found.documents
    return document


def test_what_is_known_of_a_document():
    document = Document(
        "a 1",
        "Some\ntext",
        "A title",
        Authors=["Ada L.", "Ben B."],
        created="2018-06-19",
        journal="Nature",
        doi="10.1/x",
        keywords="robots",
        pages=None,
        url={"not": "text"},
    )
    assert as_ris(document) == (
        "TY  - GEN\nID  - a 1\nTI  - A title\nAB  - Some text\nAU  - Ada L.\nAU  - Ben B.\n"
        "PY  - 2018\nJO  - Nature\nDO  - 10.1/x\nKW  - robots\nER  - \n\n"
    )


def test_no_value_begins_another_tag():
    record = as_ris(Document("x\nER  - ", "a\r\nTY  - JOUR\u2028TI  - b", year="in\n2020"))
    assert [line[:5] for line in record.splitlines()] == [
        "TY  -",
        "ID  -",
        "AB  -",
        "PY  -",
        "ER  -",
        "",
    ]


@pytest.mark.parametrize("name", ["authors", "author", "keywords"])
def test_a_text_that_lists_several_becomes_one_line_each(name):
    written = as_ris(Document("1", "x", **{name: "Doe, J; Roe, R;"}))
    assert written.count("Doe, J\n") == written.count("Roe, R\n") == 1


def test_names_are_those_of_rispy():
    expected = {tag: name for tag, name in TAG_KEY_MAPPING.items() if tag not in NOT_FIELDS}
    assert {tag: names[0] for tag, names in FIELDS.items()} == expected
    assert set(LIST_TYPE_TAGS) == REPEATED


@given(
    st.dictionaries(
        st.sampled_from([name for names in FIELDS.values() for name in names] + ["unknown_tag"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
            lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
            max_leaves=5,
        ),
        max_size=5,
    ),
    st.text(),
)
def test_any_fields_make_one_record(fields, text):
    record = as_ris(Document("1", text, "T", **fields))
    assert record.startswith("TY  - GEN\nID  - 1\nTI  - T\n")
    assert record.endswith("\nER  - \n\n")
    assert all(line[2:6] == "  - " for line in record.rstrip("\n").split("\n"))
    assert record.count("\nER  - ") == 1


@pytest.mark.parametrize("body", ["UK  - a\nZZ  - b", "goes on", "ZZ  - a\ngoes on", "LB  - x"])
def test_odd_records_are_read_or_reported(body):
    found = preview("x.ris", f"TY  - JOUR\n{body}\nTI  - A\nER  - \n".encode())
    assert len(found.documents) + len(found.problems) == 1
