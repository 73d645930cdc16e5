"""RIS records, as reference managers and screening programs write them."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from likewise import Document, Index, LeftOut
from likewise.cli.app import app

TWO = """\ufeff1.
TY  - JOUR
ID  - 12
TI  - Sea ice
AB  - First line
 goes on
AU  - Doe, J
AU  - Roe, R
PY  - 2001
N1  - ASReview_relevant
ER  -

2.
TY  - JOUR
T1  - Bees
N2  - Honey
AN  - x-7
N1  - ASReview_irrelevant
ER  -
"""


def add(tmp_path, text, **options):
    path = tmp_path / "records.ris"
    path.write_text(text)
    index = Index.create(tmp_path / "x.idx")
    return index, index.add(path, **options)


def test_two_records(tmp_path):
    index, added = add(tmp_path, TWO)
    assert added.documents == 2
    assert index.ids() == ["12", "x-7"]
    first, second = (index.document(id) for id in index.ids())
    assert (first.title, first.text) == ("Sea ice", "First line goes on")
    assert first.fields["authors"] == ["Doe, J", "Roe, R"]
    assert (second.title, second.text) == ("Bees", "Honey")
    assert [first.fields["label"], second.fields["label"]] == [1, 0]
    assert [hit.id for hit in index.search("honey")] == ["x-7"]


def test_windows_lines_and_no_id(tmp_path):
    index, _ = add(tmp_path, "TY  - JOUR\r\nTI  - A\r\nER  - \r\n")
    assert len(index) == 1
    assert "label" not in index.document(index.ids()[0]).fields


GOOD = "TY  - JOUR\nID  - good\nTI  - Good\nER  - \n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("no ris at all\nnor here\n", "line 5: this is not in a RIS record, which begins with TY"),
        ("TY  - JOUR\nTI  - A\n", "line 5: a record that does not end with ER, as the others do"),
        ("TI  - A\nAB  - B\nER  - \n", "line 5: a record that does not begin with TY"),
    ],
)
def test_bad_records_are_left_out(tmp_path, text, problem):
    with pytest.warns(LeftOut, match="left out: "):
        index, added = add(tmp_path, GOOD + text)
    assert index.ids() == ["good"]
    assert added.problem_count == 1
    assert problem in str(added.problems[0])


def test_a_record_without_an_end_is_read_up_to_the_next(tmp_path):
    index, added = add(tmp_path, "TY  - JOUR\nID  - 11\nTI  - A\n" + TWO.lstrip("\ufeff1.\n"))
    assert index.ids() == ["11", "12", "x-7"]
    assert added.problem_count == 0
    alone = tmp_path / "alone"
    alone.mkdir()
    assert add(alone, "TY  - JOUR\nID  - 11\nTI  - A\n")[0].ids() == ["11"]


def test_tags_may_have_one_blank_where_the_type_has(tmp_path):
    index, _ = add(
        tmp_path, "TY - BOOK\nID  - 1\nTI - A\nAB - B\nER -\nTY  - JOUR\nTI  - B\nER  -\n"
    )
    assert len(index) == 2
    assert index.document("1").fields["type_of_reference"] == "BOOK"
    assert index.document("1").title == "A"


def test_text_that_looks_like_a_tag_with_one_blank_is_text(tmp_path):
    index, _ = add(tmp_path, "TY  - JOUR\nID  - 1\nAB  - We used\nT2 - weighted images\nER  - \n")
    assert index.document("1").text == "We used T2 - weighted images"


def test_a_value_of_many_lines_is_read_in_linear_time(tmp_path):
    index, _ = add(tmp_path, "TY  - JOUR\nID  - 1\nAB  - x\n" + "bc\n" * 300_000 + "ER  - \n")
    assert index.document("1").text == "x" + " bc" * 300_000


def test_lines_that_continue_a_list_are_items(tmp_path):
    index, _ = add(tmp_path, "TY  - JOUR\nID  - 1\nTI  - A\nAU  - Doe, J\nRoe, R\nER  - \n")
    assert index.document("1").fields["authors"] == ["Doe, J", "Roe, R"]


def test_bytes_that_are_not_utf8(tmp_path):
    path = tmp_path / "records.ris"
    path.write_bytes(b"TY  - JOUR\nID  - 1\nTI  - Caf\xe9\nER  - \n")
    index = Index.create(tmp_path / "x.idx")
    (remark,) = index.add(path).remarks
    assert remark.startswith(f"not UTF-8, read {path} as cp1252: ")
    assert index.document("1").title == "Café"


def test_hits_out_and_in_again(tmp_path):
    index, _ = add(tmp_path, TWO)
    index.add([Document("3", "About honey and\nTY  - bees.", "More", year=2020, cats=["a"])])
    done = CliRunner().invoke(app, ["search", str(index.path), "honey", "ice", "--format", "ris"])
    assert done.exit_code == 0
    (tmp_path / "again").mkdir()
    again, added = add(tmp_path / "again", done.stdout)
    assert (added.documents, added.problem_count) == (3, 0)
    for id in index.ids():
        before, after = index.document(id), again.document(id)
        assert after.title == before.title
        assert after.text == " ".join(before.text.split())
        assert after.fields["notes"][-1].startswith("likewise: rank")
    assert again.document("12").fields["authors"] == ["Doe, J", "Roe, R"]
    assert again.document("12").fields["label"] == 1
    assert again.document("3").fields["year"] == 2020


def test_no_hits_make_no_records(tmp_path):
    index, _ = add(tmp_path, TWO)
    done = CliRunner().invoke(app, ["search", str(index.path), "nothing", "--format", "ris"])
    assert (done.exit_code, done.stdout) == (0, "")
