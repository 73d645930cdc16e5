"""Documents, hits and judgements out of an index: library, command line and HTTP alike."""

from __future__ import annotations

import csv
import io
import json
import tracemalloc

import openpyxl
import pyarrow.parquet as pq
import pytest
import rispy

from helpers.command_line import refuse, run, succeed
from helpers.server_client import problem, serving
from likewise import Index, UsageError
from likewise.writers import FORMATS

PAPERS = [
    {"id": "a", "title": "Red apples", "abstract": "apples are red", "year": 2001, "label": 1,
     "authors": ["Doe, J", "Roe, R"], "journal": "Fruit", "type_of_reference": "JOUR"},
    {"id": "b", "title": "Green apples", "abstract": "apples are green", "year": 2002},
    {"id": "c", "title": "Pears", "abstract": "pears are green", "year": 2003},
]  # fmt: skip


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    made = Index.create(tmp_path_factory.mktemp("exports") / "fruit.idx")
    made.add(PAPERS)
    return made.path


@pytest.fixture
def index(path):
    return Index.open(path)


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    made = Index.create(tmp_path_factory.mktemp("exports") / "big.idx", latent=0)
    text = f"{'x' * 999} " * 40
    made.add({"id": str(i), "text": f"{text}{i}"} for i in range(1_000))
    return made


@pytest.fixture(scope="module")
def client(path):
    with serving(path) as client:
        yield client


@pytest.fixture
def session(index, tmp_path):
    made = index.session("s", reviewer="ann", database=tmp_path / "kept")
    made.judge_all({"a": "relevant", "b": "not"})
    made.as_reviewer("bob").judge("a", "not")
    return made


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


class TestHits:
    @pytest.mark.parametrize("format", FORMATS)
    def test_are_saved_in_every_format(self, index, tmp_path, format):
        path = tmp_path / f"hits{FORMATS[format].suffix}"
        index.search("red apples").save(path)
        again = tmp_path / "other"
        index.search("red apples").save(again, format=format)
        assert path.stat().st_size
        if FORMATS[format].text:
            assert path.read_bytes() == again.read_bytes()
            assert "Red apples" in path.read_text()

    def test_have_rank_score_and_all_fields(self, index, tmp_path):
        hits = index.search("red apples")
        hits.save(tmp_path / "hits.jsonl")
        first, second = lines((tmp_path / "hits.jsonl").read_text())
        own = {"rank": 1, "score": hits[0].score, "type": "article-journal"}
        assert first == {**own, **PAPERS[0]}
        assert list(first)[:4] == ["rank", "score", "id", "title"]
        assert second["id"] == "b"

    def test_a_part_of_them_has_no_documents(self, index, tmp_path):
        with pytest.raises(UsageError, match="these hits do not know their documents"):
            type(index.search("apples"))([]).save(tmp_path / "x.csv")

    def test_a_format_that_is_not_known_replaces_nothing(self, index, tmp_path):
        (tmp_path / "x.doc").write_text("mine")
        with pytest.raises(UsageError, match="does not tell its format"):
            index.search("apples").save(tmp_path / "x.doc")
        assert (tmp_path / "x.doc").read_text() == "mine"

    def test_on_the_command_line(self, path):
        rows = list(
            csv.DictReader(io.StringIO(succeed("search", path, "red", "--format", "csv")[0]))
        )
        assert [row["authors"] for row in rows] == ["Doe, J; Roe, R"]
        assert succeed("search", path, "zebra", "--format", "csv")[0] == "rank,score,id,title\n"
        (found,) = rispy.loads(succeed("search", path, "red", "--format", "ris")[0])
        assert (found["type_of_reference"], found["authors"]) == ("JOUR", ["Doe, J", "Roe, R"])

    def test_what_is_not_installed_is_said_before_the_search(self, path, monkeypatch):
        monkeypatch.setitem(FORMATS, "xlsx", FORMATS["xlsx"]._replace(needs="not_there"))
        refuse(2, r"writing xlsx needs not_there: .*", "search", path, "red", "--format", "xlsx")


class TestDocuments:
    def test_all_some_and_those_that_match(self, index, tmp_path):
        for name, asked, expected in (
            ("all.jsonl", {}, ["a", "b", "c"]),
            ("some.jsonl", {"ids": ["c", "a"]}, ["c", "a"]),
            ("match.jsonl", {"filter": "year>=2002"}, ["b", "c"]),
        ):
            index.export(tmp_path / name, **asked)
            found = lines((tmp_path / name).read_text())
            assert [one["id"] for one in found] == expected
        with pytest.raises(UsageError, match="no document 'x'"):
            index.export(tmp_path / "x.csv", ids=["x"])
        with pytest.raises(UsageError, match="ids and a filter exclude each other"):
            index.export(tmp_path / "x.csv", ids=["a"], filter="year=2001")
        assert not (tmp_path / "x.csv").exists()

    @pytest.mark.parametrize("format", FORMATS)
    def test_are_not_held_in_memory(self, big, tmp_path, format):
        big.export(tmp_path / "warm", format=format, ids=["0"])
        tracemalloc.start()
        big.export(tmp_path / "out", format=format)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 20_000_000  # of 40 MB


class TestJudgements:
    def test_tables_have_a_row_a_judgement_with_titles(self, session):
        rows = list(csv.DictReader(io.StringIO(session.export())))
        assert [(row["id"], row["label"], row["reviewer"], row["title"]) for row in rows] == [
            ("a", "relevant", "ann", "Red apples"),
            ("a", "not", "bob", "Red apples"),
            ("b", "not", "ann", "Green apples"),
        ]
        assert [row["document_label"] for row in rows] == ["1", "1", ""]

    def test_references_are_one_a_document(self, session):
        found = rispy.loads(session.export(format="ris"))
        assert [one["id"] for one in found] == ["a", "b"]
        assert found[0]["notes"] == [
            "ASReview_relevant",
            "likewise: relevant (ann), not (bob); conflict",
        ]
        assert found[1]["notes"] == ["ASReview_irrelevant", "likewise: not (ann)"]

    def test_relevant_ones_or_all(self, session):
        assert [
            one["id"] for one in rispy.loads(session.export(format="ris", records="relevant"))
        ] == ["a"]
        found = lines(session.export(format="jsonl", records="all"))
        assert [(one["id"], one["label"]) for one in found] == [
            ("a", "relevant"), ("a", "not"), ("b", "not"), ("c", None),
        ]  # fmt: skip
        with pytest.raises(
            UsageError, match="records 'some' are none: choose judged, relevant, all"
        ):
            session.export(records="some")
        with pytest.raises(UsageError, match="qrels have judged documents only"):
            session.export(format="trec", records="all")

    def test_of_one_reviewer(self, session):
        assert [
            one["notes"][0] for one in rispy.loads(session.export(format="ris", reviewer="bob"))
        ] == ["ASReview_irrelevant"]

    def test_files_that_are_no_text(self, session, tmp_path):
        with pytest.raises(UsageError, match="xlsx is no text: give the name of a file"):
            session.export(format="xlsx")
        session.export(tmp_path / "x.xlsx")
        sheet = openpyxl.load_workbook(tmp_path / "x.xlsx").active
        assert [cell.value for cell in sheet[1]][:5] == ["id", "label", "reviewer", "time", "stage"]
        session.export(tmp_path / "x.parquet")
        assert pq.read_table(tmp_path / "x.parquet")["label"].to_pylist() == [
            "relevant",
            "not",
            "not",
        ]

    @pytest.mark.parametrize("suffix", [".csv", ".xlsx", ".parquet", ".jsonl"])
    def test_pandas_reads_tables(self, session, tmp_path, suffix):
        pandas = pytest.importorskip("pandas")
        read = {
            ".csv": pandas.read_csv,
            ".xlsx": lambda path: pandas.read_excel(path, engine="openpyxl"),
            ".parquet": pandas.read_parquet,
            ".jsonl": lambda path: pandas.read_json(path, lines=True),
        }[suffix]
        session.export(tmp_path / f"x{suffix}")
        frame = read(tmp_path / f"x{suffix}")
        assert list(frame["label"]) == ["relevant", "not", "not"]
        assert list(frame["year"]) == [2001, 2001, 2002]
        assert list(frame["title"]) == ["Red apples", "Red apples", "Green apples"]
        assert pandas.to_datetime(frame["time"]).notna().all()

    def test_documents_that_are_gone(self, tmp_path):
        index = Index.create(tmp_path / "x.idx")
        index.add(PAPERS)
        session = index.session("s", reviewer="ann")
        session.judge_all({"a": "relevant", "b": "relevant"})
        index.delete("b")
        rows = list(csv.DictReader(io.StringIO(session.export())))
        assert [(row["id"], row["title"]) for row in rows] == [("a", "Red apples"), ("b", "")]
        assert len(rispy.loads(session.export(format="ris"))) == 1

    def test_on_the_command_line(self, path, session, tmp_path):
        kept = ("--name", "s", "--database", tmp_path / "kept")
        succeed("judgements", path, *kept, "--export", tmp_path / "r.bib", "--records", "relevant")
        assert (tmp_path / "r.bib").read_text().startswith("@article{a,\n")
        shown = succeed("judgements", path, *kept, "--export", "-", "--format", "csl-json")[0]
        assert [one["title"] for one in json.loads(shown)] == ["Red apples", "Green apples"]
        refuse(2, "--records goes with --export", "judgements", path, *kept, "--records", "all")
        status, _, said = run("judgements", path, *kept, "--import", tmp_path / "r.bib")
        assert status == 2
        assert "does not tell its format: say csv, jsonl, trec" in said


class TestServer:
    BASE = "/v1/indexes/fruit/export"

    def test_formats_are_those_of_the_library(self, client):
        listed = client.get("/v1/exports").json()["formats"]
        assert [one["name"] for one in listed if one["records"]] == list(FORMATS)
        assert [one["name"] for one in listed if not one["records"]] == ["qrels", "query"]

    @pytest.mark.parametrize("format", FORMATS)
    def test_documents(self, client, format):
        answer = client.get(self.BASE, params={"format": format})
        known = FORMATS[format]
        assert answer.headers["content-type"].startswith(known.media_type)
        assert answer.headers["content-disposition"].endswith(f"''fruit{known.suffix}")
        assert answer.content

    def test_some_and_hits(self, client):
        def ids(**asked):
            answer = client.get(self.BASE, params={"format": "jsonl", **asked})
            return [one["id"] for one in lines(answer.text)]

        assert ids() == ["a", "b", "c"]
        assert ids(id=["c", "a"]) == ["c", "a"]
        assert ids(filter="year>=2002") == ["b", "c"]
        assert ids(q="apples", limit=1) == ["a"] or ids(q="apples", limit=1) == ["b"]
        assert ids(q="apples", filter="year=2002") == ["b"]
        found = client.post(
            "/v1/indexes/fruit/search", json={"positive": ["a"], "method": "centroid"}
        ).json()
        assert ids(query=found["query"]["id"])[0] == "b"

    def test_what_is_refused(self, client):
        problem(client.get(self.BASE, params={"format": "doc"}), 422, "choose csv, xlsx, ris")
        problem(client.get(self.BASE, params={"id": "x"}), 404, "no document 'x'")
        problem(client.get(self.BASE, params={"id": "a", "q": "x"}), 422, "id and q exclude")
        problem(client.get(self.BASE, params={"id": "a", "filter": "year=1"}), 422, "exclude")
        problem(client.get(self.BASE, params={"query": "none"}), 404, "no query 'none'")


def test_tables_say_what_holds_beside_what_each_reviewer_says(tmp_path):
    index = Index.create(tmp_path / "few.idx")
    index.add([{"id": str(i), "text": f"word{i} common"} for i in range(3)])
    ann = index.session("s", query="common", reviewer="ann", combine="majority")
    ann.judge_all({"0": "relevant", "1": "not", "2": "relevant"})
    ann.as_reviewer("bob").judge_all({"0": "relevant", "1": "relevant"})
    rows = [json.loads(line) for line in ann.export(format="jsonl").splitlines()]
    held = {(row["id"], row["reviewer"]): row["decision"] for row in rows}
    assert {id: held[id, "ann"] for id in "012"} == {
        "0": "relevant",
        "1": "unsure",  # they differ, and nobody has decided
        "2": "relevant",
    }
    assert held["1", "bob"] == "unsure"


def test_a_reference_that_is_relevant_has_no_reason_for_exclusion(tmp_path):
    index = Index.create(tmp_path / "few.idx")
    index.add([{"id": str(i), "title": f"t{i}", "text": f"word{i} common"} for i in range(2)])
    ann = index.session("s", query="common", reviewer="ann")
    ann.judge("0", "relevant")
    ann.as_reviewer("bob").judge("0", "not", reasons=["wrong population"])
    ann.judge("1", "not", reasons=["no data"])
    relevant, other = ann.export(format="ris").split("ER  - ")[:2]
    assert "wrong population" not in relevant
    assert "no data" in other
