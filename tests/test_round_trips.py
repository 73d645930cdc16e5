"""What is written is read again as it was: by our own readers, and whatever the text is."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from likewise import Document
from likewise.readers import Problems, ReadOptions
from likewise.readers.formats import FORMATS as READERS
from likewise.readers.formats import SUFFIXES
from likewise.readers.preview import preview
from likewise.readers.reftypes import BIBTEX_TYPES, RIS_TYPES
from likewise.readers.streams import Source
from likewise.writers import FORMATS, Record, written


def one_space(text):
    return " ".join(text.split())


any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
odd_text = st.text("{}\\$&%#_~^\"'`-=@,; \n\tand" + "éßЖ日\u0301", max_size=30)
texts = (any_text | odd_text).filter(lambda text: one_space(text))
words = texts.map(one_space).filter(lambda word: ";" not in word and word.isprintable())
part = words.filter(lambda word: "," not in word)
people = st.builds("{}, {}".format, part, part) | part
papers = st.fixed_dictionaries(
    {"id": st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,20}", fullmatch=True), "title": texts},
    optional={
        "abstract": texts,
        "authors": st.lists(people, min_size=1, max_size=3),
        "year": st.integers(1400, 2099),
        "journal": words,
        "volume": st.from_regex(r"[0-9]{1,3}[A-Z]?", fullmatch=True),
        "issue": st.from_regex(r"[0-9]{1,3}", fullmatch=True),
        "pages": st.from_regex(r"[0-9]{1,3}(-9[0-9]{4})?", fullmatch=True),
        "doi": st.from_regex(r"10\.[0-9]{4}/[a-z0-9_().;:-]{1,20}", fullmatch=True),
        "keywords": st.lists(words, min_size=1, max_size=3, unique=True),
        "url": st.from_regex(r"https://example\.org/[a-zA-Z0-9_.~%&=?-]{0,20}", fullmatch=True),
        "publisher": words,
        "language": st.sampled_from(["en", "de"]),
    },
)


def back(format, values, beside=None):
    """The document that reading the file of one record gives."""
    data = b"".join(written(format, [Record(values, beside or {})]))
    found = preview(f"x{FORMATS[format].suffix}", data)
    assert not found.problems, found.problems
    (document,) = found.documents
    return document


def same(document, values, *, exact=False):
    """Whether a document has these values, white space and Unicode's spellings apart."""

    def norm(value):
        if isinstance(value, list):
            return [norm(item) for item in value]
        if isinstance(value, str) and not exact:
            return one_space(unicodedata.normalize("NFC", value))
        return value

    found = {"id": document.id, "title": document.title, **document.fields}
    if "abstract" in values or document.text:
        found["abstract"] = document.text
    assert {name: norm(found.get(name)) for name in values} == {
        name: norm(value) for name, value in values.items()
    }


@given(papers, st.sampled_from(sorted(RIS_TYPES)))
@settings(max_examples=60, deadline=None)
@example({"id": "1", "title": "ER  - \nTY  - JOUR"}, "JOUR")
def test_ris(paper, type):
    paper = {**paper, "type": RIS_TYPES[type], "type_of_reference": type}
    same(back("ris", paper), paper)


@given(papers, st.sampled_from(sorted(BIBTEX_TYPES)))
@settings(max_examples=60, deadline=None)
@example({"id": "1", "title": "a -- b --- c `` '' \\{ $x$ ~ ^"}, "article")
@example({"id": "1", "title": "t", "authors": ["Roe and Sons", "and", "Doe, R and S"]}, "misc")
@example({"id": "1", "title": "t", "keywords": ["a, b"]}, "misc")
def test_bibtex(paper, type):
    paper = {**paper, "type": BIBTEX_TYPES[type], "entry_type": type}
    same(back("bibtex", paper), paper)


@given(papers)
@settings(max_examples=60, deadline=None)
def test_csl_json(paper):
    paper = {
        **paper,
        "type": "article-journal",
        "own": {"x": [1, None]},
        "type_of_reference": "EJOUR",
    }
    same(back("csl-json", paper), paper, exact=True)


@given(papers)
@settings(max_examples=40, deadline=None)
def test_json_lines(paper):
    paper = {**paper, "type": "article-journal", "own": {"x": [1, None]}}
    same(back("jsonl", paper), paper, exact=True)


@given(papers)
@settings(max_examples=40, deadline=None)
def test_csv(paper):
    paper = {"abstract": "x", **paper, "type": "article-journal"}
    if "authors" in paper:
        paper["authors"] = ["Doe, Jane", *paper["authors"], "Roe, Richard"]
    same(back("csv", paper), paper)


_ODD = [
    {"title": "=1+1", "keywords": ["Neoplasms, Radiation-Induced"], "year": 1999},
    {"title": "\x01 _x0041_", "abstract": "two\nlines\r\nand \t tabs", "doi": "10.1234/a;b"},
    {"title": "日本 \u0301 {}", "authors": ["Doe, Jane", "Organization of {Braces}"], "issue": "3"},
    {"title": "'=quoted", "keywords": ["a", "b, c"], "pages": "12-18", "volume": "012"},
]
ODD = [{"id": f"i{n}", "abstract": "x", **paper} for n, paper in enumerate(_ODD)]
sheets = st.lists(papers, min_size=1, max_size=4, unique_by=lambda paper: paper["id"])


def read_here(format, data):
    """The documents of a file, read in this process: another one takes a while to start."""
    name = f"x{FORMATS[format].suffix}"
    source = Source(name, name, None, SUFFIXES[FORMATS[format].suffix], content=data)
    problems = Problems()
    read = READERS[source.format].load()(source, ReadOptions(), problems)
    found = [Document.from_record(batch.record(i)) for batch in read for i in range(len(batch))]
    assert not problems.listed
    return found


@pytest.mark.parametrize("format", ["xlsx", "parquet"])
@given(papers=sheets)
@settings(max_examples=30, deadline=None)
@example(papers=ODD)
def test_other_tables(format, papers):
    papers = [{"abstract": "x", **paper} for paper in papers]
    for paper in papers:
        if format == "xlsx" and "authors" in paper:
            paper["authors"] = ["Doe, Jane", *paper["authors"], "Roe, Richard"]  # as in CSV
    found = read_here(format, b"".join(written(format, map(Record, papers))))
    for document, paper in zip(found, papers, strict=True):
        same(document, paper)


@pytest.mark.parametrize("format", ["xlsx", "parquet"])
def test_other_tables_in_a_process_of_their_own(format):
    data = b"".join(written(format, map(Record, ODD)))
    read = preview(f"x{FORMATS[format].suffix}", data)
    assert not read.problems
    for document, paper in zip(read.documents, ODD, strict=True):
        same(document, paper)


def test_what_was_said_comes_back_as_a_label():
    paper = {"id": "1", "title": "t", "abstract": "x", "authors": ["Doe, J"]}
    for format in ("ris", "csv", "jsonl"):
        for label, expected in (("relevant", 1), ("not", 0)):
            document = back(format, paper, {"label": label})
            assert document.fields["label"] in (expected, label)


def test_from_one_format_through_all_others():
    """A record keeps its type, people, journal, year and identifiers on the way."""
    paper = {
        "id": "doe2019",
        "title": "Robots & {arms}",
        "abstract": "50 % of them.",
        "authors": ["Doe, Jane", "World Health Organization"],
        "year": 2019,
        "journal": "Journal of Arms",
        "volume": "12",
        "issue": "3",
        "pages": "12-18",
        "doi": "10.1234/x_1",
        "url": "https://example.org/a_b",
        "keywords": ["robots", "arms"],
        "type": "article-journal",
    }
    now = dict(paper)
    for format in ("ris", "bibtex", "csl-json", "csv", "jsonl", "ris"):
        document = back(format, now)
        same(document, paper)
        now = {"id": document.id, "title": document.title, "abstract": document.text}
        now |= document.fields
