"""Documents as RIS records."""

from __future__ import annotations

from likewise import Document
from likewise.ris import as_ris


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
