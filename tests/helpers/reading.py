"""What a reader makes of files: every document, after a check that its batches are consistent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from likewise.document import values_of
from likewise.readers import Batch, Problems, ReadOptions, read

if TYPE_CHECKING:
    from collections.abc import Iterable

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
SAMPLES = Path(__file__).parents[1] / "data" / "readers"


class Read(NamedTuple):
    """One document as it came out."""

    id: str
    texts: tuple[str, ...]
    values: dict[str, Any]
    place: str


def read_all(input: Any, problems: Problems | None = None, **options: Any) -> list[Read]:
    return unpack(read(input, ReadOptions(**options), problems))


def unpack(batches: Iterable[Any]) -> list[Read]:
    """Every document, after checking that the batch's parts agree."""
    documents = []
    for batch in batches:
        assert len(batch) == len(batch.ids) == len(batch.ends) == len(batch.lines) > 0
        assert int(batch.ends[-1]) == len(batch.records)
        for i in range(len(batch)):
            assert batch.record(i).endswith(b"\n")
            texts = tuple(field[i] for field in batch.texts) if isinstance(batch, Batch) else ()
            values = values_of(batch.record(i))
            documents.append(Read(batch.ids[i], texts, values, batch.place(i)))
    return documents


def lines(problems: Problems) -> list[str]:
    return [str(problem) for problem in problems.listed]
