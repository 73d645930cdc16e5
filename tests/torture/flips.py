"""Damage: bits flipped, bytes overwritten and files cut short, in every file of an index.

Whoever uses it afterwards gets an error that says so, or the very answers that the sound index
gives; never another answer, and never a crash.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from typing import TYPE_CHECKING, Any

from likewise import Document, Index
from likewise.errors import LikewiseError
from torture.trials import Clock, Tally, in_child

if TYPE_CHECKING:
    from pathlib import Path

WORDS = [f"word{number}" for number in range(60)]
SOUND = b"sound"


def run(folder: Path, seconds: float, seed: int) -> Tally:
    tally, clock, rng = Tally(), Clock(seconds), random.Random(seed)
    sound = make(folder / "sound.idx")
    files = sorted(path.relative_to(sound) for path in sound.rglob("*") if path.is_file())
    files = [path for path in files if path.name != "lock"]
    expected = answers(sound)
    while clock() and not tally.failures:
        for file in files:
            damaged = folder / "damaged.idx"
            shutil.rmtree(damaged, ignore_errors=True)
            shutil.copytree(sound, damaged)
            what = _damage(damaged / file, rng)

            def use(pipe: int, damaged: Path = damaged) -> None:
                try:
                    same = answers(damaged) == expected
                except LikewiseError as error:
                    os.write(pipe, str(error).encode())
                    return
                os.write(pipe, SOUND if same else b"another answer")
                if not same:
                    raise AssertionError

            outcome = in_child(use)
            tally.count("files damaged by flipped bits, overwritten bytes and lost ends")
            tally.count("of these noticed" if outcome.said != SOUND else "of these without effect")
            tally.require(outcome.code == 0, f"seed {seed}, {file}: {what}: {outcome}")
    return tally


def make(path: Path) -> Path:
    """An index with everything: segments, deletions, fields, a latent space, embeddings."""
    rng = random.Random(0)
    index = Index.create(path, threads=1, latent=3)
    for part in range(3):
        index.add(
            Document(
                f"d{part}-{number}",
                " ".join(rng.choices(WORDS, k=30)),
                f"Title {number}",
                year=2000 + number % 9,
            )
            for number in range(40)
        )
    index.learn_latent(3)
    index.delete(["d1-3", "d2-7"])
    return path


def answers(path: Path) -> Any:
    """Whatever can be asked of an index, by everything that it holds."""
    index = Index.open(path, threads=1)
    ids = index.ids()
    found = [(hit.id, hit.score) for hit in index.search("word1 word2 word3", k=30)]
    filtered = [hit.id for hit in index.search("word5", filter="year>2004", k=30)]
    like = [hit.id for hit in index.like(["d0-1", "d1-1"], k=30)]
    documents = [(d.id, d.title, d.text, d.fields) for d in index.documents(ids)]
    return json.loads(json.dumps([ids, found, filtered, like, documents]))


def _damage(path: Path, rng: random.Random) -> str:
    data = bytearray(path.read_bytes())
    kind = rng.choice(("flip", "flip", "flip", "overwrite", "cut", "zero"))
    at = rng.randrange(len(data))
    if kind == "flip":
        data[at] ^= 1 << rng.randrange(8)
    elif kind == "overwrite":
        data[at : at + 16] = rng.randbytes(len(data[at : at + 16]))
    elif kind == "zero":
        data[at : at + 512] = bytes(len(data[at : at + 512]))
    else:
        del data[at:]
    path.unlink()  # never in place: another process may have it mapped
    path.write_bytes(data)
    return f"{kind} at byte {at}"
