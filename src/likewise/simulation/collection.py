"""A collection whose every document is labelled as relevant or not."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from likewise.errors import InputError, UsageError
from likewise.index import Index

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from likewise.store.duplicates import OnDuplicate

LABEL_NAMES = ("label", "label_included", "included", "final_included", "relevant", "inclusion")
_LABELS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}


class Collection:
    """An index and its documents' labels, in the order of their numbers."""

    def __init__(self, name: str, index: Index, relevant: NDArray[np.bool_]) -> None:
        if len(relevant) != len(index):
            raise UsageError(f"{len(relevant)} labels for {len(index)} documents")
        if not relevant.any() or relevant.all():
            kind = "relevant" if len(relevant) and relevant[0] else "non-relevant"
            raise UsageError(f"{name} has {kind} documents only: there is nothing to tell apart")
        self.name, self.index, self.relevant = name, index, relevant
        self.ids = index.ids()

    @classmethod
    def of_index(cls, index: Index, name: str, label: str | None = None) -> Collection:
        """Labels are a field of the documents: `label`, or the first of the usual names."""
        relevant = [_label(index, id, label) for id in index.ids()]
        return cls(name, index, np.array(relevant, np.bool_))

    def numbers(self, ids: list[str]) -> list[int]:
        places = {id: number for number, id in enumerate(self.ids)}
        for id in ids:
            if id not in places:
                raise UsageError(f"no document {id!r} in {self.name}")
        return [places[id] for id in ids]


@contextmanager
def read(
    path: Path,
    label: str | None = None,
    *,
    text_column: str | None = None,
    on_duplicate: OnDuplicate = "error",
    **settings: Any,
) -> Iterator[Collection]:
    """A file of records, one document each, as a collection; its index goes when this ends.

    `text_column` and `on_duplicate` are those of Index.add, `settings` those of Index.create.
    """
    with tempfile.TemporaryDirectory(prefix="likewise-") as folder:
        index = Index.create(Path(folder) / "index", **settings)
        added = index.add(path, on_duplicate=on_duplicate, text_column=text_column)
        if added.problems:
            raise InputError(str(added.problems[0]))
        if not len(index):
            raise InputError(f"there is no document in {path}")
        yield Collection.of_index(index, str(path), label)


def _label(index: Index, id: str, name: str | None) -> bool:
    fields = index.document(id).fields
    names = LABEL_NAMES if name is None else (name,)
    found = next((fields[each] for each in names if fields.get(each) not in (None, "")), None)
    known = _LABELS.get(_text(found))
    if known is None:
        wanted = " or ".join(names)
        said = "has no label" if found is None else f"has the label {found!r}"
        raise InputError(
            f"document {id!r} {said}: give 1 or 0 in a field {wanted}, or name it with --label"
        )
    return known


def _text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip().lower()
