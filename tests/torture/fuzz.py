"""Files made to mislead: manifests and saved queries with right checksums, databases, documents.

A random change to a sound file of each kind, so that most of it is still understood. Reading it
works or raises a LikewiseError of one line; it never crashes, hangs or takes much memory.
"""

from __future__ import annotations

import json
import random
import resource
import shutil
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xxhash import xxh3_64_hexdigest

from helpers import papers
from likewise import Index, Query
from likewise.errors import LikewiseError
from torture.changes import copy
from torture.flips import answers, make
from torture.trials import Clock, Tally, in_child

if TYPE_CHECKING:
    from collections.abc import Callable

MEMORY = 4 << 30
ODD: tuple[Any, ...] = (
    None, True, -1, 0, 1, 2**31, 2**63, 2**64, 1e308, "", "a", "../../etc/passwd", "segments/1.seg",
    [], [[]], {}, {"a": 1}, "\ud800", "x" * 5000, [0] * 5000,
)  # fmt: skip
FIXTURES = Path(__file__).parent.parent / "data"


def run(folder: Path, seconds: float, seed: int) -> Tally:
    tally, clock, rng = Tally(), Clock(seconds), random.Random(seed)
    sound = make(folder / "sound.idx")
    query = folder / "sound.json"
    index = Index.open(sound, threads=1)
    index.learn(["d0-1", "d0-2"]).portable.save(query)
    index.session("fuzzed", query="word1").judge("d0-3", "relevant")
    fixtures = _fixtures(folder / "fixtures")
    while clock() and not tally.failures:
        for what, trial in (
            ("manifests that say something else", lambda: _manifest(folder, sound, rng)),
            ("saved queries that say something else", lambda: _query(folder, sound, query, rng)),
            ("judgement databases with odd rows", lambda: _database(folder, sound, rng)),
            ("files of documents, changed at random", lambda: _document(folder, fixtures, rng)),
        ):
            drawn = rng.getstate()
            outcome = in_child(_limited(trial()), patience=60)
            tally.count(what)
            tally.require(
                outcome.code == 0, f"seed {seed}, {what} ({hash(drawn[1][:4])}): {outcome}"
            )
    return tally


def _fixtures(folder: Path) -> list[Path]:
    """Sound files of every kind that is read."""
    folder.mkdir()
    made = {
        "a.pdf": papers.pdf(["Some words about kernels. " * 20] * 2, "On kernels"),
        "a.docx": papers.docx(["On kernels", "Some words."]),
        "a.odt": papers.odt(["On kernels", "Some words."]),
        "a.pptx": papers.pptx([["On kernels", "Some words."]]),
        "a.epub": papers.epub(["<p>Some words</p>"]),
        "a.eml": papers.LETTER,
        "a.ipynb": papers.notebook([("markdown", "Some words")]),
        "a.html": b"<html><title>On kernels</title><body><p>Some words</p></body></html>",
    }
    for name, data in made.items():
        (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    kept = [FIXTURES / "readers", FIXTURES / "references", folder]
    return sorted(path for place in kept for path in place.rglob("*") if path.is_file())


def _limited(use: Callable[[], object]) -> Callable[[int], None]:
    def work(_: int) -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        try:
            use()
        except LikewiseError as error:
            if "\n" in str(error) or len(str(error)) > 2000:
                raise AssertionError(f"not one bounded sentence: {str(error)[:300]}") from error

    return work


def _manifest(folder: Path, sound: Path, rng: random.Random) -> Callable[[], object]:
    path = copy(sound, folder / "changed.idx")
    envelope = json.loads((path / "manifest.json").read_text())
    body = json.dumps(changed(envelope["index"], rng))
    head = json.dumps({"format": envelope["format"], "checksum": xxh3_64_hexdigest(body.encode())})
    (path / "manifest.json").write_text(f'{head[:-1]}, "index": {body}}}')
    return lambda: answers(path)


def _query(folder: Path, sound: Path, query: Path, rng: random.Random) -> Callable[[], object]:
    path = folder / "changed.json"
    path.write_text(json.dumps(changed(json.loads(query.read_text()), rng)))
    return lambda: Index.open(sound, threads=1).run(Query.load(path))


def _database(folder: Path, sound: Path, rng: random.Random) -> Callable[[], object]:
    path = copy(sound, folder / "changed.idx")
    file = Path(Index.open(path).reviews.place)
    with sqlite3.connect(file) as database:
        tables = [
            row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type='table'")
        ]
        table = rng.choice(tables)
        columns = [row[1] for row in database.execute(f'PRAGMA table_info("{table}")')]
        value = rng.choice([each for each in ODD if not isinstance(each, list | dict)])
        if isinstance(value, str):
            value = value.encode("utf-8", "replace").decode()
        elif isinstance(value, int):
            value = max(-(2**62), min(value, 2**62))
        database.execute("PRAGMA ignore_check_constraints = ON")
        try:
            database.execute(f'UPDATE "{table}" SET "{rng.choice(columns)}" = ?', (value,))
        except sqlite3.Error:
            database.rollback()
    database.close()

    def use() -> None:
        index = Index.open(path, threads=1)
        index.sessions()
        session = index.session("fuzzed")
        session.labels()
        session.history()
        session.next()

    return use


def _document(folder: Path, fixtures: list[Path], rng: random.Random) -> Callable[[], object]:
    fixture = rng.choice(fixtures)
    data = bytearray(fixture.read_bytes())
    for _ in range(rng.choice((1, 1, 3, 20))):
        at, other = rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)
        kind = rng.randrange(5)
        if kind == 0 and data:
            data[at % len(data)] = rng.randrange(256)
        elif kind == 1:
            del data[min(at, other) : min(at, other) + rng.randint(1, 64)]
        elif kind == 2:
            data[at:at] = data[other : other + rng.randint(1, 256)]
        elif kind == 3:
            data[at:at] = rng.randbytes(rng.randint(1, 16))
        else:
            data[at:at] = rng.choice((b"\x00", b'"', b"\n\n", b"{", b"}", b"\xff\xfe", b"&#x0;"))
    path = folder / f"changed{fixture.suffix}"
    path.write_bytes(data)
    target = folder / "read.idx"
    shutil.rmtree(target, ignore_errors=True)

    def use() -> None:
        import warnings

        warnings.simplefilter("ignore")
        Index.create(target, threads=1, latent=0).add(path)

    return use


def changed(value: Any, rng: random.Random) -> Any:
    """The same JSON with one value exchanged, removed or doubled."""
    places: list[tuple[Any, Any]] = []

    def collect(node: Any) -> None:
        items = node.items() if isinstance(node, dict) else enumerate(node)
        for key, below in items:
            places.append((node, key))
            if isinstance(below, dict | list):
                collect(below)

    value = json.loads(json.dumps(value))
    collect(value)
    node, key = rng.choice(places)
    kind = rng.randrange(4)
    if kind == 0 and isinstance(node, dict):
        del node[key]
    elif kind == 1 and isinstance(node, list):
        node.insert(key, node[key])
    elif kind == 2 and isinstance(node[key], int | float) and not isinstance(node[key], bool):
        node[key] += rng.choice((-1, 1, 1000, 2**32))
    else:
        node[key] = rng.choice(ODD)
    return value
