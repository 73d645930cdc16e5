"""A judged collection: an index, topics, and which documents are relevant to which topic."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from likewise.errors import UsageError
from likewise.evaluation import cache, provenance
from likewise.index import Index
from likewise.readers import FORMATS, trec
from likewise.readers.streams import OPENERS

if TYPE_CHECKING:
    from collections.abc import Iterable

DOCUMENTS, TOPICS, QRELS = "docs", ("queries", "topics"), ("qrels",)


class Files(NamedTuple):
    """Files of topics and judgements; or `labels`, a field of documents that gives both."""

    topics: Path | None
    qrels: Path | None
    labels: str | None


def find(folder: Path, topics: Path | None, qrels: Path | None, labels: str | None) -> Files:
    """The files named by the user, or else those in the folder with the usual names."""
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder}")
    if labels is not None:
        if qrels is not None:
            raise UsageError("--labels and --qrels both define relevance: give one of them")
        return Files(topics, None, labels)
    found = Files(topics or _named(folder, TOPICS), qrels or _named(folder, QRELS), None)
    if found.qrels is None:
        raise UsageError("no judgements: give a file with --qrels, or a field with --labels")
    return found


def _named(folder: Path, names: Iterable[str]) -> Path | None:
    found = sorted(p for p in folder.iterdir() if p.is_file() and p.name.split(".")[0] in names)
    if len(found) > 1:
        raise UsageError(
            f"{found[0].parent} has both {found[0].name} and {found[1].name}: "
            "name one with --topics or --qrels"
        )
    return found[0] if found else None


@dataclass(frozen=True)
class JudgedCollection:
    """The index with its topics and judgements; `qrels` leaves out documents that are not in it."""

    index: Index
    topics: dict[str, trec.Topic]
    judged: trec.Qrels

    @cached_property
    def ids(self) -> list[str]:
        return self.index.ids()

    @cached_property
    def numbers(self) -> dict[str, int]:
        return {id: number for number, id in enumerate(self.ids)}

    @cached_property
    def qrels(self) -> trec.Qrels:
        return {
            topic: {id: grade for id, grade in grades.items() if id in self.numbers}
            for topic, grades in self.judged.items()
        }

    @property
    def unknown(self) -> int:
        """How many judgements are of documents that are not in the index."""
        return sum(map(len, self.judged.values())) - sum(map(len, self.qrels.values()))

    def relevant(self, topic: str) -> list[str]:
        return sorted(id for id, grade in self.qrels.get(topic, {}).items() if grade > 0)


@lru_cache(maxsize=1)
def load(folder: Path, files: Files) -> JudgedCollection:
    index = _index(folder, files)
    topics = trec.read_topics(files.topics) if files.topics else []
    if files.labels is not None:
        judged = _labelled(index, files.labels)
    else:
        judged = trec.read_qrels(_there(files.qrels))
    return JudgedCollection(index, {topic.id: topic for topic in topics}, judged)


def _there(path: Path | None) -> Path:
    if path is None or not path.exists():
        raise UsageError(f"there is no file of judgements {path}")
    return path


def _index(folder: Path, files: Files) -> Index:
    """The folder itself if it is an index, or else an index of its documents, kept in the cache."""
    if (folder / "manifest.json").exists():
        return Index.open(folder)
    sources = _documents(folder, files)

    def build(place: Path) -> None:
        index = Index.create(place / "index")
        index.add([str(path) for path in sources], strict=True)

    name = f"evaluate-{folder.resolve().name}"
    return Index.open(cache.kept_index(name, provenance.checksum(folder), build))


def _documents(folder: Path, files: Files) -> list[Path]:
    """docs.*, or else all readable files except topics and judgements."""
    suffixes = {suffix for format in FORMATS.values() for suffix in format.suffixes}
    others = {path.resolve() for path in (files.topics, files.qrels) if path}
    readable = [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.resolve() not in others and _suffix(path) in suffixes
    ]
    chosen = [path for path in readable if path.name.split(".")[0] == DOCUMENTS] or readable
    if not chosen:
        raise UsageError(
            f"{folder} has no readable documents: add docs.jsonl or another supported file"
        )
    return chosen


def _suffix(path: Path) -> str:
    inner = Path(path.stem) if path.suffix.lower() in OPENERS else path
    return inner.suffix.lower()


def _labelled(index: Index, field: str) -> trec.Qrels:
    """Each value of a field is a topic, and the documents that have it are relevant.

    If the values are 0 and 1, 1 is the only topic.
    """
    judged: trec.Qrels = {}
    for id in index.ids():
        fields = index.document(id).fields
        if field not in fields:
            continue
        for value in _values(fields[field]):
            judged.setdefault(value, {})[id] = 1
    if not judged:
        raise UsageError(f"no document has a field {field!r}: name another with --labels")
    if set(judged) <= {"0", "1"}:
        judged.pop("0", None)
    return judged


def _values(value: Any) -> list[str]:
    """As texts; 1, 1.0 and true are the same."""
    if isinstance(value, list):
        return [text for one in value for text in _values(one)]
    if isinstance(value, bool):
        return [str(int(value))]
    if isinstance(value, float) and value.is_integer():
        return [str(int(value))]
    return [] if value in (None, "") else [str(value)]
