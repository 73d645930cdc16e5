"""Archives: each file in them as if it lay in a folder, within limits."""

from __future__ import annotations

import io
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest

from helpers import papers
from helpers.reading import lines, read_all
from likewise.errors import InputError
from likewise.readers import Problems, archives
from likewise.readers.preview import Limits, preview
from likewise.readers.streams import OPENERS, Source
from likewise.readers.zstandard import zstd

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "b/notes.txt": b"Some words",
    "a.pdf": papers.pdf(["Penguins walk for days and swim for weeks."]),
    "records.jsonl": b'{"id": "r1", "text": "one"}\n{"id": "r2", "text": "two"}\n',
    "figure.png": b"\x89PNG",
    ".hidden.txt": b"hidden",
    "__MACOSX/a.txt": b"not meant",
}
IDS = ["b/notes.txt", "a.pdf", "r1", "r2"]


def tarred(files: dict[str, bytes], mode: str = "w") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as file:  # type: ignore[call-overload]
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            file.addfile(info, io.BytesIO(data))
        link = tarfile.TarInfo("link.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        file.addfile(link)
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("x.zip", papers.zipped(FILES)),
        ("x.tar", tarred(FILES)),
        ("x.tar.gz", tarred(FILES, "w:gz")),
        ("x.tgz", tarred(FILES, "w:gz")),
        ("x.tar.bz2", tarred(FILES, "w:bz2")),
        ("x.txz", tarred(FILES, "w:xz")),
        ("x.tar.zst", zstd.compress(tarred(FILES))),
    ],
)
def test_files_in_an_archive(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    problems = Problems()
    found = read_all(tmp_path, problems)
    assert [one.id.removeprefix(f"{name}!") for one in found] == IDS
    assert found[0].values["source"] == f"{tmp_path}/{name}!b/notes.txt"
    assert found[3].place == f"{tmp_path}/{name}!records.jsonl, line 2"
    assert not problems.count
    assert problems.unknown == {".png": 1}


def test_an_archive_named_directly_has_its_path_in_the_ids(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(papers.zipped({"a.txt": "word"}))
    assert [one.id for one in read_all(tmp_path / "x.zip")] == [f"{tmp_path}/x.zip!a.txt"]


def test_archives_in_archives_as_deep_as_three(tmp_path: Path) -> None:
    inner = papers.zipped({"deep.txt": "word"})
    for name in ("c.zip", "b.zip", "a.zip"):
        inner = papers.zipped({name: inner, "beside.txt": "word"})
    (tmp_path / "x.zip").write_bytes(inner)
    problems = Problems()
    ids = [one.id for one in read_all(tmp_path, problems)]
    assert ids == ["x.zip!a.zip!b.zip!beside.txt", "x.zip!a.zip!beside.txt", "x.zip!beside.txt"]
    assert lines(problems) == [
        f"{tmp_path}/x.zip!a.zip!b.zip!c.zip: more than 3 archives within each other: unpack it"
    ]


def test_names_that_lead_elsewhere_lead_nowhere(tmp_path: Path) -> None:
    names = ["/etc/a.txt", "../../b.txt", "..\\c.txt", "./d.txt"]
    (tmp_path / "x.zip").write_bytes(papers.zipped(dict.fromkeys(names, "word")))
    ids = [one.id for one in read_all(tmp_path)]
    assert ids == ["x.zip!etc/a.txt", "x.zip!b.txt", "x.zip!c.txt", "x.zip!d.txt"]


def test_what_cannot_be_read_of_an_archive_is_named(tmp_path: Path) -> None:
    locked = bytearray(papers.zipped({"locked.txt": "word", "open.txt": "word"}))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        locked[locked.index(mark) + place] |= 1
    (tmp_path / "a.zip").write_bytes(locked)
    (tmp_path / "b.zip").write_bytes(papers.zipped({"v.npy": b"x", "scan.pdf": papers.pdf([""])}))
    (tmp_path / "c.zip").write_bytes(papers.zipped({"a.txt": "word"})[:-30])
    (tmp_path / "d.tar.gz").write_bytes(tarred({"a.txt": b"word" * 9999}, "w:gz")[:-20])
    problems = Problems()
    assert [one.id for one in read_all(tmp_path, problems)][:1] == ["a.zip!open.txt"]
    found = [line.removeprefix(f"{tmp_path}/") for line in lines(problems)]
    assert found[0] == "a.zip!locked.txt: is encrypted: unpack the archive with its password first"
    assert found[1] == "b.zip!v.npy: vectors are not read out of an archive: unpack it first"
    assert any(line.startswith("b.zip!scan.pdf: has no text layer") for line in found)
    assert any(line.startswith("c.zip: is damaged or cut short") for line in found)
    assert any("d.tar.gz" in line for line in found)
    with pytest.raises(InputError, match=r"c.zip is damaged or cut short"):
        read_all(tmp_path / "c.zip", Problems())


def test_a_bomb_ends_its_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "ALLOWANCE", 1000)
    bomb = {"small.txt": b"x", **{f"{n}.txt": bytes(200_000) for n in range(9)}}
    (tmp_path / "x.zip").write_bytes(papers.zipped(bomb))
    problems = Problems()
    assert [one.id for one in read_all(tmp_path, problems)][:1] == ["x.zip!small.txt"]
    assert any("holds far more than its size tells" in line for line in lines(problems))
    assert len(lines(problems)) < 9
    nested = papers.zipped({"b.zip": papers.zipped(bomb)})
    found = preview("x.zip", nested, limits=Limits(bytes=5000))
    assert [one.id for one in found.documents] == ["x.zip!b.zip!small.txt"]
    assert "holds far more than its size tells" in str(found.problems[0])


def test_one_large_file_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "LARGEST_MEMBER", 1000)
    (tmp_path / "x.zip").write_bytes(papers.zipped({"a.txt": "x" * 1001, "b.txt": "x" * 1000}))
    problems = Problems()
    assert [one.id for one in read_all(tmp_path, problems)] == ["x.zip!b.txt"]
    assert lines(problems) == [
        f"{tmp_path}/x.zip!a.txt: is larger than 1,000 bytes: unpack it first"
    ]


def test_overlapping_members_are_counted_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bomb without nesting: many entries of the directory share the same bytes."""
    monkeypatch.setattr(archives, "ALLOWANCE", 1000)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("0.txt", bytes(100_000))
        first = file.infolist()[0]
        for number in range(1, 500):
            info = zipfile.ZipInfo(f"{number}.txt")
            for name in ("header_offset", "CRC", "compress_size", "file_size", "compress_type"):
                setattr(info, name, getattr(first, name))
            file.filelist.append(info)
    problems = Problems()
    (tmp_path / "x.zip").write_bytes(out.getvalue())
    assert not read_all(tmp_path, problems)
    assert problems.count


def test_every_packed_suffix_has_an_opener() -> None:
    from likewise.readers.streams import PACKED

    assert set(PACKED.values()) == set(OPENERS)
    assert Source("a.tgz", "a.tgz", None, content=tarred({}, "w:gz")).open().read(1) is not None
