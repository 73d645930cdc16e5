"""Where embeddings come from: the options that `index` and `embed` share."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from likewise.errors import UsageError


@dataclass(frozen=True)
class Embeddings:
    embeddings: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A .npy file of embeddings, one document a row."),
    ] = None
    embeddings_ids: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The ids for these rows, one a line; the order of the index by default.",
        ),
    ] = None
    embed: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="Compute embeddings with this model, a folder or a name: it must be on this "
            "machine. likewise embed uses all-MiniLM-L6-v2 by default.",
        ),
    ] = None

    @property
    def given(self) -> bool:
        return self.embeddings is not None or self.embed is not None

    def check(self) -> None:
        """Refuse options that contradict each other."""
        if self.embeddings is not None and self.embed is not None:
            raise UsageError("--embeddings and --embed exclude each other: give one of them")
        if self.embeddings_ids is not None and self.embeddings is None:
            raise UsageError("--embeddings-ids goes with --embeddings: it names that file's rows")

    def check_files(self) -> None:
        """Refuse what is wrong whatever the documents are, before they are read."""
        if self.embeddings is not None:
            from likewise.search import vectors

            ids = vectors.names(self.embeddings_ids)
            vectors.check(vectors.load(self.embeddings), ids, str(self.embeddings))
        if self.embed is not None:
            from likewise.views import models

            models.find(self.embed)


NONE = Embeddings()
