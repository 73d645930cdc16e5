"""Text in any encoding: known, given or detected; never mangled in silence."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from helpers.command_line import run
from helpers.reading import read_all
from likewise import Index
from likewise.errors import InputError, UsageError
from likewise.readers import Problems
from likewise.readers.encodings import detect

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = {
    "cp1252": "L’été dernier, les élèves ont étudié la façon dont les forêts protègent l’eau.",
    "iso8859-2": "Zażółć gęślą jaźń. Świadomość społeczna w większości państw rośnie.",
    "cp1251": "Результаты исследования показали, что большинство участников читают статьи.",
    "koi8-r": "Результаты исследования показали, что большинство участников читают статьи.",
    "cp1253": "Τα αποτελέσματα της μελέτης έδειξαν ότι οι περισσότεροι συμμετέχοντες προτιμούν.",
    "shift_jis": "研究の結果、参加者の大多数は母語で書かれた論文を読むことを好みます。",
    "gb18030": "研究结果表明,大多数参与者更喜欢阅读用母语写的文章,即使他们懂英语也是如此。",
    "euc_kr": "연구 결과 대부분의 참가자는 영어를 이해하더라도 논문을 읽는 것을 선호합니다.",
    "utf-16-le": "Plain words as Notepad once wrote them",
    "utf-16-be": "Plain words of another machine",
}


@pytest.mark.parametrize("encoding", TEXTS)
def test_an_encoding_is_detected_and_said(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.csv").write_bytes(f"id;text\n1;{TEXTS[encoding]}\n".encode(encoding))
    problems = Problems()
    assert read_all(tmp_path, problems)[0].texts[1] == TEXTS[encoding]
    assert not problems.count
    assert not problems.replaced
    (remark,) = problems.remarks()
    assert remark.startswith(f"not UTF-8, read {tmp_path}/a.csv as ")


@pytest.mark.parametrize("text", ["café", "naïve", "Müller", "x ± 3 °C", "£5", "“smart” – it’s"])
def test_a_few_words_are_western(text: str) -> None:
    assert detect(text.encode("cp1252")) == "cp1252"


def test_a_late_character_tells(tmp_path: Path) -> None:
    lines = [f'{{"id": "{n}", "text": "plain"}}\n' for n in range(20_000)]
    lines[15_000] = '{"id": "late", "text": "café"}\n'
    lines[15_001] = '{"id": "utf-8", "text": "naïve"}\n'
    data = [line.encode("utf-8" if "utf" in line else "cp1252") for line in lines]
    (tmp_path / "a.jsonl").write_bytes(b"".join(data))
    found = {one.id: one.texts[1] for one in read_all(tmp_path / "a.jsonl", Problems())}
    assert (found["late"], found["utf-8"]) in {("café", "naïve"), ("caf\ufffd", "naïve")}
    assert len(found) == 20_000


def test_a_given_encoding_is_used(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("Größe".encode("cp850"))
    assert read_all(tmp_path / "a.txt", encoding="cp850")[0].texts[1] == "Größe"
    with pytest.raises(UsageError, match="unknown encoding 'latin-x'"):
        read_all(tmp_path / "a.txt", encoding="latin-x")
    with pytest.raises(UsageError, match="'rot13' is no encoding of text"):
        read_all(tmp_path / "a.txt", encoding="rot13")
    with pytest.raises(InputError, match="not valid UTF-8"):
        read_all(tmp_path / "a.txt", Problems(strict=True), encoding="utf-8")


def test_the_command_says_it_and_succeeds(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(TEXTS["cp1252"].encode("cp1252"))
    status, _, stderr = run("index", tmp_path / "a.txt", "-o", tmp_path / "x.idx")
    assert status == 0
    assert "as cp1252: if this is wrong, say --encoding" in stderr
    given = ("--encoding", "cp1252", "-o", tmp_path / "y.idx")
    assert "cp1252" not in run("index", tmp_path / "a.txt", *given)[2]


def test_without_the_library_it_is_western(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "chardet", None)
    assert detect(TEXTS["cp1251"].encode("cp1251")) == "cp1252"


def test_binary_files_are_not_guessed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(bytes(range(1, 256)) * 10)
    problems = Problems()
    read_all(tmp_path, problems)
    assert not problems.decoded
    assert problems.replaced


@pytest.mark.parametrize(
    "data",
    [
        b"sep=;\r\nid;text\r\n1;a,b\r\n\r\n2;c\r\n",
        b'"sep=|"\nid|text\n1|a,b\n2|c\n',
        "id\ttext\r\n1\ta,b\r\n;;\r\n2\tc\r\n".replace(";;", "\t").encode("utf-16"),
        b'id,text\n1,"a,b"\n\n,\n2,c\n',
    ],
)
def test_tables_as_spreadsheets_write_them(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.csv").write_bytes(data)
    problems = Problems()
    found = [one.texts[1] for one in read_all(tmp_path / "a.csv", problems)]
    assert [text for text in found if text] == ["a,b", "c"]
    assert not problems.count


def test_the_index_tells_the_encoding(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes("# Über\nGrößen und Längen".encode("cp1252"))
    index = Index.create(tmp_path / "i.idx")
    (remark,) = index.add(tmp_path / "a.md").remarks
    assert "as cp1252" in remark
    assert index.documents(index.ids())[0].title == "Über"
