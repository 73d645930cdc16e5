"""Records as databases and reference managers write them; one name for each field."""

from __future__ import annotations

import json
from typing import Any

import pytest
import rispy
from hypothesis import given
from hypothesis import strategies as st
from rispy.config import LIST_TYPE_TAGS, TAG_KEY_MAPPING

from helpers.reading import SAMPLES, Read, lines, read_all
from likewise.errors import InputError
from likewise.readers import Problems, preview

REFERENCES = SAMPLES / "references"


def sample(name: str, **options: Any) -> list[Read]:
    problems = Problems()
    found = read_all(REFERENCES / name, problems, **options)
    assert lines(problems) == []
    return found


def some(values: dict[str, Any], *names: str) -> list[Any]:
    return [values.get(name) for name in names]


def test_endnote() -> None:
    article, chapter = sample("endnote.ris")
    assert article.id == "17"
    assert some(article.values, "authors", "year", "journal", "doi", "pmid", "pages") == [
        ["Doe, Jane A.", "Müller, Karl"],
        2019,
        "Journal of Sea Ice",
        "10.1000/ice.2019.1",
        "30123456",
        "101-118",
    ]
    assert article.values["keywords"] == [
        "Adult",
        "Arctic Regions",
        "Climate Change/*adverse effects",
    ]
    assert article.texts[1] == "BACKGROUND: Sea ice melts. METHODS: We looked."
    assert some(chapter.values, "type", "type_of_reference", "booktitle", "editors", "isbn") == [
        "chapter",
        "CHAP",
        "Handbook of Ice",
        ["Roe, Richard"],
        "9780198526636",
    ]


def test_zotero() -> None:
    article, thesis = sample("zotero.ris")
    assert article.id == "10.1007/s13592-020-1"
    assert some(article.values, "year", "date", "url", "files", "label") == [
        2020,
        "2020/06/15",
        "https://doi.org/10.1007/s13592-020-1",
        ["files/12/Doe - 2020.pdf"],
        1,
    ]
    assert some(thesis.values, "type", "year", "date", "type_of_work", "label") == [
        "thesis",
        1999,
        None,
        "PhD thesis",
        0,
    ]


def test_mendeley() -> None:
    article, report = sample("mendeley.ris")
    assert some(article.values, "title", "abstract", "journal", "journal_abbreviation") == [
        "Wind turbines and bats",
        "Bats avoid T2 - weighted turbines.",
        "Energy",
        "Energy J.",
    ]
    assert some(article.values, "year", "date", "authors", "pmid") == [
        2005,
        "2005/05",
        ["Doe, J.", "Roe, R."],
        "15900000",
    ]
    assert some(report.values, "type", "year") == ["report", 2006]


def test_embase_cochrane_and_rayyan() -> None:
    [embase] = sample("embase.ris")
    assert embase.id == "L2001234567"
    assert some(embase.values, "journal", "issn", "doi") == [
        "Stroke",
        "1524-4628; 0039-2499",
        "10.1161/STROKEAHA.117.1",
    ]
    first, second = sample("cochrane.ris")
    assert [first.id, second.id] == ["CN-01234567", "CN-01234568"]
    assert some(first.values, "pmid", "issue", "pages", "journal") == [
        "25000000",
        "2",
        "11-12",
        "Journal of trials",
    ]
    assert [record.values["label"] for record in sample("rayyan.ris")] == [1, 0]


def test_pubmed_as_nbib() -> None:
    full, short = sample("pubmed.nbib")
    assert full.id == "30123456"
    assert full.texts == (
        "Sea ice and the polar bear: a review that has a title over more than one line of it.",
        "BACKGROUND: Sea ice melts. METHODS: We looked. RESULTS: IL - 6 was low, and bears - if any"
        " - were hungry.",
    )
    assert some(full.values, "authors", "year", "date", "doi", "pmcid", "publication_types") == [
        ["Doe, Jane A", "Müller, Karl"],
        2019,
        "2019 Mar 4",
        "10.1000/ice.2019.1",
        "PMC1234567",
        ["Journal Article", "Review"],
    ]
    assert some(full.values, "keywords", "mesh_terms") == [
        ["bears", "ice"],
        ["Animals", "*Ice Cover"],
    ]
    assert some(short.values, "authors", "year", "type") == [["Roe, R"], 2020, "article-journal"]


def test_another_field_is_the_id() -> None:
    article, chapter = sample("endnote.ris", id_column="doi")
    assert [article.id, chapter.id] == ["10.1000/ice.2019.1", "18"]
    assert article.values["doi"] == "10.1000/ice.2019.1"
    assert sample("endnote.ris", text_column="notes")[0].texts[1].startswith("1532-2777")
    with pytest.raises(InputError, match=r"endnote.ris: no record has a field 'odd', which id_col"):
        sample("endnote.ris", id_column="odd")


words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
values = words.map(lambda s: " ".join(s.split())).filter(bool)
records = st.fixed_dictionaries(
    {"type_of_reference": st.sampled_from(["JOUR", "BOOK", "CHAP", "GEN"]), "title": values},
    optional={
        name: st.lists(values, min_size=1, max_size=3) if tag in LIST_TYPE_TAGS else values
        for tag, name in TAG_KEY_MAPPING.items()
        if tag not in {"TY", "ER", "UK", "TI"}
    },
)


@given(st.lists(records, min_size=1, max_size=3))
def test_all_that_rispy_writes_is_there(written: list[dict[str, Any]]) -> None:
    """Each value, or its words where a list is made of it; slashes may end a date."""
    found = preview("x.ris", rispy.dumps(written).encode())
    assert not found.problems
    for record, document in zip(written, found.documents, strict=True):
        kept = json.dumps(document.values(), ensure_ascii=False)
        for value in record.values():
            for text in value if isinstance(value, list) else [value]:
                for word in text.replace(";", " ").rstrip("/").split():
                    assert json.dumps(word, ensure_ascii=False)[1:-1] in kept
