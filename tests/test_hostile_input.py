"""Hostile files, rows and queries: each ends in one sentence of bounded length."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.server_client import problem, serving
from likewise import Document, Index, InputError, Query, StoreError, UsageError
from likewise.errors import LikewiseError, one_line, sentence
from likewise.readers import streams
from likewise.readers.cells import neutral, restored
from likewise.reviews.files import FORMATS, Judgement
from likewise.search.query import EmbeddingPart, LatentPart
from likewise.server.problems import without_paths
from likewise.writers import Record, written

LONGEST = 1600


def refused(call, kind=LikewiseError, match=""):
    with pytest.raises(kind, match=match) as caught:
        call()
    message = str(caught.value)
    assert len(message) < LONGEST
    assert "\n" not in message
    return message


class TestSentences:
    def test_of_other_libraries(self):
        assert sentence(ValueError("a\n  b\n\nc.")) == "a b c"
        assert len(sentence("word " * 10_000)) <= 300

    def test_a_long_one_keeps_its_beginning_and_its_end(self):
        message = one_line(f"bad {'x' * 100_000}: rebuild it")
        assert message.startswith("bad xxx")
        assert message.endswith(": rebuild it")
        assert len(message) < LONGEST

    def test_every_error_is_one_line(self):
        assert str(InputError("a\nb\r\n c")) == "a b c"
        assert str(UsageError("two  spaces stay")) == "two  spaces stay"


class TestFiles:
    @pytest.fixture
    def index(self, tmp_path):
        return Index.create(tmp_path / "x.idx")

    def test_a_header_of_many_columns(self, index, tmp_path):
        path = tmp_path / "wide.csv"
        path.write_text(",".join(f"c{i}" for i in range(200_000)) + "\n1\n")
        message = refused(lambda: index.add(path), match="'c11' and 199,988 more is named like")
        assert message.endswith("(in Python, text_column)")

    def test_a_header_of_one_long_name(self, index, tmp_path):
        path = tmp_path / "long.csv"
        path.write_text("c" * 1_000_000 + ",d\n1,2\n")
        assert len(refused(lambda: index.add(path), match="ccc…")) < 600

    def test_many_columns_of_one_name(self, index, tmp_path):
        """Which took quadratic time."""
        path = tmp_path / "same.csv"
        path.write_text("text," + ",".join(["a"] * 100_000) + "\nword" + "," * 100_000 + "\n")
        assert index.add(path).documents == 1

    def test_an_object_of_many_keys(self, index, tmp_path):
        path = tmp_path / "keys.jsonl"
        path.write_text(json.dumps({f"k{i}": i for i in range(100_000)}) + "\n")
        refused(lambda: index.add(path, strict=True), match="'k11' and 99,988 more")

    @pytest.mark.parametrize("suffix", ["jsonl", "csv", "tsv", "svm"])
    def test_a_line_without_end(self, index, tmp_path, suffix, monkeypatch):
        monkeypatch.setattr(streams, "LONGEST_LINE", 3 << 20)
        path = tmp_path / f"endless.{suffix}"
        first = b"text\n" if suffix in ("csv", "tsv") else b'{"text":"a"}\n'
        if suffix == "svm":
            first = b"1 1:1\n"
        path.write_bytes(first + b" " * (5 << 20))
        place = rf"endless.{suffix}: the line at byte {len(first)} is longer than 3,145,728 bytes"
        refused(lambda: index.add(path), InputError, place)


@pytest.fixture(scope="module")
def latent(tmp_path_factory):
    index = Index.create(tmp_path_factory.mktemp("q") / "x.idx", latent=2, threads=1)
    index.add([{"id": str(i), "text": f"red apples figs w{i % 4}"} for i in range(30)])
    return index


@pytest.fixture(scope="module")
def query(latent):
    views = {"words": 1.0, "latent": 1.0}
    return latent.learn(["1", "2"], method="centroid", views=views).portable


class TestQueries:
    def test_a_good_one(self, latent, query):
        assert len(latent.run(query))

    def changed(self, query, **latent):
        part = msgspec.structs.replace(query.latent, **latent)
        return msgspec.structs.replace(query, latent=part)

    @pytest.mark.parametrize("number", [float("nan"), float("inf"), -1e300])
    def test_numbers_that_are_none(self, latent, query, number):
        weights = (number, *query.weights[1:])
        embedded = EmbeddingPart("m", 1.0, (number,))
        for one in (
            msgspec.structs.replace(query, weights=weights),
            msgspec.structs.replace(query, embeddings=embedded),
            self.changed(query, vector=(number, 0.0)),
            self.changed(query, factor=number),
        ):
            refused(lambda one=one: latent.run(one), UsageError, "not finite or too large")

    def test_lengths_that_do_not_fit(self, latent, query):
        shorter = msgspec.structs.replace(query, weights=query.weights[1:])
        refused(lambda: latent.run(shorter), UsageError, "it has not one weight for each term")
        for one in (
            self.changed(query, terms=query.latent.terms[1:]),
            self.changed(query, weights=(*query.latent.weights, 1.0)),
        ):
            refused(
                lambda one=one: latent.run(one),
                UsageError,
                "it has not one weight for each latent term",
            )
        none = self.changed(query, stretch=0.0)
        refused(lambda: latent.run(none), UsageError, "stretch of its latent part is not positive")
        longer = self.changed(query, vector=(*query.latent.vector, 1.0))
        refused(
            lambda: latent.run(longer), UsageError, "has 3 numbers, .* has 2: learn the query again"
        )
        refused(lambda: latent.explain("1", longer), UsageError, "has 3 numbers")

    @pytest.mark.parametrize(
        "text", ["", "{", "[]", '{"format":1,"terms":[]}', '{"format":1}' + "\n" * 9, "[" * 10_000]
    )
    def test_files_that_are_none(self, tmp_path, text):
        path = tmp_path / "q.json"
        path.write_text(text)
        refused(lambda: Query.load(path), InputError, "q.json is not a saved query")

    def test_a_file_with_wrong_numbers(self, query, tmp_path):
        path = tmp_path / "q.json"
        bad = LatentPart("space", 1.0, (1.0,), ("a", "b"), (1.0,), 1.0)
        msgspec.structs.replace(query, latent=bad).save(path)
        refused(
            lambda: Query.load(path),
            InputError,
            "is damaged: it has not one weight for each latent term",
        )


class TestRows:
    @pytest.fixture
    def index(self, tmp_path):
        index = Index.create(tmp_path / "x.idx", threads=1)
        index.add([{"id": str(i), "text": f"red apples w{i}"} for i in range(8)])
        session = index.session("s", query="red", reviewer="ada")
        session.judge("1", "relevant")
        session.next(3)
        return index

    def spoil(self, index, statement, *values):
        with sqlite3.connect(index.reviews.place) as connection:
            connection.execute(statement, values)
        connection.close()

    def use(self, index):
        opened = Index.open(index.path, threads=1)
        opened.sessions()
        session = opened.session("s", reviewer="bob")
        session.next(3)
        session.export(format="csv")

    def test_rows_that_are_good(self, index):
        self.use(index)

    @pytest.mark.parametrize(
        ("column", "value"),
        [
            ("action", "explode"),
            ("action", b"\xff"),
            ("label", "maybe"),
            ("label", 7),
            ("document", None),
            ("document", b"\x00\xff"),
            ("reviewer", b"x" * 100_000),
            ("at", "yesterday\nor so"),
            ("at", float("inf")),
            ("at", -1e300),
        ],
    )
    def test_events(self, index, column, value):
        self.spoil(index, f"UPDATE likewise_events SET {column} = ?", value)
        refused(lambda: self.use(index), StoreError, "sessions.sqlite is damaged.*put back a copy")

    @pytest.mark.parametrize(
        ("column", "value"),
        [
            ("hits", "[{"),
            ("hits", '[{"id":1}]'),
            ("hits", b"\xff"),
            ("after", "x"),
            ("pool", 1.5),
            ("method", b"\x03"),
            ("at", "now"),
        ],
    )
    def test_pages(self, index, column, value):
        self.spoil(index, f"UPDATE likewise_pages SET {column} = ?", value)
        refused(lambda: self.use(index), StoreError, "is damaged.*put back a copy")

    @pytest.mark.parametrize(
        ("column", "value"),
        [
            ("settings", "{"),
            ("settings", '{"page_size":0}'),
            ("settings", '{"seed":-5}'),
            ("settings", '{"combine":"all"}'),
            ("settings", '{"page_size":"' + "9" * 50_000 + '"}'),
            ("start", '{"examples":[1]}'),
            ("start", "[" * 100_000),
            ("created", "x"),
            ("path", b"\xff\xfe"),
        ],
    )
    def test_sessions(self, index, column, value):
        self.spoil(index, f"UPDATE likewise_sessions SET {column} = ?", value)
        refused(lambda: self.use(index), StoreError, "damaged.*put back a copy")

    @pytest.mark.parametrize("version", ["²", "", "x" * 100_000, "9" * 50])
    def test_versions(self, index, version):
        self.spoil(index, "UPDATE likewise_meta SET value = ?", version)
        refused(lambda: self.use(index), StoreError, "tables of another program")

    def test_text_that_is_not_utf8(self, index):
        self.spoil(index, "UPDATE likewise_events SET document = CAST(x'ff' AS TEXT)")
        refused(lambda: self.use(index), StoreError, "decode")


class TestSpreadsheets:
    FORMULAS = ('=HYPERLINK("http://x")', "+1", "-2+3", "@SUM(A1)", "\tx", "\r=x")

    @given(st.text() | st.text("'=+-@\t\r a"))
    def test_a_cell_is_read_as_it_was_written(self, text):
        cell = neutral(text)
        assert restored(cell) == text
        assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))

    @pytest.mark.parametrize("text", FORMULAS)
    def test_judgements(self, text):
        judgements = [Judgement(text, "relevant", text), Judgement(f"'{text}", "not", "ada")]
        records = [
            Record({"id": id, "title": text, text: text}, {"label": label, "reviewer": who})
            for id, label, who, *_ in judgements
        ]
        table = b"".join(written("csv", records)).decode()
        for row in csv.reader(io.StringIO(table, newline="")):
            assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in row)
        found = FORMATS["csv"].read(io.StringIO(table, newline=""), None, pytest.fail)
        assert [one.judgement[:3] for one in found] == [one[:3] for one in judgements]
        lines = b"".join(written("jsonl", records)).splitlines()
        assert json.loads(lines[0])["id"] == text

    def test_hits(self):
        records = [Record({"id": "=1+1", "title": "@SUM(A1)"}, {"rank": 1, "score": -0.5})]
        table = b"".join(written("csv", records)).decode()
        assert list(csv.reader(io.StringIO(table)))[1] == ["1", "-0.5", "'=1+1", "'@SUM(A1)"]


class TestPaths:
    def test_are_not_told(self):
        folders = {"/srv/data/papers.idx": "papers"}
        for said, told in (
            ("/srv/data/papers.idx/segments/1.seg is damaged", "papers/segments/1.seg is damaged"),
            ("session 's' is of another index, /home/ada/x.idx: choose", "x.idx: choose"),
            ("cannot read /etc/likewise/db.sqlite: denied", "cannot read db.sqlite: denied"),
            ("no document '/home/id/1' in /srv/data/papers.idx", "no document '/home/id/1' in pap"),
            ("see http://host/a/b or km/h and either/or", "see http://host/a/b or km/h and eith"),
        ):
            assert told in without_paths(said, folders)

    def test_over_http(self, tmp_path, monkeypatch):
        """An index served by a relative path, whose messages name it by its absolute one."""
        Index.create(tmp_path / "papers.idx").add([Document("a", "red apples")])
        monkeypatch.chdir(tmp_path)
        with serving(Path("papers.idx")) as client:
            base = "/v1/indexes/papers"
            answers = [
                client.get(f"{base}/documents/none"),
                client.delete(f"{base}/documents", params={"id": "none"}),
                client.get(f"{base}/sessions/none/history"),
            ]
            problem(answers[0], 404, "no document 'none' in papers")
            for answer in answers:
                assert answer.status_code >= 400
                assert str(tmp_path) not in answer.text
            client.post(f"{base}/sessions", json={"name": "s", "words": "red"})
            database = tmp_path / "papers.idx.sessions.sqlite"
            with sqlite3.connect(database) as connection:
                connection.execute("UPDATE likewise_sessions SET created = 'x'")
            connection.close()
            answer = client.get(f"{base}/sessions")
            assert answer.status_code == 500
            assert "sessions.sqlite is damaged" in answer.text
            assert str(tmp_path) not in answer.text
