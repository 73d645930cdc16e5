"""Changes of an index and of a review, and what must be there after each of them.

A workload is a list of changes drawn by a seed. `make` carries one out; `after` says what it
makes of the documents and judgements, without looking at the index.
"""

from __future__ import annotations

import random
import shutil
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from likewise import Document, Index

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

WORDS = [f"word{number}" for number in range(30)]
SESSION = "torture"
KINDS = ("add", "add", "add", "replace", "delete", "merge", "judge", "judge", "judge", "latent")


class State(NamedTuple):
    """Documents by id and judgements by id."""

    texts: dict[str, str]
    labels: dict[str, bool]


class Change(NamedTuple):
    kind: str
    texts: Mapping[str, str] = MappingProxyType({})
    ids: tuple[str, ...] = ()
    label: bool = False


EMPTY = State({}, {})


def start(path: Path) -> State:
    """A new index of some documents, with a review."""
    index = Index.create(path, threads=1, latent=0)
    texts = {f"first{number}": _text(random.Random(number)) for number in range(12)}
    index.add(_documents(texts))
    index.session(SESSION, query="word1")
    return State(texts, {})


def workload(seed: int, state: State) -> Iterator[Change]:
    """Changes without end, each drawn for the state that those before it leave."""
    rng = random.Random(seed)
    number = 0
    while True:
        kind = rng.choice(KINDS)
        if kind == "add":
            ids = [f"s{seed}n{number}x{each}" for each in range(rng.randint(1, 30))]
            change = Change(kind, {id: _text(rng) for id in ids})
        elif kind in ("replace", "delete"):
            free = sorted(state.texts.keys() - state.labels.keys())
            some = tuple(rng.sample(free, min(len(free) // 2, 4)))
            texts = {id: _text(rng) for id in some} if kind == "replace" else {}
            change = Change(kind, texts, some)
        elif kind == "judge":
            change = Change(kind, ids=(rng.choice(sorted(state.texts)),), label=rng.random() < 0.5)
        else:
            change = Change(kind)
        number += 1
        yield change
        state = after(change, state)


def make(change: Change, path: Path) -> None:
    """Carry out a change; once this has returned, it has happened."""
    index = Index.open(path, threads=1)
    if change.kind in ("add", "replace"):
        if change.texts:
            index.add(_documents(change.texts), on_duplicate="replace")
    elif change.kind == "delete":
        index.delete(change.ids)
    elif change.kind == "merge":
        index.merge()
    elif change.kind == "latent":
        index.learn_latent(4)
    else:
        label = "relevant" if change.label else "not"
        index.session(SESSION).judge(change.ids[0], label)


def after(change: Change, state: State) -> State:
    texts = {id: text for id, text in state.texts.items() if id not in change.ids}
    if change.kind == "judge":
        return State(state.texts, state.labels | {change.ids[0]: change.label})
    if change.kind in ("add", "replace", "delete"):
        return State(texts | dict(change.texts), state.labels)
    return state


def found(path: Path) -> State:
    """What is there, after every checksum has been verified."""
    index = Index.open(path, threads=1)
    index.verify()
    texts = {id: index.document(id).text for id in index.ids()}
    return State(texts, index.session(SESSION).labels())


def copy(path: Path, to: Path) -> Path:
    """An index with its reviews, in place of whatever is there."""
    shutil.rmtree(to, ignore_errors=True)
    for file in to.parent.glob(f"{to.name}.*"):
        file.unlink()
    shutil.copytree(path, to)
    for file in path.parent.glob(f"{path.name}.*"):
        shutil.copy(file, to.parent / (to.name + file.name.removeprefix(path.name)))
    return to


def _documents(texts: Mapping[str, str]) -> list[Document]:
    return [Document(id, text) for id, text in texts.items()]


def _text(rng: random.Random) -> str:
    return " ".join(rng.choices(WORDS, k=rng.randint(3, 40)))
