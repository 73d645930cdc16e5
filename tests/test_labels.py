"""Labels of screening that stand in files: found, counted, and taken over as judgements."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from helpers.reading import SAMPLES
from likewise import Index
from likewise.cli.app import app
from likewise.readers.labels import BY_SPELLING, LabelCounts, is_unseen, label_of, spelled

REFERENCES = SAMPLES.parent / "references"


@pytest.mark.parametrize(
    ("value", "label"),
    [
        (1, "relevant"),
        (0, "not"),
        (1.0, "relevant"),
        ("1.0", "relevant"),
        (True, "relevant"),
        (False, "not"),
        ("Yes", "relevant"),
        (" included ", "relevant"),
        ("EXCLUDE", "not"),
        ("Not relevant", "not"),
        ("Maybe", "unsure"),
        (-1, None),
        ("-1", None),
        (2, None),
        ("", None),
        (None, None),
        ("sports", None),
        ([1], None),
    ],
)
def test_spellings(value: Any, label: str | None) -> None:
    assert spelled(value) == label


@pytest.mark.parametrize(
    ("record", "found"),
    [
        ({"included": "1"}, ("relevant", "included", "")),
        ({"label_included": 0}, ("not", "label_included", "")),
        ({"Final Included": "no", "label": ""}, ("not", "Final Included", "")),
        (
            {"Decision": "Exclude", "Exclusion reason": "wrong age"},
            ("not", "Decision", "wrong age"),
        ),
        ({"exclusion_reason": "wrong age"}, ("not", "exclusion_reason", "wrong age")),
        ({"notes": ["ASReview_relevant"]}, ("relevant", "notes", "")),
        ({"notes": ["ASReview_irrelevant", "x"]}, ("not", "notes", "")),
        ({"notes": ["ASReview_not_seen"]}, None),
        (
            {"notes": ['RAYYAN-INCLUSION: {"A"=>"Included", "B"=>"Excluded"}']},
            ("unsure", "notes", ""),
        ),
        ({"keywords": ["bees", "Included"]}, ("relevant", "keywords", "")),
        ({"keywords": ["included", "excluded"]}, None),
        ({"title": "included"}, None),
    ],
)
def test_where_labels_are(record: dict[str, Any], found: tuple[str, str, str] | None) -> None:
    assert label_of(record) == found


def test_records_with_the_same_values_are_counted_together() -> None:
    rows = [("included", 0), ("excluded", None), ("included", 0), (["included"], 0)]
    for some in (rows, rows[:3]):
        together, each = LabelCounts(), LabelCounts()
        together.add_rows(("decision", "maybe"), some)
        for row in some:
            each.add(dict(zip(("decision", "maybe"), row, strict=True)))
        assert together.counted() == each.counted()
    assert together.total() == {"relevant": 2, "not": 1}


@pytest.mark.parametrize("second", ['"excluded"', "0", "null", '["excluded"]', '"exclu\\u0064ed"'])
def test_labels_of_lines_are_the_same_however_they_are_read(tmp_path: Any, second: str) -> None:
    """The core finds texts, all else is decoded; a line with a list is one of many."""
    lines = ['{"id": "a", "text": "x", "decision": "included"}']
    lines += [f'{{"id": "b", "text": "y", "decision": {second}}}', '{"id": "c", "text": "z"}']
    (tmp_path / "x.jsonl").write_text("\n".join(lines))
    each = LabelCounts()
    for line in lines:
        each.add({"decision": json.loads(line).get("decision")})
    assert Index.create(tmp_path / "x.idx").add(tmp_path / "x.jsonl").labels == each.total()


def test_classes_are_no_labels() -> None:
    counts = LabelCounts()
    for label in range(10):
        counts.add({"label": label, "included": label % 2})
    assert counts.others == {"label"}
    assert label_of({"label": 1, "included": 0}, counts.others) == ("not", "included", "")
    others = LabelCounts()
    for label in (1, 0, -1, None):
        others.add({"label": label})
    assert others.total() == {"relevant": 1, "not": 1}


@given(st.text() | st.integers() | st.floats() | st.none() | st.lists(st.text()))
def test_a_value_is_a_label_or_not(value: Any) -> None:
    assert spelled(value) in {*BY_SPELLING.values(), None}
    assert not (is_unseen(value) and spelled(value))


def rows(tmp_path: Any) -> Any:
    path = tmp_path / "screened.csv"
    path.write_text("id,title,abstract,included\n1,Bees,Honey,1\n2,Wax,Light,0\n3,Ice,Cold,\n")
    return path


def test_counted_alike_from_all_sources(tmp_path: Any) -> None:
    records = [{"id": "1", "text": "a", "Included": 1}, {"id": "2", "text": "b", "Included": "no"}]
    index = Index.create(tmp_path / "a.idx")
    assert index.add(records).labels == {"relevant": 1, "not": 1}
    assert index.add(rows(tmp_path), on_duplicate="replace").labels == {"relevant": 1, "not": 1}
    (tmp_path / "x.jsonl").write_text(
        '{"id": 5, "text": "x", "label": 1}\n{"id": 6, "text": "y"}\n'
    )
    assert index.add(tmp_path / "x.jsonl").labels == {"relevant": 1}
    assert index.add(REFERENCES / "zotero.ris").labels == {"relevant": 1, "not": 1}
    assert index.add(REFERENCES / "endnote.ris").labels == {}


def test_labels_become_judgements(tmp_path: Any) -> None:
    index = Index.create(tmp_path / "a.idx")
    index.add([rows(tmp_path), REFERENCES / "rayyan.ris"])
    session = index.session("before", reviewer="ann")
    done = session.load_labels()
    assert (done.judged, done.problem_count) == (4, 0)
    assert session.judgements() == {
        "1": "relevant",
        "2": "not",
        "rayyan-100": "relevant",
        "rayyan-101": "not",
    }
    assert session.reasons() == {"rayyan-101": ("wrong population",)}
    assert session.load_labels().unchanged == 4
    session.undo()
    assert session.judgements() == {}
    assert session.load_labels("included").judged == 2
    with pytest.raises(ValueError, match="no document has a label in a field 'odd'"):
        session.load_labels("odd")


def test_offered_and_taken_on_the_command_line(tmp_path: Any) -> None:
    run, path = CliRunner().invoke, str(rows(tmp_path))
    first, second = str(tmp_path / "a.idx"), str(tmp_path / "b.idx")
    done = run(app, ["index", path, "-o", first])
    assert f"labels found for 2 documents (1 not, 1 relevant): likewise judgements {first}" in (
        done.stderr
    )
    done = run(app, ["judgements", first, "--labels", "--name", "before"])
    assert (done.exit_code, "2 judgements added to session before" in done.stderr) == (0, True)
    done = run(app, ["index", path, "-o", second, "--labels", "before"])
    assert "2 judgements added to session before" in done.stderr
    assert "labels found" not in done.stderr
    assert Index.open(second).session("before").judgements() == {"1": "relevant", "2": "not"}
    done = run(app, ["judgements", first, "--labels", "--export", "x.csv"])
    assert "--labels goes with --name and --reviewer only" in done.stderr
    plain = tmp_path / "plain.csv"
    plain.write_text("id,text\n1,x\n")
    done = run(app, ["index", str(plain), "-o", str(tmp_path / "c.idx"), "--labels", "x"])
    assert done.exit_code
    assert "no document has a label" in done.stderr
    before = {file.name for file in tmp_path.iterdir()}
    done = run(app, ["judgements", str(tmp_path / "c.idx"), "--labels"])
    assert done.exit_code
    assert "no document has a label" in done.stderr
    assert {file.name for file in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.csv", "record_id,Decision,Exclusion reason\n1,Include,\n2,exclude,wrong insect\n"),
        ("x.csv", "id,label_included\n1,1.0\n2,0.0\n"),
        ("x.jsonl", '{"pmid": "1", "included": true}\n{"pmid": "2", "included": "no"}\n'),
    ],
)
def test_files_of_judgements_have_the_same_spellings(tmp_path: Any, name: str, text: str) -> None:
    index = Index.create(tmp_path / "a.idx")
    index.add(rows(tmp_path))
    (tmp_path / name).write_text(text)
    session = index.session("s")
    assert session.load(tmp_path / name).judged == 2
    assert session.judgements() == {"1": "relevant", "2": "not"}
