"""A coverage-guided run over the readers: `python tests/torture/fuzz_readers.py [SECONDS]`.

Each input begins with a byte that chooses the format. A reader may answer with documents or with
an InputError; anything else, a hang or too much memory ends the run and leaves the input.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["likewise.readers", "email", "zipfile"]):
    from likewise.errors import InputError
    from likewise.readers import Problems, ReadOptions
    from likewise.readers.archives import members
    from likewise.readers.formats import FORMATS, SUFFIXES
    from likewise.readers.streams import Source

    for known in FORMATS.values():
        known.load()  # here, or it would be imported on use and not be watched

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from helpers.fuzzing import seeds

APART = {suffix: data for suffix, data in seeds().items() if suffix not in (".xlsx", ".parquet")}
REFERENCES = Path(__file__).resolve().parents[1] / "data" / "references"
SEEDS = [*APART.items(), *((path.suffix, path.read_bytes()) for path in REFERENCES.iterdir())]
SEEDS += [
    (".csv", b'sep=;\nid;title;text\n1;"a\nb";c\n'),
    (".jsonl", b'{"id": 1, "text": "one"}\n'),
    (".md", b"---\ntitle: T\ntags: [a, b]\n---\n# H\ntext\n"),
    (".txt", "Ä title\n\ntext".encode("utf-16")),
]
KINDS = sorted({suffix for suffix, _ in SEEDS})
SECONDS = 60
LARGEST = 1 << 22


def one(data: bytes) -> None:
    if not data:
        return
    suffix = KINDS[data[0] % len(KINDS)]
    name = f"a{suffix}"
    source = Source(name, name, None, SUFFIXES[suffix], content=data[1:], limit=LARGEST)
    problems = Problems(most=100)
    try:
        if suffix == ".zip":
            for _ in members(source, problems):
                pass
        else:
            for _ in FORMATS[source.format].load()(source, ReadOptions(), problems):
                pass
    except InputError:
        pass


def main() -> None:
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    with tempfile.TemporaryDirectory() as folder:
        for number, (suffix, data) in enumerate(SEEDS):
            (Path(folder) / str(number)).write_bytes(bytes([KINDS.index(suffix)]) + data)
        limits = [f"-max_total_time={seconds}", "-timeout=20", "-rss_limit_mb=2048"]
        atheris.Setup([sys.argv[0], *limits, "-max_len=65536", folder], one)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
