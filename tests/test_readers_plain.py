"""One document a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from helpers.reading import SAMPLES, lines, read_all
from likewise.errors import InputError
from likewise.readers import Problems
from likewise.readers.plain import split_title

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_text_in_unicode(tmp_path: Path, encoding: str) -> None:
    mark = "\ufeff" if encoding == "utf-16-le" else ""
    (tmp_path / "a.txt").write_bytes((mark + "naïve 😀\r\n" * 5000).encode(encoding))
    assert read_all(tmp_path / "a.txt")[0].texts == ("naïve 😀", "naïve 😀\r\n" * 4999)


def test_invalid_utf8_is_counted_or_strictly_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("é".encode() + b"caf\xe9 \xff")
    problems = Problems()
    assert read_all(tmp_path, problems)[0].texts[1] == "écaf\ufffd \ufffd"
    assert problems.replaced == {f"{tmp_path.as_posix()}/a.txt": 2}
    assert problems.count == 0
    with pytest.raises(InputError, match=r"a.txt: not valid UTF-8"):
        read_all(tmp_path, Problems(strict=True))


def test_binary_files_are_problems(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\x7fELF\0\0")
    problems = Problems()
    assert read_all(tmp_path / "a.txt", problems) == []
    assert lines(problems) == [f"{tmp_path}/a.txt: looks like a binary file, not text"]


@pytest.mark.parametrize(
    ("text", "title", "rest"),
    [
        ("# Title\nbody\n", "Title", "body\n"),
        ("intro\n# Title ##\r\nbody", "Title", "intro\nbody"),
        ("```\n# code\n```\n# Title", "Title", "```\n# code\n```\n"),
        ("~~~~\n~~~\n# code\n", "", "~~~~\n~~~\n# code\n"),
        ("## Second level\n#hashtag\n    # code\n", "", "## Second level\n#hashtag\n    # code\n"),
        ("", "", ""),
    ],
)
def test_the_first_heading_is_the_title(text: str, title: str, rest: str) -> None:
    assert split_title(text) == (title, rest)


def test_a_heading_of_many_spaces_is_read_in_linear_time() -> None:
    heading = "a" + " #" * 100_000 + " " * 100_000 + "x"
    assert split_title(f"# {heading}") == (heading, "")


def test_a_folder_of_samples() -> None:
    found = {document.id: document for document in read_all(SAMPLES)}
    assert sorted(found) == ["csv-1", "jsonl-1", "notes.md", "plain.txt"]
    assert found["notes.md"].values["title"] == "Notes"
    assert "title" not in found["plain.txt"].values
