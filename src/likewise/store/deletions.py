"""Which documents of a segment are deleted: a small file beside it. Merging drops them for good."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.store.container import Container
from likewise.store.container_writer import ContainerWriter, given_up_on_failure
from likewise.store.manifest import Deletions

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

KIND = "deletions"


def open_deletions(directory: Path, entry: Deletions) -> Container:
    return Container(directory / entry.file, KIND, entry.bytes)


def write_deletions(directory: Path, file: str, numbers: NDArray[np.uint32]) -> Deletions:
    """Write the deleted documents' numbers within their segment, ascending."""
    writer = ContainerWriter(directory / file, KIND)
    with given_up_on_failure(writer):
        writer.array("deleted", numbers)
        return Deletions(file, writer.close(), len(numbers))
