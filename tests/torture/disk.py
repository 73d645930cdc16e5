"""A disk that may lose, cut short or reorder whatever was not synced when the power failed.

Operations are those that recorder.c has seen, in their order. What a sync has covered is there
after the failure; of everything else, any part may be. A rename happens whole or not at all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

SECTOR = 512
Mode = Literal["nothing", "everything", "prefix", "any"]
MODES: tuple[Mode, ...] = ("nothing", "everything", "prefix", "any", "any")


class Write(NamedTuple):
    """Bytes of a file; None cuts it at `at`."""

    inode: int
    at: int
    data: bytes | None


class Entries(NamedTuple):
    """A change of one or two folders: names that go, and a name that comes."""

    gone: tuple[str, ...]
    name: str | None
    inode: int  # -1 for a folder


class Sync(NamedTuple):
    inode: int
    path: str


class Answer(NamedTuple):
    """The writer has said that its next change has happened."""


Operation = Write | Entries | Sync | Answer


@dataclass
class Recorded:
    """The operations of a recording, with files known by numbers that are never used twice."""

    operations: list[Operation] = field(default_factory=list)

    @classmethod
    def read(cls, log: Path, answers: str) -> Recorded:
        return cls(list(_operations(log.read_bytes(), answers)))

    def after_failure(self, at: int, mode: Mode, rng: random.Random) -> dict[str, bytes | None]:
        """The files, by path, after a power failure before operation `at`; None is a folder."""
        happened = self.operations[:at]
        covered = _covered(happened)
        loose = [place for place in range(at) if place not in covered]
        until = rng.choice(loose) if loose else 0
        names: dict[str, int] = {}
        content: dict[int, bytearray] = {}
        for place, operation in enumerate(happened):
            safe = place in covered
            kept = (
                safe
                or {
                    "nothing": False,
                    "everything": True,
                    "prefix": place < until,
                    "any": rng.random() < 0.5,
                }[mode]
            )
            if not kept:
                continue
            if isinstance(operation, Write):
                torn = not safe and mode == "any" and rng.random() < 0.3
                _write(content.setdefault(operation.inode, bytearray()), operation, torn, rng)
            elif isinstance(operation, Entries):
                for name in operation.gone:
                    names.pop(name, None)
                if operation.name is not None:
                    names[operation.name] = operation.inode
        return {
            name: None if inode < 0 else bytes(content.get(inode, b""))
            for name, inode in names.items()
        }


def lay_out(files: dict[str, bytes | None], root: str, target: Path) -> None:
    """Write files that were below `root` below `target`; one whose folder is lost is lost."""
    for name, data in sorted(files.items()):
        path = target / Path(name).relative_to(root)
        if not path.parent.is_dir():
            continue
        if data is None:
            path.mkdir(exist_ok=True)
        else:
            path.write_bytes(data)


def _covered(operations: list[Operation]) -> set[int]:
    """The operations that a later sync has made to last."""
    waiting: dict[str | int, list[int]] = {}
    owed: dict[int, int] = {}  # a rename between folders needs both
    covered = set()
    for place, operation in enumerate(operations):
        if isinstance(operation, Write):
            waiting.setdefault(operation.inode, []).append(place)
        elif isinstance(operation, Entries):
            folders = {str(Path(name).parent) for name in (*operation.gone, operation.name) if name}
            owed[place] = len(folders)
            for folder in folders:
                waiting.setdefault(folder, []).append(place)
        elif isinstance(operation, Sync):
            covered |= set(waiting.pop(operation.inode, []))
            for waited in waiting.pop(operation.path, []):
                owed[waited] -= 1
                if not owed[waited]:
                    covered.add(waited)
    return covered


def _write(content: bytearray, write: Write, torn: bool, rng: random.Random) -> None:
    if write.data is None:
        del content[write.at :]
        content.extend(bytes(write.at - len(content)))
        return
    data = write.data
    if torn:
        data = data[: rng.randint(0, len(data) // SECTOR) * SECTOR]
    if len(content) < write.at:
        content.extend(bytes(write.at - len(content)))
    content[write.at : write.at + len(data)] = data


def _operations(log: bytes, answers: str) -> Iterator[Operation]:
    numbers: dict[int, int] = {}  # the file system's numbers are used again, ours are not
    names: dict[str, int] = {}
    at, made = 0, 0
    while at < len(log):
        end = log.index(b"\n", at)
        kind, _, rest = log[at:end].decode().partition(" ")
        at = end + 1
        if kind == "write":
            inode, offset, size, path = rest.split(" ", 3)
            data = log[at : at + int(size)]
            at += int(size)
            if path == answers:
                yield Answer()
            elif int(inode) in numbers:
                yield Write(numbers[int(inode)], int(offset), data)
        elif kind in ("create", "empty"):
            inode, path = rest.split(" ", 1)
            if kind == "create":
                made += 1
                numbers[int(inode)] = names[path] = made
                yield Entries((), path, made)
            elif int(inode) in numbers:
                yield Write(numbers[int(inode)], 0, None)
        elif kind == "cut":
            inode, size, _path = rest.split(" ", 2)
            if int(inode) in numbers:
                yield Write(numbers[int(inode)], int(size), None)
        elif kind == "sync":
            inode, path = rest.split(" ", 1)
            yield Sync(numbers.get(int(inode), 0), path)
        elif kind in ("rename", "link"):
            old, new = rest.split("\t")
            if old in names:
                names[new] = names[old] if kind == "link" else names.pop(old)
                yield Entries((old,) if kind == "rename" else (), new, names[new])
        elif kind == "mkdir":
            names[rest] = -1
            yield Entries((), rest, -1)
        else:  # unlink, rmdir
            names.pop(rest, None)
            yield Entries((rest,), None, 0)
