"""What is written as references comes back as it was when it is read."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.reading import SAMPLES
from likewise import Document
from likewise.readers import Problems
from likewise.readers.preview import preview
from likewise.readers.reftypes import BIBTEX_TYPES, RIS_TYPES
from likewise.writers.bibtex import write_bibtex
from likewise.writers.csl import write_csl
from likewise.writers.endnote import TYPES, write_endnote
from likewise.writers.medline import write_nbib
from likewise.writers.record import Record
from likewise.writers.reference import LABEL_NOTES
from likewise.writers.ris import write_ris

WRITERS: dict[str, Any] = {
    **{"ris": write_ris, "bib": write_bibtex, "json": write_csl},
    **{"nbib": write_nbib, "xml": write_endnote},
}
REFERENCES = SAMPLES.parent / "references"
SAME = ("title", "authors", "year", "journal", "booktitle", "volume", "issue", "pages", "doi")
SAME += ("url", "keywords", "publisher", "type", "language", "editors")
KEPT = {"ris": {*RIS_TYPES.values()}, "bib": {*BIBTEX_TYPES.values()}}
KEPT |= {"xml": {*TYPES}}


def again(suffix: str, values: dict[str, Any]) -> dict[str, Any]:
    """The values of a record that was written and read."""
    written = b"".join(WRITERS[suffix]([Record(values)], ()))
    found = preview(f"x.{suffix}", written)
    assert not found.problems
    (document,) = found.documents
    return document.values() | ({"abstract": document.text} if document.text else {})


letters = st.characters(codec="utf-8", exclude_categories=["C", "Z", "M"], exclude_characters=";,|")
plain = st.text(letters, min_size=1, max_size=9)
texts = st.lists(plain, min_size=1, max_size=4).map(" ".join)
names = st.tuples(
    st.from_regex(r"[A-ZÄÖÜ][a-zäöüßéñø]{1,9}", fullmatch=True),
    st.from_regex(r"[A-Z][a-zéñø]{1,9}( [A-Z]\.)?", fullmatch=True),
).map(", ".join)
records = st.fixed_dictionaries(
    {
        "id": st.from_regex(r"[a-z]{3,9}[0-9]{4}", fullmatch=True),
        "title": texts,
        "type": st.sampled_from(["article-journal", "book", "chapter", "thesis", "report"]),
    },
    optional={
        "abstract": texts,
        "authors": st.lists(names, min_size=1, max_size=3, unique=True),
        "year": st.integers(1900, 2030),
        "volume": st.integers(1, 99).map(str),
        "issue": st.integers(1, 12).map(str),
        "pages": st.tuples(st.integers(1, 99), st.integers(100, 199)).map("{0[0]}-{0[1]}".format),
        "doi": st.from_regex(r"10\.[0-9]{4}/[a-z0-9.()_-]{1,12}[a-z0-9]", fullmatch=True),
        "url": st.from_regex(r"https://[a-z]{2,9}\.org/[a-z0-9/_~%.-]{0,12}", fullmatch=True),
        "keywords": st.lists(plain, min_size=2, max_size=4, unique=True),
        "publisher": texts,
        "language": st.sampled_from(["eng", "ger"]),
        "pmid": st.integers(1, 40_000_000).map(str),
    },
)


@settings(deadline=None)
@given(records, texts, st.sampled_from(sorted(WRITERS)))
def test_a_record_comes_back(values: dict[str, Any], container: str, suffix: str) -> None:
    values["booktitle" if values["type"] == "chapter" else "journal"] = container
    if values["type"] == "book":
        del values["journal"]
    found = again(suffix, values)
    assert found["id"] == values["id"]
    for name in (*SAME, "abstract", "pmid"):
        assert found.get(name) == values.get(name), name


@pytest.mark.parametrize("name", ["endnote.ris", "zotero.ris", "mendeley.ris", "embase.ris"])
def test_ris_comes_back_as_ris(name: str) -> None:
    for document in preview(name, (REFERENCES / name).read_bytes()).documents:
        found = again("ris", document.values())
        lost = {
            key: value
            for key, value in document.values().items()
            if found.get(key) != value and key not in ("text", "urls")
        }
        assert not lost


@pytest.mark.parametrize(("name", "suffix"), [("pubmed.nbib", "nbib"), ("endnote.xml", "xml")])
def test_nothing_is_lost_in_the_format_that_it_came_in(name: str, suffix: str) -> None:
    found = preview(name, (REFERENCES / name).read_bytes()).documents
    assert found
    for document in found:
        assert again(suffix, document.values()) == again_as_read(document)


def again_as_read(document: Document) -> dict[str, Any]:
    return document.values() | ({"abstract": document.text} if document.text else {})


said = st.fixed_dictionaries(
    {"label": st.sampled_from(["relevant", "not"]), "reviewer": st.just("ada")},
    optional={
        "reasons": st.lists(plain, min_size=1, max_size=2, unique=True),
        "note": texts,
        "tags": st.lists(plain, min_size=1, max_size=2, unique=True),
    },
)


@settings(deadline=None)
@given(records, said, st.sampled_from(["nbib", "xml", "ris"]))
def test_what_was_said_is_added(values: dict[str, Any], beside: Any, suffix: str) -> None:
    """Labels as our own reader finds them; reasons, notes and tags beside what was there."""
    values |= {"notes": ["as it was"], "keywords": ["old", "words"]}
    written = b"".join(WRITERS[suffix]([Record(values, beside)], ()))
    problems = Problems()
    found = preview(f"x.{suffix}", written)
    (document,) = found.documents
    notes = document.fields["notes"]
    assert notes[0] == "as it was"
    assert LABEL_NOTES[beside["label"]] in notes
    for reason in beside.get("reasons", ()):
        assert f"Exclusion reason: {reason}" in notes
    assert beside.get("note") is None or " ".join(beside["note"].split()) in notes
    tags = dict.fromkeys(["old", "words", *beside.get("tags", ())])
    assert document.fields["keywords"] == list(tags)
    problems.labels.add(document.values())
    assert problems.labels.total() == {beside["label"]: 1}


@pytest.mark.parametrize("suffix", sorted(WRITERS))
@pytest.mark.parametrize("path", sorted(REFERENCES.iterdir()), ids=lambda path: path.name)
def test_samples_come_back_in_every_format(path: Any, suffix: str) -> None:
    for document in preview(path.name, path.read_bytes()).documents:
        values = document.values()
        found = again(suffix, values)
        for name in ("title", "authors", "year", "doi", "pages", "url", "journal"):
            assert found.get(name) == values.get(name), (document.id, name)
        if "type" in values and values["type"] in KEPT.get(suffix, {values.get("type")}):
            assert found.get("type") == values.get("type")


def test_codes_of_a_format_come_back_as_they_were() -> None:
    for code in RIS_TYPES:
        text = f"TY  - {code}\nID  - 1\nTI  - T\nER  - \n".encode()
        (document,) = preview("x.ris", text).documents
        assert again("ris", document.values())["type_of_reference"] == code
    for kind in BIBTEX_TYPES:
        (document,) = preview("x.bib", f"@{kind}{{k, title={{T}}}}".encode()).documents
        assert again("bib", document.values())["entry_type"] == kind
    assert isinstance(document, Document)
