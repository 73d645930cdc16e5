"""Topics, judgements and runs in the forms that people have them in."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from likewise.errors import InputError
from likewise.readers.trec import (
    Topic,
    qrels_lines,
    read_qrels,
    read_run,
    read_topics,
    refuse_spaces,
    run_lines,
    topic_line,
)

TREC = """<top>
<num> Number: 301
<title> International Organized
  Crime
<desc> Description:
Identify organizations.
<narr> Narrative: long
</top>
<top><num>302</num><title>Polio</title></top>
"""


def write(tmp_path, text, name="file"):
    path = tmp_path / name
    path.write_text(text)
    return path


class TestTopics:
    def test_trec(self, tmp_path):
        found = read_topics(write(tmp_path, TREC))
        assert found == [Topic("301", "International Organized Crime"), Topic("302", "Polio")]

    def test_jsonl_compressed(self, tmp_path):
        path = tmp_path / "queries.jsonl.gz"
        lines = b'{"id": "1", "text": "a b", "full": "x"}\n\n{"id": 2, "text": "c", "doc": "d7"}\n'
        path.write_bytes(gzip.compress(lines))
        assert read_topics(path) == [Topic("1", "a b"), Topic("2", "c", ("d7",))]

    def test_other_ids(self, tmp_path):
        """`_id` as BEIR has it, and numbers."""
        lines = '{"_id": "q1", "text": "a", "metadata": {}}\n{"id": 2, "doc": 0, "docs": [13]}\n'
        assert read_topics(write(tmp_path, lines)) == [
            Topic("q1", "a"),
            Topic("2", "", ("0", "13")),
        ]

    def test_lines(self, tmp_path):
        assert read_topics(write(tmp_path, "\ufeff1\tdeath of police\n")) == [
            Topic("1", "death of police")
        ]

    @pytest.mark.parametrize(
        ("text", "sentence"),
        [
            ("<top><num>1</top>", "without a number or a title"),
            ("1 no tab", "line 1: not an id, a tab and words"),
            ('\n{"id": []}', "line 2: not a topic"),
            ('{"text": "a"}', "line 1: a topic needs an `id`"),
            ("1\ta\n1\tb", "topic 1 appears twice"),
            ("", "has no topic"),
        ],
    )
    def test_wrong_ones(self, tmp_path, text, sentence):
        with pytest.raises(InputError, match=sentence):
            read_topics(write(tmp_path, text))

    def test_not_utf8(self, tmp_path):
        (tmp_path / "x").write_bytes(b"1\ta\n2\t\xff\n")
        with pytest.raises(InputError, match="line 2: not valid UTF-8"):
            read_topics(tmp_path / "x")


class TestQrels:
    @pytest.mark.parametrize(
        "text",
        [
            "1 0 a 2\n1 0 b 0\n2 0 a -1\n",
            "query-id\tcorpus-id\tscore\n1\ta\t2\n1\tb\t0\n2\ta\t-1\n",
        ],
    )
    def test_both_forms(self, tmp_path, text):
        assert read_qrels(write(tmp_path, text)) == {"1": {"a": 2, "b": 0}, "2": {"a": -1}}

    @pytest.mark.parametrize(
        ("text", "sentence"),
        [
            ("1 0 a 1\n1 0\n", "line 2: not `topic 0 id grade`"),
            ("1 0 a 1\n1 0 77\n", "line 2: 3 columns, where the lines before have 4"),
            ("topic id score\n1 0 a 1\n", "line 2: 4 columns, where the lines before have 3"),
            ("1 0 a 1\n1 0 b yes\n", "line 2: the grade 'yes' is not a whole number"),
            ("1 0 13 1.0\n1 0 14 1\n", "line 1: the grade '1.0' is not a whole number"),
            ("1 0 13 1\n1 0 14 score\n", "line 2: the grade 'score' is not"),
            ("1 0 a 1\n1 0 a 0\n", "line 2: document a has two grades for topic 1"),
            ("\n", "has no judgement"),
        ],
    )
    def test_wrong_ones(self, tmp_path, text, sentence):
        with pytest.raises(InputError, match=sentence):
            read_qrels(write(tmp_path, text))


class TestRuns:
    def test_there_and_back(self, tmp_path):
        text = run_lines("7", [("a", 1.5), ("b", 0.1)], "me")
        assert text == "7 Q0 a 1 1.5 me\n7 Q0 b 2 0.1 me\n"
        assert read_run(write(tmp_path, text)) == {"7": {"a": 1.5, "b": 0.1}}

    def test_wrong_ones(self, tmp_path):
        with pytest.raises(InputError, match="line 1: not `topic Q0"):
            read_run(write(tmp_path, "7 Q0 a 1 high me\n"))
        for score in ("nan", "inf", "-inf"):
            with pytest.raises(
                InputError, match=f"line 2: the score {score} is not a finite number"
            ):
                read_run(write(tmp_path, f"7 Q0 a 1 2 me\n7 Q0 b 2 {score} me\n"))
        with pytest.raises(InputError, match="line 2: topic 7 lists document a twice"):
            read_run(write(tmp_path, "7 Q0 a 1 2.0 me\n7 Q0 a 2 1.0 me\n"))
        with pytest.raises(InputError, match=r"document 'a b': .* white space"):
            refuse_spaces("document", ["a", "a b"])

    def test_equal_scores_keep_their_order_in_single_precision(self, tmp_path):
        ranking = [("b", 1.0), ("a", 1.0), ("c", 1.0 - 1e-12), ("d", 0.0), ("e", 0.0), ("f", -1.0)]
        found = read_run(write(tmp_path, run_lines("7", ranking, "me")))["7"]
        scores = np.array(list(found.values()), np.float32)
        assert list(found) == [id for id, _ in ranking]
        assert (np.diff(scores) < 0).all()
        assert scores == pytest.approx([score for _, score in ranking])


def test_judgements_and_topics_there_and_back(tmp_path):
    grades = {"a": 2, "b": 0}
    assert read_qrels(write(tmp_path, qrels_lines("7", grades.items()))) == {"7": grades}
    topic = Topic("7", 'ein "Wort"', ("a", "b"))
    assert read_topics(write(tmp_path, topic_line(topic))) == [topic]
