"""Forges indexes, wrong numbers under right checksums, and uses them. Run by test_store_forged.

    python -m helpers.forging DIRECTORY SEED ROUNDS

Every section of every file of a few small indexes is changed in several ways, and so are the
tables of contents and the manifests. Each forged index is opened, searched, filtered, explained,
learned from, added to and merged: each step must answer or raise one StoreError of one line. The
process says which case it is at, so that whoever started it knows where it died.
"""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import sys
import traceback
import warnings
from pathlib import Path

import numpy as np
from xxhash import xxh3_64_hexdigest, xxh3_64_intdigest

from likewise import Index
from likewise.errors import LikewiseError
from likewise.store.container import MAGIC, TRAILER
from likewise.store.manifest import FORMAT, NAME

LONGEST = 1000  # characters of an error, the path included


class Forged:
    """A container whose sections may be changed; `save` writes checksums that fit."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.data = bytearray(path.read_bytes())
        self.offset, length, _, _ = TRAILER.unpack(self.data[-TRAILER.size :])
        self.table = json.loads(self.data[self.offset : self.offset + length])

    def section(self, name: str) -> dict:
        return next(one for one in self.table["sections"] if one["name"] == name)

    def numbers(self, section: dict) -> np.ndarray:
        """A section's numbers, to be changed in place."""
        dtype = np.dtype(section["dtype"])
        count = section["bytes"] // dtype.itemsize
        return np.frombuffer(self.data, dtype, count, section["offset"])

    def save(self) -> None:
        """The manifest gets the size that the file has now."""
        for section in self.table["sections"]:
            with contextlib.suppress(TypeError):
                part = self.data[section["offset"] : section["offset"] + section["bytes"]]
                section["checksum"] = xxh3_64_hexdigest(bytes(part))
        table = json.dumps(self.table, separators=(",", ":")).encode()
        trailer = TRAILER.pack(self.offset, len(table), xxh3_64_intdigest(table), MAGIC)
        before, content = len(self.data), bytes(self.data[: self.offset]) + table + trailer
        self.path.write_bytes(content)
        if len(content) != before:
            index = self.path.parent.parent
            manifest = read_manifest(index)
            name = f"segments/{self.path.name}"
            for entry in entries(manifest):
                if entry.get("file") == name:
                    entry["bytes"] = len(content)
            write_manifest(index, manifest)


def read_manifest(index: Path) -> dict:
    return json.loads((index / NAME).read_bytes())["index"]


def write_manifest(index: Path, manifest: dict) -> None:
    body = json.dumps(manifest)
    checksum = xxh3_64_hexdigest(body.encode())
    content = f'{{"format":{FORMAT},"checksum":"{checksum}","index":{body}}}'
    (index / NAME).write_text(content)


def entries(value: object) -> list[dict]:
    """Every object within a JSON value."""
    children = value.values() if isinstance(value, dict) else value
    found = [value] if isinstance(value, dict) else []
    for child in children if isinstance(value, (dict, list)) else ():
        found += entries(child)
    return found


def make_text(path: Path) -> None:
    """All that an index of text may have: counts above 255, fields, deletions and both views."""
    index = Index.create(path, threads=1, latent=3)
    documents = [
        {
            "id": f"d{i}",
            "text": f"red apples figs w{i % 7} w{i % 5} é{i}" + " pears" * (i % 4),
            "year": 1990 + i % 9,
            "tags": ["a", f"t{i % 3}"],
            "note": "long " * (40 if i == 3 else 1),
        }
        for i in range(40)
    ]
    documents[2]["text"] += " plums" * 300
    index.add(documents[:30])
    index.add(documents[30:])
    index.delete(["d1", "d35"])
    vectors = np.random.default_rng(1).normal(size=(38, 3)).astype(np.float32)
    index.embed(vectors, source="m")


def make_values(path: Path, *, dense: bool) -> None:
    from scipy.sparse import random_array

    index = Index.create(path, threads=1)
    values = random_array((20, 6), density=0.5, rng=np.random.default_rng(1), format="csr")
    matrix = values.toarray() if dense else values
    target = path.with_suffix(".npy" if dense else ".npz")
    if dense:
        np.save(target, matrix.astype(np.float32))
    else:
        from scipy.sparse import save_npz

        save_npz(target, matrix)
    index.add(target)


MAKERS = {
    "text": make_text,
    "values": lambda path: make_values(path, dense=False),
    "dense": lambda path: make_values(path, dense=True),
}


def change_numbers(numbers: np.ndarray, rng: random.Random) -> None:
    """Some numbers become others: the largest, 0, another's, NaN, or a bit off."""
    places = rng.sample(range(len(numbers)), min(len(numbers), rng.choice([1, 1, 3, len(numbers)])))
    way = rng.randrange(6)
    raw = numbers.view(np.uint8).reshape(len(numbers), -1)
    for place in places:
        if way == 0:
            raw[place] = 255
        elif way == 1:
            raw[place] = 0
        elif way == 2:
            raw[place] = raw[rng.randrange(len(numbers))]
        elif way == 3:
            raw[place, rng.randrange(raw.shape[1])] ^= 1 << rng.randrange(8)
        elif way == 4:
            raw[place, -1] = 0x7F
        else:
            raw[place, 0] = (int(raw[place, 0]) + rng.choice([1, 255])) % 256


def change_table(forged: Forged, rng: random.Random) -> str:
    """Something in the table of contents becomes something else."""
    part = rng.choice([*forged.table["sections"], forged.table["metadata"]])
    if not part:
        return "nothing"
    key = rng.choice(list(part))
    part[key] = other(part[key], rng)
    return f"{part.get('name', 'metadata')} {key}"


def other(value: object, rng: random.Random) -> object:
    if isinstance(value, list):
        return rng.choice([[], [*value, 1], [*value, 0], [other(v, rng) for v in value], [-1, -1]])
    if isinstance(value, bool) or value is None:
        return rng.choice([True, 3, "x"])
    if isinstance(value, int):
        return rng.choice([value + 1, value - 1, 0, -value, 2**31, 2**40, 2**62])
    if isinstance(value, str):
        return rng.choice(["", "<u8", "|O", "<f4", "../x", "/dev/zero", value + "0", "dense"])
    return rng.choice([0, {}, -1e300])


def forge(index: Path, rng: random.Random, target: tuple[str, str]) -> str:
    """Change one thing; what was changed, in words."""
    file, name = target
    if file == NAME:
        manifest = read_manifest(index)
        entry = rng.choice([one for one in entries(manifest) if one])
        key = rng.choice(list(entry))
        if not isinstance(entry[key], dict):
            entry[key] = other(entry[key], rng)
        write_manifest(index, manifest)
        return f"manifest {key}"
    forged = Forged(index / file)
    what = name
    if name:
        numbers = forged.numbers(forged.section(name))
        if len(numbers):
            change_numbers(numbers, rng)
        del numbers
    else:
        what = change_table(forged, rng)
    forged.save()
    return f"{file} {what}"


def targets(index: Path) -> list[tuple[str, str]]:
    found = [(NAME, "")] * 12
    for path in sorted((index / "segments").iterdir()):
        file = f"segments/{path.name}"
        found += [(file, one["name"]) for one in Forged(path).table["sections"]]
        found += [(file, "")] * 4
    return found


def use(index: Path, ids: list[str], rng: random.Random) -> tuple[int, int]:
    """Everything that a reader and a writer do; how many steps answered, and how many refused."""
    done = refused = 0
    opened = attempt(lambda: Index.open(index, threads=1))
    for step in steps(ids, rng) if opened is not None else ():
        if attempt(lambda step=step: (step(opened),)) is None:
            refused += 1
        else:
            done += 1
    return done, refused


def steps(ids: list[str], rng: random.Random) -> list:
    """For an index of text or, if there are no ids that begin with d, of vectors."""
    weighting = rng.choice(["tfidf", "pivoted", "counts", "smooth"])
    method = rng.choice(["centroid", "1c", "ba", "p@k", "rank", "steady"])
    liked, disliked = ids[2:4], ids[5:7]
    common = [
        lambda index: index.verify(),
        lambda index: index.info(),
        lambda index: index.fields(),
        lambda index: index.documents(ids[:4]),
        lambda index: (index.ids(), index.terms()),
        lambda index: index.like(liked),
        lambda index: index.learn(liked, disliked).portable,
        lambda index: index.delete(ids[4:5]),
        lambda index: index.merge(),
        lambda index: index.like(liked),
    ]
    if not ids[0].startswith("d"):
        return common
    return [
        lambda index: index.search("red figs plums", filter='year>=1992 tags="t1"'),
        lambda index: index.search("red w1", filter='note="long"'),
        lambda index: index.count('year>=1992 tags="t1"'),
        lambda index: index.search("red w1", weighting=weighting),
        lambda index: index.explain(ids[2], "red figs"),
        lambda index: index.like(liked, disliked, method=method),
        *common[:-2],
        lambda index: index.add([{"id": "n", "text": "red new", "year": 1}]),
        *common[-2:],
        lambda index: index.search("red new"),
    ]


def attempt(step):
    """What a step gives; None if it was refused as it should be."""
    try:
        return step()
    except LikewiseError as error:
        message = str(error)
        assert "\n" not in message, message
        assert len(message) < LONGEST, message
        return None


def copied(index: Path) -> Path:
    copy = index.with_name("forged.idx")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(index, copy)
    return copy


def main(directory: Path, seed: int, rounds: int) -> None:
    warnings.simplefilter("ignore")
    rng = random.Random(seed)
    directory.mkdir(exist_ok=True)
    tried = answered = refused = 0
    wrong: dict[str, str] = {}
    for name, make in MAKERS.items():
        whole = directory / f"{name}.idx"
        make(whole)
        ids = Index.open(whole).ids()
        assert use(copied(whole), ids, random.Random(0))[1] == 0
        for target in targets(whole) * rounds:
            forged = copied(whole)
            state = rng.getrandbits(32)
            what = f"{name} {forge(forged, random.Random(state), target)}"
            print(f"{what} ({state})", file=sys.stderr, flush=True)
            tried += 1
            try:
                done, not_done = use(forged, ids, random.Random(state))
            except Exception:
                trace = traceback.format_exc()
                wrong.setdefault(trace[-300:], f"{what}: {trace}")
                continue
            answered, refused = answered + done, refused + not_done
    counts = {"tried": tried, "answered": answered, "refused": refused}
    print(json.dumps({**counts, "wrong": list(wrong.values())}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
