"""Project files of ASReview 1, 2 and 3, made by it: the records, and what was decided of them."""

from __future__ import annotations

import io
import json
import sqlite3
import zipfile
from pathlib import Path

import pytest

from likewise import Index, InputError
from likewise.readers.preview import preview

DATA = Path(__file__).parent / "data" / "asreview"
VERSIONS = (1, 2, 3)
LABELS = {"Bees build hexagons": "relevant", "On wax": "not", "A third record": "relevant"}
EXACT = "Fourth: no label"


def project(version: int) -> Path:
    return DATA / f"version{version}.asreview"


def changed(version: int, **files: bytes | None) -> bytes:
    """The project with other contents of its files, by the ends of their names; None: none."""
    made = io.BytesIO()
    with zipfile.ZipFile(project(version)) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            content = next(
                (value for end, value in files.items() if name.endswith(end.replace("_", "."))),
                old.read(name),
            )
            if content is not None:
                new.writestr(name, content)
    return made.getvalue()


def database(version: int, *statements: str) -> bytes:
    """The project's database of decisions after some statements."""
    with zipfile.ZipFile(project(version)) as opened:
        name = next(one for one in opened.namelist() if one.endswith(("results.db", "results.sql")))
        data = opened.read(name)
    connection = sqlite3.connect(":memory:")
    connection.deserialize(data)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    return connection.serialize()


def read(content: bytes):
    return preview("bees.asreview", content)


@pytest.mark.parametrize("version", VERSIONS)
def test_records_and_decisions(version, tmp_path):
    index = Index.create(tmp_path / "bees.idx")
    added = index.add(project(version))
    assert (added.documents, list(added.problems)) == (4, [])
    assert added.labels == {"relevant": 2, "not": 1}
    found = {one.title: one for one in index.documents(index.ids())}
    assert found["On wax"].fields["remark"] == "two"  # what ASReview itself does not know
    assert found["On wax"].fields["authors"] == ["Cee, C."]
    assert "asreview_label" not in found[EXACT].fields
    session = index.session("bees", reviewer="ann")
    assert session.load_labels().judged == 3
    titles = {index.document(id).title: label for id, label in session.judgements().items()}
    assert titles == LABELS
    if version != 2:  # whose program had no way to write one here
        assert list(session.notes().values()) == ["good"]


@pytest.mark.parametrize("version", VERSIONS)
def test_what_asreview_decided_goes_before_a_column(version):
    with zipfile.ZipFile(project(version)) as opened:
        rows = opened.read("data/recs.csv").decode().splitlines()
    table = [rows[0] + ",included", *(row + ",0" for row in rows[1:])]
    read_now = read(changed(version, recs_csv="\n".join(table).encode()))
    labels = [one.fields.get("asreview_label") for one in read_now.documents]
    assert labels == [1, 0, 1, None]


@pytest.mark.parametrize("version", [2, 3])
def test_rows_that_have_moved_are_found_by_their_titles(version):
    with zipfile.ZipFile(project(version)) as opened:
        head, *rows = opened.read("data/recs.csv").decode().splitlines()
    moved = "\n".join([head, *rows[::-1]]).encode()
    found = read(changed(version, recs_csv=moved))
    labels = {one.title: one.fields.get("asreview_label") for one in found.documents}
    assert labels == {"Bees build hexagons": 1, "On wax": 0, "A third record": 1, EXACT: None}
    gone = "\n".join([head, rows[0], rows[3]]).encode()
    left = read(changed(version, recs_csv=gone))
    assert [one.fields.get("asreview_label") for one in left.documents] == [1, None]
    assert [str(one) for one in left.problems] == [
        "bees.asreview: the decision on record 2 ('On wax') fits no record",
        "bees.asreview: the decision on record 3 ('A third record') fits no record",
    ]


def test_a_project_without_decisions():
    empty = database(3, "DELETE FROM results")
    found = read(changed(3, results_db=empty))
    assert len(found.documents) == 4
    assert not found.problems
    assert len(read(changed(3, results_db=None)).documents) == 4


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"no zip", "damaged or cut short"),
        (changed(3, project_json=None), "is no project of ASReview"),
        (changed(3, project_json=b"{"), "is no project of ASReview"),
        (changed(3, project_json=b'{"datasets": [{"name": 3}]}'), "has no records"),
        (changed(3, project_json=b'{"datasets": [{"name": "../recs.csv"}]}'), "has no records"),
        (changed(1, recs_csv=None), "has no records"),
        (changed(3, results_db=b"SQLite format 3\x00" + b"x" * 5000), "decisions are damaged"),
        (
            changed(3, results_db=database(3, "UPDATE record SET dataset_row = 'x' || record_id")),
            "decisions are damaged",
        ),
        (changed(2, results_db=b"text"), "decisions are damaged"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(content, said):
    with pytest.raises(InputError, match=said) as raised:
        read(content)
    assert "\n" not in str(raised.value)


def test_an_endless_query_is_ended():
    endless = (
        "CREATE VIEW results AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
        "SELECT i AS record_id, 1 AS label FROM n WHERE i < 0"
    )
    harm = database(3, "DROP TABLE results", endless)
    with pytest.raises(InputError, match="decisions are damaged"):
        read(changed(3, results_db=harm))


def test_truncated_projects_never_crash():
    whole = project(3).read_bytes()
    for size in range(0, len(whole), 97):
        with pytest.raises(InputError):
            read(whole[:size])


def test_json_that_is_no_object():
    for content in (b"[]", b"null", b"\xff", json.dumps({"datasets": {}}).encode()):
        with pytest.raises(InputError, match="no project of ASReview"):
            read(changed(3, project_json=content))
