"""Compressed files: read like any other, or refused by name when cut short."""

from __future__ import annotations

import bz2
import gc
import gzip
import io
import lzma
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from helpers.reading import read_all
from likewise.errors import InputError
from likewise.readers.zstandard import zstd

if TYPE_CHECKING:
    from collections.abc import Callable

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstd.compress,
}
DATA = b"".join(b'{"id": %d, "text": "word %d"}\n' % (i, i * i) for i in range(6_000))
suffixes = pytest.mark.parametrize("suffix", COMPRESS)


@suffixes
@pytest.mark.parametrize("size", [1000, 1 << 20])
def test_compressed_lines(tmp_path: Path, suffix: str, size: int) -> None:
    path = tmp_path / f"x.jsonl{suffix.upper()}"
    path.write_bytes(COMPRESS[suffix](DATA))
    found = read_all(path, batch_bytes=size)
    assert [document.id for document in found] == [str(i) for i in range(6_000)]


@suffixes
def test_several_streams_in_one_file(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"x.jsonl{suffix}"
    path.write_bytes(COMPRESS[suffix](DATA) + COMPRESS[suffix](DATA))
    assert len(read_all(path)) == 12_000


@suffixes
@pytest.mark.parametrize("cut", [1, 5, 1000])
def test_a_file_cut_short_is_refused(tmp_path: Path, suffix: str, cut: int) -> None:
    path = tmp_path / f"x.jsonl{suffix}"
    path.write_bytes(COMPRESS[suffix](DATA)[:-cut])
    with pytest.raises(InputError, match=rf"x.jsonl{suffix} is damaged or cut short: ."):
        read_all(path)


@suffixes
def test_a_damaged_file_is_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"x.jsonl{suffix}"
    path.write_bytes(DATA)
    with pytest.raises(InputError, match=rf"x.jsonl{suffix} is damaged or cut short: ."):
        read_all(path)


def test_a_damaged_file_is_closed_nevertheless(tmp_path: Path) -> None:
    path = tmp_path / "papers.jsonl.gz"
    path.write_bytes(b"no gzip")
    with pytest.raises(InputError, match=r"papers.jsonl.gz is damaged or cut short: .") as caught:
        read_all(path)
    files = [found for found in gc.get_objects() if isinstance(found, io.FileIO)]
    assert path not in [Path(str(file.name)) for file in files if not file.closed]
    assert caught.tb  # which is what kept the file


@suffixes
def test_every_format_may_be_compressed(tmp_path: Path, suffix: str) -> None:
    compress = COMPRESS[suffix]
    np.save(tmp_path / "plain", np.eye(2))
    array = (tmp_path / "plain.npy").read_bytes()
    (tmp_path / "plain.npy").unlink()
    for name, data in {
        "a.csv": b"id,text\n1,x\n",
        "b.md": b"# t\n",
        "c.svm": b"1 1:1\n",
        "d.npy": array,
        "e.txt": b"x",
    }.items():
        (tmp_path / f"{name}{suffix}").write_bytes(compress(data))
    ids = [document.id.replace(suffix, "") for document in read_all(tmp_path)]
    assert ids == ["1", "b.md", "c.svm:1", "d.npy:0", "d.npy:1", "e.txt"]


def test_zstandard_without_sizes_and_with_skippable_frames(tmp_path: Path) -> None:
    streamed = zstd.ZstdCompressor()
    skippable = (0x184D2A50).to_bytes(4, "little") + (3).to_bytes(4, "little") + b"abc"
    data = skippable + streamed.compress(DATA) + streamed.flush() + skippable
    (tmp_path / "x.jsonl.zst").write_bytes(data)
    assert len(read_all(tmp_path / "x.jsonl.zst")) == 6_000
