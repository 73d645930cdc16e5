"""What writers write is opened by the libraries that others use."""

from __future__ import annotations

import csv
import io
import json
import re

import openpyxl
import pyarrow.parquet as pq
import pybtex.database
import pytest
import python_calamine
import rispy
from hypothesis import given, settings
from hypothesis import strategies as st

from likewise.errors import UsageError
from likewise.readers.cells import restored
from likewise.writers import FORMATS, Record, format_of, written
from likewise.writers.xlsx import CHARACTERS

PAPER = {
    "id": "doe-1",
    "title": "50 % of {cats} & dogs_1: a $study$ \\ #2",
    "abstract": "First line.\nSecond line.",
    "authors": ["Doe, Jane", "Roe, R. and Sons", "World Health Organization"],
    "year": 2019,
    "date": "2019-05-20",
    "journal": "Journal of Cats",
    "volume": "12",
    "issue": "3",
    "pages": "12-18",
    "doi": "10.1234/cats_1",
    "pmid": "123456",
    "url": "https://example.org/a_b?x={1}",
    "keywords": ["cats", "dogs"],
    "type": "article-journal",
    "type_of_reference": "JOUR",
    "ZZ": "of no meaning",
}
SAID = {
    "label": "not",
    "reviewer": "ann",
    "reasons": ["wrong animals"],
    "tags": ["later"],
    "note": "=ask bob",
}


def write(format, *records, always=()):
    return b"".join(written(format, iter(records), always))


def text(format, *records):
    return write(format, *records).decode()


class TestReferences:
    def test_ris_has_the_tags_of_others(self):
        (found,) = rispy.loads(text("ris", Record(PAPER)))
        assert found["type_of_reference"] == "JOUR"
        assert found["authors"] == PAPER["authors"]
        assert (found["year"], found["doi"]) == ("2019", "10.1234/cats_1")
        assert found["secondary_title"] == found["journal_name"] == "Journal of Cats"
        assert (found["start_page"], found["end_page"]) == ("12", "18")
        assert (found["volume"], found["number"]) == ("12", "3")
        assert found["urls"] == [PAPER["url"]]
        assert found["keywords"] == ["cats", "dogs"]
        assert found["abstract"] == "First line. Second line."
        assert found["unknown_tag"] == {"ZZ": ["of no meaning"]}

    def test_what_was_said_stands_where_others_look(self):
        (found,) = rispy.loads(text("ris", Record(PAPER, SAID)))
        assert found["notes"] == [
            "ASReview_irrelevant",
            "likewise: not, ann",
            "Exclusion reason: wrong animals",
            "=ask bob",
            "PMID: 123456",
        ]
        assert found["keywords"] == ["cats", "dogs", "later"]
        (found,) = rispy.loads(text("ris", Record(PAPER, {"rank": 2, "score": 0.25})))
        assert found["notes"] == ["likewise: rank 2, score 0.25", "PMID: 123456"]

    def test_a_new_label_takes_the_place_of_an_older_one(self):
        labelled = {**PAPER, "notes": ["ASReview_relevant", "mine"], "label": 1}
        (found,) = rispy.loads(text("ris", Record(labelled, {"label": "not"})))
        assert found["notes"] == ["mine", "ASReview_irrelevant", "likewise: not", "PMID: 123456"]
        assert "label" not in found
        kept = [*labelled["notes"], "PMID: 123456"]
        assert rispy.loads(text("ris", Record(labelled)))[0]["notes"] == kept

    @pytest.mark.parametrize(
        ("fields", "ris", "bibtex", "csl"),
        [
            ({"type": "article-journal"}, "JOUR", "article", "article-journal"),
            ({"type": "book"}, "BOOK", "book", "book"),
            ({"type": "chapter"}, "CHAP", "inbook", "chapter"),
            ({"type": "paper-conference"}, "CPAPER", "inproceedings", "paper-conference"),
            ({"type": "thesis"}, "THES", "phdthesis", "thesis"),
            ({"journal": "Cats"}, "JOUR", "article", "article-journal"),
            ({}, "GEN", "misc", "document"),
            ({"type": "book", "type_of_reference": "EBOOK"}, "EBOOK", "book", "book"),
            ({"type": "thesis", "entry_type": "mastersthesis"}, "THES", "mastersthesis", "thesis"),
        ],
    )
    def test_types(self, fields, ris, bibtex, csl):
        record = Record({"id": "1", "text": "x", **fields})
        assert text("ris", record).startswith(f"TY  - {ris}\n")
        assert text("bibtex", record).startswith(f"@{bibtex}{{1,\n")
        assert json.loads(text("csl-json", record))[0]["type"] == csl

    def test_no_value_begins_another_tag(self):
        hostile = "a\r\nTY  - JOUR\u2028TI  - b\nER  - "
        written = text("ris", Record({"id": hostile, "title": hostile, "text": hostile}))
        tags = [line[:5] for line in written.splitlines()]
        assert tags == ["TY  -", "ID  -", "TI  -", "AB  -", "ER  -", ""]

    def test_bibtex_is_what_latex_reads(self):
        written = text("bibtex", Record(PAPER, SAID))
        (entry,) = pybtex.database.parse_string(written, "bibtex").entries.values()
        assert (entry.type, entry.key) == ("article", "doe-1")
        assert entry.fields["title"] == (
            r"50 \% of \textbraceleft{}cats\textbraceright{} \& dogs\_1: a \$study\$ "
            r"\textbackslash{} \#2"
        )
        assert entry.fields["journal"] == "Journal of Cats"
        assert entry.fields["year"] == "2019"
        assert entry.fields["pages"] == "12--18"
        assert entry.fields["doi"] == "10.1234/cats_1"
        assert entry.fields["url"] == "https://example.org/a_b?x=%7B1%7D"
        assert entry.fields["keywords"] == "cats, dogs, later"
        assert "wrong animals" in entry.fields["note"]
        people = entry.persons["author"]
        assert [str(person) for person in people] == [
            "Doe, Jane",
            "Roe, {R. and Sons}",
            "{World Health Organization}",
        ]

    def test_citation_keys_are_unique(self):
        records = [
            Record({"id": id, "title": "The Gödel machine", "authors": ["Müller, J"], "year": 2003})
            for id in ("a b", "a  b", "A-1", "a-1", "f" * 32)
        ]
        found = list(pybtex.database.parse_string(text("bibtex", *records), "bibtex").entries)
        assert found == [
            "muller2003godel",
            "muller2003godel-2",
            "A-1",
            "a-1-2",
            "muller2003godel-3",
        ]

    def test_csl(self):
        (found,) = json.loads(text("csl-json", Record(PAPER, SAID)))
        assert found["author"] == [
            {"family": "Doe", "given": "Jane"},
            {"family": "Roe", "given": "R. and Sons"},
            {"literal": "World Health Organization"},
        ]
        assert found["issued"] == {"date-parts": [[2019, 5, 20]]}
        assert found["container-title"] == "Journal of Cats"
        assert (found["DOI"], found["URL"], found["page"]) == (PAPER["doi"], PAPER["url"], "12-18")
        assert found["abstract"] == PAPER["abstract"]
        assert found["custom"]["ZZ"] == "of no meaning"
        assert found["custom"]["likewise"]["label"] == "not"

    def test_documents_of_earlier_indexes(self):
        """They have rispy's names, or those of a table."""
        record = Record(
            {
                "id": "1",
                "primary_title": "T",
                "notes_abstract": "A",
                "Authors": "Doe, J; Roe, R",
                "created": "2018-06-19",
                "journal_name": "Nature",
                "start_page": "1",
                "end_page": "9",
                "url": {"not": "text"},
                "unknown_tag": {"ZZ": ["z"]},
            }
        )
        (found,) = rispy.loads(text("ris", record))
        assert (found["title"], found["abstract"]) == ("T", "A")
        assert found["authors"] == ["Doe, J", "Roe, R"]
        assert (found["year"], found["secondary_title"]) == ("2018", "Nature")
        assert (found["start_page"], found["end_page"]) == ("1", "9")
        assert found["unknown_tag"] == {"ZZ": ["z"]}

    @pytest.mark.parametrize("format", ["ris", "bibtex", "csl-json"])
    def test_nothing_is_a_file_too(self, format):
        assert write(format) in (b"", b"[]\n")


class TestTables:
    RECORDS = (
        Record({"id": "1", "title": "=1+1", "year": 2001, "n": 2, "big": 2**70}),
        Record({"id": "2", "title": "B", "n": 0.5, "seen": True, "keywords": ["a", "b"]}),
        Record({"id": "3", "n": None, "more": {"x": [1]}, "mixed": 3, "abstract": "long\r\ntext"}),
        Record({"id": "4", "mixed": "three", "year": 1999}),
    )
    COLUMNS = ("id", "title", "year", "keywords", "n", "big", "seen", "more", "mixed", "abstract")

    def test_csv(self):
        rows = list(csv.reader(io.StringIO(text("csv", *self.RECORDS), newline="")))
        assert tuple(rows[0]) == self.COLUMNS
        assert rows[1] == ["1", "'=1+1", "2001", "", "2", str(2**70), "", "", "", ""]
        assert rows[2] == ["2", "B", "", "a; b", "0.5", "", "true", "", "", ""]
        assert rows[3] == ["3", "", "", "", "", "", "", '{"x":[1]}', "3", "long\r\ntext"]

    def test_excel(self):
        data = write("xlsx", *self.RECORDS)
        sheet = openpyxl.load_workbook(io.BytesIO(data)).active
        rows = list(sheet.iter_rows())
        assert tuple(cell.value for cell in rows[0]) == self.COLUMNS
        formula = rows[1][1]
        assert (formula.value, formula.data_type) == ("=1+1", "s")
        assert formula.quotePrefix
        assert [cell.value for cell in rows[1][2:6]] == [2001, None, 2, str(2**70)]
        assert rows[2][6].value is True
        assert sheet.freeze_panes == "A2"
        others = python_calamine.load_workbook(io.BytesIO(data)).get_sheet_by_index(0).to_python()
        assert others[1][:3] == ["1", "=1+1", 2001]

    def test_a_text_that_no_cell_holds_says_so(self):
        data = write("xlsx", Record({"id": "1", "text": "x" * 40_000}))
        cell = openpyxl.load_workbook(io.BytesIO(data)).active["C2"].value
        assert len(cell) == CHARACTERS
        assert cell.endswith("x … (cut: a cell holds no more)")

    def test_parquet_has_types(self):
        table = pq.read_table(io.BytesIO(write("parquet", *self.RECORDS)))
        types = {field.name: str(field.type) for field in table.schema}
        assert tuple(types) == self.COLUMNS
        assert (types["year"], types["n"], types["seen"]) == ("int64", "double", "bool")
        assert types["keywords"] == "list<element: string>"
        assert {types[name] for name in ("big", "more", "mixed")} == {"string"}
        assert table["mixed"].to_pylist() == [None, None, "3", "three"]
        assert table["keywords"].to_pylist() == [None, ["a", "b"], None, None]

    def test_lines(self):
        lines = [json.loads(line) for line in text("jsonl", *self.RECORDS).splitlines()]
        assert [dict(line) for line in lines] == [dict(record.values) for record in self.RECORDS]

    def test_a_field_named_as_what_stands_beside_it(self):
        record = Record(
            {"id": "1", "label": 1, "rank": "a"}, {"rank": 3, "score": 1.0, "label": "not"}
        )
        (line,) = text("jsonl", record).splitlines()
        assert json.loads(line) == {
            "rank": 3, "score": 1.0, "id": "1", "label": "not",
            "document_label": 1, "document_rank": "a",
        }  # fmt: skip

    @pytest.mark.parametrize("format", ["csv", "xlsx", "parquet"])
    def test_columns_that_are_always_there(self, format):
        data = write(format, always=("rank", "score"))
        names = {
            "csv": lambda: data.decode().strip().split(","),
            "xlsx": lambda: [c.value for c in openpyxl.load_workbook(io.BytesIO(data)).active[1]],
            "parquet": lambda: pq.read_table(io.BytesIO(data)).column_names,
        }[format]()
        assert names == ["rank", "score", "id", "title"]


def test_formats_by_name_and_suffix(tmp_path):
    for name, format in FORMATS.items():
        assert format_of(tmp_path / f"x{format.suffix.upper()}", None) == name
        assert format_of(None, name) == name
        assert callable(format.load())
    with pytest.raises(UsageError, match=r"the suffix of .*x\.doc does not tell its format: say"):
        format_of(tmp_path / "x.doc", None)
    with pytest.raises(UsageError, match="unknown format 'doc': choose csv, xlsx, ris, nbib"):
        format_of(None, "doc")


def test_what_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(FORMATS, "xlsx", FORMATS["xlsx"]._replace(needs="not_there"))
    with pytest.raises(UsageError, match=r"writing xlsx needs not_there: pip install 'likewise\["):
        written("xlsx", [])


texts = st.text(max_size=30)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
names = texts | st.sampled_from(
    [*PAPER, "label", "notes", "entry_type", "unknown_tag", "journal_name"]
)
anything = st.builds(
    Record,
    st.dictionaries(names, values, max_size=6).map(lambda fields: {**fields, "id": "1"}),
    st.sampled_from([{}, {"rank": 1, "score": 0.5}, {**SAID, "label": "unsure"}]),
)


@given(st.lists(anything, max_size=3))
@settings(max_examples=150)
def test_whatever_documents_hold_is_written(records):
    """Each file has one record for each, and is whole for the library that opens it."""
    assert write("jsonl", *records).count(b"\n") == len(records)
    assert len(json.loads(text("csl-json", *records))) == len(records)
    ris = text("ris", *records)
    assert len(re.findall(r"^ER  - $", ris, re.MULTILINE)) == len(records)
    assert all(re.match(r"[A-Z][A-Z0-9]  - ", line) for line in ris.split("\n") if line)
    parsed = pybtex.database.parse_string(text("bibtex", *records), "bibtex")
    assert len(parsed.entries) == len(records)
    rows = list(csv.reader(io.StringIO(text("csv", *records), newline="")))
    assert len(rows) == 1 + len(records)
    assert {len(row) for row in rows} == {len(rows[0])}
    assert [restored(name) for name in rows[0]][:1] in (["id"], ["rank"])


@given(st.lists(anything, max_size=3))
@settings(max_examples=30)
def test_whatever_documents_hold_is_a_table(records):
    assert pq.read_table(io.BytesIO(write("parquet", *records))).num_rows == len(records)
    sheet = python_calamine.load_workbook(io.BytesIO(write("xlsx", *records)))
    assert len(sheet.get_sheet_by_index(0).to_python()) == 1 + len(records)
