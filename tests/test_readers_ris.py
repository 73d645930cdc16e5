"""RIS records, as reference managers and screening programs write them."""

from __future__ import annotations

import builtins

import pytest
from typer.testing import CliRunner

from likewise import Document, Index, LeftOut
from likewise.cli.app import app
from likewise.errors import InputError

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


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("no ris at all\n", "line 5: a record that does not end with ER"),
        ("TY  - JOUR\nTI  - A\n", "line 5: a record that does not end with ER"),
        ("TI  - A\nER  - \n", "line 5: a record that does not begin with TY"),
    ],
)
def test_bad_records_are_left_out(tmp_path, text, problem):
    good = "TY  - JOUR\nID  - good\nTI  - Good\nER  - \n"
    with pytest.warns(LeftOut, match="left out: "):
        index, added = add(tmp_path, good + text)
    assert index.ids() == ["good"]
    assert str(added.problems[0]).endswith(problem)


def test_a_record_that_never_ends_does_not_swallow_the_next(tmp_path):
    with pytest.warns(LeftOut):
        index, added = add(tmp_path, "TY  - JOUR\nTI  - A\n" + TWO.lstrip("\ufeff1.\n"))
    assert index.ids() == ["12", "x-7"]
    assert added.problem_count == 1


def test_begin_and_end_may_have_one_space(tmp_path):
    index, _ = add(tmp_path, "TY - BOOK\nID  - 1\nTI  - A\nER -\nTY  - JOUR\nTI  - B\nER  -\n")
    assert len(index) == 2
    assert index.document("1").fields["type_of_reference"] == "BOOK"


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


def test_what_to_install_is_said(tmp_path, monkeypatch):
    real = builtins.__import__

    def without(name, *arguments, **options):
        if name == "rispy":
            raise ImportError
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match=r"pip install 'likewise\[formats\]'"):
        add(tmp_path, TWO, strict=True)


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
    assert again.document("3").fields["year"] == "2020"


def test_no_hits_make_no_records(tmp_path):
    index, _ = add(tmp_path, TWO)
    done = CliRunner().invoke(app, ["search", str(index.path), "nothing", "--format", "ris"])
    assert (done.exit_code, done.stdout) == (0, "")
