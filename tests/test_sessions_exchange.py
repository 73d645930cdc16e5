"""Judgements as files: what is written is read again, and bad lines are named."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise import Document, Index
from likewise.errors import InputError, UsageError
from likewise.reviews.exports import format_of, qrels, row_of
from likewise.reviews.files import FORMATS, Judgement
from likewise.reviews.ledger import LABELS
from likewise.writers import SAID, Record, written

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)
names = texts.filter(str.strip)
words = texts.filter(lambda text: len(text.split()) == 1 and text == text.strip())
times = st.none() | st.floats(0, 2e9).map(lambda at: round(at, 6))
whole = st.builds(Judgement, texts, st.sampled_from(LABELS), st.none() | names, times)
plain = st.builds(Judgement, words, st.sampled_from(LABELS))


def read(format, text, topic=None):
    """The judgements, and what was wrong with which line."""
    problems = []
    lines = io.StringIO(text, newline="")
    found = FORMATS[format].read(lines, topic, lambda line, what: problems.append((line, what)))
    return [one.judgement for one in found], problems


def write(format, judgements):
    """As an export writes them, with a document's own fields."""
    records = (
        Record(
            {"id": one.document, "title": "=1", "label": 7, "note": "own"},
            row_of(one),
        )
        for one in judgements
    )
    return b"".join(written(format, records, SAID)).decode()


@pytest.mark.parametrize("format", ["csv", "jsonl"])
@given(st.lists(whole))
def test_what_is_written_is_read(format, judgements):
    found, problems = read(format, write(format, judgements))
    assert not problems
    assert [one[:3] for one in found] == [one[:3] for one in judgements]
    for one, other in zip(found, judgements, strict=True):
        assert one.at == (other.at if other.at is None else pytest.approx(other.at, abs=2e-6))


@given(st.lists(plain))
def test_qrels_are_read_again(judgements):
    text = qrels("7", {one.document: one.label for one in judgements})
    judgements = list({one.document: one for one in judgements}.values())
    assert read("trec", text) == (judgements, [])
    assert read("trec", text, "8") == ([], [])


def test_qrels_are_what_trec_eval_reads():
    import pytrec_eval

    text = qrels("7", {"a": "relevant", "b": "not"})
    assert pytrec_eval.parse_qrel(io.StringIO(text)) == {"7": {"a": 1, "b": 0}}


@pytest.mark.parametrize("id", ["", "a b", " a", "a\n"])
def test_qrels_cannot_carry_white_space(id):
    with pytest.raises(UsageError, match="which qrels cannot carry: choose csv or jsonl"):
        qrels("7", {id: "not"})


def test_what_others_write():
    assert read("trec", "7 0 a 2\n7 0 b -2\n7\t0\tc\t0\n")[0] == [
        Judgement("a", "relevant"),
        Judgement("b", "unsure"),
        Judgement("c", "not"),
    ]
    assert read("csv", "Label;ID;year\nRelevant;a;1999\n0;b;2000\n")[0] == [
        Judgement("a", "relevant"),
        Judgement("b", "not"),
    ]
    assert read("jsonl", '{"id": "a", "label": 1, "more": []}\n\n')[0] == [
        Judgement("a", "relevant")
    ]
    zoned = read("csv", "id,label,time\na,not,1970-01-01T01:00:00+01:00\n")[0]
    assert zoned == [Judgement("a", "not", None, 0.0)]


def test_qrels_of_three_columns_and_a_header():
    text = "query-id corpus-id score\n7 a 1\n7 b 0\n"
    assert read("trec", text) == ([Judgement("a", "relevant"), Judgement("b", "not")], [])


@pytest.mark.parametrize(
    ("format", "text", "line", "what"),
    [
        ("csv", "id,label\na,good\n", 2, "'good' is no judgement: write relevant, not, unsure, or"),
        ("csv", "id,label\na,+-1\n", 2, "no judgement"),
        ("csv", "id,label\n,not\n", 2, "the id is missing"),
        ("csv", "id,label\na\n", 2, "1 cells where the header has 2"),
        ("csv", 'id,label\n"a,not\n', 2, "a quote"),
        ("csv", "id,label,time\na,not,yesterday\n", 2, "'yesterday' is no time"),
        ("jsonl", '{"id": "a", "label": "not"}\n{"id": 3}\n', 2, "Expected"),
        ("jsonl", "no json\n", 1, "malformed"),
        ("trec", "7 0 a 1\n7 0 b\n", 2, "3 columns, where the lines before have 4"),
        ("trec", "7 a\n", 1, "not `topic 0 id grade`"),
        ("trec", "7 0 a x\n", 1, "'x' is no judgement"),
    ],
)
def test_bad_lines_are_named(format, text, line, what):
    _, ((found, message),) = read(format, text)
    assert found == line
    assert what in message


@pytest.mark.parametrize("text", ["", "\n", "name,label\n"])
def test_a_table_needs_its_columns(text):
    with pytest.raises(InputError, match="must name the columns id and label"):
        read("csv", text)


def test_formats_by_name_and_suffix():
    assert format_of(Path("a.QRELS"), None) == "trec"
    assert format_of(Path("a.csv"), "jsonl") == "jsonl"
    with pytest.raises(UsageError, match=r"the suffix of a\.txt does not tell"):
        format_of(Path("a.txt"), None)
    with pytest.raises(UsageError, match="unknown format 'xml'"):
        format_of(None, "xml")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    index = Index.create(tmp_path_factory.mktemp("exchange") / "small.idx")
    index.add([Document(f"d{i}", f"cats number{i}") for i in range(20)])
    return index.path


@pytest.fixture
def session(built, tmp_path):
    return Index.open(built).session("s 1", reviewer="ann", database=tmp_path / "kept")


@pytest.fixture
def other(session, built, tmp_path):
    return Index.open(built).session("s 2", reviewer="cat", database=tmp_path / "kept")


class TestSessions:
    @pytest.mark.parametrize("suffix", ["csv", "jsonl"])
    def test_from_one_session_to_another(self, session, other, tmp_path, suffix):
        session.judge_all({"d1": "relevant", "d2": "not"})
        session.as_reviewer("bob").judge_all({"d3": "unsure", "d1": "not"})
        path = tmp_path / f"judged.{suffix}"
        session.export(path)
        text = session.export(format=suffix)
        assert path.read_bytes() == text.encode()
        assert other.load(path)[:3] == (4, 0, ())
        assert other.judgements("ann") == {"d1": "relevant", "d2": "not"}
        assert other.judgements("bob") == {"d1": "not", "d3": "unsure"}
        assert other.export(format=suffix) == text
        assert other.load(path)[:3] == (0, 4, ())
        other.as_reviewer("bob").undo()
        assert other.judgements("bob") == {}

    def test_qrels_of_all_or_of_one(self, session, other, tmp_path):
        session.judge_all({"d1": "relevant", "d2": "not"})
        session.as_reviewer("bob").judge_all({"d3": "unsure", "d1": "not"})
        assert session.export(format="trec") == "s_1 0 d1 1\ns_1 0 d2 0\ns_1 0 d3 -1\n"
        path = tmp_path / "bob.qrels"
        session.export(path, reviewer="bob")
        assert path.read_text() == "s_1 0 d1 0\ns_1 0 d3 -1\n"
        other.load(path, topic="s_1")
        assert other.judgements() == {"d1": "not", "d3": "unsure"}
        with pytest.raises(UsageError, match="'eve' has judged nothing in session 's 1'"):
            session.export(format="csv", reviewer="eve")

    def test_unknown_ids_and_bad_lines_are_reported(self, session, tmp_path):
        path = tmp_path / "mixed.csv"
        path.write_text("id,label\nd1,not\nx1,not\nd2,good\nd1,relevant\nd3,relevant\nd3,1\n")
        found = session.load(path)
        assert (found.judged, found.unknown, found.problem_count) == (2, ("x1",), 3)
        assert [str(problem) for problem in found.problems] == [
            f"{path}, line 4: 'good' is no judgement: write relevant, not, unsure, or 1, 0, -1",
            f"{path}, line 5: 'd1' is called relevant, in line 2 not",
            f"{path}, line 3: no document 'x1' in the index",
        ]
        assert session.judgements() == {"d1": "not", "d3": "relevant"}

    def test_strictly_nothing_is_entered(self, session, tmp_path):
        path = tmp_path / "mixed.csv"
        path.write_text("id,label\nd1,not\nx1,not\n")
        with pytest.raises(InputError, match=r"mixed\.csv, line 3: no document 'x1'"):
            session.load(path, strict=True)
        assert session.judgements() == {}

    def test_several_topics(self, session, tmp_path):
        path = tmp_path / "two.qrels"
        path.write_text("1 0 d1 1\n2 0 d1 0\n")
        with pytest.raises(InputError, match=r"two\.qrels: there are several topics, 1 and 2"):
            session.load(path)
        assert session.load(path, topic="2").judged == 1
        with pytest.raises(UsageError, match="a topic goes with the format trec"):
            session.load(tmp_path / "two.csv", topic="2")

    def test_files_of_other_kinds(self, session, tmp_path):
        with pytest.raises(InputError, match=r"none\.csv cannot be read"):
            session.load(tmp_path / "none.csv")
        (tmp_path / "spreadsheet.csv").write_bytes("id,label,note\nd2,not,café\n".encode("cp1252"))
        assert session.load(tmp_path / "spreadsheet.csv").judged == 1
        assert session.notes() == {"d2": "café"}
        marked = b"\xef\xbb\xbfid,label\nd1,not\n\xff,not\n"  # says that it is UTF-8
        (tmp_path / "bytes.csv").write_bytes(marked)
        with pytest.raises(InputError, match=r"bytes\.csv, line 3: not valid UTF-8"):
            session.load(tmp_path / "bytes.csv")
        packed = tmp_path / "judged.csv.gz"
        packed.write_bytes(gzip.compress(b"id,label\nd1,not\n"))
        assert session.load(packed, format="csv").judged == 1
