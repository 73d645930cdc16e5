"""One name for each field, whatever a source calls it; nothing is dropped on the way."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.reading import read_all
from likewise import Document
from likewise.readers.fieldnames import BIBTEX, CANONICAL, COLUMNS, CSL, RIS, WEB_OF_SCIENCE
from likewise.readers.mapping import Mapper, lasting_id
from likewise.readers.reftypes import BIBTEX_TYPES, CSL_TYPES, OTHER_TYPES, RIS_TYPES, csl_type

HEADERS = {
    "PubMed": "PMID,Title,Authors,Journal/Book,Publication Year,DOI,Abstract",
    "Scopus": "PubMed ID,Title,Authors,Source title,Year,DOI,Abstract",
    "Web of Science": "Pubmed Id,Article Title,Authors,Source Title,Publication Year,DOI,Abstract",
    "Web of Science's tags": "PM,TI,AU,SO,PY,DI,AB,PT",
    "Embase": "Medline PMID,Title,Author Names,Source title,Publication Year,DOI,Abstract",
    "Zotero": "PMID,Title,Author,Publication Title,Publication Year,DOI,Abstract Note",
    "Covidence": "PMID,Title,Authors,Journal,Published Year,DOI,Abstract",
    "Rayyan": "pubmed_id,title,authors,journal,year,doi,abstract",
    "ASReview": "pmid,primary_title,first_authors,secondary_title,year,doi,notes_abstract",
}
ROW = '17,Sea ice,"Doe, Jane; Roe, Richard",Nature,2019,https://doi.org/10.1234/X.5,It melts'


@pytest.mark.parametrize("header", HEADERS.values(), ids=HEADERS)
def test_headers_of_databases(tmp_path: Any, header: str) -> None:
    row = ROW + ",J" * (header.count(",") - 6)
    (tmp_path / "x.csv").write_text(f"{header}\n{row}\n")
    [found] = read_all(tmp_path / "x.csv")
    document = Document.from_values(found.values)
    assert (document.title, document.text) == ("Sea ice", "It melts")
    wanted = {
        "authors": ["Doe, Jane", "Roe, Richard"],
        "year": 2019,
        "journal": "Nature",
        "doi": "10.1234/X.5",
        "pmid": "17",
    }
    assert {name: document.fields.get(name) for name in wanted} == wanted
    assert found.id == "17"


def test_json_lines_with_other_names_are_mapped_and_the_rest_stay_as_they_are(
    tmp_path: Any,
) -> None:
    plain = '{"id": "a",  "text": "x", "year": "2019", "odd" : 1}'
    other = '{"id": "b", "Item Title": "T", "Abstract": "x", "Author(s)": "Doe J, Roe R."}'
    path = tmp_path / "x.jsonl"
    path.write_text("\n".join([plain, other, plain.replace('"a"', '"c"')]))
    a, b, c = read_all(path)
    assert a.values == {**c.values, "id": "a"} == json.loads(plain)
    assert b.values == {"id": "b", "title": "T", "abstract": "x", "authors": ["Doe, J", "Roe, R"]}
    assert b.texts == ("T", "x")


def test_of_several_names_the_first_with_a_value_is_taken() -> None:
    values = {"year": "", "Publication Year": "2019", "Published Year": "2020", "Link": ""}
    assert Mapper(cells=True)(values) == {"year": 2019, "Published Year": "2020", "Link": ""}


def test_what_is_not_what_the_field_holds_keeps_its_own_name() -> None:
    values = {"Publication Year": "in press", "Item Type": "Fancy", "DOI": "none"}
    assert Mapper(cells=True)(values) == values


def test_the_type_of_the_source_is_kept_beside_csl() -> None:
    mapped = Mapper(cells=True)({"Item Type": "journalArticle", "Document Type": "Review"})
    assert mapped["type"] == "article-journal"
    assert mapped["Item Type"] == "journalArticle"


def test_pages_year_and_doi_are_put_together() -> None:
    mapped = Mapper(cells=True)(
        {
            "Page start": "12",
            "Page end": "18",
            "Date": "2019-05-02",
            "Url": "http://dx.doi.org/10.1000/a",
        }
    )
    assert mapped == {
        "date": "2019-05-02",
        "url": "http://dx.doi.org/10.1000/a",
        "pages": "12-18",
        "year": 2019,
        "doi": "10.1000/a",
    }


keys = st.sampled_from([alias for all in COLUMNS.values() for alias in all]) | st.text(max_size=9)
cells = st.text(max_size=12) | st.sampled_from(["2019", "10.1000/x", "Doe, J; Roe, R", "1", ""])


@given(st.dictionaries(keys, cells, max_size=12))
def test_nothing_is_dropped(values: dict[str, str]) -> None:
    """Every word of the input is in the output."""
    mapped = json.dumps(Mapper(cells=True)(values), ensure_ascii=False)
    for value in values.values():
        for word in value.replace(";", " ").replace("|", " ").replace(",", " ").split():
            assert json.dumps(word, ensure_ascii=False)[1:-1].strip(".") in mapped


def test_tables_use_canonical_names_and_types() -> None:
    for table in (COLUMNS, WEB_OF_SCIENCE, RIS, BIBTEX, CSL):
        assert table.keys() <= CANONICAL.keys()
        aliases = [alias for all in table.values() for alias in all]
        assert len(aliases) == len(set(aliases))
    assert csl_type("JOUR") == csl_type("Journal Article") == RIS_TYPES["JOUR"]
    assert {*BIBTEX_TYPES.values(), *OTHER_TYPES.values()} <= CSL_TYPES


def test_ids_that_last() -> None:
    record = {"title": "Sea Ice: A Review", "authors": ["Doe, J."], "year": 2019, "abstract": "a"}
    id = lasting_id(record)
    assert len(id) == 32
    assert lasting_id({**record, "abstract": "b", "title": "Sea ice - a review."}) == id
    assert lasting_id({**record, "year": "2019", "authors": "Doe J"}) == id
    assert lasting_id({**record, "year": 2020}) != id
    assert lasting_id({**record, "doi": "https://doi.org/10.1000/ABC"}) == "10.1000/abc"
    assert lasting_id({**record, "doi": "10.1000/a", "pmid": 7}) == "7"
    assert lasting_id({**record, "accession_number": "L1", "pmid": 7}) == "L1"
    assert lasting_id({"title": "Introduction", "text": "x"}) == ""


def test_an_identifier_that_is_named_as_the_id_stays_what_it_is(tmp_path: Any) -> None:
    (tmp_path / "x.csv").write_text("PMID,DOI,Title,Abstract\n17,https://doi.org/10.1000/A,T,x\n")
    (tmp_path / "x.jsonl").write_text('{"PMID": 17, "DOI": "10.1000/A", "title": "T", "text": ""}')
    for name in ("x.csv", "x.jsonl"):
        [found] = read_all(tmp_path / name, id_column="PMID")
        assert (found.id, found.values["pmid"], found.values["doi"]) == ("17", "17", "10.1000/A")
    [found] = read_all(tmp_path / "x.csv", id_column="doi")
    assert (found.id, found.values["doi"]) == ("https://doi.org/10.1000/A", "10.1000/A")
