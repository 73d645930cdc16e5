"""Records as databases and reference managers write them; one name for each field."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
import rispy
from hypothesis import given
from hypothesis import strategies as st
from rispy.config import LIST_TYPE_TAGS, TAG_KEY_MAPPING

from helpers.reading import SAMPLES, Read, lines, read_all
from likewise import Index
from likewise.errors import DuplicateError, InputError
from likewise.readers import Problems
from likewise.readers.preview import preview

REFERENCES = SAMPLES.parent / "references"


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


def test_pubmed_as_xml() -> None:
    full, short, chapter = sample("pubmed.xml")
    assert [full.id, short.id, chapter.id] == ["30123456", "30123457", "20301295"]
    assert full.texts == (
        "Sea ice, H2O and Ursus maritimus: a review.",
        "BACKGROUND: Sea ice melts & bears swim.\nMETHODS: We looked.",
    )
    assert some(full.values, "authors", "year", "doi", "pmcid", "pages", "mesh_terms") == [
        ["Doe, Jane A", "Müller, Karl, Jr", "Polar Bear Group"],
        2019,
        "10.1000/ice.2019.1",
        "PMC1234567",
        "101-118",
        ["Animals", "Ice Cover/*physiology"],
    ]
    assert some(short.values, "year", "date") == [1998, "1998 Dec-1999 Jan"]
    assert some(chapter.values, "type", "booktitle", "authors", "editors") == [
        "chapter",
        "GeneReviews",
        ["Roe, R"],
        ["Adam, Margaret P"],
    ]
    assert [full.place[-7:], short.place[-7:]] == [" line 4", "line 16"]


def test_endnote_as_xml_is_endnote_as_ris() -> None:
    names = ("id", "authors", "year", "journal", "doi", "pmid", "pages", "type", "booktitle")
    for xml, ris in zip(sample("endnote.xml"), sample("endnote.ris"), strict=True):
        assert some(xml.values, *names) == some(ris.values, *names)
    assert sample("endnote.xml")[0].texts[0] == "Sea ice and Ursus maritimus"
    assert sample("endnote.xml")[0].values["custom1"] == "My field"


def test_bibtex() -> None:
    by_id = {record.id: record.values for record in sample("papers.bib")}
    assert by_id.keys() == {"doe2019", "conf2001", "müller:2020", "thesis99", "poe2001"}
    assert some(by_id["doe2019"], "title", "authors", "journal", "year", "pages", "files") == [
        "Sea ice, H$_2$O and Ursus maritimus: a café review",
        ["Doe, Jane A.", "Müller, Karl", "Polar Bear Group", "van Beethoven, Ludwig"],
        "Journal of Sea Ice",
        2019,
        "101-118",
        ["files/12/Doe_2019.pdf"],
    ]
    assert by_id["doe2019"]["abstract"] == (
        'Sea ice melts & bears swim 50 % more. It has nested braces and "quotes".'
    )
    assert some(by_id["poe2001"], "title", "booktitle", "year", "publisher", "authors") == [
        "Proceedings of Tests",
        "Conference on Østlånd",
        2001,
        "ACM",
        ["Poe, E.", "Smith, John, Jr."],
    ]
    assert some(by_id["müller:2020"], "year", "pmid", "type", "entry_type", "url") == [
        2020,
        "31000000",
        "webpage",
        "online",
        "https://example.org/a_b~c",
    ]


def test_a_broken_entry_costs_no_other(tmp_path: Any) -> None:
    path = tmp_path / "x.bib"
    path.write_text(
        "@article{a, title={Open {brace}, year=2000}\n\n@article{b, title={Good}}\n"
        "@article{c, title=}\n@article{d, title={Fine}} @book{e, title={Same line}}\n"
        '@misc{f, title="open\n@misc{g, title="good"}\n'
    )
    problems = Problems()
    assert [record.id for record in read_all(path, problems)] == ["b", "d", "e", "g"]
    assert [line.split(", ", 1)[1] for line in lines(problems)] == [
        "line 1: the entry 'a' does not end: a brace or a quote is missing",
        "line 4: the entry 'c' has a field without a value",
        "line 6: a quote is opened and not closed before the next entry",
    ]


def test_json() -> None:
    article, chapter = sample("zotero.json")
    assert some(article.values, "authors", "year", "date", "journal", "doi", "pages") == [
        ["Doe, Jane", "van der Berg, Hans", "Bee Group"],
        2020,
        "2020-06-15",
        "Apidologie",
        "10.1007/s13592-020-1",
        "512-520",
    ]
    assert some(chapter.values, "booktitle", "editors", "year", "place") == [
        "Handbook of Ice",
        ["Roe, Richard"],
        2001,
        "Oxford",
    ]
    first, second = sample("plain.json", id_column="paperId")
    assert [first.id, second.id] == ["p1", "p2"]
    assert [first.values["year"], second.values["year"]] == [2018, 2017]
    assert first.values["authors"] == ["Jane Doe"]
    assert first.place.endswith("line 2")


@pytest.mark.parametrize(
    ("text", "ids", "problem"),
    [
        (
            '[{"id": "a", "text": "x"}, {"id": "b", "text": }, {"id": "c", "text": "y"}]',
            "ac",
            "not",
        ),
        ('[{"id": "a", "text": "x"}, 7, {"id": "c", "text": "y"}]', "ac", "it is not an object"),
        ('[{"id": "a", "text": "x"}, {"id": "b", "te', "a", "not valid JSON"),
        ('[{"id": "a", "text": "x"}', "a", "the array does not end"),
        ('[{"id": "a", "text": "x"}] []', "a", "there is more after the end"),
        ('{"id": "a", "text": "x"}\n{"id": "b", "text": "y"}', "ab", ""),
        ('{"id": "a", "text": "x"}', "a", ""),
        ('{"odd": [{"id": "a", "text": "x"}]}', "a", ""),
        ('{"items": [], "data": [1, 2]}', "", ""),
        ('[{"id": "a"}, {"id": "b", "title": "t"}]', "b", "none of its keys ('id') is a text"),
        ("[" * 100_000, "", "nested too deeply"),
        ("", "", ""),
    ],
)
@pytest.mark.parametrize("size", [3, 1 << 20])
def test_shapes_of_json(tmp_path: Any, text: str, ids: str, problem: str, size: int) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    problems = Problems()
    assert "".join(r.id for r in read_all(path, problems, batch_bytes=size)) == ids
    assert (problem in str(problems.listed)) if problem else not problems.listed


@pytest.mark.parametrize("text", ['"text"', "17", '{"a": 1}', '{"a": [{"text": "x"}], "b": [{}]}'])
def test_other_shapes_are_named(tmp_path: Any, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"x.json: JSON must be an array of objects, "):
        read_all(path)


def test_xml_of_others_is_named(tmp_path: Any) -> None:
    path = tmp_path / "x.xml"
    path.write_text("<feed><entry>text</entry></feed>")
    with pytest.raises(InputError, match=r"x.xml is XML, but neither of PubMed nor of EndNote"):
        read_all(path)


def test_a_broken_record_of_xml_costs_no_other(tmp_path: Any) -> None:
    text = (REFERENCES / "pubmed.xml").read_text()
    path = tmp_path / "x.xml"
    path.write_text(text.replace("<Title>Old journal</Title>", "<Title>Old journal<Title>"))
    problems = Problems()
    assert [record.id for record in read_all(path, problems)] == ["30123456", "20301295"]
    assert "x.xml, line 16: not a record of XML: mismatched tag" in lines(problems)[0]
    path.write_text(text.replace("Old journal", "Old &eacute; journal")[:-200])
    problems = Problems()
    found = read_all(path, problems)
    assert found[1].values["journal"] == "Old é journal"
    assert "line 17: a record that does not end: the file is cut short" in lines(problems)[0]


def test_entities_do_not_expand(tmp_path: Any) -> None:
    """Each stands for ten of the one before: a kilobyte that would be gigabytes."""
    bomb = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 12))
    text = (REFERENCES / "pubmed.xml").read_text()
    text = text.replace('.dtd">', f'.dtd" [<!ENTITY e0 "x">{bomb}]>', 1)
    path = tmp_path / "x.xml"
    path.write_text(text.replace("We looked", "&e11;"))
    problems = Problems()
    assert [record.id for record in read_all(path, problems)] == ["30123457", "20301295"]
    assert "undefined entity" in lines(problems)[0]


@pytest.mark.parametrize("encoding", ["iso-8859-1", "utf-16", "utf-8-sig"])
def test_xml_in_its_encoding(tmp_path: Any, encoding: str) -> None:
    text = (REFERENCES / "endnote.xml").read_text()
    path = tmp_path / "x.xml"
    path.write_text(text.replace("UTF-8", encoding.removesuffix("-sig"), 1), encoding=encoding)
    assert read_all(path)[0].values["authors"] == ["Doe, Jane A.", "Müller, Karl"]


@pytest.mark.parametrize("name", ["zotero.ris", "cochrane.ris", "pubmed.nbib", "papers.bib"])
def test_text_files_of_records_are_recognised(tmp_path: Any, name: str) -> None:
    path = tmp_path / "export.txt"
    path.write_bytes((REFERENCES / name).read_bytes())
    assert [r.id for r in read_all(path)] == [r.id for r in sample(name)]
    assert len(read_all(path, format="text")) == 1


def test_text_about_records_is_text(tmp_path: Any) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Records begin with\nTY  - JOUR\n")
    assert read_all(path)[0].id.endswith("notes.txt")


def test_compressed_exports(tmp_path: Any) -> None:
    path = tmp_path / "pubmed24n0001.xml.gz"
    path.write_bytes(gzip.compress((REFERENCES / "pubmed.xml").read_bytes()))
    assert len(read_all(path)) == 3


def test_two_records_that_are_called_the_same(tmp_path: Any) -> None:
    """Without an id of their own they get one of title, author and year: the same."""
    record = "TY  - JOUR\nTI  - Editorial\nAU  - Doe, J\nPY  - 2001\nAB  - {}\nER  - \n"
    path = tmp_path / "x.ris"
    path.write_text(record.format("one") + record.format("two"))
    index = Index.create(tmp_path / "x.idx")
    with pytest.raises(DuplicateError, match=r"line 7: id '\w{32}', made of its title, author and"):
        index.add(path)
    added = index.add(path, on_duplicate="skip")
    assert (added.documents, added.skipped) == (1, 1)
    added = index.add(path, on_duplicate="replace")
    assert (added.replaced, index.document(index.ids()[0]).text) == (2, "two")
